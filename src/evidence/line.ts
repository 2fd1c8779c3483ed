import type { Failure, Header, TlsFacts } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import type { SecretFacts } from './secret-facts.ts';

/** Name and version of the format, in every line. */
export const EVIDENCE_FORMAT = 'assay-evidence/1';

/** What a line says of a body; the bytes themselves stand in `body`, or in an earlier line of the same hash. */
export interface BodyFacts {
  /** SHA-256 of the body as recorded, in hexadecimal. */
  readonly sha256: string;
  /** Its length as recorded, in bytes: decoded, secrets replaced by their labels. */
  readonly bytes: number;
  /** Bytes that were transferred. */
  readonly bytesOnWire: number;
}

/** The bytes of a body: as text where they are UTF-8, otherwise in base64. */
export type BodyContent = { readonly text: string } | { readonly base64: string };

/** One line of evidence.ndjson.gz; schemas/evidence.schema.json describes it. */
export interface EvidenceLine {
  readonly format: typeof EVIDENCE_FORMAT;
  readonly target: string;
  readonly number: number;
  readonly note: string | null;
  /** The requirement whose check was the first to ask. */
  readonly check: string | null;
  /** ISO 8601, UTC, with milliseconds. */
  readonly startedAt: string;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly connection: number | null;
  readonly tls?: TlsFacts;
  readonly retry: number;
  readonly request: {
    readonly method: string;
    readonly origin: string;
    readonly target: string;
    readonly headers: readonly Header[];
    readonly body: string | null;
  };
  readonly answer: {
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly headers: readonly Header[];
    readonly body: BodyFacts;
  } | null;
  readonly failure: Failure | null;
  /** What stands behind the labels of tokens that were met first here. */
  readonly tokens: readonly SecretFacts[];
  /** Null where there is no answer, and where an earlier line holds the same body. */
  readonly body: BodyContent | null;
}

/** What a target was judged with, so that a replay can do the same. */
export interface EvidenceSetting {
  /** The target, secrets replaced by their labels. */
  readonly target: { readonly [name: string]: Json };
  /** Suite, seed, runs, expiry and the identifiers selected. */
  readonly options: { readonly [name: string]: Json };
  /** What stands behind the labels in `target`. */
  readonly secrets: readonly SecretFacts[];
  /** JSON Schemas of the target's own, by the name under which its resources know them. */
  readonly schemas: { readonly [name: string]: Json };
  /**
   * Digest of the Assay whose suite judged; null where other checks were given in place of the suite. Evidence of
   * earlier versions has none.
   */
  readonly build?: string | null;
  /** SHA-256 of each module of own checks, by its path. Evidence of earlier versions has none. */
  readonly ownChecks?: { readonly [file: string]: string };
}

/** A line that tells what a target was judged with. */
export interface SettingLine {
  readonly format: typeof EVIDENCE_FORMAT;
  readonly target: string;
  readonly setting: EvidenceSetting;
}

/** The exchanges whose answers each check used; written when the target has been judged. */
export type EvidenceUses = { readonly [check: string]: readonly (readonly [first: number, last: number])[] };

/** A line that tells it. */
export interface UsesLine {
  readonly format: typeof EVIDENCE_FORMAT;
  readonly target: string;
  readonly uses: EvidenceUses;
}

/** Evidence that cannot be written or read; the message is one sentence that names the file. */
export class EvidenceError extends Error {
  override readonly name = 'EvidenceError';
}
