import type { Page } from '../../provider/page.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { countProvenRecords } from '../list-facts.ts';
import { requestedCount, requestedPageOf } from '../probes/requested-page.ts';
import { allSecondClientPages, endForSecondClient } from '../probes/second-client.ts';
import { violationOn } from '../violation.ts';
import { END_PAUSE_MS, END_REPETITIONS } from './count-changes.ts';
import { withFurther } from './data-at-rest.ts';

/**
 * Expects one count on the pages of the second provider's client, whose list may be another one. Two of its requests that
 * give their counts again, three times each and once with a further parameter, which no cache knows, show that the data did
 * not change. Throws Violation.
 */
export async function expectOneCountForSecondClient(context: CheckContext): Promise<void> {
  const { pages, ask } = await allSecondClientPages(context);
  const [first, ...others] = pages.filter((page) => typeof requestedCount(page) === 'number');
  const other = others.find(({ count }) => count !== first?.count);
  if (first === undefined || other === undefined) return;
  // Data that changes with every read, or once, does not change in this order.
  for (const page of [first, first, other, first, other, other])
    if ((await ask(page.target))?.count !== page.count) return;
  for (const page of [first, other]) {
    const fresh = await ask(withFurther(page));
    if (fresh?.count !== undefined && fresh.count !== page.count) return;
  }
  throw violationOn(other, {
    message:
      `with a token of the second provider, count is ${first.count} in the answer to ${first.target} and ` +
      `${other.count} in that to ${other.target}, also when each is sent three times again; ` +
      'it must be the same on every page and for every page size',
    expected: first.count ?? null,
    actual: other.count ?? null,
    further: [first.exchange],
  });
}

/** Whether pages of different places share records: then `$skip` is read wrongly, and does not show where the list ends. */
function areOverlapping(pages: readonly Page[]): boolean {
  const placed = pages.flatMap((page) => requestedPageOf(page) ?? []);
  return placed.some((one) =>
    placed.some(
      (other) =>
        one.skip + one.page.itemCount <= other.skip &&
        one.page.identities.some((identity) => identity !== 0n && other.page.identities.includes(identity)),
    ),
  );
}

/**
 * Expects that the list of the second provider's client ends where its count says: in `certify`, and if one of its pages
 * holds fewer records than its count leaves for it, or more, or if it sees the records of the run with another count. Throws
 * Violation.
 */
export async function expectCountOfSecondClient(context: CheckContext): Promise<void> {
  const { pages, snapshot, ask } = await allSecondClientPages(context);
  const counts = pages.map(requestedCount).filter((count) => typeof count === 'number');
  const records = await countProvenRecords(context.snapshot);
  const isOther = snapshot === context.snapshot && counts.some((count) => count !== records);
  const isContradicted = pages
    .map((page) => requestedPageOf(page))
    .some((requested) => {
      if (requested?.counting !== true || requested.size === null) return false;
      const { page, skip, size } = requested;
      if (typeof page.count !== 'number') return false;
      return page.itemCount < Math.min(size, page.count - skip) || page.itemCount > page.count - skip;
    });
  if (!isContradicted && !isOther && context.options.suite !== 'certify') return;
  if (areOverlapping(pages)) return;
  const end = await endForSecondClient(context);
  if (end === null || !(await endsAsCounted(context, end.kind))) return;
  const { page } = end;
  // Count may lag behind records that are added.
  for (let requests = 0; requests < END_REPETITIONS; requests++) {
    await waitFor(END_PAUSE_MS, context);
    const again = await ask(page.target);
    if (again === null || again.count !== page.count || again.itemCount !== page.itemCount) return;
  }
  throw violationOn(page, {
    message:
      `with a token of the second provider, count is ${page.count}, and GET ${page.target} gives ` +
      (end.kind === 'short' ? 'no record' : 'a record') +
      `, also when it is sent ${END_REPETITIONS} times more; count is the number of records in the list`,
    expected: end.kind === 'short' ? 1 : 0,
    actual: page.itemCount,
  });
}

/** Whether the list of the run's own client ends as its count says: otherwise $skip, and not count, is wrong. */
async function endsAsCounted({ list, snapshot }: CheckContext, end: 'short' | 'long'): Promise<boolean> {
  const records = await countProvenRecords(snapshot);
  if (records === null || records < 1) return false;
  const skip = end === 'short' ? records - 1 : records;
  const page = await list.authorized(`${list.path}?$count=true&$pagesize=1&$skip=${skip}`);
  return page.kind === 'page' && page.count === records && page.itemCount > 0 === (end === 'short');
}
