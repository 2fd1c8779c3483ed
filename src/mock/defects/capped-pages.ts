import type { RequirementId } from '../../core/requirement-id.ts';
import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import type { DefectDraft } from '../defect.ts';
import { type Change, type Page, valuesOf, wrap } from '../pipeline.ts';
import { requestedSize } from './requested-page-size.ts';

/** Whether more records than a page may hold were asked for. */
function isCapped(page: Page): boolean {
  const text = requestedSize(page) ?? '';
  return /^\d+$/.test(text) && Number(text) > MAX_PAGE_SIZE;
}

/** Whether the client asked for the page by $skip, in an order of its own. */
function isByParameters(page: Page): boolean {
  return page.parameters[0]?.name === '$skip';
}

function defect(
  id: string,
  sentence: string,
  must: RequirementId,
  keyword: string,
  apply: Change,
): DefectDraft {
  return { id, sentence, keywords: [keyword], must: [must], difficulty: 'subtle', apply };
}

const capped: readonly DefectDraft[] = [
  defect(
    'capped-offset-of-size-asked',
    'Where more than 500 records are asked for, $skip of nextPageLink grows by the number asked for.',
    'link/offset',
    '$skip',
    wrap(
      'linkParameters',
      (linkParameters) => (page, service) =>
        linkParameters(page, service).map(([name, value]) =>
          name === '$skip' && isCapped(page)
            ? [name, String(page.skip + Number(valuesOf(page, '$pagesize')[0]))]
            : [name, value],
        ),
    ),
  ),
  defect(
    'capped-link-missing',
    'Where more than 500 records are asked for, no nextPageLink is given.',
    'link/present-when-more',
    'nextpagelink',
    wrap('more', (more) => (page, service) => more(page, service) && !isCapped(page)),
  ),
  defect(
    'capped-link-without-count',
    'Where more than 500 records are asked for, a nextPageLink is given without $count.',
    'link/absent-without-count',
    'nextpagelink',
    wrap(
      'more',
      (more) => (page, service) => more(isCapped(page) ? { ...page, counting: true } : page, service),
    ),
  ),
  defect(
    'capped-count-missing',
    'Where more than 500 records are asked for, no count is given.',
    'count/present',
    'count',
    wrap('count', (count) => (page, service) => (isCapped(page) ? undefined : count(page, service))),
  ),
  defect(
    'capped-count-of-page',
    'Where more than 500 records are asked for, count is the number of records on the page.',
    'count/stable',
    'count',
    wrap(
      'count',
      (count) => (page, service) =>
        isCapped(page) && page.counting ? page.positions.length : count(page, service),
    ),
  ),
  defect(
    'capped-one-short',
    'Where more than 500 records are asked for, a page holds 499.',
    'page-size/filled',
    'record',
    wrap('slice', (slice) => (page, service) => {
      const positions = slice(page, service);
      return isCapped(page) ? positions.slice(0, MAX_PAGE_SIZE - 1) : positions;
    }),
  ),
  defect(
    'capped-items-null',
    'agent is null in every item where more than 500 records are asked for.',
    'list/items',
    'agent',
    wrap('item', (item) => (record, page, service) => {
      const whole: unknown = item(record, page, service);
      return isCapped(page) && typeof whole === 'object' ? { ...whole, agent: null } : whole;
    }),
  ),
  defect(
    'capped-array',
    'The answer is a bare array instead of an object where more than 500 records are asked for.',
    'list/envelope',
    'array',
    wrap(
      'envelope',
      (envelope) => (parts, page, service) => (isCapped(page) ? parts.items : envelope(parts, page, service)),
    ),
  ),
];

const byParameters: readonly DefectDraft[] = [
  defect(
    'by-parameters-link-absolute',
    'nextPageLink is absolute where the client asks for a page by $skip.',
    'link/relative',
    'absolute',
    wrap('link', (link) => (page, service) => {
      const before = link(page, service);
      return isByParameters(page) && typeof before === 'string' ? service.origin + before : before;
    }),
  ),
  defect(
    'by-parameters-link-size-lost',
    'nextPageLink carries no $pagesize where the client asks for a page by $skip.',
    'link/query',
    '$pagesize',
    wrap(
      'linkParameters',
      (linkParameters) => (page, service) =>
        linkParameters(page, service).filter(([name]) => name !== '$pagesize' || !isByParameters(page)),
    ),
  ),
  defect(
    'link-at-end-of-jumps',
    'The last page gives a nextPageLink where it holds fewer than 5 records and is full.',
    'link/absent-at-the-end',
    'nextpagelink',
    wrap('more', (more) => (page, service) => {
      const isFull = page.positions.length === page.pageSize && page.pageSize < 5;
      return more(page, service) || (page.counting && isFull && page.skip + page.pageSize === page.total);
    }),
  ),
  defect(
    'by-parameters-offset-of-first-page',
    'nextPageLink leads to the second page where the client asks for a page by $skip.',
    'link/offset',
    '$skip',
    wrap(
      'linkParameters',
      (linkParameters) => (page, service) =>
        linkParameters(page, service).map(([name, value]) =>
          name === '$skip' && isByParameters(page) ? [name, String(page.positions.length)] : [name, value],
        ),
    ),
  ),
];

const byPageNumber: readonly DefectDraft[] = [
  defect(
    'skip-truncated-to-pages',
    'Pages are found by number: $skip / $pagesize is truncated, so a $skip within a page gives the whole page.',
    'traversal/by-parameters',
    '$skip',
    wrap('skip', (skip) => (page, service) => {
      const asked = skip(page, service);
      return asked - (asked % page.pageSize);
    }),
  ),
  defect(
    'skip-rounded-up-to-pages',
    'Pages are found by number: $skip / $pagesize is rounded up, so a $skip within a page gives the next one.',
    'traversal/by-parameters',
    '$skip',
    wrap('skip', (skip) => (page, service) => Math.ceil(skip(page, service) / page.pageSize) * page.pageSize),
  ),
];

/** Breaches of the rules of every page that show on pages beyond those of first calls and traversals alone. */
export const cappedPageDefects: readonly DefectDraft[] = [...capped, ...byParameters, ...byPageNumber];
