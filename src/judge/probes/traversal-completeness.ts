import { LIMITS_WITHOUT_KEY } from '../../core/cause.ts';
import { Blocked, stoppedBy, Undecided } from '../../core/undecided.ts';
import { keyWithPlace } from '../../provider/diagnosis.ts';
import { countsMoreThanGiven, type ListAnswer, type Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Step, Traversal } from '../../provider/traversal.ts';
import type { Resource, Target } from '../../target/target.ts';
import { awaitAll, orNull } from '../outcomes.ts';
import {
  findFirstFault,
  findFullerTraversal,
  firstWrongQuery,
  fullestOf,
  lastStepWithNewRecords,
  type TraversalFault,
  traversalName,
} from '../traversals.ts';
import { blockedByRefusal } from './expected-page.ts';

/** Why a traversal stopped before the end of the list; null if it reached the end. */
export function causeOfEarlyStop(traversal: Traversal): Undecided | null {
  const pages = traversal.steps.length;
  const stopped = `${traversalName(traversal)} stopped ${pages === 0 ? 'before its first page' : `at page ${pages}`}`;
  switch (traversal.end.kind) {
    case 'end':
      return null;
    case 'paused':
      return stoppedBy(LIMITS_WITHOUT_KEY.shortTraversal, stopped);
    case 'limit':
      return stoppedBy(traversal.end.limit, traversal.end.why);
    case 'unusable':
      return new Blocked('link/relative', `${stopped}: its link cannot be followed, ${traversal.end.why}`);
    case 'circle':
    case 'runaway':
      return new Blocked('traversal/terminates', `${stopped}: its links never end`);
    case 'broken':
      if (traversal.end.answer.kind === 'no-envelope')
        return new Blocked('list/envelope', `${stopped}: ${traversal.end.answer.why}`);
      return traversal.steps.length === 0
        ? blockedByRefusal(traversal.end.answer)
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
  traversals: readonly Traversal[],
): Promise<Undecided | null> {
  const cut = causeOfEarlyStop(traversal);
  if (cut !== null && !endsPastTheLast(traversal)) return cut;
  if (!traversal.isIdentified) return causeOfMissingIdentifier(snapshot, traversal);
  const fault = findFirstFault(traversal);
  if (fault !== null && fault.requirement !== 'page-size/filled' && !isPastTheRecords(traversal, fault))
    return fault;
  const wrongQuery = fault === null ? null : firstWrongQuery(traversal);
  if (wrongQuery !== null) return wrongQuery;
  const missing = await findMissingLink(snapshot, traversal, traversals);
  return missing === null ? null : new Blocked('link/present-when-more', missing.sentence);
}

/** Blocked if a traversal ends with an empty page that is not the last one of the list, as another traversal shows; null otherwise. */
export function causeOfEmptyEnd(traversal: Traversal, traversals: readonly Traversal[]): Blocked | null {
  const last = traversal.steps.at(-1);
  if (last === undefined || last.page.itemCount > 0) return null;
  const fuller = findFullerTraversal(traversal, last, traversals);
  if (fuller === null) return null;
  const ends = `${traversalName(traversal)} ends with an empty page`;
  const isDefault = traversal.pageSize === null && last.number === 1;
  return new Blocked(
    isDefault ? 'page-size/default' : 'page-size/filled',
    `${ends}, although ${traversalName(fuller)} reaches more records`,
  );
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
  const traversal = await orNull(snapshot.startedTraversal());
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
    (await causeOfUnknownEnd(snapshot, traversal))
  );
}

/** Why each of several traversals does not show the whole list, in their order; null for one that does. */
export function obstaclesOf(
  snapshot: Snapshot,
  traversals: readonly Traversal[],
): Promise<readonly (Undecided | null)[]> {
  return awaitAll(traversals.map((traversal) => obstacleOf(snapshot, traversal, traversals)));
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
  return wrongIdField(target, resource, `${missing}, and match their schema`);
}

/** Undecided for an idField that does not identify items; `said` is why, as a clause. */
export function wrongIdField(target: Target, resource: Resource, said: string): Undecided {
  const key = `resources[${target.resources.indexOf(resource)}].idField`;
  return new Undecided(
    { kind: 'configuration', key },
    `${said}. Check ${keyWithPlace(target, key)}: ` +
      'it must name the member that identifies an item, in the same letter case',
  );
}

/** Whether the cause is a wrong idField. */
export function isAboutIdentifier({ cause }: Undecided): boolean {
  return cause.kind === 'configuration' && cause.key.endsWith('.idField');
}

/** Requests the page after a step by its parameters (4.3.3). */
export function requestFollowingPage(
  snapshot: Snapshot,
  { sizeInForce, recordsSoFar }: Pick<Step, 'sizeInForce' | 'recordsSoFar'>,
): Promise<ListAnswer> {
  return snapshot.first({ count: true, pageSize: sizeInForce, skip: recordsSoFar });
}

/**
 * Proof that a traversal ended without a link although records follow: the next page, requested by its
 * parameters, or, if that gives no new records, another traversal that reached more.
 *
 * @param traversals the other traversals; the main one if there are none
 * @param known how many records the list is known to hold; those of the fullest traversal if left out
 */
export async function findMissingLink(
  snapshot: Snapshot,
  traversal: Traversal,
  traversals: readonly Traversal[],
  known: number | null = null,
): Promise<{ readonly sentence: string; readonly exchanges: readonly number[] } | null> {
  const last = traversal.steps.at(-1);
  if (
    traversal.end.kind !== 'end' ||
    last === undefined ||
    last.recordsSoFar === 0 ||
    findFirstFault(traversal) !== null
  )
    return null;
  const { count, itemCount } = last.page;
  const counted = typeof count === 'number' ? count > last.recordsSoFar : null;
  const fullest = fullestOf(traversals) ?? (await snapshot.traversal(null));
  // If another traversal reached more, this one did not give everything, whatever its count is.
  if (!(counted ?? itemCount >= last.sizeInForce) && (known ?? fullest.reached.size) <= last.recordsSoFar)
    return null;
  const answer = await requestFollowingPage(snapshot, last);
  const where = `page ${last.number} of ${traversalName(traversal)} gives no nextPageLink after ${last.recordsSoFar}`;
  const unseen = answer.kind === 'page' ? traversal.reached.countMissing(answer.identities) : 0;
  if (unseen > 0)
    return {
      sentence: `${where} records, but $skip=${last.recordsSoFar} gives ${unseen} more`,
      exchanges: [last.page.exchange, answer.exchange],
    };
  const holder = fullest.steps.find(({ page }) => traversal.reached.countMissing(page.identities) > 0);
  // A full page whose count is larger is not the last one.
  if (counted !== true || itemCount < last.sizeInForce || holder === undefined) return null;
  // What it misses lies before its last record, after which nothing follows.
  const lastRecord = lastRecordOf(traversal);
  if (lastRecord !== null && lastRecord === lastRecordOf(fullest)) return null;
  return {
    sentence:
      `${where} of ${count} records, and ${traversalName(fullest)} reaches ` +
      `${fullest.reached.beyond(traversal.reached).length} more`,
    exchanges: [last.page.exchange, holder.page.exchange],
  };
}

/** The identity of the last record that a traversal gave; null if it is not known. */
function lastRecordOf({ steps }: Traversal): bigint | null {
  const last = steps.findLast(({ page }) => page.itemCount > 0);
  const identity = last?.page.identities.at(-1);
  return identity === undefined || identity === 0n ? null : identity;
}

/**
 * Why it is unknown whether a traversal reached the end of the list; null if the end is known. It is unknown if the last page
 * is full and gives no link, its count is missing or larger than the records given, and no request shows whether records
 * follow. If page sizes have no effect, a last page without count shows nothing even if it is not full.
 */
export async function causeOfUnknownEnd(snapshot: Snapshot, traversal: Traversal): Promise<Blocked | null> {
  const last = traversal.steps.at(-1);
  if (traversal.end.kind !== 'end' || last === undefined) return null;
  const { count, itemCount } = last.page;
  const isCounted = typeof count === 'number';
  if (isCounted && count <= last.recordsSoFar) return null;
  const ends = `${traversalName(traversal)} ends after ${last.recordsSoFar}`;
  if (!isCounted && (await isSizeIgnored(snapshot, last)))
    return new Blocked('page-size/limit', `${ends} records without count, and $pagesize has no effect`);
  if (itemCount < last.sizeInForce) return null;
  const next = await requestFollowingPage(snapshot, last);
  if (next.kind === 'page' && next.itemCount === 0) return null;
  return isCounted
    ? new Blocked('link/present-when-more', `${ends} of ${count} records`)
    : new Blocked('count/present', `${ends} records, on a full page without count`);
}

/** Whether a page of one record holds several, as the last page of a traversal does. */
async function isSizeIgnored(snapshot: Snapshot, { page }: Step): Promise<boolean> {
  if (page.itemCount <= 1) return false;
  const single = await orNull(snapshot.first({ count: true, pageSize: 1 }));
  return single?.kind === 'page' && single.itemCount > 1;
}

/**
 * The page after a full first page whose count is larger than the page. Null if there are no further records, Blocked
 * if the answer does not show whether there are.
 */
export async function findPageAfterFirst(
  snapshot: Snapshot,
  page: Page,
  size: number,
): Promise<Page | Blocked | null> {
  if (!countsMoreThanGiven(page) || page.itemCount < size) return null;
  const next = await requestFollowingPage(snapshot, { sizeInForce: size, recordsSoFar: page.itemCount });
  if (next.kind === 'page' && next.itemCount === 0) return null;
  const given = new Set(page.identities);
  if (
    next.kind === 'page' &&
    next.identities.length > 0 &&
    next.identities.every((identity) => !given.has(identity))
  )
    return next;
  return new Blocked(
    'traversal/by-parameters',
    `${page.target} counts ${page.count} records, gives ${page.itemCount} and no nextPageLink, and no request shows what follows`,
  );
}
