import type { Suite } from '../core/results.ts';
import type { Target } from '../target/target.ts';

/** Counts requests with a wrong secret for one client, including repetitions. */
export class WrongSecretCounter {
  sent = 0;
  /** How many of them repeated a failed one. */
  repeated = 0;
  #inARow = 0;

  /** How many were sent since a right one. */
  get inARow(): number {
    return this.#inARow;
  }

  count(requests: number): void {
    this.sent += requests;
    this.#inARow += requests;
  }

  /** To be called when a right one was answered; wrong ones that were sent since its start may have come after it. */
  answeredRight(sentBefore: number): void {
    this.#inARow = Math.min(this.#inARow, this.sent - sentBefore);
  }
}

/** How many requests with a wrong secret a run may send for one client. */
export interface WrongSecretLimits {
  /** In the whole run. */
  readonly total: number;
  /** In a row, since lock-outs count consecutive ones. */
  readonly inARow: number;
}

/** Of certify, which sends every wrong secret. */
const CERTIFY: WrongSecretLimits = { total: 24, inARow: 2 };

const OTHERS: WrongSecretLimits = { total: 6, inARow: 3 };

/** The limits of a suite; the total of the target file takes precedence. */
export function wrongSecretLimits({ probes }: Target, suite: Suite): WrongSecretLimits {
  const limits = suite === 'certify' ? CERTIFY : OTHERS;
  return { ...limits, total: probes.wrongCredentials ?? limits.total };
}
