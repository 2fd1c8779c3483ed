import type { Arbitrary } from 'fast-check';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import type { CheckContext } from '../context.ts';
import { fastCheckOf } from '../property.ts';
import { countKnownRecords } from './list-facts.ts';
import { USUAL_SIZES } from './page-sizes.ts';

/**
 * Queries of list calls: a gateway may check the token, or a cache keep an answer, for some of them only. Some have a
 * page size outside 1 to 500 or an unknown parameter, for which a provider may refuse them.
 */
export function listQueries(fastCheck: typeof import('fast-check')): Arbitrary<string> {
  return queries(fastCheck, {
    sizes: [
      pageSizes(fastCheck, MAX_PAGE_SIZE + 1, 2 * MAX_PAGE_SIZE),
      fastCheck.constantFrom('$pagesize=0', '$pagesize=-1', '$pagesize=abc'),
    ],
    parameters: ['$top=5', 'x=1'],
  });
}

/**
 * A query that a provider answers with a page to a valid token, drawn by the seed and a label; with its question mark.
 */
export function drawnQuery({ random }: Pick<CheckContext, 'random'>, label: string): string {
  const fastCheck = fastCheckOf();
  const usual = queries(fastCheck, { sizes: [], parameters: [] });
  const [query = ''] = fastCheck.sample(usual, { seed: random(label), numRuns: 1 });
  return `?${query}`;
}

/** A query with any page size and without `$count`, drawn by the seed and a label; with its question mark. */
export function uncountedQuery({ random }: Pick<CheckContext, 'random'>, label: string): string {
  return `?$pagesize=${1 + (random(label) % MAX_PAGE_SIZE)}`;
}

/**
 * A query without `$count` and with a page size that clients use, drawn by the seed and a label; with its question mark.
 * So a call that only shows whether a token is accepted also tests a page size: other calls request most of these with a
 * count. Empty in `smoke`.
 */
export function sizedQuery({ random, options }: CheckContext, label: string): string {
  return options.suite === 'smoke' ? '' : `?$pagesize=${USUAL_SIZES[random(label) % USUAL_SIZES.length]}`;
}

/** @param further what the specification does not show */
function queries(
  fastCheck: typeof import('fast-check'),
  further: { readonly sizes: readonly Arbitrary<string>[]; readonly parameters: readonly string[] },
): Arbitrary<string> {
  const { oneof, constant, constantFrom } = fastCheck;
  const part = (...choices: readonly (readonly [weight: number, arbitrary: Arbitrary<string>])[]) =>
    oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  return fastCheck
    .record({
      count: part([2, constant('')], [3, constant('$count=true')], [1, constant('$count=false')]),
      size: part(
        [2, constant('')],
        // Most pages that clients request are small.
        [2, pageSizes(fastCheck, 1, 20)],
        [2, pageSizes(fastCheck, 1, MAX_PAGE_SIZE)],
        ...further.sizes.map((sizes) => [1, sizes] as const),
      ),
      other: part([5, constant('')], [2, constantFrom('$skip=1', '$skip=0', ...further.parameters)]),
      isEncoded: fastCheck.integer({ min: 0, max: 3 }).map((number) => number === 3),
      isReversed: fastCheck.boolean(),
    })
    .map(({ count, size, other, isEncoded, isReversed }) => {
      const parts = [count, size, other].filter((text) => text !== '');
      const query = (isReversed ? parts.toReversed() : parts).join('&');
      return isEncoded ? query.replaceAll('$', '%24') : query;
    })
    .filter((query) => query !== '');
}

function pageSizes(fastCheck: typeof import('fast-check'), min: number, max: number): Arbitrary<string> {
  return fastCheck.integer({ min, max }).map((number) => `$pagesize=${number}`);
}

/** Among targets for second pages, one in this number is for a first page. */
const SHALLOW_INTERVAL = 5;

/** Step from one page size to the next; it shares no factor with their number, so that every size occurs. */
const STEP = 137;

/**
 * Request targets that no call of the run requested before. They differ in their page size, drawn by the seed. They are
 * for first pages, or mostly for second ones if `isDeep`.
 *
 * @param most number of targets at most; fewer if the list is short
 */
export async function freshTargets(
  { random, snapshot }: Pick<CheckContext, 'random' | 'snapshot'>,
  { isDeep, most }: { readonly isDeep: boolean; readonly most: number },
): Promise<readonly string[]> {
  const records = await countKnownRecords(snapshot);
  const requested = new Set(snapshot.answers().map(({ target }) => target));
  const start = random('fresh targets') % MAX_PAGE_SIZE;
  const all = Array.from({ length: MAX_PAGE_SIZE }, (_none, index) => {
    const pageSize = 1 + ((start + index * STEP) % MAX_PAGE_SIZE);
    const hasSecond = isDeep && index % SHALLOW_INTERVAL > 0 && pageSize < records;
    return snapshot.targetOf({ count: true, pageSize, ...(hasSecond ? { skip: pageSize } : {}) });
  });
  return all.filter((target) => !requested.has(target)).slice(0, most);
}
