import type { Arbitrary } from 'fast-check';
import type { Cause } from '../core/cause.ts';
import type { Clock } from '../core/clock.ts';
import type { Requirement } from '../core/requirement.ts';
import type { Suite } from '../core/results.ts';
import { Undecided } from '../core/undecided.ts';
import type { ListClient } from '../provider/list-client.ts';
import type { SecretRegistry } from '../provider/secret-registry.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { TokenClient } from '../provider/token-client.ts';
import type { Target } from '../target/target.ts';

/** Options of a run that every check reads. */
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
   * True if the rule applies only while the data does not change: the same breach must show twice with nothing else
   * changed. False if no change of the data could explain the breach: it must show twice.
   */
  readonly atRest: boolean;
  /** Snapshots taken at most; 4 unless given. */
  readonly maxSnapshots?: number;
  /**
   * Only if one answer is a proof by itself, such as records for a call that must be refused: then a breach that does
   * not show again is reported with its rate. Called before that; throws Undecided if the breach has another
   * explanation.
   */
  readonly expectNoOtherExplanation?: () => Promise<void>;
}

/** Cases of a rule, and how they are drawn. */
export interface Property<Case> extends Omit<ConfirmOptions, 'maxSnapshots'> {
  /** Name of the sample. Properties with the same name draw the same cases, and so share their evidence. */
  readonly sample: string;
  readonly arbitrary: (fastCheck: typeof import('fast-check')) => Arbitrary<Case>;
  /** Always among the cases, tried first. */
  readonly examples: readonly Case[];
  /**
   * Random cases in addition to the examples, unless --runs sets another number; null if the examples depend on --runs
   * themselves.
   */
  readonly runs: number | null;
  /** Requests the evidence of a case early, so that cases do not wait for each other. */
  readonly prepare?: (snapshot: Snapshot, value: Case) => Promise<unknown>;
}

export interface TestedList {
  readonly target: Target;
  readonly options: JudgeOptions;
  readonly tokens: TokenClient;
  /** The list that is judged; for `token/*` the first list of the target, which shows whether a token is accepted. */
  readonly list: ListClient;
  readonly lists: readonly ListClient[];
  readonly secrets: SecretRegistry;
  readonly signal: AbortSignal | null;
  /** The time, and a way to wait. */
  readonly clock: Clock;
}

/** What a check works with. It depends on no host: neither on the in-process runner nor on Playwright. */
export interface CheckContext extends TestedList {
  readonly requirement: Requirement;
  /** The first snapshot of the list, which all checks share. */
  readonly sharedSnapshot: Snapshot;
  /** The snapshot to judge: the shared one, or, in an attempt that confirms a breach, a later one. */
  readonly snapshot: Snapshot;
  /**
   * Whether the check is judged again because the data changed. Then it confirms a breach with as few requests as it
   * can.
   */
  readonly isSecondAttempt: boolean;
  /** Counts cases in which a breach would have shown. */
  exercised(cases?: number): void;
  /**
   * Sets why part of the evidence is missing; null if nothing is. The first cause counts, unless it is a breach
   * of the judged requirement itself. With missing evidence a check does not pass.
   */
  limitedBy(cause: Undecided | null): void;
  /**
   * Adds a part that runs after `judge` has returned here and in all other checks of the target, so that it can
   * judge their exchanges. Nothing waits for it, so it may take long.
   */
  afterAllChecks(part: () => Promise<void>): void;
  /** Page sizes that showed a breach in an earlier snapshot. Snapshots of `certify` that confirm it use few others. */
  readonly suspectSizes: ReadonlySet<number>;
  /** A 31-bit number from the run's seed and a label, the same in every run with that seed. */
  random(label: string): number;
  /**
   * Makes an attempt on the shared snapshot. If it throws a Violation, repeats it on fresh snapshots, until the
   * breach is confirmed (throws the Violation), explained by changed data (returns), or unclear (throws
   * Undecided).
   *
   * @param attempt receives this context with the snapshot of the attempt
   */
  confirm(options: ConfirmOptions, attempt: Judge): Promise<void>;
  /** Makes an attempt for each of many cases, shrinks a breach to the smallest case, and confirms it. */
  property<Case>(
    property: Property<Case>,
    attempt: (context: CheckContext, value: Case) => Promise<void>,
  ): Promise<void>;
}

/** Tests a rule. Throws Violation for a breach, and Undecided if there is no verdict. */
export type Judge = (context: CheckContext) => Promise<void>;

/** Waits that many milliseconds; throws Undecided if the run is interrupted. */
export async function waitFor(
  milliseconds: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | null },
): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal);
  } catch {
    throw new Undecided(stopCause(signal));
  }
}

/**
 * Runs code that may never end, until the run is stopped or out of time. Its later result is ignored. Meanwhile the process
 * stays alive, also if the code waits for nothing that keeps it alive.
 *
 * @throws Undecided if the run is stopped or out of time first; if it already was, the code is not started
 */
export async function untilStopped(work: () => Promise<void>, signal: AbortSignal | null): Promise<void> {
  if (signal === null) return work();
  if (signal.aborted) throw new Undecided(stopCause(signal));
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Undecided(stopCause(signal), 'the check had not ended'));
  });
  signal.addEventListener('abort', stop, { once: true });
  const keepAlive = setInterval(() => undefined, KEEP_ALIVE_MS);
  try {
    await Promise.race([work(), stopped]);
  } finally {
    clearInterval(keepAlive);
    signal.removeEventListener('abort', stop);
  }
}

/** Any interval keeps the process alive; a long one wakes it rarely. */
const KEEP_ALIVE_MS = 3_600_000;

/** Why a check has no verdict after the abort of a run's signal. */
function stopCause(signal: AbortSignal | null): Cause {
  const reason: unknown = signal?.reason;
  const outOfTime = reason instanceof Error && 'code' in reason && reason.code === 'time-limit';
  return outOfTime ? { kind: 'limit', limit: 'maxRunSeconds' } : { kind: 'interrupted' };
}

/** A text that no provider has issued, drawn by the seed and a label: in place of a token, a secret or a client_id. */
export function madeUpText({ random }: Pick<CheckContext, 'random'>, label: string): string {
  return random(label).toString(36) + random(`${label} again`).toString(36);
}

/**
 * The part of a long list of probes that a run sends: everything for `certify`, nothing for `smoke`, and for `full` the
 * next few by its seed, so that runs with consecutive seeds send all of them.
 *
 * @param share how many a full run sends
 * @param rare probes that `certify` sends only
 */
export function shareOf<Probe>(
  { options: { suite, seed } }: Pick<CheckContext, 'options'>,
  probes: readonly Probe[],
  share: number,
  rare: readonly Probe[] = [],
): readonly Probe[] {
  if (suite === 'smoke') return [];
  if (suite === 'certify') return [...probes, ...rare];
  if (probes.length <= share) return probes;
  return Array.from({ length: share }, (_none, index) => {
    // A seed may be negative as a 32-bit integer.
    const place = ((seed >>> 0) * share + index) % probes.length;
    return probes[place] as Probe;
  });
}
