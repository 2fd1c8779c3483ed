import type { RequirementId } from '../../core/requirement-id.ts';
import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import { type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { type Change, type Page, valuesOf, wrap } from '../pipeline.ts';
import {
  changeEnvelope,
  changeItems,
  changeLink,
  changeLinkParameters,
  changeLinkValue,
  changeMore,
  changePositions,
  refusePages,
  requestedSize,
} from '../step-changes.ts';

/** The offset of the pages that these defects break. */
const DEEP = 1000;
/** Pages of fewer records are small: a list with many such pages is rarely traversed. */
const SMALL = 60;

function isDeepAndSmall({ pageSize, skip }: Page): boolean {
  return skip >= DEEP && pageSize < SMALL;
}

/** These pages begin with a record that is not in the list. */
function foreign(where: (page: Page) => boolean): Change {
  return changePositions((positions, page) => (where(page) ? positions.with(0, page.total + 5) : positions));
}

/** Breaches of small pages far into the list. */
const deep = defectsOf({
  'deep-small-pages-refused': {
    sentence: 'A page of fewer than 60 records with a $skip of 1,000 or more is answered 400.',
    keywords: ['400'],
    must: ['traversal/by-parameters'],
    apply: refusePages(400, 'the offset is too large', isDeepAndSmall),
  },
  'last-small-page-refused': {
    sentence: 'The last page is answered 400 if $pagesize is below 60.',
    keywords: ['400'],
    must: ['traversal/followable'],
    may: ['traversal/by-parameters'],
    apply: refusePages(
      400,
      'the offset is too large',
      ({ pageSize, skip, total }) => pageSize < SMALL && pageSize > 2 && skip > 0 && skip + pageSize >= total,
    ),
  },
  'deep-small-link-offset-one-less': {
    sentence: 'From $skip=1000 on, the $skip of nextPageLink is one too low if $pagesize is below 60.',
    keywords: ['$skip'],
    must: ['link/offset'],
    apply: changeLinkParameters((pairs, page) => {
      if (!isDeepAndSmall(page)) return pairs;
      return pairs.map(([name, value]) => [name, name === '$skip' ? String(Number(value) - 1) : value]);
    }),
  },
  'deep-small-pages-foreign-record': {
    sentence:
      'A page of fewer than 60 records with a $skip of 1,000 or more begins with a record that no other page gives.',
    keywords: ['never reaches'],
    must: ['traversal/same-records'],
    apply: foreign(isDeepAndSmall),
  },
  'unaligned-pages-foreign-record': {
    sentence:
      'A page whose $skip is not a multiple of its $pagesize begins with a record that no other page gives.',
    keywords: ['never reaches'],
    must: ['traversal/same-records'],
    may: ['traversal/by-parameters'],
    apply: foreign(({ pageSize, skip, total }) => skip % pageSize > 0 && skip < total),
  },
});

/** Whether $pagesize is above the maximum. */
function isCapped(page: Page): boolean {
  const text = requestedSize(page) ?? '';
  return /^\d+$/.test(text) && Number(text) > MAX_PAGE_SIZE;
}

/** Whether $skip comes first, as in pages that the checks request without a link. */
function isByParameters(page: Page): boolean {
  return page.parameters[0]?.name === '$skip';
}

function defect(sentence: string, must: RequirementId, keyword: string, apply: Change): DefectDraft {
  return { sentence, keywords: [keyword], must: [must], apply };
}

const capped = defectsOf({
  'capped-offset-of-size-asked': defect(
    'If more than 500 records are requested, $skip of nextPageLink grows by the requested number.',
    'link/offset',
    '$skip',
    changeLinkValue('$skip', (skip, page) =>
      isCapped(page) ? String(page.skip + Number(valuesOf(page, '$pagesize')[0])) : skip,
    ),
  ),
  'capped-link-missing': defect(
    'If more than 500 records are requested, no nextPageLink is given.',
    'link/present-when-more',
    'nextpagelink',
    changeMore((more, page) => more && !isCapped(page)),
  ),
  'capped-link-at-the-end': {
    ...defect(
      'If more than 500 records are requested, the last page has a nextPageLink.',
      'link/absent-at-the-end',
      'nextpagelink',
      changeMore((more, page) => more || (isCapped(page) && page.counting && page.skip > 0)),
    ),
    may: ['traversal/terminates'],
    needs: { suite: 'certify' },
  },
  'capped-link-without-count': defect(
    'If more than 500 records are requested, a nextPageLink is given without $count.',
    'link/absent-without-count',
    'nextpagelink',
    wrap(
      'more',
      (more) => (page, service) => more(isCapped(page) ? { ...page, counting: true } : page, service),
    ),
  ),
  'capped-count-missing': defect(
    'If more than 500 records are requested, no count is given.',
    'count/present',
    'count',
    wrap('count', (count) => (page, service) => (isCapped(page) ? undefined : count(page, service))),
  ),
  'capped-count-of-page': defect(
    'If more than 500 records are requested, count is the number of records on the page.',
    'count/stable',
    'count',
    wrap(
      'count',
      (count) => (page, service) =>
        isCapped(page) && page.counting ? page.positions.length : count(page, service),
    ),
  ),
  'capped-one-short': defect(
    'If more than 500 records are requested, a page holds 499.',
    'page-size/filled',
    'record',
    changePositions((positions, page) =>
      isCapped(page) ? positions.slice(0, MAX_PAGE_SIZE - 1) : positions,
    ),
  ),
  'capped-items-null': defect(
    'agent is null in every item if more than 500 records are requested.',
    'list/items',
    'agent',
    changeItems((members, _record, page) => (isCapped(page) ? { ...members, agent: null } : members)),
  ),
  'capped-array': defect(
    'The answer is a bare array instead of an object if more than 500 records are requested.',
    'list/envelope',
    'array',
    changeEnvelope((members, parts, page) => (isCapped(page) ? parts.items : members)),
  ),
});

const byParameters = defectsOf({
  'by-parameters-link-absolute': defect(
    'nextPageLink is absolute if the client requests a page by $skip.',
    'link/relative',
    'absolute',
    changeLink((link, page, service) => (isByParameters(page) ? service.origin + link : link)),
  ),
  'by-parameters-link-size-lost': defect(
    'nextPageLink has no $pagesize if the client requests a page by $skip.',
    'link/query',
    '$pagesize',
    wrap(
      'linkParameters',
      (linkParameters) => (page, service) =>
        linkParameters(page, service).filter(([name]) => name !== '$pagesize' || !isByParameters(page)),
    ),
  ),
  'link-at-end-of-jumps': defect(
    'The last page has a nextPageLink if it is full and holds fewer than 5 records.',
    'link/absent-at-the-end',
    'nextpagelink',
    changeMore((more, page) => {
      const isFull = page.positions.length === page.pageSize && page.pageSize < 5;
      return more || (page.counting && isFull && page.skip + page.pageSize === page.total);
    }),
  ),
  'by-parameters-offset-of-first-page': defect(
    'nextPageLink leads to the second page if the client requests a page by $skip.',
    'link/offset',
    '$skip',
    changeLinkValue('$skip', (skip, page) => (isByParameters(page) ? String(page.positions.length) : skip)),
  ),
});

const byPageNumber = defectsOf({
  'skip-truncated-to-pages': defect(
    'Pages are addressed by number: $skip / $pagesize is truncated, so a $skip within a page gives the whole page.',
    'traversal/by-parameters',
    '$skip',
    wrap('skip', (skip) => (page, service) => {
      const offset = skip(page, service);
      return offset - (offset % page.pageSize);
    }),
  ),
  'skip-rounded-up-to-pages': defect(
    'Pages are addressed by number: $skip / $pagesize is rounded up, so a $skip within a page gives the next page.',
    'traversal/by-parameters',
    '$skip',
    wrap('skip', (skip) => (page, service) => Math.ceil(skip(page, service) / page.pageSize) * page.pageSize),
  ),
});

/** Breaches that show neither on first pages nor in most traversals: on capped, directly requested or deep pages. */
export const somePageDefects: readonly Defect[] = [...capped, ...byParameters, ...byPageNumber, ...deep];
