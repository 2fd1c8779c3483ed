import type { Exchange } from '../core/exchange.ts';
import type { SecretFacts } from './secret-facts.ts';

/** An exchange without known secrets. */
export interface RecordedExchange extends Exchange {
  readonly redacted: true;
}

/** One line of evidence.ndjson.gz, its body included. */
export interface EvidenceEntry {
  /** Name of the target of this exchange. */
  readonly target: string;
  readonly exchange: RecordedExchange;
  /** Note of the harness; null if there is none. */
  readonly note: string | null;
  /** The requirement whose check sent the request; null if no check sent it. */
  readonly check: string | null;
  /** Tokens that first occurred in this exchange, or since the previous one. */
  readonly tokens: readonly SecretFacts[];
  /** SHA-256 of the recorded answer body in hexadecimal; null without an answer. */
  readonly bodyHash: string | null;
}
