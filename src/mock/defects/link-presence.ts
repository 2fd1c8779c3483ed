import { defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import { type Change, rewrite, wrap } from '../changes.ts';
import { growing } from '../data-changes.ts';
import {
  changeEnvelope,
  emptyLink,
  has,
  isCapped,
  isCounted,
  isEncodedAndCapped,
  isFollowed,
  isFrom,
  isFull,
  isLast,
  isLinked,
  isOfSize,
  isUnsized,
  linkTo,
  not,
  onFirstTime,
  onPages,
  type PageTest,
  refusePages,
  whenRepeated,
  withLink,
  withoutLink,
} from '../page-changes.ts';
import type { Page, Service } from '../pipeline.ts';
import { forSecondClient, listOfSecondClient } from '../token-changes.ts';

/** Gives a link on pages without count if more records follow. */
function linkWithoutCount(where: PageTest): Change {
  return wrap('envelope', (envelope) => (parts, page, service) => {
    const isWrong = !page.counting && where(page, service) && isFollowed(page, service);
    const link = isWrong ? { nextPageLink: service.steps.link({ ...page, counting: true }, service) } : {};
    return envelope({ ...parts, ...link }, page, service);
  });
}

const uncounted = defectsWith({ keywords: ['nextpagelink'], must: ['link/absent-without-count'] })({
  'link-always': plain('nextPageLink is given whether or not $count is enabled.').by(withLink(isFollowed)),
  'link-when-count-false': hidden(
    'nextPageLink is given for $count=false: the parameter enables it with any value.',
  ).by(withLink(has('$count'), isFollowed)),
  'link-when-size-named': hidden('nextPageLink is given without $count if $pagesize is given.').by(
    withLink(has('$pagesize'), not(has('$count')), isFollowed),
  ),
  'link-when-nothing-named': subtle(
    'nextPageLink is given without $count if $pagesize is missing as well.',
  ).by(withLink(isUnsized, not(has('$count')), isFollowed)),
  'capped-link-without-count': subtle(
    'If more than 500 records are requested, a nextPageLink is given without $count.',
  ).by(withLink(isCapped, isFollowed)),
  'link-at-the-end-without-count': having({ records: 400 })
    .hidden('Without $count the page with the last record has a nextPageLink.')
    .by(
      rewrite('link', (link, page, service) => {
        const end = service.steps.endOffset(page, service);
        const isOpen = page.counting || page.positions.length === 0 || end < page.total;
        return isOpen ? link : `${page.resource.path}?$pagesize=${page.pageSize}&$skip=${end}`;
      }),
    ),
  'link-without-count-behind-skip': subtle('A nextPageLink is given without $count if $skip is given.').by(
    linkWithoutCount(has('$skip')),
  ),
  'encoded-uncounted-page-above-maximum-links': subtle(
    'A page gives a link if %24pagesize is above 500 and %24count is left out or false.',
  ).by(linkWithoutCount(isEncodedAndCapped)),
  'second-client-link-without-count': having({ keywords: ['second provider'] })
    .subtle('The second client is given a nextPageLink also without $count.')
    .by(forSecondClient(withLink(isFollowed))),
});

/** Whether exactly one more record follows. */
const isBeforeSingleRecord: PageTest = (page, service) => recordsLeft(page, service) === 1;

function recordsLeft(page: Page, service: Service): number {
  return page.total - service.steps.endOffset(page, service);
}

const missing = defectsWith({ keywords: ['nextpagelink'], must: ['link/present-when-more'] })({
  'link-never': plain('nextPageLink is never given.').by(withoutLink()),
  'link-lower-case-member': plain('The link is in a member nextpagelink instead of nextPageLink.').by(
    changeEnvelope(({ nextPageLink, ...members }) => ({ ...members, nextpagelink: nextPageLink })),
  ),
  'link-odata-member': plain('The link is in a member @odata.nextLink instead of nextPageLink.').by(
    changeEnvelope(({ nextPageLink, ...members }) => ({ ...members, '@odata.nextLink': nextPageLink })),
  ),
  'link-empty-text': hidden('nextPageLink is an empty string although records follow.').by(emptyLink),
  'link-missing-late': subtle('From record 500 on, no nextPageLink is given although records follow.').by(
    withoutLink(isFrom(500)),
  ),
  'link-missing-when-size-named': hidden('If $pagesize is given, there is no nextPageLink.').by(
    withoutLink(has('$pagesize')),
  ),
  'link-missing-at-one': subtle('With a page size of 1 no nextPageLink is given.').by(
    withoutLink(isOfSize(1)),
  ),
  'link-missing-at-500': subtle('With a page size of 500 no nextPageLink is given.').by(
    withoutLink(isOfSize(500)),
  ),
  'link-missing-before-single-record': subtle(
    'No nextPageLink is given if exactly one more record follows.',
  ).by(withoutLink(isBeforeSingleRecord)),
  'link-missing-before-record-1203': having({ records: 1203 })
    .subtle('No nextPageLink is given if exactly one more record follows, in a list of 1,203 records.')
    .by(withoutLink(isBeforeSingleRecord)),
  'link-missing-on-linked-pages': hidden(
    'Only the first page has a nextPageLink, linked pages have none.',
  ).by(withoutLink(isLinked)),
  'link-missing-after-256-pages': having({ needs: { suite: 'certify' } })
    .subtle('Pages are counted in a byte: after 256 pages no nextPageLink is given.')
    .by(withoutLink(({ skip, pageSize }) => skip / pageSize >= 256)),
  'link-missing-at-first': subtle(
    'The first time that a page is requested, it has no nextPageLink: has-more is filled in later.',
  ).by(onFirstTime(withoutLink())),
  'link-empty-text-at-first': subtle(
    'The first time that a page is requested, its nextPageLink is an empty string although records follow.',
  ).by(onFirstTime(emptyLink)),
  'link-missing-without-size': subtle('Without $pagesize no nextPageLink is given.').by(
    withoutLink(isUnsized),
  ),
  'capped-link-missing': subtle('If more than 500 records are requested, no nextPageLink is given.').by(
    withoutLink(isCapped),
  ),
  'link-empty-before-the-last-page': subtle(
    'nextPageLink is an empty string on the page before the last.',
  ).by(onPages((page, service) => recordsLeft(page, service) <= page.pageSize)(emptyLink)),
  'link-missing-before-last-full-page': subtle(
    'A page after which exactly $pagesize records follow has no nextPageLink.',
  ).by(withoutLink((page, service) => recordsLeft(page, service) === page.pageSize)),
  'growing-without-third-page': having({ keywords: ['no nextpagelink'], needs: { order: true } })
    .subtle('A record is added at every fifth read, and no page behind the first two has a link to it.')
    .by(growing(withoutLink(isFrom(500)))),
  'second-client-own-no-links': having({ keywords: ['second provider'] })
    .subtle('The second client has a list of its own, whose pages have no links.')
    .by(listOfSecondClient(withoutLink())),
});

const isSmall: PageTest = ({ pageSize }) => pageSize < 20;

const endsAtStart = having({ may: ['traversal/terminates', 'traversal/no-duplicates'] });

const endsInEmptyText = having({ may: ['traversal/terminates', 'link/relative', 'link/query'] });

const emptyTextAtEnd = onPages(isLast)(wrap('link', () => () => ''));

const surplus = defectsWith({
  keywords: ['nextpagelink'],
  must: ['link/absent-at-the-end'],
  may: ['traversal/terminates'],
})({
  'link-to-empty-page': plain('The last page has a nextPageLink to an empty page, which has none.').by(
    withLink(isLast),
  ),
  'link-never-ends': having({ may: ['traversal/terminates', 'link/offset'] })
    .plain('nextPageLink is always given: after the last page it leads to empty pages without end.')
    .by(
      rewrite('more', (_more, page) => page.counting),
      wrap('endOffset', () => (page) => page.skip + page.pageSize),
    ),
  'link-back-to-start-at-500': endsAtStart
    .subtle('With page size 500 the last page has a nextPageLink to the first one.')
    .by(onPages(isLast, isOfSize(500))(linkTo(() => 0))),
  'link-back-to-start-at-multiples-of-100': endsAtStart

    .subtle('With a page size of 100 or a multiple of it the last page has a nextPageLink to the first one.')
    .by(onPages(isLast, ({ pageSize }) => pageSize % 100 === 0)(linkTo(() => 0))),
  'link-when-page-full': having({ records: 1000 })
    .subtle('A full page always has a nextPageLink, even if it holds the last record.')
    .by(withLink(isLast, isFull)),
  'link-when-size-is-total': having({ records: 300 })
    .subtle('A page as large as the whole list has a nextPageLink.')
    .by(withLink(isLast, ({ pageSize, total }) => pageSize === total)),
  'link-on-short-single-page': having({ records: 42 })
    .subtle('A first page that is larger than the whole list has a nextPageLink.')
    .by(withLink(isLast, ({ skip, pageSize, total }) => skip === 0 && pageSize > total)),
  'link-on-short-last-page': subtle('A last page that is not full and not the first has a nextPageLink.').by(
    withLink(isLast, ({ skip, positions, pageSize }) => skip > 0 && positions.length < pageSize),
  ),
  'link-by-number-of-pages': having({ records: 1000 })
    .subtle('Whether records follow is computed from page numbers, as if $skip were a multiple of $pagesize.')
    .by(
      rewrite(
        'more',
        (_more, { counting, skip, pageSize, total }) =>
          counting && (Math.floor(skip / pageSize) + 1) * pageSize < total,
      ),
    ),
  'link-on-empty-list': having({ records: 0 })
    .subtle('A list without records has a nextPageLink.')
    .by(withLink(isCounted, ({ skip, total }) => skip === 0 && total === 0)),
  'link-empty-text-at-end': endsInEmptyText
    .hidden('On the last page nextPageLink is an empty string instead of missing.')
    .by(emptyTextAtEnd),
  'link-at-end-when-repeated': subtle(
    'The last page has a nextPageLink to an empty page whenever it is requested again.',
  ).by(whenRepeated(withLink(isLast))),
  'link-empty-text-at-end-when-repeated': endsInEmptyText

    .subtle(
      'On the last page nextPageLink is an empty string instead of missing whenever the page is requested again.',
    )
    .by(whenRepeated(emptyTextAtEnd)),
  'link-last-to-first': having({ may: ['traversal/terminates', 'link/offset'] })
    .hidden('The last page has a nextPageLink to the first page.')
    .by(onPages(isLast, isLinked)(linkTo(() => 0))),
  'link-last-to-itself': having({ may: ['traversal/terminates', 'link/offset'] })
    .hidden('The last page has a nextPageLink to itself.')
    .by(onPages(isLast, isLinked)(linkTo((page) => page.skip))),
  'capped-link-at-the-end': having({ needs: { suite: 'certify' } })
    .subtle('If more than 500 records are requested, the last page has a nextPageLink.')
    .by(withLink(isCapped, isCounted, isLinked)),
  'link-at-end-one-short': having({ needs: { suite: 'certify' }, may: [] })
    .subtle('The last page has a nextPageLink if it holds one record less than a full page.')
    .by(withLink(isLast, ({ pageSize, positions }) => positions.length === pageSize - 1)),
  'link-at-end-of-jumps': having({ may: [] })
    .subtle('The last page has a nextPageLink if it is full and holds fewer than 5 records.')
    .by(
      withLink(isCounted, isFull, ({ skip, pageSize, total }) => pageSize < 5 && skip + pageSize === total),
    ),
  'link-at-end-of-small-pages': having({ may: [] })
    .subtle('The last page has a nextPageLink if it is full and holds fewer than 20 records.')
    .by(
      withLink(isCounted, isFull, (page, service) => page.pageSize < 20 && recordsLeft(page, service) === 0),
    ),
  'link-at-end-of-single-record': having({ may: [] })
    .subtle('The last page has a nextPageLink if $pagesize is 1.')
    .by(withLink(isCounted, isOfSize(1), (page, service) => recordsLeft(page, service) === 0)),
  'link-at-end-of-unaligned-page': having({ may: [] })
    .subtle(
      'A full page of more than 10 records that ends with the last one has a nextPageLink if its $skip ' +
        'is not a multiple of $pagesize.',
    )
    .by(
      withLink(
        isCounted,
        isFull,
        ({ pageSize, skip, total }) => pageSize > 10 && skip % pageSize > 0 && skip + pageSize === total,
      ),
    ),
  'link-at-the-end-leads-nowhere': having({ may: [] })
    .subtle('A full last page of fewer than 20 records has a nextPageLink, which is answered 404.')
    .by(
      withLink(isSmall, isLast, isFull),
      refusePages(404, 'no such page', isSmall, ({ skip, total }) => skip === total),
    ),
  'link-past-the-end-without-size': having({ may: [] })
    .subtle('An empty page past the last record gives a nextPageLink if $pagesize is left out.')
    .by(withLink(isCounted, isUnsized, ({ skip, total }) => skip >= total)),
  'second-client-link-on-last-page': having({ keywords: ['second provider'], may: [] })
    .subtle('For the second client the last page has a nextPageLink.')
    .by(forSecondClient(withLink(isLast))),
});

export const linkPresenceDefects = [...uncounted, ...missing, ...surplus];
