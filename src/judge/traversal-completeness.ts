import { Blocked, Undecided } from '../core/undecided.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Traversal } from '../provider/traversal.ts';
import { causeOfDoubtfulEnd, findMissingLink } from './missing-link.ts';
import { blockedByMisstep, firstMisstep, firstWrongQuery, type Misstep } from './missteps.ts';
import { lastStepWithNewRecords, traversalName } from './traversals.ts';

/** Why a traversal did not reach the list's end, as what it follows from; null where it ended as it should. */
export function causeOfEarlyStop(traversal: Traversal): Undecided | null {
  const where = `${traversalName(traversal)} stopped at page ${traversal.steps.length}`;
  switch (traversal.end.kind) {
    case 'end':
      return null;
    case 'paused':
      return new Undecided({ kind: 'limit', limit: 'pages of a short traversal' }, where);
    case 'limit':
      return new Undecided({ kind: 'limit', limit: traversal.end.limit }, traversal.end.why);
    case 'unusable':
      return new Blocked('link/relative', `${where}: its link cannot be followed, ${traversal.end.why}`);
    case 'circle':
    case 'runaway':
      return new Blocked('traversal/terminates', `${where}: its links never end`);
    case 'broken':
      if (traversal.end.answer.kind === 'no-envelope')
        return new Blocked('list/envelope', `${where}: ${traversal.end.answer.why}`);
      return traversal.steps.length === 0
        ? new Blocked('authorization/accepted', `the list call was refused: ${traversal.end.answer.why}`)
        : new Blocked('traversal/followable', `${where}: ${traversal.end.answer.why}`);
  }
}

/**
 * Why a traversal cannot stand for the whole list: it was cut short, an offset or a page size is wrong, or it ended
 * without a link although records follow. Null where it can.
 *
 * @param traversals all that were made: whatever count says, a traversal that reached less than another did not give everything
 */
export async function causeOfIncompleteness(
  snapshot: Snapshot,
  traversal: Traversal,
  traversals: readonly Traversal[] = [],
): Promise<Undecided | null> {
  const cut = causeOfEarlyStop(traversal);
  if (cut !== null && !endsPastTheLast(traversal)) return cut;
  if (!traversal.identified) return new Blocked('list/items', 'items have no identifier to tell them apart');
  const misstep = firstMisstep(traversal);
  if (misstep !== null && misstep.requirement !== 'page-size/filled' && !isPastTheRecords(traversal, misstep))
    return blockedByMisstep(misstep);
  const astray = misstep === null ? null : firstWrongQuery(traversal);
  if (astray !== null) return blockedByMisstep(astray);
  const missing = await findMissingLink(snapshot, traversal, { traversals });
  return missing === null ? null : new Blocked('link/present-when-more', missing.sentence);
}

/** Whether a misstep hides no records: the traversal came to its end, and had given its last record on a short page or before. */
function isPastTheRecords(traversal: Traversal, { step }: Misstep): boolean {
  const last = lastStepWithNewRecords(traversal);
  if (last === null || traversal.end.kind !== 'end') return false;
  return step.number > last.number || (step === last && step.page.itemCount < step.sizeInForce);
}

/** Whether a traversal gave every counted record before its links went astray. */
function endsPastTheLast(traversal: Traversal): boolean {
  const last = lastStepWithNewRecords(traversal);
  const count = last?.page.count;
  return (
    last !== null &&
    typeof count === 'number' &&
    last.given >= count &&
    (traversal.end.kind === 'circle' || traversal.end.kind === 'runaway')
  );
}

/** Why one of the traversals cannot stand for the whole list; null where all of them can. */
export async function firstObstacle(
  snapshot: Snapshot,
  traversals: readonly Traversal[],
): Promise<Undecided | null> {
  for (const traversal of traversals) {
    const obstacle = await causeOfIncompleteness(snapshot, traversal, traversals);
    if (obstacle !== null) return obstacle;
  }
  return null;
}

/** What already stands in the way of judging a list at all, from what a snapshot has been told; null where nothing does. */
export async function knownObstacle(snapshot: Snapshot): Promise<Undecided | null> {
  const traversal = await snapshot.startedTraversal(null)?.catch(() => null);
  if (traversal == null) return null;
  return (
    (await causeOfIncompleteness(snapshot, traversal)) ?? (await causeOfDoubtfulEnd(snapshot, traversal))
  );
}
