import { Blocked, type Undecided } from '../../core/undecided.ts';
import type { Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { awaitAll, mapInParallel, neededOrNull } from '../outcomes.ts';
import { firstWrongQuery, recordsBefore, stepsUpTo, type TraversalFault } from '../traversals.ts';
import { drawnSizes, firstPageCases, firstPages, requestFirstPage, traversalSizesOf } from './first-pages.ts';
import { estimateLength, mainTraversal } from './list-facts.ts';
import { partialTraversalSizes, sizeOrder } from './page-sizes.ts';
import type { RequestedPage, TraversalPosition } from './requested-page.ts';
import { obstaclesOf } from './traversal-completeness.ts';

/**
 * Every traversal over the whole list: the main one, and in the full suite those with other page sizes. One of these with a page
 * that is not answered is left out, and limits the check.
 */
export async function wholeTraversals(context: CheckContext): Promise<readonly Traversal[]> {
  const { snapshot } = context;
  const main = await mainTraversal(snapshot);
  const sizes = traversalSizesOf(context, await estimateLength(snapshot));
  const others = [...(main.pageSize === null ? [] : [null]), ...sizes];
  const answered = await awaitAll(others.map((size) => neededOrNull(context, snapshot.traversal(size))));
  const traversals = [main, ...answered.filter((traversal) => traversal !== null)];
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

/**
 * Why traversals do not show the whole list; null if they do. If the links of some are broken, the others decide. After
 * a limit, the rest of the list is unknown.
 */
async function limitOf(snapshot: Snapshot, traversals: readonly Traversal[]): Promise<Undecided | null> {
  const obstacles = await obstaclesOf(snapshot, traversals);
  const limit = obstacles.find((obstacle) => obstacle !== null && !(obstacle instanceof Blocked));
  return limit ?? (obstacles.includes(null) ? null : (obstacles[0] ?? null));
}

/**
 * Traversals of two or three pages, so that no size is judged by its first page alone: with sizes too small for a whole
 * traversal, with common and drawn ones, and in `certify` with every size. A later snapshot of `certify`, which
 * confirms a breach, uses only the sizes of a full run and those that showed the breach. One with a page that is not answered is
 * left out, and limits the check.
 */
export async function partialTraversals(context: CheckContext): Promise<readonly Traversal[]> {
  const { snapshot } = context;
  const { suite } = context.options;
  if (suite === 'smoke') return [];
  const total = await estimateLength(snapshot);
  const smallSizes = partialTraversalSizes(total, context.random('small size'));
  const isCertify = suite === 'certify';
  const isRequested = (size: number): boolean =>
    snapshot.number === 0 || smallSizes.includes(size) || context.suspectSizes.has(size);
  const sizes = isCertify
    ? sizeOrder(total, (size) => context.random(`size ${size}`)).filter(
        (size) => size < total && isRequested(size),
      )
    : [...new Set([...smallSizes, ...(await drawnSizes(context)).followed])];
  const hasThreePages = (size: number): boolean => (isCertify ? smallSizes.includes(size) : size === 1);
  const traversals = await mapInParallel(context.target.limits, sizes, (size) =>
    neededOrNull(context, snapshot.traversal(size, { maxPages: hasThreePages(size) ? 3 : 2 })),
  );
  return traversals.filter((traversal) => traversal !== null);
}

export async function allTraversals(context: CheckContext): Promise<readonly Traversal[]> {
  const [whole, partial] = await awaitAll([wholeTraversals(context), partialTraversals(context)]);
  return [...whole, ...partial];
}

/**
 * The traversals of {@link allTraversals}, or only the whole ones. The main traversal comes before others are
 * requested: if it shows a breach, a snapshot that confirms the breach requests only that traversal.
 */
export async function* traversalsMainFirst(
  context: CheckContext,
  { whole }: { readonly whole: boolean },
): AsyncGenerator<Traversal> {
  yield await mainTraversal(context.snapshot);
  const [, ...others] = await (whole ? wholeTraversals(context) : allTraversals(context));
  yield* others;
}

/**
 * Every page that was requested with `$count=true`, first pages before linked ones. A snapshot that confirms a breach
 * requests no more pages than the caller takes.
 *
 * @param faultOf finds the fault of a traversal after which its pages are left out; a link with a wrong query unless given
 */
export async function* countedPages(
  context: CheckContext,
  faultOf: (traversal: Traversal) => TraversalFault | null = firstWrongQuery,
): AsyncGenerator<RequestedPage> {
  const { snapshot } = context;
  if (snapshot.number === 0) await awaitAll([firstPages(context), allTraversals(context)]);
  for (const tried of await firstPageCases(context)) {
    if (tried.count !== true) continue;
    const requested = await neededOrNull(context, requestFirstPage(snapshot, tried));
    if (requested?.answer.kind !== 'page') continue;
    const { first, answer, size } = requested;
    const pageSize = typeof first.pageSize === 'number' ? first.pageSize : null;
    const areAllFilled = answer.itemCount === size;
    yield pageOfTraversal(answer, size, 0, { pageSize, number: 1, areAllFilled });
  }
  for (const traversal of await allTraversals(context)) {
    const fault = faultOf(traversal);
    const steps = stepsUpTo(fault, traversal);
    let areAllFilled = true;
    for (const step of steps) {
      const { page, sizeInForce: size, number } = step;
      areAllFilled &&= page.itemCount === size;
      yield pageOfTraversal(page, size, recordsBefore(step), {
        pageSize: traversal.pageSize,
        number,
        areAllFilled,
      });
    }
    // The pages after the fault are not judged.
    if (steps.length < traversal.steps.length) context.limitedBy(fault);
  }
}

function pageOfTraversal(page: Page, size: number, skip: number, position: TraversalPosition): RequestedPage {
  const { pageSize } = position;
  return {
    page,
    isCounted: true,
    pageSize: pageSize === null ? null : String(pageSize),
    size,
    skip,
    position,
  };
}
