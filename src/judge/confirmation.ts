import { Blocked, Undecided } from '../core/undecided.ts';
import { sameAnswer } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Snapshots } from '../provider/snapshots.ts';
import type { ConfirmOptions } from './context.ts';
import { isProvenAtRest } from './data-at-rest.ts';
import { type Breach, Violation } from './violation.ts';

/** Answers of a breach that are asked for again, at most. */
const MAX_PROOFS = 4;

/** Snapshots taken at most. A list that changed once is quiet from the second snapshot on. */
export const MAX_SNAPSHOTS = 4;

/** The same for single calls that the data has no part in: of several servers behind a name one may be at fault. */
export const MAX_ATTEMPTS = 8;

/** A breach, and the number of the snapshot on which it showed. */
export interface FirstSighting {
  readonly violation: Violation;
  readonly number: number;
}

/**
 * Confirms before accusing. A breach that shows in two snapshots in a row, with nothing else changed between them
 * where the rule speaks of data at rest, is reported. One that goes away because the data moved is dropped, and the
 * quiet snapshot judged. A breach that the data has no part in is reported where it shows in any two of the snapshots. Anything
 * else is inconclusive.
 *
 * @param seen a breach that showed on one of the snapshots already, if any: it is never forgotten, only reported or left open
 * @returns the number of the snapshot on which the oracle held
 */
export async function confirm(
  snapshots: Snapshots,
  options: ConfirmOptions,
  oracle: (snapshot: Snapshot) => Promise<void>,
  seen: FirstSighting | null = null,
): Promise<number> {
  // Where the data has a part in it, the snapshot itself shows it again from what it keeps.
  const found: Violation[] = seen === null || options.atRest ? [] : [seen.violation];
  const from = (seen?.number ?? 0) + found.length;
  const last = from + (options.maxSnapshots ?? MAX_SNAPSHOTS);
  for (let number = from; number < last; number++) {
    const snapshot = snapshots.at(number);
    const finding = await findingOf(() => oracle(snapshot));
    if (finding instanceof Undecided) {
      // What stands in the way may be that the data moved under the snapshot: then another snapshot is worth its requests.
      if (number + 1 < last && (await snapshots.moved(number))) continue;
      throw finding;
    }
    if (finding === null) {
      const earlier = found.at(-1) ?? (number === seen?.number ? seen.violation : undefined);
      if (earlier === undefined) return number;
      if (found.length === 0) throw intermittent(earlier, 1, 2);
      // What no change of the data could excuse may come and go with something unseen, as the connection it is asked on.
      if (!options.atRest && number + 1 < last) continue;
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
      throw new Violation(same);
    const proven = found.findLast(({ breaches }) => breaches.some(({ suspected }) => suspected !== true));
    if (found.length > 2 && proven !== undefined && (await isProvenAtRest(snapshots.upTo(number))))
      throw proven;
  }

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
 * Confirms what was seen once without a snapshot: asks again until it is seen a second time. Throws Undecided
 * (intermittent) where it is not.
 *
 * @param again one attempt; null where it does not show
 * @param options.attempts attempts made so far, the one that showed it included; 1 where left out
 * @param options.most further attempts made at most; 8 where left out
 * @param options.message what was seen, for the case that it is not seen again
 */
export async function attemptUntilSeenAgain<Sight>(
  again: () => Promise<Sight | null>,
  {
    attempts = 1,
    most = MAX_ATTEMPTS,
    message,
  }: { readonly attempts?: number; readonly most?: number; readonly message: string },
): Promise<Sight> {
  for (let attempt = 0; attempt < most; attempt++) {
    const sight = await again();
    if (sight !== null) return sight;
  }
  throw new Undecided({ kind: 'intermittent', seen: 1, attempts: attempts + most }, message);
}

/**
 * Whether the answers that prove breaches come out the same when they are asked for again, four times over, there and
 * back and back and there: a list that changes to and fro in step with the snapshots is found out so.
 */
async function isSteady(snapshot: Snapshot, breaches: readonly Breach[]): Promise<boolean> {
  const numbers = new Set(breaches.flatMap(({ exchanges }) => exchanges));
  const proofs = snapshot
    .answers()
    .filter(({ exchange }) => numbers.has(exchange))
    .slice(0, MAX_PROOFS);
  const back = proofs.toReversed();
  for (const proof of [...proofs, ...back, ...back, ...proofs]) {
    if (!sameAnswer(proof, await snapshot.client.authorized(proof.target, { after: proof.exchange })))
      return false;
  }
  return true;
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

/** Whether another snapshot may show more: a breach, or a bound on pages, was in the way, and the data may have moved. */
function isObstacle(error: unknown): error is Undecided {
  return error instanceof Undecided && (error instanceof Blocked || error.cause.kind === 'limit');
}

/** The breaches of the second violation that the first one holds, too; what is only suspected is left out. */
export function commonBreaches(one: Violation, other: Violation): readonly Breach[] {
  const keys = new Set(one.breaches.map(keyOf));
  return other.breaches.filter((breach) => breach.suspected !== true && keys.has(keyOf(breach)));
}

function keyOf(breach: Breach): string {
  return breach.key ?? breach.message;
}
