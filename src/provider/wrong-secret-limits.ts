import type { Suite } from '../core/results.ts';
import type { Target } from '../target/target.ts';

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
