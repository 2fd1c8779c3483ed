import type { Exchange, Failure, Header } from '../core/exchange.ts';
import type { Catalogue } from '../core/requirement.ts';
import type { Results } from '../core/results.ts';

/** One recorded exchange with the target that it belongs to; secrets are removed from it already. */
export interface ReportEntry {
  readonly target: string;
  readonly exchange: Exchange;
  readonly note: string | null;
  /** SHA-256 of the answer's body, in hexadecimal; null where there is none, left out where nobody counted it. */
  readonly bodyHash?: string | null;
}

/** An exchange as evidence holds it: without secrets. */
export interface HarExchange {
  readonly target: string;
  readonly exchange: Exchange;
  /** The requirement whose check asked first; null where none did. */
  readonly check: string | null;
}

/** How the harness itself was proven: the short form of prove.json. */
export interface ProveSummary {
  /** Planted defects. */
  readonly defects: number;
  /** Defects that the suite found. */
  readonly found: number;
  /** Conforming variants of the reference provider. */
  readonly variants: number;
  /** Providers that were failed for what they did not do. */
  readonly false: number;
}

/** What a list answer says, as far as pictures need it. */
export interface PageFacts {
  /** Path of the list, percent-escapes kept. */
  readonly path: string;
  /** `$pagesize` as asked for; null where it was left out, NaN where it is no whole number. */
  readonly asked: number | null;
  /** `$skip` as asked for; 0 where it was left out. */
  readonly skip: number;
  readonly counted: boolean;
  readonly items: number;
  /** Null where the answer gives none that is a number. */
  readonly count: number | null;
  readonly linked: boolean;
  /** `$skip` of the link; null where there is no link, or none with one `$skip` that is a number. */
  readonly linkedSkip: number | null;
  /** Identifiers that stand more than once on this page. */
  readonly doubled: number;
  /** The identifiers of the page, hashed; empty where items have no `id`. */
  readonly ids: Int32Array;
}

/** One line of an excerpt; a marked one carries the offending member. */
export interface ExcerptLine {
  readonly text: string;
  readonly mark: boolean;
  /** What marks it, as `keysOf` of marks names it; left out where nothing does. */
  readonly by?: readonly string[];
}

/** An answer's body, cut to what a reader needs. */
export interface BodyExcerpt {
  /** The same body has the same key. */
  readonly key: string;
  readonly bytes: number;
  /** True where something was left out. */
  readonly cut: boolean;
  readonly lines: readonly ExcerptLine[];
}

/** One exchange as reports show it: heads in full, bodies as excerpts. */
export interface ExchangeView {
  readonly number: number;
  readonly method: string;
  readonly origin: string;
  readonly requestTarget: string;
  readonly requestHeaders: readonly Header[];
  readonly requestBody: string | null;
  readonly status: number | null;
  readonly statusText: string;
  readonly httpVersion: string;
  readonly headers: readonly Header[];
  readonly failure: Failure | null;
  /** Of the answer's body as it was transferred, before secrets were removed; 0 where no answer came. */
  readonly bytesReceived: number;
  /** Null where no answer came, and where it is one of very many. */
  readonly body: BodyExcerpt | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly connection: number | null;
  readonly retry: number;
  readonly note: string | null;
  /** Null unless the answer is a list, and its body was read. */
  readonly page: PageFacts | null;
}

/** Exchanges per target, in the order of their numbers. */
export type EvidenceViews = ReadonlyMap<string, readonly ExchangeView[]>;

/** Everything that a report is made of. */
export interface ReportData {
  readonly results: Results;
  readonly catalogue: Catalogue;
  /** Empty where there is no evidence at hand. */
  readonly evidence: EvidenceViews;
  /** Null where no proof of the harness is at hand. */
  readonly prove: ProveSummary | null;
  /** Every exchange once more, bodies included, read as it is asked for; left out where there is no evidence. */
  readonly exchanges?: () => AsyncIterable<HarExchange>;
}

/** A run without its evidence: every format still renders, with less to show. */
export function withoutEvidence(results: Results, catalogue: Catalogue): ReportData {
  return { results, catalogue, evidence: new Map(), prove: null };
}
