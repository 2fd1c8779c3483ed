import type { FirstPage, Snapshot } from '../provider/snapshot.ts';
import type { CheckContext, Property } from './context.ts';
import { type SizeCase, sizeCases } from './first-pages.ts';
import { MAX_PAGE_SIZE } from './page-sizes.ts';
/** Page sizes from 1 to 500 with and without `$count`: one sample for the rules that speak of every page size. */
export async function pageSizeProperty(context: CheckContext, atRest: boolean): Promise<Property<SizeCase>> {
  return {
    sample: 'page sizes',
    atRest,
    examples: await sizeCases(context, context.snapshot),
    runs: null,
    // Draws nothing: it is what a breach is shrunk by.
    arbitrary: (fastCheck) =>
      fastCheck.record({
        pageSize: fastCheck.integer({ min: 1, max: MAX_PAGE_SIZE }),
        count: fastCheck.boolean(),
      }),
    prepare: (snapshot, value) => snapshot.first(firstPageFor(value)),
  };
}

export function firstPageFor({ pageSize: size, count }: SizeCase): FirstPage {
  return count ? { count, pageSize: size } : { pageSize: size };
}

export function requestLine(snapshot: Snapshot, first: FirstPage): string {
  return `GET ${snapshot.targetOf(first)}`;
}
