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
  /** A note of the harness; null for none. */
  readonly note: string | null;
  /** The requirement whose check sent the request first; null if no check did. */
  readonly check: string | null;
  /** Tokens that occurred first in this exchange, or since the one before. */
  readonly tokens: readonly SecretFacts[];
  /** SHA-256 of the answer's body as recorded, in hexadecimal; null where there is no answer. */
  readonly bodyHash: string | null;
}
