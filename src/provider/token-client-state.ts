import type { ProbeBarrier } from './probe-barrier.ts';
import type { TokenAnswer } from './token-answer.ts';
import type { Client } from './token-history.ts';
import { WrongSecretCounter } from './wrong-secret-counter.ts';

/** The state of a client: requests that are sent once, and work that others wait for. */
export class TokenClientState {
  readonly wrong: Record<Client, WrongSecretCounter> = {
    own: new WrongSecretCounter(),
    other: new WrongSecretCounter(),
  };
  first: Promise<TokenAnswer> | null = null;
  second: Promise<TokenAnswer> | null = null;
  other: Promise<TokenAnswer> | null = null;
  current: TokenAnswer | null = null;
  renewal: Promise<string> | null = null;
  /** Right requests so far that had an unusual spelling. */
  respelled = 0;
  probes: Promise<unknown> = Promise.resolve();
  /** Whether a wrong secret was answered 429 or 5xx again although a right one was answered between. */
  wrongStaysUndecided = false;
  /** The barrier of checks that send requests which must be refused; null if none does now. */
  probing: ProbeBarrier | null = null;
}
