import type { EvidenceUses, Exchange, HttpAnswer } from '../core/exchange.ts';
import type { Catalogue } from '../core/requirement.ts';
import type { Results } from '../core/results.ts';
import { UserError } from '../core/user-error.ts';

/** A recorded exchange with its target; secrets are already removed. */
export interface ReportEntry {
  readonly target: string;
  readonly exchange: Exchange;
  /** The requirement whose check sent the request; null or undefined if no check sent it. */
  readonly check?: string | null;
  /** SHA-256 of the answer's body, in hexadecimal; null if there is none, undefined if it was not computed. */
  readonly bodyHash?: string | null;
}

/** The self-test of a build: the totals of prove.json. */
export interface ProveSummary {
  readonly defects: number;
  readonly found: number;
  readonly variants: number;
  readonly false: number;
}

/** Facts about a list answer for charts. */
export interface PageDetails {
  /** Path of the list, percent-escapes kept. */
  readonly path: string;
  /** The requested `$pagesize`; null if absent, NaN if not a whole number. */
  readonly requestedSize: number | null;
  readonly skip: number;
  readonly isCounted: boolean;
  readonly items: number;
  /** Null if the answer has no numeric count. */
  readonly count: number | null;
  readonly hasLink: boolean;
  /** `$skip` of the link; null if there is no link or not exactly one numeric `$skip`. */
  readonly linkedSkip: number | null;
  /** The decoded query of the request. A page that answers a link has the query of that link. */
  readonly query: string;
  /** The decoded query of the link; null if there is no link, or the link has no query. */
  readonly linkedQuery: string | null;
  /** Number of repeated identifiers on this page. */
  readonly doubled: number;
  /** The identifiers of the page, hashed; empty if items have no `id`. */
  readonly ids: Int32Array;
}

/** One line of an excerpt; a marked one shows the wrong member. */
export interface ExcerptLine {
  readonly text: string;
  /** Keys, as in `keysOf`. */
  readonly marks: readonly string[];
}

export interface BodyExcerpt {
  /** Equal bodies have equal keys. */
  readonly key: string;
  readonly bytes: number;
  /** Whether something is omitted. */
  readonly isCut: boolean;
  readonly lines: readonly ExcerptLine[];
}

/** An exchange as shown in reports: full headers, excerpts of bodies. */
export interface ExchangeView extends Omit<Exchange, 'answer'> {
  readonly answer: Omit<HttpAnswer, 'body'> | null;
  /** Null without an answer, and for exchanges whose bodies are not read. */
  readonly body: BodyExcerpt | null;
  /** Null unless the answer is a list and its body was read. */
  readonly page: PageDetails | null;
}

/** Exchanges per target, in the order of their numbers. */
export type EvidenceViews = ReadonlyMap<string, readonly ExchangeView[]>;

export interface ReportData {
  readonly results: Results;
  readonly catalogue: Catalogue;
  /** Empty without evidence. */
  readonly evidence: EvidenceViews;
  /** By target; missing without evidence, and in an overview of many targets. */
  readonly uses?: ReadonlyMap<string, EvidenceUses>;
  /** Null if this build has no proof. */
  readonly prove: ProveSummary | null;
  /** Reads all exchanges, with bodies; undefined without evidence. */
  readonly exchanges?: () => AsyncIterable<ReportEntry>;
}

export function withoutEvidence(results: Results, catalogue: Catalogue): ReportData {
  return { results, catalogue, evidence: new Map(), prove: null };
}

/** A format cannot be written on this machine; others are not affected. The message is one sentence. */
export class FormatError extends UserError {
  override readonly name = 'FormatError';
}
