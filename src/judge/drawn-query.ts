import type { Arbitrary } from 'fast-check';
import type { CheckContext } from './context.ts';
import { MAX_PAGE_SIZE } from './page-sizes.ts';
import { fastCheckOf } from './property.ts';

/** Queries of list calls: a gateway may check the token, or a cache keep an answer, for some of them only. */
export function listQueries(fastCheck: typeof import('fast-check')): Arbitrary<string> {
  const weighted = (...choices: readonly (readonly [weight: number, value: string])[]): Arbitrary<string> =>
    fastCheck.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fastCheck.constant(value) })));
  const size = (min: number, max: number): Arbitrary<string> =>
    fastCheck.integer({ min, max }).map((number) => `$pagesize=${number}`);
  return fastCheck
    .record({
      count: weighted([2, ''], [3, '$count=true'], [1, '$count=false']),
      // Most pages that clients request are small.
      size: fastCheck.oneof(
        { weight: 2, arbitrary: fastCheck.constant('') },
        { weight: 2, arbitrary: size(1, 20) },
        { weight: 2, arbitrary: size(1, MAX_PAGE_SIZE) },
        { weight: 1, arbitrary: size(MAX_PAGE_SIZE + 1, 2 * MAX_PAGE_SIZE) },
        { weight: 1, arbitrary: fastCheck.constantFrom('$pagesize=0', '$pagesize=-1', '$pagesize=abc') },
      ),
      further: weighted([3, ''], [2, '$skip=1'], [1, '$top=5'], [1, 'x=1']),
      isEncoded: fastCheck.integer({ min: 0, max: 3 }).map((number) => number === 3),
      isReversed: fastCheck.boolean(),
    })
    .map(({ count, size, further, isEncoded, isReversed }) => {
      const parts = [count, size, further].filter((part) => part !== '');
      const query = (isReversed ? parts.toReversed() : parts).join('&');
      return isEncoded ? query.replaceAll('$', '%24') : query;
    })
    .filter((query) => query !== '');
}

/** One of these queries, drawn by the seed and a label, with its question mark. */
export function drawnQuery({ random }: Pick<CheckContext, 'random'>, label: string): string {
  const fastCheck = fastCheckOf();
  const [query = ''] = fastCheck.sample(listQueries(fastCheck), { seed: random(label), numRuns: 1 });
  return `?${query}`;
}
