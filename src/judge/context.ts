import type { Arbitrary } from 'fast-check';
import type { Clock } from '../core/clock.ts';
import type { Requirement } from '../core/requirement.ts';
import type { Suite } from '../core/results.ts';
import type { Undecided } from '../core/undecided.ts';
import type { ListClient } from '../provider/list-client.ts';
import type { SecretRegistry } from '../provider/secret-registry.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { TokenClient } from '../provider/token-client.ts';
import type { Target } from '../target/target.ts';

/** What a run asks of every check. */
export interface JudgeOptions {
  readonly suite: Suite;
  /** Everything random comes from this and a label; 32-bit integer. */
  readonly seed: number;
  /** Random cases per property; null for the suite's own number. */
  readonly runs: number | null;
  /** Whether to wait for a token to expire. */
  readonly expiry: boolean;
}

/** How a breach is confirmed before it is reported. */
export interface ConfirmOptions {
  /**
   * True where the rule speaks of data at rest: the same breach has to show twice with nothing else changed.
   * False where no change of the data could excuse it: it only has to show twice.
   */
  readonly atRest: boolean;
  /** Snapshots taken at most; 4 unless given. */
  readonly maxSnapshots?: number;
}

/** A property: cases, and how they are drawn. */
export interface Property<Case> extends ConfirmOptions {
  /** Name of the sample: properties with one name draw the same cases, and so share their evidence. */
  readonly sample: string;
  readonly arbitrary: (fastCheck: typeof import('fast-check')) => Arbitrary<Case>;
  /** Always among the cases, tried first. */
  readonly examples: readonly Case[];
  /** Random cases beside the examples, unless --runs says otherwise; null where the examples honour --runs themselves. */
  readonly runs: number | null;
  /** Asks for the evidence of a case ahead of time, so that cases do not wait for each other. */
  readonly prepare?: (snapshot: Snapshot, value: Case) => Promise<unknown>;
}

/** What a check is given. It knows no host: neither the in-process runner nor Playwright. */
export interface CheckContext {
  readonly requirement: Requirement;
  readonly target: Target;
  readonly options: JudgeOptions;
  readonly tokens: TokenClient;
  /** The list that is judged; for `token/*` the target's first, to prove that a token opens it. */
  readonly list: ListClient;
  /** The first snapshot of the list, which all checks share. */
  readonly snapshot: Snapshot;
  readonly secrets: SecretRegistry;
  readonly signal: AbortSignal | null;
  /** The time, and the way to wait. */
  readonly clock: Clock;
  /** Says that a case was tried in which a breach would have shown. */
  exercised(cases?: number): void;
  /**
   * Says why part of the evidence that a breach could show in was not to be had; null where all of it was. The first
   * cause counts, unless it is a breach of what is judged. A check that finds nothing wrong in the rest is no pass.
   */
  limitedBy(cause: Undecided | null): void;
  /**
   * Leaves a part of the check for later: it runs after `judge` has returned here and in all other checks of the target, so
   * it can judge what they met. Nothing waits for it, so it may take long.
   */
  afterAllChecks(part: () => Promise<void>): void;
  /** A number from the run's seed and a label: the same for the same label in every run with that seed. */
  random(label: string): number;
  /**
   * Runs an oracle on the shared snapshot; where it throws a Violation, on fresh ones, until the breach is confirmed
   * (the Violation is thrown), gone for a reason (returns), or unclear (throws Undecided).
   */
  confirm(options: ConfirmOptions, oracle: (snapshot: Snapshot) => Promise<void>): Promise<void>;
  /** Tries an oracle on many cases, shrinks a breach to the smallest one, and confirms that. */
  property<Case>(
    property: Property<Case>,
    oracle: (snapshot: Snapshot, value: Case) => Promise<void>,
  ): Promise<void>;
}
