import { type JudgedCause, type OpenVerdict, verdictOf } from './cause.ts';
import type { RequirementId } from './requirement-id.ts';

/** Thrown if a check cannot be decided. It never counts against the provider. */
export class Undecided extends Error {
  override readonly name: string = 'Undecided';
  override readonly cause: JudgedCause;
  readonly verdict: OpenVerdict;

  /**
   * @param detail what was seen, as a clause; empty if the cause is enough
   * @param verdict if it is not the usual verdict for the cause
   */
  constructor(cause: JudgedCause, detail = '', verdict: OpenVerdict = verdictOf(cause)) {
    super(detail);
    this.cause = cause;
    this.verdict = verdict;
  }
}

/** Thrown if a breach of another requirement hides the evidence: one cause, one failure. */
export class Blocked extends Undecided {
  override readonly name = 'Blocked';
  readonly requirement: RequirementId;

  /**
   * @param requirement the violated requirement
   * @param detail how that was seen, as a clause
   */
  constructor(requirement: RequirementId, detail: string) {
    super({ kind: 'blocked', by: requirement, resource: null }, detail);
    this.requirement = requirement;
  }
}

/** Undecided for what was seen in some of several attempts only. */
export function intermittent(detail: string, attempts = 2, seen = 1): Undecided {
  return new Undecided({ kind: 'intermittent', seen, attempts }, detail);
}

/** Undecided because what was tested changed during the test. */
export function changing(detail: string): Undecided {
  return new Undecided({ kind: 'changing' }, detail);
}

/** Undecided because there is no usable answer: 429, a 5xx, or (`status` null) none at all. */
export function unavailable(status: number | null, detail: string): Undecided {
  return new Undecided({ kind: 'unavailable', status }, detail);
}

/** Undecided because a limit of the run stopped the test. */
export function stoppedBy(limit: string, detail: string): Undecided {
  return new Undecided({ kind: 'limit', limit }, detail);
}
