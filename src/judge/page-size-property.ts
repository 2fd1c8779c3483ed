import type { FirstPage, View } from '../provider/view.ts';
import type { CheckContext, Property } from './context.ts';
import { type SizeCase, sizeCases } from './evidence.ts';
import { MAXIMUM } from './sizes.ts';
/** Page sizes from 1 to 500 with and without `$count`: one sample for the rules that speak of every page size. */
export async function sizes(context: CheckContext, atRest: boolean): Promise<Property<SizeCase>> {
  return {
    sample: 'page sizes',
    atRest,
    examples: await sizeCases(context, context.view),
    runs: null,
    // Draws nothing: it is what a breach is shrunk by.
    arbitrary: (fastCheck) =>
      fastCheck.record({ pageSize: fastCheck.integer({ min: 1, max: MAXIMUM }), count: fastCheck.boolean() }),
    prepare: (view, value) => view.first(asked(value)),
  };
}

export function asked({ pageSize: size, count }: SizeCase): FirstPage {
  return count ? { count, pageSize: size } : { pageSize: size };
}

export function spoken(view: View, first: FirstPage): string {
  return `GET ${view.targetOf(first)}`;
}
