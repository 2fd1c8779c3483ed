import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { countKnownRecords } from './list-traversals.ts';
import { MAX_PAGE_SIZE } from './page-sizes.ts';

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
  { random }: Pick<CheckContext, 'random'>,
  snapshot: Snapshot,
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
