import type { RequirementId } from '../../core/requirement-id.ts';
import type { StatedOracle } from '../rules/page-rule.ts';
import type { Violation } from '../violation.ts';

/** A requirement with what it says of single pages. */
export interface NamedOracle extends StatedOracle {
  readonly id: RequirementId;
}

/** A breach that a sequence met, with all its steps. */
export interface Suspicion {
  readonly requirement: RequirementId;
  /** Whether only data at rest proves it. */
  readonly atRest: boolean;
  /** Records before the page that shows it; 0 for a breach of no page. */
  readonly place: number;
  /** Whether a request of another check may have led to it. */
  readonly isExcusable: boolean;
  /** Whether the breach has no other explanation, so that it need not show again in the same sequence. */
  readonly isProven: boolean;
  /** A requirement that cannot be decided because of this breach. */
  readonly hides?: RequirementId;
  readonly violation: Violation;
}

/** Thrown to end a sequence in which something happened that nobody can judge. */
export class SequenceOver extends Error {}

/** Thrown where a step shows a breach. */
export class SuspicionMet extends Error {
  readonly suspicion: Suspicion;

  constructor(suspicion: Suspicion) {
    super(suspicion.violation.message);
    this.suspicion = suspicion;
  }
}
