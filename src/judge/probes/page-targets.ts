import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { hasParameter } from '../../provider/link.ts';
import { type ListAnswer, type Page, sameCount } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import { type CheckContext, shareOf } from '../context.ts';
import { awaitAll, evidenceOrNull, mapInParallel, orNull } from '../outcomes.ts';
import {
  ENCODED_COUNT,
  encodedQueries,
  firstPageCases,
  pagesWithin,
  type SizeCase,
  smallPageSize,
  uncountedFirstPage,
} from './first-pages.ts';
import { countKnownRecords, countProvenRecords } from './list-facts.ts';
import { oversizeCases, oversizeQuery } from './oversize-cases.ts';
import { dividingSizes } from './page-sizes.ts';
import { deepPage, pagesByParameters, placeOfDeepPage } from './pages-by-parameters.ts';
import { type RequestedPage, requestedPageOf } from './requested-page.ts';

/** The answers to all targets in a snapshot; calls without an answer are left out. */
export async function answersToAllTargets(context: CheckContext): Promise<readonly ListAnswer[]> {
  if (context.options.suite === 'smoke') return [];
  const answers = await requestAll(context, await allTargets(context));
  return answers.filter((answer) => answer !== null);
}

/** Requests targets, a few at a time; null for a call without an answer. */
export function requestAll(
  context: CheckContext,
  targets: readonly string[],
): Promise<readonly (ListAnswer | null)[]> {
  return mapInParallel(context.target.limits, targets, (target) =>
    evidenceOrNull(context, context.snapshot.at(target)),
  );
}

/**
 * Requests one page. Null if the answer is no page, which other rules judge, or if names with %24 have no effect, which
 * page-size/encoded-name judges.
 */
export async function requestPage(context: CheckContext, target: string): Promise<RequestedPage | null> {
  const { snapshot } = context;
  const answer = await evidenceOrNull(context, snapshot.at(target));
  if (answer?.kind !== 'page' || !(await hasEffect(snapshot, answer))) return null;
  return requestedPageOf(answer);
}

/** Whether a page that was requested with %24 in names resembles the page that was requested with $. */
async function hasEffect(snapshot: Snapshot, page: Page): Promise<boolean> {
  if (!page.target.includes('%24')) return true;
  const [path, query = ''] = page.target.replaceAll('%24', '$').split('?', 2);
  // In alphabetical order, as in the requests of other checks.
  const model = await orNull(snapshot.at(`${path}?${query.split('&').toSorted().join('&')}`));
  return (
    model?.kind === 'page' &&
    model.itemCount === page.itemCount &&
    sameCount(model.count, page.count) &&
    (model.link === undefined) === (page.link === undefined)
  );
}

/** The targets of all pages that the checks of a list request without following a link. */
export function allTargets(context: CheckContext): Promise<readonly string[]> {
  const { sharedSnapshot } = context;
  return sharedSnapshot.memo.once(gatherTargets, { ...context, snapshot: sharedSnapshot });
}

async function gatherTargets(first: CheckContext): Promise<readonly string[]> {
  const { snapshot } = first;
  // All checks share the targets. A missing page limits the checks of its traversal, not the first check that asks.
  const context: CheckContext = { ...first, limitedBy: () => undefined };
  const [firsts, uncounted, within, linked, oversize, records, combined, size, place, deep] = await awaitAll([
    firstPageCases(context),
    uncountedFirstPage(context),
    pagesWithin(context),
    pagesByParameters(context),
    oversizeCases(context),
    countProvenRecords(snapshot),
    combinedQueries(context),
    smallPageSize(context),
    placeOfDeepPage(context),
    // Without an answer, only the checks that need this page are left open.
    evidenceOrNull(context, deepPage(context)),
  ]);
  const at = (query: string): string => `${snapshot.client.path}?${query}`;
  return [
    ...new Set([
      ...[...firsts, uncounted].map((first) => snapshot.targetOf(first)),
      ...within.map(at),
      ...linked.map(({ query }) => at(query)),
      ...oversize.filter(({ encoded }) => !encoded).map((one) => at(oversizeQuery(one))),
      ...(records === null ? [] : lastPageRequests(records)).map((last) => snapshot.targetOf(last)),
      ...combined.map(at),
      // The same queries with $ are among the first pages.
      ...(size > 0 ? [ENCODED_COUNT, ...encodedQueries(context, size)] : []).map(at),
      ...(place === null ? [] : [snapshot.targetOf({ count: true, ...place })]),
      // link/query judges a link without $skip.
      ...(deep?.linked != null && hasParameter(deep.linked, '$skip') ? [deep.linked] : []),
    ]),
  ];
}

/** Last pages that are requested by their offset. */
const MAX_LAST_PAGES = 3;

/**
 * Requests for last pages of a single record and of the next smallest sizes that divide the list; traversals with such
 * sizes would take many pages.
 */
export function lastPageRequests(total: number): readonly SizeCase[] {
  const sizes = total > 1 ? [1, ...dividingSizes(total)].slice(0, MAX_LAST_PAGES) : [];
  return sizes.map((pageSize) => ({ count: true, pageSize, skip: total - pageSize }));
}

/** Combinations that a full run draws. */
const DRAWN = 1;

/**
 * Queries that combine and order the parameters of a list call differently from links and other checks. Each run requests
 * the page at the end of the list and draws some of the others; none in smoke.
 */
async function combinedQueries(context: CheckContext): Promise<readonly string[]> {
  const size = Math.max(1, await smallPageSize(context));
  const total = await countKnownRecords(context.snapshot);
  if (context.options.suite === 'smoke') return [];
  const drawn = shareOf(
    context,
    [
      `$count=false&$skip=${size}`,
      `$skip=${size}`,
      `$count=true&$skip=${size}`,
      `$count=true&$pagesize=${size}&$skip=${total + 5}`,
      `$pagesize=${size}&$skip=${size}`,
      `$pagesize=${size}&$count=true`,
      '$count=false&$pagesize=500',
      // The last page of the default size.
      `$count=true&$skip=${Math.max(0, total - (total % MAX_PAGE_SIZE || MAX_PAGE_SIZE))}`,
      // The second to last page if the last page is full.
      ...dividingSizes(total)
        .slice(0, 1)
        .map((one) => `$count=true&$pagesize=${one}&$skip=${Math.max(0, total - 2 * one)}`),
      // A page before a single record, which no traversal reaches if no page size leaves one.
      `$count=true&$pagesize=1&$skip=${Math.max(0, total - 2)}`,
      // A last page that no traversal reaches, because its offset is not a multiple of the page size.
      `$count=true&$pagesize=${size}&$skip=${Math.max(0, total - size + 1)}`,
    ],
    DRAWN,
  );
  // In full, the first page of a drawn size has $skip=0.
  const fromZero = context.options.suite === 'certify' ? [`$count=true&$pagesize=${size}&$skip=0`] : [];
  return [`$count=true&$skip=${total}`, ...fromZero, ...drawn];
}
