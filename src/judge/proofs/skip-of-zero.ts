import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { hasParameter } from '../../provider/link.ts';
import { othersIn, type Page } from '../../provider/page.ts';
import { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { listFacts, pagesOfRun } from '../list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { recordsAt } from '../traversals.ts';
import { violationOn } from '../violation.ts';

/** Page sizes that are tested: the page with `$skip=0` is requested after the other one, before it, and after it. */
const SIZES = 3;

/**
 * Expects that a page with `$skip=0` begins with the record of the same request without it (4.3.3). If one of the run begins unlike
 * the main traversal, requests both for page sizes that the run has not used, so that no cache holds them, and in either order:
 * in changing data, the later one is ahead of the other. The order of the list may depend on the page size. Throws Violation.
 */
export async function expectFirstPageAtZero(context: CheckContext): Promise<void> {
  const { snapshot, exercised } = context;
  const pages = [...new Set(pagesOfRun(snapshot))];
  const suspect = await findSuspect(pages, snapshot);
  if (suspect === null) return;
  const used = new Set(pages.map((page) => requestedPageOf(page)?.size));
  const sizes = Array.from({ length: MAX_PAGE_SIZE }, (_none, index) => index + 1);
  const near = (size: number): number => Math.abs(size - suspect.itemCount);
  const unused = sizes.filter((size) => !used.has(size)).sort((one, other) => near(one) - near(other));
  const found: (readonly [zero: Page, plain: Page])[] = [];
  for (const [index, size] of unused.slice(0, SIZES).entries()) {
    const pair = await requestBoth(context, size, index % 2 === 1);
    const [record] = pair?.[1].identities ?? [];
    if (pair === null || record === undefined || pair[0].identities.includes(record)) return;
    found.push(pair);
  }
  const [[zero, plain] = []] = found;
  if (zero === undefined || plain === undefined || found.length < SIZES) return;
  exercised();
  const others = othersIn(zero, plain);
  throw violationOn(zero, {
    message:
      `GET ${zero.target} gives ${zero.itemCount} records without the first one of ${plain.target}, and so does $skip=0 with ` +
      `${found.length - 1} other page sizes, requested before or after that page`,
    expected: `the ${plain.itemCount} records of ${plain.target}`,
    actual: `${others} other records`,
    counterexample: { request: zero.target },
    further: [plain.exchange, ...found.slice(1).flatMap((pair) => pair.map(({ exchange }) => exchange))],
  });
}

/** A page with `$skip=0` that lacks records of its place in the main traversal; null if there is none. */
async function findSuspect(pages: readonly Page[], snapshot: Snapshot): Promise<Page | null> {
  const { main, records } = await listFacts(snapshot);
  const isSuspect = (page: Page): boolean => {
    const requested = requestedPageOf(page);
    if (requested?.isCounted !== true || requested.size === null || requested.skip > 0) return false;
    if (!hasParameter(page.target, '$skip') || page.count !== records) return false;
    return othersIn(page, { identities: recordsAt(main, 0, page.itemCount) }) > 0;
  };
  return pages.find(isSuspect) ?? null;
}

/** The first page of a size with `$skip=0`, and the one without it; null if either gives no records. */
async function requestBoth(
  { list }: CheckContext,
  pageSize: number,
  isZeroFirst: boolean,
): Promise<readonly [zero: Page, plain: Page] | null> {
  const snapshot = new Snapshot(list);
  const requestZero = () => snapshot.query(`$count=true&$pagesize=${pageSize}&$skip=0`);
  const early = isZeroFirst ? await requestZero() : null;
  const plain = await snapshot.first({ count: true, pageSize });
  const zero = early ?? (await requestZero());
  return plain.kind === 'page' && zero.kind === 'page' && zero.itemCount > 0 ? [zero, plain] : null;
}
