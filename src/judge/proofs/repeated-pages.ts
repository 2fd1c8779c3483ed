import { recordCount } from '../../core/number-format.ts';
import { type Identities, sameIdentities } from '../../provider/identity.ts';
import { canonicalQuery, hasParameter } from '../../provider/link.ts';
import { type ListAnswer, othersIn, type Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { countProvenRecords, listFacts, mainTraversal, pagesOfRun } from '../probes/list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { recordsAt } from '../traversals.ts';
import { violationOn } from '../violation.ts';
import { isFresh } from './data-at-rest.ts';

/** Pages that must be wrong when they are repeated, and right when they are requested first. */
const ROUNDS = 4;
/** Records from the beginning of the list among which the pages are. */
const MAX_RECORDS = 2000;
/** The largest page that is requested. */
const MAX_SIZE = 60;

/** A page that no request of the run asked for, and its records by the main traversal. */
interface UnusedPage {
  readonly target: string;
  readonly expected: Identities;
}

/**
 * Expects that a page holds the same records when its request is repeated, if one of the run did not. Requests pages that
 * nobody requested before, and each of them again: data that changes does not spare the first request each time, nor the
 * other pages that are requested in between, more of them in each round. Throws Violation.
 */
export async function expectSameWhenRepeated(context: CheckContext): Promise<void> {
  const { list, snapshot, exercised } = context;
  if (!list.pages.isRepeatedOtherwise) return;
  const total = await countProvenRecords(snapshot);
  if (total === null) return;
  const unused = await unusedPages(context);
  const isRight = (answer: ListAnswer, { expected }: UnusedPage): answer is Page =>
    answer.kind === 'page' && answer.count === total && sameIdentities(answer.identities, expected);
  /** Whether a page that is requested for the first time holds its records. */
  const isNewRight = async (): Promise<boolean> => {
    const page = unused.shift();
    return page !== undefined && isRight(await list.authorized(page.target), page);
  };
  const shown: (readonly [again: Page, first: Page])[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let number = 0; number < round; number++) if (!(await isNewRight())) return;
    const page = unused.shift();
    if (page === undefined) return;
    const first = await list.authorized(page.target);
    if (!isRight(first, page)) return;
    const again = await list.authorized(page.target);
    if (again.kind !== 'page' || again.count !== total || !isOtherwise(again, first)) return;
    if (!(await isNewRight())) return;
    shown.push([again, first]);
  }
  const [seen] = shown;
  if (seen === undefined) return;
  const [again, first] = seen;
  // A cache may have kept the first answers from before a change.
  if (!(await isFresh(list, [first]))) return;
  exercised();
  const others = othersIn(again, first);
  const given = `${recordCount(again.itemCount)}${others === 0 ? '' : ` (${others} of them others)`}`;
  throw violationOn(first, {
    message:
      `GET ${first.target} gives the ${recordCount(first.itemCount)} of its place at first, and ${given} when it is requested again; ` +
      `so did all ${ROUNDS} pages that were requested twice, while others in between held their records and count stayed ${total}`,
    expected: `the same ${recordCount(first.itemCount)} each time`,
    actual: given,
    further: shown.map(([page]) => page),
  });
}

/** Whether a page holds another number of records, or none of the same; their order within a page is open. */
function isOtherwise(again: Page, first: Page): boolean {
  return again.itemCount !== first.itemCount || othersIn(again, first) === again.itemCount;
}

/** Pages behind the first one in the usual form, by $pagesize and a multiple of it. */
async function unusedPages({ list, snapshot }: CheckContext): Promise<UnusedPage[]> {
  const records = recordsAt(await mainTraversal(snapshot), 0, MAX_RECORDS);
  const used = new Set([...list.pages.firstPages].map(({ target }) => canonicalQuery(target)));
  const pages: UnusedPage[] = [];
  for (let page = 1; page <= ROUNDS * ROUNDS; page++)
    for (let size = 2; size <= MAX_SIZE && (page + 1) * size <= records.length; size++) {
      const skip = page * size;
      const target = snapshot.targetOf({ count: true, pageSize: size, skip });
      if (!used.has(canonicalQuery(target)))
        pages.push({ target, expected: records.subarray(skip, skip + size) });
    }
  return pages;
}

/** Which page is requested in turn, with `$skip=0` or without `$skip`: not alternately, because two servers may answer in turn. */
const REQUESTS = ['with', 'without', 'without', 'with', 'with'] as const;

/**
 * Expects that pages of the run with `$skip=0` hold the records of the same request without it (4.3.3): the order of the list may
 * depend on the page size only. A page that begins unlike the main traversal is requested again, in turn with the other one.
 * Throws Violation; changed data or an outdated cache explains other records.
 */
export async function expectFirstPageAtZero(context: CheckContext): Promise<void> {
  const { snapshot, exercised } = context;
  const page = await findSuspect(snapshot);
  const without = page === null ? null : await pageWithoutSkip(page, snapshot);
  if (page === null || without === null) return;
  exercised();
  const others = othersIn(page, without);
  throw violationOn(page, {
    message:
      `GET ${page.target} gives ${recordCount(page.itemCount)}, ${others} of them others than those of ${without.target}, ` +
      'also when both are requested in turn; $skip=0 must leave out no records',
    expected: `the ${recordCount(without.itemCount)} of ${without.target}`,
    actual: `${recordCount(page.itemCount)}, ${others} of them different`,
    counterexample: { request: page.target },
    further: [without],
  });
}

/** A page with `$skip=0` that has other records than the beginning of the main traversal; null if there is none. */
async function findSuspect(snapshot: Snapshot): Promise<Page | null> {
  const { main, records } = await listFacts(snapshot);
  const isSuspect = (page: Page): boolean => {
    const requested = requestedPageOf(page);
    if (requested?.isCounted !== true || requested.size === null || requested.skip > 0) return false;
    if (!hasParameter(page.target, '$skip') || page.count !== records) return false;
    return othersIn(page, { identities: recordsAt(main, 0, page.itemCount) }) > 0;
  };
  return [...pagesOfRun(snapshot)].find(isSuspect) ?? null;
}

/** The page of the same request without `$skip`; null unless both give the same records each time, which are not the same ones. */
async function pageWithoutSkip(page: Page, snapshot: Snapshot): Promise<Page | null> {
  const { client } = snapshot;
  const pageSize = requestedPageOf(page)?.pageSize ?? undefined;
  const without = await client.authorized(snapshot.targetOf({ count: true, pageSize }));
  if (without.kind !== 'page' || othersIn(page, without) === 0) return null;
  for (const request of REQUESTS) {
    const before = request === 'with' ? page : without;
    const again = await client.authorized(before.target);
    if (again.kind !== 'page' || again.count !== page.count) return null;
    if (!sameIdentities(again.identities, before.identities)) return null;
  }
  return (await isFresh(client, [page, without])) ? without : null;
}
