import { Blocked, changing, intermittent, Undecided, unavailable } from '../core/undecided.ts';
import type { Snapshot, Snapshots } from '../provider/snapshot.ts';
import { isOfGateway } from '../provider/throttled-answer.ts';
import { type CheckContext, type ConfirmOptions, waitFor } from './context.ts';
import { errorOf } from './outcomes.ts';
import {
  areRefusedAgain,
  holdsKnownRecords,
  isProvenAtRest,
  isSteady,
  leastCountSoFar,
} from './proofs/data-at-rest.ts';
import { type Breach, keyOf, Violation } from './violation.ts';

/** Snapshots taken at most. A list that changed once is at rest from the second snapshot on. */
export const MAX_SNAPSHOTS = 4;

/** Attempts at most for single calls that do not depend on the data: one of several servers behind a name may be at fault. */
export const MAX_ATTEMPTS = 8;

/** A breach and the number of the snapshot that showed it. */
interface FirstViolation {
  readonly violation: Violation;
  readonly number: number;
}

/** How a check wants a breach confirmed, and what its suite adds. */
export interface ConfirmSettings extends ConfirmOptions {
  /**
   * Whether to take a third snapshot only if the list gives the same first page as in the second one: a snapshot of
   * `certify` takes more than a thousand requests.
   */
  readonly isFrugal?: boolean;
}

/** The attempts to confirm a breach, one for each snapshot. */
interface Attempts {
  readonly snapshots: Snapshots;
  readonly options: ConfirmSettings;
  /** A breach that was found before the first attempt. */
  readonly seen: FirstViolation | null;
  /** Number of the snapshot of the first attempt. */
  readonly from: number;
  /** Number after that of the last possible attempt. */
  readonly end: number;
  /** The breaches so far, one for each attempt that showed any. */
  readonly found: Violation[];
  /** Attempts so far, with the one that found the first breach. */
  made: number;
}

/**
 * Confirms a breach before it is reported. If the rule applies to data at rest, the breach must show in two
 * snapshots in a row with nothing else changed; if it disappears because the data changed, it is dropped and
 * the later snapshot is judged. Otherwise the breach must show in any two snapshots. Anything else is
 * inconclusive.
 *
 * @param seen a breach that was found on one of the snapshots before; it is reported or left open, never dropped
 * @returns the number of the snapshot that kept the rule
 */
export async function confirm(
  snapshots: Snapshots,
  options: ConfirmSettings,
  attempt: (snapshot: Snapshot) => Promise<void>,
  seen: FirstViolation | null = null,
): Promise<number> {
  // A breach of a rule about data at rest shows again in the answers that the snapshot keeps.
  const found: Violation[] = seen === null || options.atRest ? [] : [seen.violation];
  const from = (seen?.number ?? 0) + found.length;
  const end = from + (options.maxSnapshots ?? MAX_SNAPSHOTS);
  const attempts: Attempts = { snapshots, options, seen, from, end, found, made: found.length };
  for (let number = from; number < end; number++) {
    await expectRestBeforeThird(attempts, number);
    const finding = await errorOf(() => attempt(snapshots.at(number)));
    if (finding !== null && !(finding instanceof Violation || isObstacle(finding))) {
      await throwIfProven(attempts);
      throw finding;
    }
    attempts.made++;
    if (finding instanceof Violation) await noteUnlessConfirmed(attempts, number, finding);
    else if (finding !== null) await expectChange(attempts, number, finding);
    else if (await isKept(attempts, number)) return number;
  }
  return conclude(attempts);
}

/** Throws Undecided before a third snapshot that costs many requests if the list has changed: it cannot confirm a breach. */
async function expectRestBeforeThird({ snapshots, options, found }: Attempts, number: number): Promise<void> {
  const isThird = options.isFrugal === true && options.atRest && number >= 2;
  if (isThird && (await snapshots.hasChanged(number - 1))) throw changing(found.at(-1)?.message ?? '');
}

/** Throws what kept the rule from being judged, unless the data changed during the snapshot: then another one may decide. */
async function expectChange(
  { snapshots, options, end }: Attempts,
  number: number,
  obstacle: Undecided,
): Promise<void> {
  const mayDecide =
    number + 1 < end && mayBeDataChange(obstacle, options) && (await snapshots.hasChanged(number));
  if (!mayDecide) throw obstacle;
}

/**
 * Whether a snapshot without a breach decides that the rule is kept; false if another one must be taken. Throws Undecided
 * if nothing explains an earlier breach, and the breach if it is a proof by itself.
 */
async function isKept(attempts: Attempts, number: number): Promise<boolean> {
  const { snapshots, options, seen, end, found, made } = attempts;
  const earlier = found.at(-1) ?? (number === seen?.number ? seen.violation : undefined);
  if (earlier === undefined) return true;
  if (found.length === 0) throw intermittent(earlier.message);
  // The breach may depend on something unknown, such as the connection.
  if (!options.atRest && number + 1 < end) return false;
  await throwIfProven(attempts);
  const hasChanged =
    options.atRest &&
    snapshots.at(number).differsFrom(snapshots.at(number - 1)) &&
    !(await isProvenAtRest(snapshots.upTo(number)));
  if (hasChanged) return true;
  throw intermittent(earlier.message, made, found.length);
}

/** Adds a breach to those found. Throws it if an earlier one confirms it. */
async function noteUnlessConfirmed(attempts: Attempts, number: number, finding: Violation): Promise<void> {
  const { snapshots, options, found, made } = attempts;
  const alike = found.findLast((one) => commonBreaches(one, finding).length > 0);
  const earlier = (options.atRest ? null : alike) ?? found.at(-1);
  found.push(finding);
  if (earlier === undefined) return;
  const same = commonBreaches(earlier, finding);
  if (same.length > 0 && (await isUnchanged(attempts, number, same)))
    throw options.expectNoOtherExplanation === undefined
      ? new Violation(same)
      : withRate(new Violation(same), found.length, made);
  const proven = found.findLast(isProven);
  if (found.length > 2 && proven !== undefined && (await isProvenAtRest(snapshots.upTo(number))))
    throw proven;
}

/** Whether the data is still that of the snapshot before; true for breaches that changed data does not explain. */
async function isUnchanged(
  { snapshots, options }: Attempts,
  number: number,
  same: readonly Breach[],
): Promise<boolean> {
  if (!options.atRest || same.every(({ isForAnyData }) => isForAnyData === true)) return true;
  const snapshot = snapshots.at(number);
  if (same.every(({ isForAnyData, heldRecords }) => isForAnyData === true || heldRecords !== undefined)) {
    const least = await leastCountSoFar(snapshot);
    const isHeld = least !== null && same.every(({ heldRecords = 0 }) => heldRecords <= least);
    if (isHeld && (await areRefusedAgain(snapshot, same))) return true;
  }
  return !snapshot.differsFrom(snapshots.at(number - 1)) && isSteady(snapshot, same);
}

/** Ends the attempts after the last snapshot, which neither confirmed a breach nor explained it. Always throws. */
async function conclude(attempts: Attempts): Promise<never> {
  const { snapshots, options, from, end, found, made } = attempts;
  // If changed data cannot explain the breaches, each of them is a proof, even if no two are alike.
  const proofs = found.filter(options.atRest ? isForAnyData : isProven);
  const proof = proofs.at(-1);
  if (proofs.length > 1 && proof !== undefined) throw proof;
  await throwIfProven(attempts);
  const moved = snapshots
    .upTo(end - 1)
    .some((snapshot, index, all) => snapshot.recordsDifferFrom(all[index - 1] ?? snapshot));
  const last = found.at(-1);
  const lastSeen = last?.message ?? '';
  // A breach each time, not the same one, of data that did not change, although other requests give other records: as with
  // a cache that confuses requests.
  const isBrokenEachTime = options.atRest && found.length === end - from && found.every(isProven);
  if (
    last !== undefined &&
    isBrokenEachTime &&
    !moved &&
    (await holdsKnownRecords(snapshots.at(end - 1), last))
  )
    throw last.withWords({ after: ` (a breach in each of ${found.length} attempts)` });
  throw moved ? changing(lastSeen) : intermittent(lastSeen, made, found.length);
}

/**
 * Confirms a finding that needs no snapshot: tries again until it shows a second time. Throws Undecided
 * (intermittent) if it does not.
 *
 * @param again makes one attempt; null if the finding does not show
 * @param options.attempts attempts made so far, including the one that showed it; 1 if left out
 * @param options.most further attempts at most; 8 if left out
 * @param options.message what was found, for the cause if it does not show again
 */
export async function attemptUntilSeenAgain<Result>(
  again: () => Promise<Result | null>,
  {
    attempts = 1,
    most = MAX_ATTEMPTS,
    message,
  }: { readonly attempts?: number; readonly most?: number; readonly message: string },
): Promise<Result> {
  for (let attempt = 0; attempt < most; attempt++) {
    const finding = await again();
    if (finding !== null) return finding;
  }
  throw intermittent(message, attempts + most);
}

/** Milliseconds after which a request with a 5xx answer is repeated. */
const CONFIRM_AFTER_MS = 3000;

/**
 * Confirms that a 5xx comes from the provider itself and lasts: repeats the request after the time that a restart
 * takes. Throws Undecided if it does not last, or if gateways use that status. Returns for any other status.
 *
 * @param status status of the answer
 * @param again repeats the request; resolves to its status
 */
export async function confirmServerError(
  context: CheckContext,
  status: number,
  again: () => Promise<number>,
): Promise<void> {
  if (status < 500) return;
  await waitFor(CONFIRM_AFTER_MS, context);
  const later = await again();
  if (later >= 500 && !isOfGateway(later)) return;
  throw unavailable(status, `answered ${status}, and ${later} ${CONFIRM_AFTER_MS / 1000} s later`);
}

/** Throws the last breach that is a proof by itself, with its rate; Undecided if it has another explanation. */
async function throwIfProven({ found, made, options }: Attempts): Promise<void> {
  const { expectNoOtherExplanation } = options;
  const proven = found.filter(isProven).at(-1);
  if (expectNoOtherExplanation === undefined || proven === undefined) return;
  await expectNoOtherExplanation();
  throw withRate(proven, found.length, made);
}

/** The violation with the share of attempts that showed it, if others did not. */
export function withRate(violation: Violation, seen: number, attempts: number): Violation {
  return seen === attempts
    ? violation
    : violation.withWords({ after: ` (in ${seen} of ${attempts} attempts)` });
}

function isProven({ breaches }: Violation): boolean {
  return breaches.some(({ suspected }) => suspected !== true);
}

function isForAnyData(violation: Violation): boolean {
  return isProven(violation) && violation.breaches.every((breach) => breach.isForAnyData === true);
}

/**
 * Whether changed data can explain what keeps a rule from being judged; in `certify` not refusals, which cost a
 * snapshot each.
 */
export function mayBeDataChange(
  obstacle: Undecided,
  { isFrugal }: Pick<ConfirmSettings, 'isFrugal'>,
): boolean {
  const isBlockedByRefusal = obstacle instanceof Blocked && obstacle.requirement === 'authorization/accepted';
  return isFrugal !== true || !isBlockedByRefusal;
}

/** Whether another snapshot may decide: data that changed can explain a blocking requirement or a bound on pages. */
function isObstacle(error: unknown): error is Undecided {
  return (
    error instanceof Undecided &&
    (error instanceof Blocked || ['limit', 'changing'].includes(error.cause.kind))
  );
}

/** The breaches that both violations contain, as the second one describes them, without suspected ones. */
export function commonBreaches(one: Violation, other: Violation): readonly Breach[] {
  const keys = new Set(one.breaches.map(keyOf));
  return other.breaches.filter((breach) => breach.suspected !== true && keys.has(keyOf(breach)));
}
