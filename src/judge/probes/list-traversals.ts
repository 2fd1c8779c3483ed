import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { Blocked, type Undecided } from '../../core/undecided.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { awaitAll } from '../parallel-map.ts';
import { startsEmpty } from '../traversals.ts';
import { drawnTraversalSizes, traversalSizes } from './page-sizes.ts';
import { obstacleOf, obstaclesOf } from './traversal-completeness.ts';

/**
 * Traverses the whole list with `$count=true`: without `$pagesize`, or with `$pagesize=500` if only that traversal
 * shows the whole list and the links of the other one are broken, or it gives no records.
 */
export async function mainTraversal(snapshot: Snapshot): Promise<Traversal> {
  // Asked for each time, so that the evidence names everyone who used it.
  return snapshot.traversal(await snapshot.memo.once(mainPageSize, snapshot));
}

async function mainPageSize(snapshot: Snapshot): Promise<number | null> {
  const usual = await snapshot.traversal(null);
  if (usual.steps.length === 0) return null;
  const isEmpty = usual.steps.length === 1 && startsEmpty(usual);
  if (!isEmpty && !((await obstacleOf(snapshot, usual)) instanceof Blocked)) return null;
  const sized = await snapshot.traversal(MAX_PAGE_SIZE).catch(() => usual);
  return (isEmpty || sized.steps.length > 1) && (await obstacleOf(snapshot, sized)) === null
    ? MAX_PAGE_SIZE
    : null;
}

/** How many records the list holds at least: those that the main traversal reached. */
export async function countKnownRecords(snapshot: Snapshot): Promise<number> {
  return recordsKnownFrom(await mainTraversal(snapshot));
}

/** How many records a traversal shows at least. */
export function recordsKnownFrom({ isIdentified, reached, steps }: Traversal): number {
  return isIdentified ? reached.size : Math.max(0, ...steps.map((step) => step.page.itemCount));
}

/**
 * An estimate of the list's length, to choose cases: the records reached, or count if the links fail. If the first page is
 * refused, what other pages of the run show: otherwise a long list would be traversed record by record.
 */
export async function estimateLength(snapshot: Snapshot): Promise<number> {
  const traversal = await mainTraversal(snapshot);
  if (traversal.steps.length === 0) {
    const { counts, usual } = snapshot.client.pages;
    return Math.max(counts?.last ?? 0, ...usual.map(({ itemCount }) => itemCount));
  }
  const reached = traversal.isIdentified
    ? traversal.reached.size
    : (traversal.steps.at(-1)?.recordsSoFar ?? 0);
  if (traversal.end.kind === 'end') return reached;
  const count = traversal.steps[0]?.page.count;
  return Math.max(reached, typeof count === 'number' && Number.isSafeInteger(count) ? count : 0);
}

/** Every traversal over the whole list: the main one, and in the full suite those with other page sizes. */
export async function wholeTraversals(context: CheckContext): Promise<readonly Traversal[]> {
  const { snapshot } = context;
  const main = await mainTraversal(snapshot);
  const sizes = traversalSizesOf(context, await estimateLength(snapshot));
  const others = [...(main.pageSize === null ? [] : [null]), ...sizes];
  const traversals = [main, ...(await awaitAll(others.map((size) => snapshot.traversal(size))))];
  context.limitedBy(await limitOf(snapshot, traversals));
  return traversals;
}

/** Returns the traversals that show the whole list; all of them if none does. */
export async function intactTraversals(
  snapshot: Snapshot,
  traversals: readonly Traversal[],
): Promise<readonly Traversal[]> {
  const obstacles = await obstaclesOf(snapshot, traversals);
  const intact = traversals.filter((_traversal, index) => obstacles[index] === null);
  return intact.length === 0 ? traversals : intact;
}

/** Page sizes of whole traversals other than the default; in `certify` a further one is drawn. */
export function traversalSizesOf({ options, random }: CheckContext, total: number): readonly number[] {
  if (options.suite === 'smoke') return [];
  const sizes = traversalSizes(total, random('traversal size'));
  if (options.suite !== 'certify') return sizes;
  return [...new Set([...sizes, ...drawnTraversalSizes(total, [random('further traversal size')])])];
}

/**
 * Why traversals do not show the whole list; null if they do. If the links of some are broken, the others decide. After
 * a limit, the rest of the list is unknown.
 */
async function limitOf(snapshot: Snapshot, traversals: readonly Traversal[]): Promise<Undecided | null> {
  const obstacles = await obstaclesOf(snapshot, traversals);
  const limit = obstacles.find((obstacle) => obstacle !== null && !(obstacle instanceof Blocked));
  return limit ?? (obstacles.includes(null) ? null : (obstacles[0] ?? null));
}
