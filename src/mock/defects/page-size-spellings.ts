import { type DefectNeeds, defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import { answerListCalls, type Change, everyNth, rewrite } from '../changes.ts';
import {
  ALL_RECORDS,
  addToCount,
  addToRecordCount,
  changePageSize,
  changeRecordAt,
  has,
  hasUnknownParameter,
  isCapped,
  isCounted,
  isEncoded,
  isLast,
  not,
  onPages,
  type PageTest,
  requestedSize,
  setPageSize,
  sizeAboveMaximum,
  withLink,
  withoutCount,
  withoutLink,
} from '../page-changes.ts';
import { MAX_PAGE_SIZE, type Page, textAnswer, valuesOf } from '../pipeline.ts';
import { listOfSecondClient } from '../token-changes.ts';

/** Gives all records if the text of the requested page size passes a test. */
function giveAll(test: (text: string) => boolean): Change {
  return setPageSize(ALL_RECORDS, (page) => {
    const text = requestedSize(page);
    return text !== undefined && test(text);
  });
}

/** Does not cap pages for which more than 500 records are requested. */
function forgetMaximum(where: PageTest): Change {
  return onPages(where)(changePageSize(sizeAboveMaximum));
}

/** Gives as many records as a parameter of another name asks for. */
function giveMore(valuesFrom: (page: Page) => readonly string[]): Change {
  return changePageSize((page) => {
    const size = Number(valuesFrom(page)[0]);
    return size > MAX_PAGE_SIZE ? size : undefined;
  });
}

function maximum(words: string, needs: DefectNeeds = {}): ReturnType<typeof subtle> {
  return having({ needs }).subtle(`A page holds more than 500 records ${words}.`);
}

/** The requested page size if it is any number above 500, such as 1e3. */
function looseSizeAboveMaximum(page: Page): number | undefined {
  const size = Number(requestedSize(page));
  return size > MAX_PAGE_SIZE ? size : undefined;
}

const maximumDefects = defectsWith({ keywords: ['500'], must: ['page-size/maximum'] })({
  'maximum-none': plain('A page holds more than 500 records if more are requested.').by(
    changePageSize(sizeAboveMaximum),
  ),
  'maximum-1000': hidden('The largest page holds 1000 records instead of 500.').by(
    onPages(isCapped)(changePageSize((page) => Math.min(1000, Number(requestedSize(page))))),
  ),
  'maximum-501': subtle(
    'A page holds 501 records if 501 are requested: the limit of 500 is one too high.',
  ).by(setPageSize(501, (page) => sizeAboveMaximum(page) === 501)),
  'maximum-forgotten-with-count': subtle('With $count=true a page holds more than 500 records.').by(
    forgetMaximum(isCounted),
  ),
  'maximum-forgotten-without-count': subtle('Without $count a page holds more than 500 records.').by(
    forgetMaximum(not(isCounted)),
  ),
  'maximum-forgotten-when-encoded': subtle('With %24pagesize a page holds more than 500 records.').by(
    forgetMaximum(isEncoded('pagesize')),
  ),
  'maximum-zero-is-all': hidden('A page size of 0 gives all records, more than 500.').by(
    giveAll((text) => text === '0'),
  ),
  'maximum-negative-is-all': hidden('A negative page size gives all records, more than 500.').by(
    giveAll((text) => /^-\d+$/.test(text)),
  ),
  'maximum-text-is-all': hidden('A page size that is not a number gives all records, more than 500.').by(
    giveAll((text) => /^[a-z]+$/i.test(text)),
  ),
  'maximum-not-a-number-is-all': hidden(
    'A page size that cannot be converted to a number gives all records, more than 500.',
  ).by(giveAll((text) => Number.isNaN(Number(text)))),
  'maximum-overflow-32': subtle(
    'A page size beyond 32 bits overflows to a negative number and gives all records, more than 500.',
  ).by(giveAll((text) => /^\d+$/.test(text) && Number(text) > 0x7fff_ffff)),
  'maximum-negative-32': subtle(
    'A page size whose 32 bits mean a negative number gives all records, more than 500.',
  ).by(giveAll((text) => /^\d+$/.test(text) && Number(text) < 2 ** 32 && Number(text) >= 2 ** 31)),
  'maximum-overflow-64': subtle(
    'A page size beyond 64 bits cannot be parsed and gives all records, more than 500.',
  ).by(giveAll((text) => /^\d+$/.test(text) && BigInt(text) > 0x7fff_ffff_ffff_ffffn)),
  'maximum-many-digits': subtle(
    'A page size of more than 30 digits is no longer a number and gives all records, more than 500.',
  ).by(giveAll((text) => /^\d{31,}$/.test(text))),
  'maximum-none-plus-sign': maximum('if $pagesize begins with a plus sign', { suite: 'certify' }).by(
    giveAll((text) => /^\+\d+$/.test(text)),
  ),
  'maximum-none-underscores': maximum('if the digits of $pagesize are grouped', { suite: 'certify' }).by(
    giveAll((text) => /^\d+_\d+$/.test(text)),
  ),
  'maximum-none-other-case': maximum('if $PageSize asks for more', { suite: 'certify' }).by(
    giveMore((page) => valuesOf(page, '$PageSize')),
  ),
  'maximum-none-without-dollar': maximum('if pagesize asks for more', { suite: 'certify' }).by(
    giveMore((page) => valuesOf(page, 'pagesize')),
  ),
  'maximum-rounded-up': having({ needs: { suite: 'certify' } })
    .subtle('A fraction between 500 and 501 passes as 500, and the page holds 501 records.')
    .by(setPageSize(501, (page) => /^500\.[5-9]\d*$/.test(requestedSize(page) ?? ''))),
  'maximum-infinite': subtle('A page size that is the word Infinity gives all records, more than 500.').by(
    giveAll((text) => text === 'Infinity'),
  ),
  'maximum-compared-as-text': subtle('The maximum of 500 is compared as text, so 1000 counts as less.').by(
    forgetMaximum((page) => (requestedSize(page) ?? '') < '500'),
  ),
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
  'maximum-none-given-twice': subtle(
    'If $pagesize is given twice, the last one counts, and a page holds more than 500 records.',
  ).by(
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
  'maximum-none-exponent': maximum('if $pagesize is written as 1e3', { suite: 'certify' }).by(
    changePageSize((page) => {
      const text = requestedSize(page) ?? '';
      return /^\d+e\d+$/.test(text) ? Number(text) : undefined;
    }),
  ),
  'maximum-in-16-bits': maximum('if the lower 16 bits of $pagesize are more than 500', {
    suite: 'certify',
  }).by(
    changePageSize((page) => {
      const size = Number(requestedSize(page) ?? '0');
      return size > 65_536 && size < 2 ** 32 && size % 65_536 > 500 ? size % 65_536 : undefined;
    }),
  ),
  'maximum-none-full-width': maximum('if $pagesize is in full-width digits', { suite: 'certify' }).by(
    changePageSize((page) => {
      const text = requestedSize(page) ?? '';
      return /^[\uff10-\uff19]+$/.test(text) ? Number(text.normalize('NFKC')) : undefined;
    }),
  ),
  'second-client-own-maximum-ignored': having({ keywords: ['second provider'] })
    .subtle('The second client has a list of its own, of which a page holds up to 1000 records.')
    .by(
      listOfSecondClient(
        changePageSize((page) => (valuesOf(page, '$pagesize').includes('1000') ? 1000 : undefined)),
      ),
    ),
});

/** Ignores the parameters with a name written with %24 that are selected by this name, their place and the query. */
function ignore(isIgnored: (name: string, index: number, query: string) => boolean): Change {
  return rewrite('parameters', (parameters, { query }) =>
    parameters.filter(
      ({ rawName, name }, index) => !rawName.startsWith('%24') || !isIgnored(name, index, query),
    ),
  );
}

const encodedNameDefects = defectsWith({ keywords: ['%24'], must: ['page-size/encoded-name'] })({
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
  'encoded-count-false-enables': having({
    may: ['link/absent-without-count'],
    needs: { suite: 'certify' },
  })
    .subtle('%24count=false enables count and links, as %24count=true does.')
    .by(rewrite('counting', (isCounted, page, service) => isCounted || isEncoded('count')(page, service))),
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
  'encoded-skip-ignored': subtle('%24skip is ignored.').by(ignore((name) => name === '$skip')),
  'encoded-other-records': subtle('A call with %24pagesize gives the records from the end of the list.').by(
    onPages(isEncoded('pagesize'))(changeRecordAt((position, page) => page.total - 1 - position)),
  ),
  'encoded-last-page-linked': having({ needs: { suite: 'certify' } })
    .subtle('With %24count the last page has a nextPageLink.')
    .by(withLink(isEncoded('count'), isLast)),
  'encoded-count-false-own-default': having({ needs: { suite: 'certify' } })
    .hidden('With %24count=false and without $pagesize a page holds 100 records.')
    .by(
      onPages(
        isEncoded('count'),
        not(isCounted),
      )(changePageSize((page) => (requestedSize(page) === undefined ? 100 : undefined))),
    ),
  'encoded-count-too-high': having({ keywords: ['%24', 'count'] })
    .subtle('count is one too high if $count is written with %24.')
    .by(onPages(isEncoded('count'))(addToCount(1))),
});

/** Defects that give a page of more than 500 records, and those of parameters with percent-encoded names. */
export const sizeSpellingDefects = [...maximumDefects, ...encodedNameDefects];
