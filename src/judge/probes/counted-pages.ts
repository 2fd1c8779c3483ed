import type { Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { awaitAll } from '../parallel-map.ts';
import {
  findFirstFault,
  firstWrongQuery,
  stepsUpTo,
  type TraversalFault,
} from '../proofs/traversal-fault.ts';
import { firstPageCases, firstPages, requestFirstPage } from './first-pages.ts';
import { allTraversals } from './partial-traversals.ts';
import type { Position, RequestedPage } from './requested-page.ts';

/**
 * Every page that was requested with `$count=true`, first pages before linked ones. Pages after a link with a
 * wrong query are left out. A snapshot that confirms a breach requests no more pages than the caller takes.
 */
export function countedPages(context: CheckContext, snapshot: Snapshot): AsyncGenerator<RequestedPage> {
  return countedPagesUpTo(context, snapshot, firstWrongQuery);
}

/** The same, also without the pages after a page of a wrong size or a link with a wrong offset. */
export function soundCountedPages(context: CheckContext, snapshot: Snapshot): AsyncGenerator<RequestedPage> {
  return countedPagesUpTo(context, snapshot, findFirstFault);
}

async function* countedPagesUpTo(
  context: CheckContext,
  snapshot: Snapshot,
  faultOf: (traversal: Traversal) => TraversalFault | null,
): AsyncGenerator<RequestedPage> {
  if (snapshot.number === 0)
    await awaitAll([firstPages(context, snapshot), allTraversals(context, snapshot)]);
  for (const tried of await firstPageCases(context, snapshot)) {
    if (tried.count !== true) continue;
    const { first, answer, size } = await requestFirstPage(snapshot, tried);
    if (answer.kind !== 'page') continue;
    const pageSize = typeof first.pageSize === 'number' ? first.pageSize : null;
    const allFilled = answer.itemCount === size;
    yield pageOfTraversal(answer, size, 0, { pageSize, number: 1, allFilled });
  }
  for (const traversal of await allTraversals(context, snapshot)) {
    const fault = faultOf(traversal);
    const steps = stepsUpTo(fault, traversal);
    let allFilled = true;
    for (const { page, sizeInForce: size, number, recordsSoFar } of steps) {
      allFilled &&= page.itemCount === size;
      yield pageOfTraversal(page, size, recordsSoFar - page.itemCount, {
        pageSize: traversal.pageSize,
        number,
        allFilled,
      });
    }
    // The pages after the fault are not judged.
    if (steps.length < traversal.steps.length) context.limitedBy(fault);
  }
}

function pageOfTraversal(page: Page, size: number, skip: number, position: Position): RequestedPage {
  const { pageSize } = position;
  return {
    page,
    counting: true,
    pageSize: pageSize === null ? null : String(pageSize),
    size,
    skip,
    position,
  };
}
