import type { Undecided } from '../core/undecided.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Traversal } from '../provider/traversal.ts';
import type { CheckContext } from './context.ts';
import { causeOfDoubtfulEnd } from './missing-link.ts';
import { drawnTraversalSizes, partialTraversalSizes, sizeOrder, traversalSizes } from './page-sizes.ts';
import { awaitAll, mapInParallel } from './parallel-map.ts';
import { causeOfIncompleteness } from './traversal-completeness.ts';

/** The whole list with the default page size and `$count=true`. */
export function mainTraversal(snapshot: Snapshot): Promise<Traversal> {
  return snapshot.traversal(null);
}

/** How many records the list is known to hold at least: those that the main traversal reached. */
export async function countKnownRecords(snapshot: Snapshot): Promise<number> {
  const traversal = await mainTraversal(snapshot);
  return traversal.identified
    ? traversal.reached.size
    : Math.max(0, ...traversal.steps.map((step) => step.page.itemCount));
}

/** The length of the list as far as it matters for choosing cases: what was reached, or counted where links fail. */
export async function estimateLength(snapshot: Snapshot): Promise<number> {
  const traversal = await mainTraversal(snapshot);
  const reached = traversal.identified ? traversal.reached.size : (traversal.steps.at(-1)?.given ?? 0);
  if (traversal.end.kind === 'end') return reached;
  const count = traversal.steps[0]?.page.count;
  return Math.max(reached, typeof count === 'number' && Number.isSafeInteger(count) ? count : 0);
}

/** Every traversal over the whole list: the main one, and in the full suite those with other page sizes. */
export async function wholeTraversals(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly Traversal[]> {
  const main = await mainTraversal(snapshot);
  const sizes = traversalSizesOf(context, await estimateLength(snapshot));
  const traversals = [main, ...(await awaitAll(sizes.map((size) => snapshot.traversal(size))))];
  context.limitedBy(await limitOf(snapshot, traversals));
  return traversals;
}

/** Page sizes of whole traversals besides the default; in `certify` two of them are drawn, whatever suits the length. */
export function traversalSizesOf({ options, random }: CheckContext, total: number): readonly number[] {
  if (options.suite === 'smoke') return [];
  const sizes = traversalSizes(total, random('walks'));
  if (options.suite !== 'certify') return sizes;
  const drawn = [random('first walk'), random('second walk')];
  return [...new Set([...sizes, ...drawnTraversalSizes(total, drawn)])];
}

/** What kept traversals from showing the whole list; null where nothing did. What lies behind a limit is not known either. */
async function limitOf(snapshot: Snapshot, traversals: readonly Traversal[]): Promise<Undecided | null> {
  for (const traversal of traversals) {
    const obstacle =
      (await causeOfIncompleteness(snapshot, traversal, traversals)) ??
      (await causeOfDoubtfulEnd(snapshot, traversal));
    if (obstacle !== null) return obstacle;
  }
  return null;
}

/**
 * Traversals of a few pages: with sizes too small to go the whole way, and in `certify` with every size, so that no size is
 * judged by its first page alone.
 */
export async function partialTraversals(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly Traversal[]> {
  const { suite } = context.options;
  if (suite === 'smoke') return [];
  const total = await estimateLength(snapshot);
  const long = partialTraversalSizes(total, context.random('stroll'));
  if (suite !== 'certify') return awaitAll(long.map((size) => snapshot.traversal(size, { maxPages: 3 })));
  const sizes = sizeOrder(total, (size) => context.random(`size ${size}`)).filter((size) => size < total);
  return mapInParallel(context.target.limits, sizes, (size) =>
    snapshot.traversal(size, { maxPages: long.includes(size) ? 3 : 2 }),
  );
}

/** Whole traversals and partial traversals. */
export async function allTraversals(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly Traversal[]> {
  const [whole, short] = await awaitAll([
    wholeTraversals(context, snapshot),
    partialTraversals(context, snapshot),
  ]);
  return [...whole, ...short];
}

/**
 * The same traversals, or only the whole ones, the main one before others are asked for: where that shows a breach, the snapshot
 * that confirms it costs no more than that traversal.
 */
export async function* traversalsMainFirst(
  context: CheckContext,
  snapshot: Snapshot,
  { whole }: { readonly whole: boolean },
): AsyncGenerator<Traversal> {
  yield await mainTraversal(snapshot);
  const [, ...others] = await (whole ? wholeTraversals(context, snapshot) : allTraversals(context, snapshot));
  yield* others;
}
