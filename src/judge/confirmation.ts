import { Blocked, Undecided } from '../core/undecided.ts';
import { type ListAnswer, othersIn, sameAnswer, sameCount } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Snapshots } from '../provider/snapshots.ts';
import type { ConfirmOptions } from './context.ts';
import { isProvenAtRest } from './proofs/data-at-rest.ts';
import { type Breach, keyOf, Violation } from './violation.ts';

/** Requests of a breach that are repeated at most. */
const MAX_PROOFS = 4;

/** Requests at least that repeat those of a breach: data that changes at every read may look the same in a few. */
const MIN_REPETITIONS = 12;

/** Snapshots taken at most. A list that changed once is at rest from the second snapshot on. */
export const MAX_SNAPSHOTS = 4;

/** Attempts at most for single calls that do not depend on the data: one of several servers behind a name may be at fault. */
export const MAX_ATTEMPTS = 8;

/** A breach and the number of the snapshot that showed it. */
export interface FirstSighting {
  readonly violation: Violation;
  readonly number: number;
}

/**
 * Confirms a breach before it is reported. If the rule speaks of data at rest, the breach must show in two
 * snapshots in a row with nothing else changed; if it disappears because the data changed, it is dropped and
 * the later snapshot is judged. Otherwise the breach must show in any two snapshots. Anything else is
 * inconclusive.
 *
 * @param seen a breach that was found on one of the snapshots before; it is reported or left open, never dropped
 * @returns the number of the snapshot that kept the rule
 */
export async function confirm(
  snapshots: Snapshots,
  options: ConfirmOptions,
  oracle: (snapshot: Snapshot) => Promise<void>,
  seen: FirstSighting | null = null,
): Promise<number> {
  // A breach of a rule about data at rest shows again in the answers that the snapshot keeps.
  const found: Violation[] = seen === null || options.atRest ? [] : [seen.violation];
  const from = (seen?.number ?? 0) + found.length;
  const last = from + (options.maxSnapshots ?? MAX_SNAPSHOTS);
  let attempts = found.length;
  for (let number = from; number < last; number++) {
    const isThird = options.isFrugal === true && options.atRest && number >= 2;
    if (isThird && (await snapshots.moved(number - 1)))
      throw new Undecided({ kind: 'changing' }, found.at(-1)?.message ?? '');
    const snapshot = snapshots.at(number);
    const finding = await findingOf(() => oracle(snapshot)).catch(async (error: unknown) => {
      await expectNoProof(found, attempts, options);
      throw error;
    });
    attempts++;
    if (finding instanceof Undecided) {
      // If the data changed during the snapshot, another snapshot may decide.
      if (number + 1 < last && mayBeDataChange(finding, options) && (await snapshots.moved(number))) continue;
      throw finding;
    }
    if (finding === null) {
      const earlier = found.at(-1) ?? (number === seen?.number ? seen.violation : undefined);
      if (earlier === undefined) return number;
      if (found.length === 0) throw intermittent(earlier, 1, 2);
      // The breach may depend on something unknown, such as the connection.
      if (!options.atRest && number + 1 < last) continue;
      await expectNoProof(found, attempts, options);
      const before = snapshots.at(number - 1);
      const moved =
        options.atRest && snapshot.differsFrom(before) && !(await isProvenAtRest(snapshots.upTo(number)));
      if (moved) return number;
      throw intermittent(earlier, found.length, number - from + 1);
    }
    const alike = found.findLast((one) => commonBreaches(one, finding).length > 0);
    const earlier = (options.atRest ? null : alike) ?? found.at(-1);
    found.push(finding);
    if (earlier === undefined) continue;
    const before = snapshots.at(number - 1);
    const same = commonBreaches(earlier, finding);
    const quiet = !options.atRest || !snapshot.differsFrom(before);
    if (same.length > 0 && quiet && (!options.atRest || (await isSteady(snapshot, same))))
      throw options.expectNoOtherExplanation === undefined
        ? new Violation(same)
        : withRate(new Violation(same), found.length, attempts);
    const proven = found.findLast(isProven);
    if (found.length > 2 && proven !== undefined && (await isProvenAtRest(snapshots.upTo(number))))
      throw proven;
  }

  // What no change of the data explains is proven by each sighting, also if none looks like another.
  const sightings = options.atRest ? [] : found.filter(isProven);
  const sighting = sightings.at(-1);
  if (sightings.length > 1 && sighting !== undefined) throw sighting;
  await expectNoProof(found, attempts, options);

  const moved = snapshots
    .upTo(last - 1)
    .some((snapshot, index, all) => snapshot.recordsDifferFrom(all[index - 1] ?? snapshot));
  const lastSeen = found.at(-1)?.message ?? '';
  throw new Undecided(
    moved ? { kind: 'changing' } : { kind: 'intermittent', seen: found.length, attempts: last - from },
    lastSeen,
  );
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
  throw new Undecided({ kind: 'intermittent', seen: 1, attempts: attempts + most }, message);
}

/**
 * Whether repeated requests give the same answers that prove the breaches, and a list of the same length. They are sent at
 * least four times, in alternating order, to detect a list that alternates in step with the snapshots.
 */
async function isSteady(snapshot: Snapshot, breaches: readonly Breach[]): Promise<boolean> {
  const numbers = new Set(breaches.flatMap(({ exchanges }) => exchanges));
  const proofs = snapshot
    .answers()
    .filter(({ exchange }) => numbers.has(exchange))
    .slice(0, MAX_PROOFS)
    .map((answer) => ({ answer, isSame: sameAnswer }));
  if (proofs.length === 0) return true;
  const end = (await snapshot.startedTraversal(null))?.steps.at(-1)?.page;
  if (end !== undefined && !numbers.has(end.exchange)) proofs.push({ answer: end, isSame: sameLength });
  const back = proofs.toReversed();
  // The first one more often: otherwise each third request might be for the same page.
  const round = [...proofs, ...back, ...proofs.slice(0, 1), ...back, ...proofs];
  const rounds = Array.from({ length: Math.ceil(MIN_REPETITIONS / round.length) }, () => round);
  for (const { answer, isSame } of rounds.flat()) {
    const again = await snapshot.client.authorized(answer.target, { after: answer.exchange });
    if (!isSame(answer, again)) return false;
  }
  return isFresh(
    snapshot,
    proofs.map(({ answer }) => answer),
  );
}

/**
 * Whether pages are those of the list now, and not what caches keep from different times: requests with a further parameter that
 * no earlier one had give the same records and count. What is refused or read in another way because of it shows nothing.
 */
async function isFresh({ client }: Snapshot, answers: readonly ListAnswer[]): Promise<boolean> {
  for (const answer of answers) {
    if (answer.kind !== 'page') continue;
    const target = `${answer.target}${answer.target.includes('?') ? '&' : '?'}x=${answer.exchange}`;
    const now = await client.authorized(target);
    if (now.kind !== 'page' || (now.count === undefined) !== (answer.count === undefined)) continue;
    const isSame = now.itemCount === answer.itemCount && sameCount(now.count, answer.count);
    if (!isSame || othersIn(now, answer) > 0) return false;
  }
  return true;
}

/** Whether the ends of two traversals show a list of the same length. */
function sameLength(one: ListAnswer, other: ListAnswer): boolean {
  if (one.kind !== 'page' || other.kind !== 'page') return sameAnswer(one, other);
  return one.itemCount === other.itemCount && sameCount(one.count, other.count);
}

/** Throws the last of the breaches, with its rate, if one is a proof by itself. Throws Undecided if it has another explanation. */
async function expectNoProof(
  found: readonly Violation[],
  attempts: number,
  { expectNoOtherExplanation }: ConfirmOptions,
): Promise<void> {
  const proven = found.filter(isProven).at(-1);
  if (expectNoOtherExplanation === undefined || proven === undefined) return;
  await expectNoOtherExplanation();
  throw withRate(proven, found.length, attempts);
}

/** The violation with the share of attempts that showed it, if others did not. */
export function withRate({ breaches }: Violation, seen: number, attempts: number): Violation {
  const rate = seen === attempts ? '' : ` (in ${seen} of ${attempts} attempts)`;
  return new Violation(breaches.map((breach) => ({ ...breach, message: `${breach.message}${rate}` })));
}

function isProven({ breaches }: Violation): boolean {
  return breaches.some(({ suspected }) => suspected !== true);
}

function intermittent({ message }: Violation, seen: number, attempts: number): Undecided {
  return new Undecided({ kind: 'intermittent', seen, attempts }, message);
}

async function findingOf(run: () => Promise<void>): Promise<Violation | Undecided | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof Violation || isObstacle(error)) return error;
    throw error;
  }
}

/**
 * Whether changed data can explain what keeps a rule from being judged; in `certify` not refusals, which cost a
 * snapshot each.
 */
export function mayBeDataChange(
  obstacle: Undecided,
  { isFrugal }: Pick<ConfirmOptions, 'isFrugal'>,
): boolean {
  const isRefusal = obstacle instanceof Blocked && obstacle.requirement === 'authorization/accepted';
  return isFrugal !== true || !isRefusal;
}

/** Whether another snapshot may decide: changed data can explain a blocking requirement or a bound on pages. */
function isObstacle(error: unknown): error is Undecided {
  return error instanceof Undecided && (error instanceof Blocked || error.cause.kind === 'limit');
}

/** The breaches that both violations contain, as the second one describes them, without suspected ones. */
export function commonBreaches(one: Violation, other: Violation): readonly Breach[] {
  const keys = new Set(one.breaches.map(keyOf));
  return other.breaches.filter((breach) => breach.suspected !== true && keys.has(keyOf(breach)));
}
