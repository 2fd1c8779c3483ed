import { defectsWith, having, hidden, plain, type Row, subtle, type Traits } from '../catalogue-rows.ts';
import { type Change, composeChanges, counting, everyNth, rewrite } from '../changes.ts';
import {
  addToCount,
  changeCount,
  countOfPage,
  isByParameters,
  isCapped,
  isCounted,
  isFirst,
  isFrom,
  isLinked,
  isOfSize,
  isUnsized,
  linkUntil,
  nominalEndOffset,
  not,
  numberedLinks,
  onPages,
  onTimes,
  type PageTest,
  refusePages,
  renameEnvelopeMember,
  whenRepeated,
  withoutCount,
} from '../page-changes.ts';
import { forSecondClient, listOfSecondClient, onTokens } from '../token-changes.ts';

/** Whether a page behind the first one holds the last record. */
const isLastOfSeveral: PageTest = ({ skip, positions, total }) =>
  skip > 0 && skip + positions.length >= total;

const isWholeList: PageTest = ({ positions, total }) => positions.length === total;

const presence = defectsWith({ keywords: ['count'], must: ['count/present'] })({
  'count-never': plain('count is never given.').by(withoutCount),
  'count-null': plain('count is null although it is enabled.').by(changeCount(() => null)),
  'count-text': plain('count is a string of digits instead of an integer.').by(changeCount(String)),
  'count-fraction': hidden('count is a fraction instead of an integer.').by(addToCount(0.5)),
  'count-array': hidden('count is an array holding the number instead of an integer.').by(
    changeCount((count) => [count]),
  ),
  'count-as-total': plain('The count is in a member total instead of count.').by(
    renameEnvelopeMember('count', 'total'),
  ),
  'count-capital': hidden('The count is in a member Count instead of count.').by(
    renameEnvelopeMember('count', 'Count'),
  ),
  'count-first-page-only': hidden('Only the first page gives count.').by(onPages(isLinked)(withoutCount)),
  'count-last-page-lacks-it': subtle('The last page gives no count.').by(
    onPages(isLastOfSeveral)(withoutCount),
  ),
  'count-missing-on-single-page': having({ records: 120 })
    .subtle('A page that holds the whole list gives no count.')
    .by(onPages(isWholeList)(withoutCount)),
  'count-missing-when-zero': having({ records: 0 })
    .subtle('count is left out when it is 0.')
    .by(changeCount((count) => (count === 0 ? undefined : count))),
  'count-missing-without-size': subtle('Without $pagesize no count is given.').by(
    onPages(isUnsized)(withoutCount),
  ),
  'count-missing-at-one': subtle('With a page size of 1 no count is given.').by(
    onPages(isOfSize(1))(withoutCount),
  ),
  'count-negative-when-paged': having({ may: ['count/stable'] })
    .hidden('On linked pages count is -1 instead of the total.')
    .by(onPages(isLinked)(changeCount(() => -1))),
  'capped-count-missing': subtle('If more than 500 records are requested, no count is given.').by(
    onPages(isCapped)(withoutCount),
  ),
  'counted-default-page-refused': having({ keywords: ['400'] })
    .subtle('The first page with $count=true is answered 400 if $pagesize is left out.')
    .by(refusePages(400, 'pagesize is required', isCounted, isUnsized, not(isLinked))),
  'count-and-skip-dropped': having({ may: ['link/present-when-more'] })
    .hidden('A proxy lets only $pagesize pass, so every call gives the first records without count and link.')
    .by(rewrite('parameters', (parameters) => parameters.filter(({ name }) => name === '$pagesize'))),
  'count-missing-by-parameters': subtle('count is missing if the client requests a page by $skip.').by(
    onPages(isByParameters)(withoutCount),
  ),
  'second-client-own-no-count': having({ keywords: ['second provider'] })
    .subtle('The second client has a list of its own, whose pages have no count.')
    .by(listOfSecondClient(withoutCount)),
});

const ofStability = {
  keywords: ['count'],
  must: ['count/stable'],
  may: ['count/equals-records'],
} satisfies Traits;

const stability = defectsWith(ofStability)({
  'count-of-page': plain('count is the number of records on the page instead of the total.').by(countOfPage),
  'count-remaining': plain('count is the number of records from this page on instead of the total.').by(
    changeCount((count, page) => Math.max(0, count - page.skip)),
  ),
  'count-of-pages': plain(
    'count is the number of pages, which changes with the page size, instead of the number of records.',
  ).by(changeCount((count, page) => Math.ceil(count / page.pageSize))),
  'count-rounded-to-page': hidden('count is rounded up to whole pages, so it changes with the page size.').by(
    changeCount((count, page) => Math.ceil(count / page.pageSize) * page.pageSize),
  ),
  'count-up-to-here': hidden('count is the number of records given up to this page.').by(
    changeCount((_count, page) => page.skip + page.positions.length),
  ),
  'count-estimated-on-first-page': subtle('On first pages count is one more than on linked pages.').by(
    onPages(isFirst)(addToCount(1)),
  ),
  'count-other-on-linked-pages': subtle('On linked pages count is one less than on first pages.').by(
    onPages(isLinked)(addToCount(-1)),
  ),
  'count-other-on-last-page': subtle('On the last page count is one more than on the others.').by(
    onPages(isLastOfSeveral)(addToCount(1)),
  ),
  'count-other-at-500': subtle('With a page size of 500 count is one more than with others.').by(
    onPages(isOfSize(500))(addToCount(1)),
  ),
  'count-other-at-one': subtle('With a page size of 1 count is one less than with others.').by(
    onPages(isOfSize(1))(addToCount(-1)),
  ),
  'count-other-for-every-second-token': having({ needs: { order: true } })
    .subtle('For every second token count is one more, as from one of two replicas.')
    .by(onPages(isCounted)(onTokens((number) => number % 2 === 1)(addToCount(1)))),
  'count-other-for-later-tokens': having({ needs: { order: true } })
    .subtle('For all tokens but the first one count is ten less than the number of records.')
    .by(onPages(isCounted)(onTokens((number) => number > 0)(addToCount(-10)))),
  'count-other-late': subtle('From record 900 on, count is ten more than before.').by(
    onPages(isFrom(900))(addToCount(10)),
  ),
  'capped-count-of-page': having({ may: [] })
    .subtle('If more than 500 records are requested, count is the number of records on the page.')
    .by(onPages(isCapped)(countOfPage)),
  'numbered-link-last-count-low': hidden(
    'nextPageLink carries a number that changes with each answer, and count is one too low on the last page.',
  ).by(numberedLinks, onPages(isLastOfSeveral)(addToCount(-1))),
  'count-other-by-parameters': having({ may: [] })
    .subtle('count is one too low if the client requests a page by $skip.')
    .by(onPages(isByParameters)(addToCount(-1))),
  'second-client-count-of-page': having({ keywords: ['second provider'], may: [] })
    .subtle('For the second client count is the number of records on the page.')
    .by(forSecondClient(countOfPage)),
  'second-client-count-remaining': having({ keywords: ['second provider'], may: [] })
    .subtle('For the second client count is the number of records from the offset of the page on.')
    .by(forSecondClient(changeCount((_count, page) => Math.max(0, page.total - page.skip)))),
});

/** count is wrong in every n-th counted answer. */
function wrongCount(nth: number, by: number, sentence: string): Row {
  return having({ may: [] })
    .subtle(sentence)
    .by(onPages(isCounted)(everyNth(nth)(addToCount(by))));
}

/** Each new URL is answered by the next of three replicas, the last of which counts a record less, and kept for two seconds. */
const countOfReplicasBehindCache: Change = counting((number) => {
  const kept = new Map<string, { readonly isOld: boolean; readonly until: number }>();
  return changeCount((count, { request }) => {
    const now = performance.now();
    let entry = kept.get(request.target);
    if (entry === undefined || entry.until < now) entry = { isOld: number() % 3 === 0, until: now + 2000 };
    kept.set(request.target, entry);
    return entry.isOld ? count - 1 : count;
  });
});

/** count is that much higher from the 60th counted answer on. */
function countFromLater(by: number, words: string): Row {
  return subtle(`From the 60th answer with count on, it is one ${words}.`).by(
    counting((number) => changeCount((count) => (number() >= 60 ? count + by : count))),
  );
}

/** The records stay the same. */
function driftingCount(calls: number, by: number, sentence: string): Row {
  return subtle(sentence).by(
    counting((number) => changeCount((count) => count + by * Math.floor(number() / calls))),
  );
}

/** Defects that the number or the time of the calls decides about. */
const stabilityInTime = defectsWith({ ...ofStability, needs: { order: true } })({
  'count-other-when-repeated': having({ keywords: ['count', 'repeated'], may: [] })
    .subtle('count is two too high when a page is requested again.')
    .by(whenRepeated(addToCount(2))),
  'count-of-page-when-repeated': having({ keywords: ['count', 'repeated'], may: [] })
    .subtle('count is the number of records on the page when a page is requested for the second time.')
    .by(
      onTimes((time) => time === 2)(
        changeCount((_count, { pageSize, total, skip }) => Math.min(pageSize, total - skip)),
      ),
    ),
  'count-one-less-every-twentieth-call': wrongCount(20, -1, 'count is one too low in every 20th answer.'),
  'count-one-less-every-60th-call': wrongCount(60, -1, 'count is one too low in every 60th answer.'),
  'count-of-replicas-behind-cache': subtle(
    'One of three replicas behind a cache, whose key is the URL, counts one record less.',
  ).by(countOfReplicasBehindCache),
  'count-two-more-every-47th-call': wrongCount(47, 2, 'count is two too high in every 47th answer.'),
  'count-of-an-old-replica-every-13th-call': wrongCount(
    13,
    40,
    'Every 13th answer takes count from a replica that holds 40 more records.',
  ),
  'count-grows-every-thirty-calls': driftingCount(30, 1, 'count grows by one with every 30 calls.'),
  'count-grows-every-call': driftingCount(1, 1, 'count grows by one with every call.'),
  'count-shrinks-every-forty-calls': driftingCount(40, -1, 'count shrinks by one with every 40 calls.'),
  'count-more-after-a-while': countFromLater(1, 'more'),
  'count-less-after-a-while': countFromLater(-1, 'less'),
});

const equality = defectsWith({ keywords: ['count'], must: ['count/equals-records'] })({
  'count-with-deleted': plain('count includes 17 deleted records that no page gives.').by(addToCount(17)),
  'count-one-more': subtle('count is one more than the number of records.').by(addToCount(1)),
  'count-one-less': subtle('count is one less than the number of records.').by(addToCount(-1)),
  'count-capped-at-1000': hidden('count is at most 1000 although there are more records.').by(
    changeCount((count) => Math.min(1000, count)),
  ),
  'count-capped-at-10000': having({ records: 10_600 })
    .subtle('count is at most 10000 although there are more records.')
    .by(changeCount((count) => Math.min(10_000, count))),
  'count-rounded': hidden('count is rounded to hundreds.').by(
    changeCount((count) => Math.round(count / 100) * 100),
  ),
  'count-zero': plain('count is always 0.').by(changeCount(() => 0)),
  'count-overflow-10': subtle('Only the lower ten bits of count are kept.').by(
    changeCount((count) => count & 1023),
  ),
  'count-of-all-tenants': hidden(
    'count includes the records of all tenants, twice the number of records in the list.',
  ).by(changeCount((count) => count * 2)),
  'count-of-joined-rows': having({ keywords: ['2468'], may: ['link/absent-at-the-end', 'page-size/filled'] })
    .hidden('count and links come from a join that has each record twice, so half of the pages are empty.')
    .by(
      linkUntil((page) => 2 * page.total),
      changeCount((count) => 2 * count),
    ),
  'second-client-count-of-all-clients': having({ keywords: ['second provider'], needs: { suite: 'certify' } })
    .subtle('The second client may see 900 records, which are filtered after the others were counted.')
    .by(
      forSecondClient(
        composeChanges(
          rewrite('positions', (positions) => positions.filter((position) => position < 900)),
          // Otherwise the link of an empty page leads to itself.
          nominalEndOffset,
        ),
      ),
    ),
  'second-client-count-too-low': having({ keywords: ['second provider'] })
    .subtle('For the second client count is four too low.')
    .by(forSecondClient(addToCount(-4))),
  'second-client-own-count-of-first': having({ keywords: ['second provider'] })
    .subtle('The second client has a list of its own, with the count of the list of the first one.')
    .by(listOfSecondClient(changeCount((_count, { resource }) => resource.records))),
});

export const countDefects = [...presence, ...stability, ...stabilityInTime, ...equality];
