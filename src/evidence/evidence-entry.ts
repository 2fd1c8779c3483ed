import type { Exchange } from '../core/exchange.ts';
import type { SecretFacts } from './secret-facts.ts';

/** An exchange from which every known secret is removed. */
export interface RecordedExchange extends Exchange {
  readonly redacted: true;
}

/** One line of evidence.ndjson.gz, its body included. */
export interface EvidenceEntry {
  /** Name of the target that it belongs to. */
  readonly target: string;
  readonly exchange: RecordedExchange;
  /** What the harness had to say of it; null where nothing. */
  readonly note: string | null;
  /** The requirement whose check was the first to ask; null where none was. */
  readonly check: string | null;
  /** Tokens that were met for the first time in this exchange or since the one before. */
  readonly tokens: readonly SecretFacts[];
  /** SHA-256 of the answer's body as recorded, in hexadecimal; null where there is no answer. */
  readonly bodyHash: string | null;
}
