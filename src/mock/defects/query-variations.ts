import {
  breaks,
  type DefectNeeds,
  defectsWith,
  having,
  hidden,
  plain,
  type Row,
  subtle,
} from '../catalogue-rows.ts';
import {
  has,
  hasUnknownParameter,
  isByParameters,
  isCapped,
  isCounted,
  isCountFalse,
  isEncoded,
  isEncodedAndCapped,
  isFollowed,
  isLinked,
  isUncompressed,
  isUnsized,
  not,
  type PageTest,
  requestedSize,
  sizeAboveMaximum,
} from '../page-tests.ts';
import {
  answerListCalls,
  type Change,
  composeChanges,
  everyNth,
  MAX_PAGE_SIZE,
  type Page,
  rewrite,
  textAnswer,
  valuesOf,
  withState,
  wrap,
} from '../pipeline.ts';
import {
  ALL_RECORDS,
  absoluteLink,
  addToCount,
  addToRecordCount,
  bareArray,
  changeEnvelope,
  changeLink,
  changeLinkParameters,
  changePageSize,
  changeRecordAt,
  onPages,
  refusePages,
  setItemMembers,
  setLinkValue,
  setPageSize,
  withLink,
  withoutCount,
  withoutLink,
  withoutRecords,
} from '../step-changes.ts';
import { giveAll } from './page-size.ts';

/** Ignores the parameters with a name written with %24 that are selected by this name, their place and the query. */
function ignore(isIgnored: (name: string, index: number, query: string) => boolean): Change {
  return rewrite('parameters', (parameters, { query }) =>
    parameters.filter(
      ({ rawName, name }, index) => !rawName.startsWith('%24') || !isIgnored(name, index, query),
    ),
  );
}

/** Defects of parameters with percent-encoded names. */
export const encodedNameDefects = defectsWith({ keywords: ['%24'], must: ['page-size/encoded-name'] })({
  'encoded-ignored': plain('Parameters written with %24 are ignored.').by(ignore(() => true)),
  'encoded-ignored-by-one-of-two': having({ needs: { order: true } })
    .subtle('Every second request is for a server that ignores names with %24.')
    .by(everyNth(2)(ignore(() => true))),
  'encoded-count-ignored': hidden('%24count is ignored, %24pagesize is not.').by(
    ignore((name) => name === '$count'),
  ),
  'encoded-page-size-ignored': hidden('%24pagesize is ignored, %24count is not.').by(
    ignore((name) => name === '$pagesize'),
  ),
  'encoded-mixed-ignored': subtle('Parameters written with %24 are ignored if others are written with $.').by(
    ignore((_name, _index, query) => query.includes('$')),
  ),
  'encoded-together-ignored': subtle('If both are written with %24, %24pagesize is ignored.').by(
    ignore((name, _index, query) => name === '$pagesize' && query.includes('%24count')),
  ),
  'encoded-first-only': subtle(
    'Only the first parameter of a query may be written with %24; a later one is ignored.',
  ).by(ignore((_name, index) => index > 0)),
  'encoded-count-first-only': subtle('%24count is ignored unless it is the first parameter.').by(
    ignore((name, index) => name === '$count' && index > 0),
  ),
  'encoded-page-size-last-only': subtle(
    '%24pagesize is ignored if it is the first of several parameters.',
  ).by(ignore((name, index, query) => name === '$pagesize' && index === 0 && query.includes('&'))),
  'encoded-count-alone-ignored': subtle('%24count is ignored if it is the only parameter.').by(
    ignore((name, _index, query) => name === '$count' && !query.includes('&')),
  ),
  'encoded-page-size-ignored-with-two': hidden(
    'A percent-encoded %24pagesize is ignored in queries of at most two parameters.',
  ).by(ignore((name, _index, query) => name === '$pagesize' && query.split('&').length <= 2)),
  'encoded-skip-ignored-with-count': subtle('%24skip is ignored if %24count is given.').by(
    ignore((name, _index, query) => name === '$skip' && query.includes('%24count')),
  ),
  'encoded-refused': plain('A query with %24 is answered 400.').by(
    answerListCalls(({ query }) =>
      query.includes('%24') ? textAnswer(400, 'bad query', 'text/plain') : undefined,
    ),
  ),
  'encoded-count-without-link': subtle('With %24count the count is given but no nextPageLink.').by(
    withoutLink(isEncoded('count')),
  ),
  'encoded-count-without-count': subtle('With %24count the nextPageLink is given but no count.').by(
    onPages(isEncoded('count'))(withoutCount),
  ),
  'encoded-page-size-one-less': subtle('%24pagesize gives one record fewer than $pagesize.').by(
    onPages(isEncoded('pagesize'))(addToRecordCount(-1)),
  ),
  'encoded-page-size-lost-in-link': breaks('link/query', '%24', '$pagesize')
    .subtle('The nextPageLink of a call with %24pagesize requests pages of 500.')
    .by(onPages(isEncoded('pagesize'))(setLinkValue('$pagesize', '500'))),
  'encoded-count-twice-in-link': breaks('link/query', '%24', '$count')
    .subtle('The nextPageLink of a call with %24count gives $count twice.')
    .by(onPages(isEncoded('count'))(changeLinkParameters((pairs) => [['%24count', 'true'], ...pairs]))),
  'encoded-link-absolute': breaks('link/relative', '%24', 'absolute')
    .subtle('The nextPageLink of a call with %24count is absolute.')
    .by(onPages(isEncoded('count'))(absoluteLink)),
  'encoded-skip-ignored': subtle('%24skip is ignored.').by(ignore((name) => name === '$skip')),
  'encoded-other-records': subtle('A call with %24pagesize gives the records from the end of the list.').by(
    onPages(isEncoded('pagesize'))(changeRecordAt((position, page) => page.total - 1 - position)),
  ),
});

/** Gives the first record of pages in the place of the second one, too. */
const firstRecordTwice = rewrite('positions', (positions) => {
  const [first] = positions;
  return first !== undefined && positions.length > 1 ? positions.with(1, first) : positions;
});

function badItems(words: string, where: PageTest): Row {
  return breaks('list/items', 'agent', 'null')
    .subtle(`agent is null in every item if ${words}.`)
    .by(onPages(where)(setItemMembers({ agent: null })));
}

function maximum(words: string, needs: DefectNeeds = {}): ReturnType<typeof subtle> {
  return breaks('page-size/maximum', '500')
    .having({ needs })
    .subtle(`A page holds more than 500 records ${words}.`);
}

/** The requested page size if it is any number above 500, such as 1e3. */
function looseSizeAboveMaximum(page: Page): number | undefined {
  const size = Number(requestedSize(page));
  return size > MAX_PAGE_SIZE ? size : undefined;
}

function countFalseRefused(words: string, status: number): Row {
  return breaks('authorization/accepted', '$count=false', String(status))
    .subtle(`$count=false ${words}, and without $count the same call is answered.`)
    .by(refusePages(status, 'bad value of $count', isCountFalse));
}

/** Gives a link on pages without count if more records follow. */
function linkWithoutCount(where: PageTest): Change {
  return wrap('envelope', (envelope) => (parts, page, service) => {
    const isWrong = !page.counting && where(page, service) && isFollowed(page, service);
    const link = isWrong ? { nextPageLink: service.steps.link({ ...page, counting: true }, service) } : {};
    return envelope({ ...parts, ...link }, page, service);
  });
}

/** Breaches that show only for less usual queries: $count=false, %24 names, pages requested by $skip. */
export const queryVariationDefects = defectsWith({})({
  'items-null-count-false': badItems('$count is false', isCountFalse),
  'items-null-encoded': badItems('$pagesize is written with %24', isEncoded('pagesize')),
  'items-null-by-parameters': badItems('the client requests a page by $skip', isByParameters),
  'envelope-array-count-false': breaks('list/envelope', 'array')
    .subtle('If $count is false, the answer is a bare array instead of an object.')
    .by(onPages(isCountFalse)(bareArray)),
  'maximum-none-empty': maximum('if $pagesize is empty').by(giveAll((text) => text === '')),
  'maximum-none-fraction': maximum('if $pagesize is a fraction').by(
    giveAll((text) => /^\d+\.\d+$/.test(text)),
  ),
  'maximum-none-behind-skip': maximum('if $pagesize is above 500 and $skip is given').by(
    onPages(has('$skip'))(changePageSize(sizeAboveMaximum)),
  ),
  'maximum-none-for-unknown-parameters': maximum('if the query has a parameter that the API does not know', {
    observations: true,
  }).by(setPageSize(ALL_RECORDS, hasUnknownParameter)),
  'maximum-none-for-other-counts': maximum('if $count is neither true nor false', { observations: true }).by(
    setPageSize(ALL_RECORDS, (page) =>
      valuesOf(page, '$count').some((count) => !['true', 'false'].includes(count)),
    ),
  ),
  'limit-none-for-unknown-parameters': breaks('page-size/limit', '500 records')
    .having({ needs: { observations: true } })
    .subtle('$pagesize has no effect if the query has a parameter that the API does not know.')
    .by(setPageSize(MAX_PAGE_SIZE, hasUnknownParameter)),
  'link-absolute-without-compression': breaks('link/relative', 'nextpagelink', 'leads to')
    .subtle('nextPageLink is absolute if the client accepts no compressed answer.')
    .by(onPages(isUncompressed)(changeLink((link) => `https://internal.provider.example${link}`))),
  'items-null-without-compression': badItems('the client accepts no compressed answer', isUncompressed),
  'maximum-none-given-twice': breaks('page-size/maximum', '500')
    .subtle('If $pagesize is given twice, the last one counts, and a page holds more than 500 records.')
    .by(
      changePageSize((page) => {
        const sizes = valuesOf(page, '$pagesize').map(Number);
        return sizes.length > 1 ? sizes.at(-1) : undefined;
      }),
    ),
  'maximum-missing-if-size-is-first': maximum('if $pagesize comes before $count').by(
    onPages(
      ({ parameters }) =>
        parameters.findIndex(({ name }) => name === '$pagesize') <
        parameters.findIndex(({ name }) => name === '$count'),
    )(changePageSize(looseSizeAboveMaximum)),
  ),
  'maximum-none-uncounted-behind-skip': maximum(
    'if $pagesize is above 500, with $skip and without $count',
  ).by(onPages(has('$skip'), not(isCounted))(changePageSize(looseSizeAboveMaximum))),
  'maximum-none-exponent': maximum('if $pagesize is written as 1e3').by(
    changePageSize((page) => {
      const text = requestedSize(page) ?? '';
      return /^\d+e\d+$/.test(text) ? Number(text) : undefined;
    }),
  ),
  'default-50-count-false': breaks('page-size/default', '50')
    .subtle('Without $pagesize and with $count=false a page holds 50 records.')
    .by(setPageSize(50, isCountFalse, isUnsized)),
  'link-past-the-end-without-size': breaks('link/absent-at-the-end', 'nextpagelink')
    .subtle('An empty page past the last record gives a nextPageLink if $pagesize is left out.')
    .by(withLink(isCounted, isUnsized, ({ skip, total }) => skip >= total)),
  'skip-unless-linked-410': breaks('traversal/by-parameters', '410')
    .subtle('A $skip that no link has named with that $pagesize is answered 410.')
    .by(
      withState(Set<string>, (named) =>
        composeChanges(
          changeLink((link, page, service) => {
            named.add(`${page.pageSize} ${service.steps.endOffset(page, service)}`);
            return link;
          }),
          refusePages(
            410,
            'the cursor is gone',
            ({ pageSize, skip }) => skip > 0 && !named.has(`${pageSize} ${skip}`),
          ),
        ),
      ),
    ),
  'skip-below-page-size-ignored': breaks('traversal/by-parameters', 'records')
    .subtle('A $skip below $pagesize is ignored: the first page is given.')
    .by(rewrite('skip', (skip, { pageSize }) => (skip < pageSize ? 0 : skip))),
  'by-parameters-empty-without-size': breaks('traversal/by-parameters', '0 records')
    .subtle('A page that is requested with $skip and without $pagesize holds no records.')
    .by(withoutRecords(isLinked, isUnsized)),
  'items-null-past-the-end': breaks('list/envelope', 'items')
    .subtle('items is null on an empty page past the last record.')
    .by(
      changeEnvelope((members, parts, page) =>
        page.skip > 0 && parts.items.length === 0 ? { ...members, items: null } : members,
      ),
    ),
  'count-false-refused': countFalseRefused('is refused', 400),
  'count-false-crashes': countFalseRefused('crashes the server', 500),
  'count-false-unauthorized': countFalseRefused('is answered as if the token were invalid', 401),
  'page-size-ignored-count-false': breaks('page-size/limit', '$count=false', 'at most')
    .subtle('$pagesize has no effect if $count is false.')
    .by(setPageSize(MAX_PAGE_SIZE, isCountFalse)),
  'link-without-count-behind-skip': breaks('link/absent-without-count', 'nextpagelink')
    .subtle('A nextPageLink is given without $count if $skip is given.')
    .by(linkWithoutCount(has('$skip'))),
  'count-missing-by-parameters': breaks('count/present', 'count')
    .subtle('count is missing if the client requests a page by $skip.')
    .by(onPages(isByParameters)(withoutCount)),
  'count-other-by-parameters': breaks('count/stable', 'count')
    .subtle('count is one too low if the client requests a page by $skip.')
    .by(onPages(isByParameters)(addToCount(-1))),
  'uncounted-page-gives-first-record-twice': breaks('traversal/no-duplicates', 'twice')
    .subtle('A page with $skip and without $count gives its first record twice.')
    .by(onPages(not(isCounted), has('$skip'))(firstRecordTwice)),
  'capped-page-gives-first-record-twice': breaks('traversal/no-duplicates', 'twice')
    .subtle('A page of 500 records for a $pagesize above 500 gives its first record twice.')
    .by(onPages(isCapped)(firstRecordTwice)),
  'encoded-uncounted-page-above-maximum-links': breaks('link/absent-without-count', 'nextpagelink')
    .subtle('A page gives a link if %24pagesize is above 500 and %24count is left out or false.')
    .by(linkWithoutCount(isEncodedAndCapped)),
  'encoded-capped-page-gives-first-record-twice': breaks('traversal/no-duplicates', 'twice')
    .subtle('A page gives its first record twice if %24pagesize is above 500.')
    .by(onPages(isEncodedAndCapped)(firstRecordTwice)),
});
