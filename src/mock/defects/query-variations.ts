import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import { type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { type Change, composeChanges, type Page, type ReceivedRequest, valuesOf, wrap } from '../pipeline.ts';
import {
  changeCount,
  changeEnvelope,
  changeItems,
  changeLink,
  changeMore,
  changePageSize,
  changePositions,
  refusePages,
  requestedSize,
} from '../step-changes.ts';

const isCountFalse = (page: Page): boolean => valuesOf(page, '$count')[0] === 'false';
const isEncoded = (page: Page): boolean => page.parameters.some(({ rawName }) => rawName === '%24pagesize');
const isSkipFirst = (page: Page): boolean => page.parameters[0]?.name === '$skip';
const hasSkip = (page: Page): boolean => valuesOf(page, '$skip').length > 0;

/** Whether the client accepts no compressed answer. */
function isUncompressed({ headers }: ReceivedRequest): boolean {
  return headers['accept-encoding'] === 'identity';
}

function badItems(words: string, where: (page: Page) => boolean): DefectDraft {
  return {
    sentence: `agent is null in every item if ${words}.`,
    keywords: ['agent', 'null'],
    must: ['list/items'],
    apply: changeItems((members, _record, page) => (where(page) ? { ...members, agent: null } : members)),
  };
}

function maximum(words: string, where: (text: string, page: Page) => number | undefined): DefectDraft {
  return {
    sentence: `A page holds more than 500 records ${words}.`,
    keywords: ['500'],
    must: ['page-size/maximum'],
    apply: changePageSize((page) => where(requestedSize(page) ?? 'none', page)),
  };
}

function countFalseRefused(words: string, status: number): DefectDraft {
  return {
    sentence: `$count=false ${words}, and without $count the same call is answered.`,
    keywords: ['$count=false', String(status)],
    must: ['authorization/accepted'],
    difficulty: 'subtle',
    apply: refusePages(status, 'bad value of $count', isCountFalse),
  };
}

/** Puts the first record of pages in the place of the second one, too. */
function giveFirstTwice(where: (page: Page) => boolean): Change {
  return changePositions((positions, page) => {
    const [first] = positions;
    return first !== undefined && positions.length > 1 && where(page) ? positions.with(1, first) : positions;
  });
}

/** Gives a link on pages without count if more records follow. */
function linkWithoutCount(where: (page: Page) => boolean): Change {
  return wrap('envelope', (envelope) => (parts, page, service) => {
    const { steps } = service;
    const isWrong = !page.counting && where(page) && steps.endOffset(page, service) < page.total;
    const link = isWrong ? { nextPageLink: steps.link({ ...page, counting: true }, service) } : {};
    return envelope({ ...parts, ...link }, page, service);
  });
}

/** Breaches that show only for less usual queries: $count=false, %24 names, pages requested by $skip. */
export const queryVariationDefects: readonly Defect[] = defectsOf({
  'items-null-count-false': badItems('$count is false', isCountFalse),
  'items-null-encoded': badItems('$pagesize is written with %24', isEncoded),
  'items-null-by-parameters': badItems('the client requests a page by $skip', isSkipFirst),
  'envelope-array-count-false': {
    sentence: 'The answer is a bare array instead of an object if $count is false.',
    keywords: ['array'],
    must: ['list/envelope'],
    apply: changeEnvelope((members, parts, page) => (isCountFalse(page) ? parts.items : members)),
  },
  'maximum-none-empty': maximum('if $pagesize is empty', (text) => (text === '' ? 1e9 : undefined)),
  'maximum-none-fraction': maximum('if $pagesize is a fraction', (text) =>
    /^\d+\.\d+$/.test(text) ? 1e9 : undefined,
  ),
  'maximum-none-behind-skip': maximum('if $pagesize is above 500 and $skip is given', (text, page) =>
    hasSkip(page) && /^\d+$/.test(text) && Number(text) > MAX_PAGE_SIZE ? Number(text) : undefined,
  ),
  'maximum-none-for-unknown-parameters': {
    ...maximum('if the query has a parameter that the API does not know', (_text, page) =>
      page.parameters.some(({ name }) => !['$count', '$pagesize', '$skip'].includes(name)) ? 1e9 : undefined,
    ),
    needs: { observations: true },
  },
  'maximum-none-for-other-counts': {
    ...maximum('if $count is neither true nor false', (_text, page) =>
      valuesOf(page, '$count').some((count) => !['true', 'false'].includes(count)) ? 1e9 : undefined,
    ),
    needs: { observations: true },
  },
  'limit-none-for-unknown-parameters': {
    sentence: '$pagesize has no effect if the query has a parameter that the API does not know.',
    keywords: ['500 records'],
    must: ['page-size/limit'],
    needs: { observations: true },
    apply: changePageSize((page) =>
      page.parameters.some(({ name }) => !['$count', '$pagesize', '$skip'].includes(name))
        ? MAX_PAGE_SIZE
        : undefined,
    ),
  },
  'link-absolute-without-compression': {
    sentence: 'nextPageLink is absolute if the client accepts no compressed answer.',
    keywords: ['nextpagelink', 'leads to'],
    must: ['link/relative'],
    apply: changeLink((link, { request }) =>
      isUncompressed(request) ? `https://internal.provider.example${link}` : link,
    ),
  },
  'items-null-without-compression': badItems('the client accepts no compressed answer', ({ request }) =>
    isUncompressed(request),
  ),
  'maximum-none-given-twice': {
    sentence: 'If $pagesize is given twice, the last one counts, and a page holds more than 500 records.',
    keywords: ['500'],
    must: ['page-size/maximum'],
    apply: changePageSize((page) => {
      const sizes = valuesOf(page, '$pagesize').map(Number);
      return sizes.length > 1 ? sizes.at(-1) : undefined;
    }),
  },
  'maximum-missing-if-size-is-first': maximum('if $pagesize comes before $count', (size, page) =>
    page.parameters.findIndex(({ name }) => name === '$pagesize') <
      page.parameters.findIndex(({ name }) => name === '$count') && Number(size) > MAX_PAGE_SIZE
      ? Number(size)
      : undefined,
  ),
  'maximum-none-uncounted-behind-skip': maximum(
    'if $pagesize is above 500, with $skip and without $count',
    (text, page) =>
      hasSkip(page) && !page.counting && Number(text) > MAX_PAGE_SIZE ? Number(text) : undefined,
  ),
  'maximum-none-exponent': maximum('if $pagesize is written as 1e3', (text) =>
    /^\d+e\d+$/.test(text) ? Number(text) : undefined,
  ),
  'default-50-count-false': {
    sentence: 'Without $pagesize and with $count=false a page holds 50 records.',
    keywords: ['50'],
    must: ['page-size/default'],
    apply: changePageSize((page) =>
      isCountFalse(page) && requestedSize(page) === undefined ? 50 : undefined,
    ),
  },
  'link-past-the-end-without-size': {
    sentence: 'An empty page past the last record gives a nextPageLink if $pagesize is left out.',
    keywords: ['nextpagelink'],
    must: ['link/absent-at-the-end'],
    apply: changeMore((more, page) => {
      const isPastEnd = page.counting && page.skip >= page.total && requestedSize(page) === undefined;
      return isPastEnd || more;
    }),
  },
  'skip-unless-linked-410': {
    sentence: 'A $skip that no link has named with that $pagesize is answered 410.',
    keywords: ['410'],
    must: ['traversal/by-parameters'],
    apply: (steps) => {
      const named = new Set<string>();
      return composeChanges(
        wrap('link', (link) => (page, service) => {
          const given = link(page, service);
          if (given !== undefined) named.add(`${page.pageSize} ${service.steps.endOffset(page, service)}`);
          return given;
        }),
        refusePages(
          410,
          'the cursor is gone',
          (page) => page.skip > 0 && !named.has(`${page.pageSize} ${page.skip}`),
        ),
      )(steps);
    },
  },
  'skip-below-page-size-ignored': {
    sentence: 'A $skip below $pagesize is ignored: the first page is given.',
    keywords: ['different'],
    must: ['traversal/by-parameters'],
    needs: { suite: 'certify' },
    apply: wrap('skip', (skip) => (page, service) => {
      const requested = skip(page, service);
      return requested < page.pageSize ? 0 : requested;
    }),
  },
  'by-parameters-empty-without-size': {
    sentence: 'A page that is requested with $skip and without $pagesize holds no records.',
    keywords: ['0 records'],
    must: ['traversal/by-parameters'],
    apply: changePositions((positions, page) =>
      page.skip > 0 && requestedSize(page) === undefined ? [] : positions,
    ),
  },
  'items-null-past-the-end': {
    sentence: 'items is null on an empty page past the last record.',
    keywords: ['items'],
    must: ['list/envelope'],
    apply: changeEnvelope((members, parts, page) =>
      page.skip > 0 && parts.items.length === 0 ? { ...members, items: null } : members,
    ),
  },
  'count-false-refused': countFalseRefused('is refused', 400),
  'count-false-crashes': countFalseRefused('crashes the server', 500),
  'count-false-unauthorized': countFalseRefused('is answered as if the token were invalid', 401),
  'page-size-ignored-count-false': {
    sentence: '$pagesize has no effect if $count is false.',
    keywords: ['$count=false', 'at most'],
    must: ['page-size/limit'],
    apply: changePageSize((page) => (isCountFalse(page) ? MAX_PAGE_SIZE : undefined)),
  },
  'link-without-count-behind-skip': {
    sentence: 'A nextPageLink is given without $count if $skip is given.',
    keywords: ['nextpagelink'],
    must: ['link/absent-without-count'],
    apply: linkWithoutCount(hasSkip),
  },
  'count-missing-by-parameters': {
    sentence: 'count is missing if the client requests a page by $skip.',
    keywords: ['count'],
    must: ['count/present'],
    apply: wrap(
      'count',
      (count) => (page, service) => (isSkipFirst(page) ? undefined : count(page, service)),
    ),
  },
  'count-other-by-parameters': {
    sentence: 'count is one too low if the client requests a page by $skip.',
    keywords: ['count'],
    must: ['count/stable'],
    apply: changeCount((count, page) => (isSkipFirst(page) ? count - 1 : count)),
  },
  'uncounted-page-gives-first-record-twice': {
    sentence: 'A page with $skip and without $count gives its first record twice.',
    keywords: ['twice'],
    must: ['traversal/no-duplicates'],
    apply: giveFirstTwice((page) => !page.counting && hasSkip(page)),
  },
  'capped-page-gives-first-record-twice': {
    sentence: 'A page of 500 records for a $pagesize above 500 gives its first record twice.',
    keywords: ['twice'],
    must: ['traversal/no-duplicates'],
    apply: giveFirstTwice((page) => Number(requestedSize(page)) > MAX_PAGE_SIZE),
  },
  'encoded-uncounted-page-above-maximum-links': {
    sentence: 'A page gives a link if %24pagesize is above 500 and %24count is left out or false.',
    keywords: ['nextpagelink'],
    must: ['link/absent-without-count'],
    apply: linkWithoutCount((page) => isEncoded(page) && Number(requestedSize(page)) > MAX_PAGE_SIZE),
  },
  'encoded-capped-page-gives-first-record-twice': {
    sentence: 'A page gives its first record twice if %24pagesize is above 500.',
    keywords: ['twice'],
    must: ['traversal/no-duplicates'],
    apply: giveFirstTwice((page) => isEncoded(page) && Number(requestedSize(page)) > MAX_PAGE_SIZE),
  },
});
