import { LIMITS_WITHOUT_KEY } from '../../core/cause.ts';
import { Blocked, Undecided } from '../../core/undecided.ts';
import { at } from '../../provider/diagnosis.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import { orNull } from '../optional-answer.ts';
import { lastStepWithNewRecords, traversalName } from '../traversals.ts';
import { causeOfDoubtfulEnd, findMissingLink } from './missing-link.ts';
import { blockedByFault, findFirstFault, firstWrongQuery, type TraversalFault } from './traversal-fault.ts';

/** Why a traversal stopped before the end of the list; null if it reached the end. */
export function causeOfEarlyStop(traversal: Traversal): Undecided | null {
  const pages = traversal.steps.length;
  const stopped = `${traversalName(traversal)} stopped ${pages === 0 ? 'before its first page' : `at page ${pages}`}`;
  switch (traversal.end.kind) {
    case 'end':
      return null;
    case 'paused':
      return new Undecided({ kind: 'limit', limit: LIMITS_WITHOUT_KEY.shortTraversal }, stopped);
    case 'limit':
      return new Undecided({ kind: 'limit', limit: traversal.end.limit }, traversal.end.why);
    case 'unusable':
      return new Blocked('link/relative', `${stopped}: its link cannot be followed, ${traversal.end.why}`);
    case 'circle':
    case 'runaway':
      return new Blocked('traversal/terminates', `${stopped}: its links never end`);
    case 'broken':
      if (traversal.end.answer.kind === 'no-envelope')
        return new Blocked('list/envelope', `${stopped}: ${traversal.end.answer.why}`);
      return traversal.steps.length === 0
        ? new Blocked('authorization/accepted', `the list call was refused: ${traversal.end.answer.why}`)
        : new Blocked('traversal/followable', `${stopped}: ${traversal.end.answer.why}`);
  }
}

/**
 * Why a traversal does not show the whole list: it stopped early, an offset or a page size is wrong, or it
 * ended without a link although records follow. Null if it does.
 *
 * @param traversals all traversals: one that reached fewer records than another did not give everything
 */
export async function causeOfIncompleteness(
  snapshot: Snapshot,
  traversal: Traversal,
  traversals: readonly Traversal[] = [],
): Promise<Undecided | null> {
  const cut = causeOfEarlyStop(traversal);
  if (cut !== null && !endsPastTheLast(traversal)) return cut;
  if (!traversal.identified) return causeOfMissingIdentifier(snapshot, traversal);
  const fault = findFirstFault(traversal);
  if (fault !== null && fault.requirement !== 'page-size/filled' && !isPastTheRecords(traversal, fault))
    return blockedByFault(fault);
  const wrongQuery = fault === null ? null : firstWrongQuery(traversal);
  if (wrongQuery !== null) return blockedByFault(wrongQuery);
  const missing = await findMissingLink(snapshot, traversal, { traversals });
  return missing === null ? null : new Blocked('link/present-when-more', missing.sentence);
}

/**
 * Whether a fault hides no records: the traversal reached its end, and gave its last record before the fault or on
 * a short page.
 */
function isPastTheRecords(traversal: Traversal, { step }: TraversalFault): boolean {
  const last = lastStepWithNewRecords(traversal);
  if (last === null || traversal.end.kind !== 'end') return false;
  return step.number > last.number || (step === last && step.page.itemCount < step.sizeInForce);
}

/** Whether a traversal gave every counted record before its links repeated or gave nothing new. */
function endsPastTheLast(traversal: Traversal): boolean {
  const last = lastStepWithNewRecords(traversal);
  const count = last?.page.count;
  return (
    last !== null &&
    typeof count === 'number' &&
    last.recordsSoFar >= count &&
    (traversal.end.kind === 'circle' || traversal.end.kind === 'runaway')
  );
}

/** Why one of the traversals does not show the whole list; null if all of them do. */
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

/** Why the list cannot be judged at all, as far as the snapshot shows; null if it can. */
export async function knownObstacle(snapshot: Snapshot): Promise<Undecided | null> {
  const traversal = await orNull(snapshot.startedTraversal(null));
  return traversal == null ? null : obstacleOf(snapshot, traversal);
}

/** Why a traversal does not show the whole list, or whether it does; null if it does. Parameters as above. */
export async function obstacleOf(
  snapshot: Snapshot,
  traversal: Traversal,
  traversals: readonly Traversal[] = [],
): Promise<Undecided | null> {
  return (
    (await causeOfIncompleteness(snapshot, traversal, traversals)) ??
    (await causeOfDoubtfulEnd(snapshot, traversal))
  );
}

/**
 * Why the items of a traversal have no identifier: either they break their schema, or idField of the target file names
 * a member that the schema does not require, probably by a spelling mistake.
 */
export function causeOfMissingIdentifier({ client }: Snapshot, traversal: Traversal): Undecided {
  const { resource, target } = client;
  const missing = `items of ${traversalName(traversal)} have no ${resource.idField}`;
  const isSound = traversal.steps.some(({ page }) => page.badItem === null && page.identities.includes(0n));
  if (!isSound) return new Blocked('list/items', missing);
  const key = `resources[${target.resources.indexOf(resource)}].idField`;
  return new Undecided(
    { kind: 'configuration', key },
    `${missing}, and match their schema. Check ${at(target, key)}: ` +
      'it must name the member that identifies an item, in the same letter case',
  );
}

/** Whether the cause is a wrong idField. */
export function isAboutIdentifier({ cause }: Undecided): boolean {
  return cause.kind === 'configuration' && cause.key.endsWith('.idField');
}
