import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { awaitAll, mapInParallel } from '../parallel-map.ts';
import { drawnSizes } from './first-pages.ts';
import { estimateLength, mainTraversal, wholeTraversals } from './list-traversals.ts';
import { partialTraversalSizes, sizeOrder } from './page-sizes.ts';

/**
 * Traversals of two or three pages, so that no size is judged by its first page alone: with sizes too small for a whole
 * traversal, with common and drawn ones, and in `certify` with every size. A later snapshot of `certify`, which
 * confirms a breach, uses only the sizes of a full run and those that showed the breach.
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
  return mapInParallel(context.target.limits, sizes, (size) =>
    snapshot.traversal(size, { maxPages: hasThreePages(size) ? 3 : 2 }),
  );
}

/** Whole traversals and partial traversals. */
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
