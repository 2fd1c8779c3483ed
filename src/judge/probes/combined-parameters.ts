import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { smallPageSize } from './first-pages.ts';
import { countKnownRecords } from './list-traversals.ts';
import { dividingSizes, MAX_PAGE_SIZE } from './page-sizes.ts';
import { shareOf } from './rotation.ts';

/** Combinations that a full run draws. */
const DRAWN = 2;

/**
 * Queries that combine and order the parameters of a list call differently from links and other checks: `$skip` without
 * the others, with `$count=false`, at the end (in every run) and past it, `$count=false` on first pages, names in
 * another order.
 */
export async function combinedQueries(context: CheckContext, snapshot: Snapshot): Promise<readonly string[]> {
  const size = Math.max(1, await smallPageSize(context, snapshot));
  const total = await countKnownRecords(snapshot);
  if (context.options.suite === 'smoke') return [];
  const drawn = shareOf(
    context,
    [
      `$count=false&$skip=${size}`,
      `$skip=${size}`,
      `$count=true&$pagesize=${size}&$skip=${total + 5}`,
      `$pagesize=${size}&$skip=${size}`,
      `$pagesize=${size}&$count=true`,
      '$count=false&$pagesize=500',
      // Last pages: of the default size, and of a single record.
      `$count=true&$skip=${total - (total % MAX_PAGE_SIZE || MAX_PAGE_SIZE)}`,
      `$count=true&$pagesize=1&$skip=${Math.max(0, total - 1)}`,
      // The last page but one if the last page is full.
      ...dividingSizes(total)
        .slice(0, 1)
        .map((one) => `$count=true&$pagesize=${one}&$skip=${Math.max(0, total - 2 * one)}`),
      // A last page that no traversal reaches, because its offset is no multiple of the page size.
      `$count=true&$pagesize=${size}&$skip=${Math.max(0, total - size + 1)}`,
    ],
    DRAWN,
  );
  return [`$count=true&$skip=${total}`, ...drawn];
}
