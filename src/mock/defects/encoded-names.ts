import { defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import { answerListCalls, type Change, everyNth, rewrite } from '../changes.ts';
import { isEncoded } from '../page-tests.ts';
import { textAnswer } from '../pipeline.ts';
import {
  addToCount,
  addToRecordCount,
  changeRecordAt,
  onPages,
  withoutCount,
  withoutLink,
} from '../step-changes.ts';

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
  'encoded-skip-ignored': subtle('%24skip is ignored.').by(ignore((name) => name === '$skip')),
  'encoded-other-records': subtle('A call with %24pagesize gives the records from the end of the list.').by(
    onPages(isEncoded('pagesize'))(changeRecordAt((position, page) => page.total - 1 - position)),
  ),
  'encoded-count-too-high': having({ keywords: ['%24', 'count'] })
    .subtle('count is one too high if $count is written with %24.')
    .by(onPages(isEncoded('count'))(addToCount(1))),
});
