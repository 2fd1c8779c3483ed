import type { RequirementId } from '../../core/requirement-id.ts';
import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import type { DefectDraft } from '../defect.ts';
import { type Change, type Page, valuesOf, wrap } from '../pipeline.ts';
import {
  changeEnvelope,
  changeItems,
  changeLink,
  changeLinkValue,
  changeMore,
  changePositions,
  requestedSize,
} from '../step-changes.ts';

/** Whether $pagesize is above the maximum. */
function isCapped(page: Page): boolean {
  const text = requestedSize(page) ?? '';
  return /^\d+$/.test(text) && Number(text) > MAX_PAGE_SIZE;
}

/** Whether $skip comes first, as in pages that the checks request without a link. */
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
  return { id, sentence, keywords: [keyword], must: [must], apply };
}

const capped: readonly DefectDraft[] = [
  defect(
    'capped-offset-of-size-asked',
    'If more than 500 records are requested, $skip of nextPageLink grows by the requested number.',
    'link/offset',
    '$skip',
    changeLinkValue('$skip', (skip, page) =>
      isCapped(page) ? String(page.skip + Number(valuesOf(page, '$pagesize')[0])) : skip,
    ),
  ),
  defect(
    'capped-link-missing',
    'If more than 500 records are requested, no nextPageLink is given.',
    'link/present-when-more',
    'nextpagelink',
    changeMore((more, page) => more && !isCapped(page)),
  ),
  defect(
    'capped-link-without-count',
    'If more than 500 records are requested, a nextPageLink is given without $count.',
    'link/absent-without-count',
    'nextpagelink',
    wrap(
      'more',
      (more) => (page, service) => more(isCapped(page) ? { ...page, counting: true } : page, service),
    ),
  ),
  defect(
    'capped-count-missing',
    'If more than 500 records are requested, no count is given.',
    'count/present',
    'count',
    wrap('count', (count) => (page, service) => (isCapped(page) ? undefined : count(page, service))),
  ),
  defect(
    'capped-count-of-page',
    'If more than 500 records are requested, count is the number of records on the page.',
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
    'If more than 500 records are requested, a page holds 499.',
    'page-size/filled',
    'record',
    changePositions((positions, page) =>
      isCapped(page) ? positions.slice(0, MAX_PAGE_SIZE - 1) : positions,
    ),
  ),
  defect(
    'capped-items-null',
    'agent is null in every item if more than 500 records are requested.',
    'list/items',
    'agent',
    changeItems((members, _record, page) => (isCapped(page) ? { ...members, agent: null } : members)),
  ),
  defect(
    'capped-array',
    'The answer is a bare array instead of an object if more than 500 records are requested.',
    'list/envelope',
    'array',
    changeEnvelope((members, parts, page) => (isCapped(page) ? parts.items : members)),
  ),
];

const byParameters: readonly DefectDraft[] = [
  defect(
    'by-parameters-link-absolute',
    'nextPageLink is absolute if the client requests a page by $skip.',
    'link/relative',
    'absolute',
    changeLink((link, page, service) => (isByParameters(page) ? service.origin + link : link)),
  ),
  defect(
    'by-parameters-link-size-lost',
    'nextPageLink has no $pagesize if the client requests a page by $skip.',
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
    'The last page has a nextPageLink if it is full and holds fewer than 5 records.',
    'link/absent-at-the-end',
    'nextpagelink',
    changeMore((more, page) => {
      const isFull = page.positions.length === page.pageSize && page.pageSize < 5;
      return more || (page.counting && isFull && page.skip + page.pageSize === page.total);
    }),
  ),
  defect(
    'by-parameters-offset-of-first-page',
    'nextPageLink leads to the second page if the client requests a page by $skip.',
    'link/offset',
    '$skip',
    changeLinkValue('$skip', (skip, page) => (isByParameters(page) ? String(page.positions.length) : skip)),
  ),
];

const byPageNumber: readonly DefectDraft[] = [
  defect(
    'skip-truncated-to-pages',
    'Pages are addressed by number: $skip / $pagesize is truncated, so a $skip within a page gives the whole page.',
    'traversal/by-parameters',
    '$skip',
    wrap('skip', (skip) => (page, service) => {
      const asked = skip(page, service);
      return asked - (asked % page.pageSize);
    }),
  ),
  defect(
    'skip-rounded-up-to-pages',
    'Pages are addressed by number: $skip / $pagesize is rounded up, so a $skip within a page gives the next page.',
    'traversal/by-parameters',
    '$skip',
    wrap('skip', (skip) => (page, service) => Math.ceil(skip(page, service) / page.pageSize) * page.pageSize),
  ),
];

/** Breaches that show neither on first pages nor in traversals, only on capped or directly requested pages. */
export const cappedPageDefects: readonly DefectDraft[] = [...capped, ...byParameters, ...byPageNumber];
