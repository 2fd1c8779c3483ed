import { setTimeout as wait } from 'node:timers/promises';
import { bearerOf } from '../authorization-changes.ts';
import { defectsWith, having, hidden, plain, type Row, subtle } from '../catalogue-rows.ts';
import { type Change, composeChanges, counting, everyNth, rewrite, withState, wrap } from '../changes.ts';
import {
  addLinkParameter,
  cachePages,
  changeLink,
  changePositions,
  has,
  isCounted,
  isFirst,
  isFrom,
  isLinked,
  isUnsized,
  movePositions,
  nominalEndOffset,
  onPages,
  refusePages,
  withoutLink,
  withoutRecords,
} from '../page-changes.ts';
import { MAX_PAGE_SIZE, type Page, problem, Refused, valuesOf } from '../pipeline.ts';
import { mix } from '../records.ts';
import { forSecondClient } from '../token-changes.ts';

/** Links carry a cursor; without it, `skip` replaces the requested $skip. */
function cursor(skip: (offset: number, page: Page) => number): Change {
  return composeChanges(
    addLinkParameter('cursor', (page, service) => mix(service.steps.endOffset(page, service))),
    rewrite('skip', (offset, page) => (valuesOf(page, 'cursor').length > 0 ? offset : skip(offset, page))),
  );
}

/**
 * Links carry a cursor; without it, `change` applies to pages after the first, whose link continues where the
 * requested page ends.
 */
function cursorBesideRecords(change: Change): Change {
  return composeChanges(
    addLinkParameter('cursor', (page, service) => mix(service.steps.endOffset(page, service))),
    onPages((page) => page.skip > 0 && valuesOf(page, 'cursor').length === 0)(change),
    nominalEndOffset,
  );
}

/** Gives the page at another offset. */
function moveSkip(move: (skip: number) => number): Change {
  return wrap(
    'positions',
    (positions) => (page, service) => positions({ ...page, skip: move(page.skip) }, service),
  );
}

const byParameters = defectsWith({ keywords: ['$skip'], must: ['traversal/by-parameters'] })({
  'parameters-skip-ignored': plain('$skip is ignored unless it comes with the cursor of a link.').by(
    cursor(() => 0),
  ),
  'parameters-skip-from-one': hidden('$skip counts from 1 unless it comes with the cursor of a link.').by(
    cursor((offset) => Math.max(0, offset - 1)),
  ),
  'parameters-skip-at-most-500': subtle('$skip is at most 500 unless it comes with the cursor of a link.').by(
    cursor((offset) => Math.min(500, offset)),
  ),
  'parameters-first-records-on-every-page': having({ keywords: ['records'] })
    .plain(
      'A page holds the first records, with the link of its $skip, unless it comes with the cursor of a link.',
    )
    .by(cursorBesideRecords(changePositions((position, { skip }) => position - skip))),
  'parameters-one-record-early-behind-600': having({ keywords: ['records'] })
    .subtle('Behind record 600, a page begins one record early unless it comes with the cursor of a link.')
    .by(cursorBesideRecords(onPages(isFrom(600))(movePositions(-1)))),
  'parameters-skip-refused': hidden('$skip is answered 400 unless it comes with the cursor of a link.').by(
    cursor((offset) => {
      if (offset > 0) throw new Refused(problem(400, 'the cursor is missing'));
      return offset;
    }),
  ),
  'parameters-skip-rounded-for-small-pages': subtle(
    '$skip is rounded down to tens for $pagesize below 30 unless it comes with the cursor of a link.',
  ).by(cursor((offset, { pageSize }) => (pageSize < 30 ? offset - (offset % 10) : offset))),
  'parameters-skip-one-less-for-middle-sizes': subtle(
    '$skip is one too low for $pagesize from 30 to 90 unless it comes with the cursor of a link.',
  ).by(
    cursor((offset, { pageSize }) => (pageSize >= 30 && pageSize <= 90 && offset > 0 ? offset - 1 : offset)),
  ),
  'pages-cached-by-sorted-values': having({
    keywords: ['different'],
    may: [
      'traversal/same-records',
      'count/equals-records',
      'traversal/no-duplicates',
      'link/present-when-more',
    ],
  })
    .subtle(
      'A cache of pages is keyed by the values of the query in alphabetical order, without their names.',
    )
    .by(cachePages((query) => [...query.values()].toSorted().join())),
  'parameters-skip-in-pages': hidden('$skip counts pages unless it comes with the cursor of a link.').by(
    cursor((offset, page) => offset * page.pageSize),
  ),
  'skip-truncated-to-pages': subtle(
    'Pages are addressed by number: $skip / $pagesize is truncated, so a $skip within a page gives the whole page.',
  ).by(rewrite('skip', (skip, { pageSize }) => skip - (skip % pageSize))),
  'skip-rounded-up-to-pages': subtle(
    'Pages are addressed by number: $skip / $pagesize is rounded up, so a $skip within a page gives the next page.',
  ).by(rewrite('skip', (skip, { pageSize }) => Math.ceil(skip / pageSize) * pageSize)),
  'skip-of-zero-loses-first-record': subtle('A page with $skip=0 begins with the second record.').by(
    onPages(has('$skip'), isFirst)(moveSkip((skip) => skip + 1)),
  ),
  'skip-of-zero-begins-late': having({ needs: { suite: 'certify' } })
    .subtle('A page of fewer than 200 records with $skip=0 begins with record 1,001.')
    .by(onPages(has('$skip'), isFirst, ({ pageSize }) => pageSize < 200)(moveSkip(() => 1000))),
  'skip-without-page-size-truncated': having({ needs: { suite: 'certify' } })
    .subtle('With $count=true and without $pagesize, $skip is truncated to a multiple of 500.')
    .by(onPages(isCounted, isUnsized)(rewrite('skip', (skip) => skip - (skip % MAX_PAGE_SIZE)))),
  'skip-without-page-size-rounded-up': having({ needs: { suite: 'certify' } })
    .subtle('With $count=true and without $pagesize, $skip is rounded up to a multiple of 500.')
    .by(
      onPages(
        isCounted,
        isUnsized,
      )(rewrite('skip', (skip) => Math.ceil(skip / MAX_PAGE_SIZE) * MAX_PAGE_SIZE)),
    ),
  'tail-missing-for-small-pages': having({
    keywords: ['no record'],
    may: ['traversal/same-records', 'page-size/filled', 'link/absent-at-the-end', 'count/equals-records'],
  })
    .subtle(
      'Pages of less than 30 records give none of the records behind the first 1,200; count includes them.',
    )
    .by(
      onPages(({ pageSize }) => pageSize < 30)(
        composeChanges(
          rewrite('positions', (positions) => positions.filter((position) => position < 1200)),
          nominalEndOffset,
        ),
      ),
    ),
  'skip-unless-linked-410': having({ keywords: ['410'] })
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
  'skip-below-page-size-ignored': having({ keywords: ['records'] })
    .subtle('A $skip below $pagesize is ignored: the first page is given.')
    .by(rewrite('skip', (skip, { pageSize }) => (skip < pageSize ? 0 : skip))),
  'by-parameters-empty-without-size': having({ keywords: ['0 records'] })
    .subtle('A page that is requested with $skip and without $pagesize holds no records.')
    .by(withoutRecords(isLinked, isUnsized)),
  'second-client-skip-ignored': having({
    keywords: ['second provider'],
    may: [
      'link/offset',
      'link/present-when-more',
      'link/absent-at-the-end',
      'page-size/filled',
      'traversal/no-duplicates',
      'traversal/terminates',
    ],
  })
    .subtle('The second client is given the first page for every $skip.')
    .by(forSecondClient(moveSkip(() => 0))),
  'second-client-skip-halved': having({ keywords: ['second provider'], may: ['traversal/no-duplicates'] })
    .subtle('The second client is given the page from half of $skip on.')
    .by(forSecondClient(moveSkip((skip) => Math.floor(skip / 2)))),
});

/** From the hundredth page on, every so many pages behind the first one hold no record. */
function emptyPages(nth: number, words: string): Row {
  return having({
    keywords: ['no record'],
    may: ['page-size/filled', 'page-size/default', 'traversal/followable', 'link/present-when-more'],
  })
    .subtle(
      `From the hundredth page on, ${words} page with $skip is empty and has no link, and count is right.`,
    )
    .by(
      counting((number) =>
        rewrite('positions', (positions, page, service) => {
          const at = number();
          return at >= 100 && at % nth === 0 && isLinked(page, service) ? [] : positions;
        }),
      ),
      withoutLink(({ positions }) => positions.length === 0),
    );
}

/** Changes what a page behind the first one holds when its request is repeated with the same token. */
function changeRepetitions(change: (positions: readonly number[], page: Page) => readonly number[]): Change {
  return counting((count) =>
    rewrite('positions', (positions, page, service) => {
      const { request, skip } = page;
      const isRepeated = skip > 0 && count(`${request.target} ${bearerOf(request, service)}`) > 1;
      return isRepeated ? change(positions, page) : positions;
    }),
  );
}

/**
 * A cursor for each token: a page behind the first one is the next page of the token, if the last page had the same page size
 * and the test selects the offset.
 *
 * @param isReplaced given the requested offset and that of the next page
 */
function cursorOf(isReplaced: (skip: number, next: number) => boolean): Change {
  return withState(Map<string, { readonly size: number; readonly next: number }>, (cursors) =>
    rewrite('skip', (requested, page, service) => {
      const token = bearerOf(page.request, service);
      const size = page.pageSize;
      const cursor = cursors.get(token);
      const isSame = requested > 0 && cursor?.size === size && cursor.next !== requested;
      const skip = isSame && isReplaced(requested, cursor.next) ? cursor.next : requested;
      cursors.set(token, { size, next: skip + size });
      return skip;
    }),
  );
}

/** Milliseconds that a list call takes, so that calls are answered at the same time. */
const CALL_MS = 8;

/** Reads $skip of another call if more than so many calls are answered at the same time. */
function skipOfOtherCall(mostAtOnce: number): Change {
  return (steps) => {
    let atOnce = 0;
    let last = 0;
    return composeChanges(
      wrap('receive', (receive) => async (request, service) => {
        atOnce++;
        try {
          await wait(CALL_MS);
          return await receive(request, service);
        } finally {
          atOnce--;
        }
      }),
      rewrite('skip', (skip) => {
        const given = atOnce > mostAtOnce ? last : skip;
        last = skip;
        return given;
      }),
    )(steps);
  };
}

/** Whether a query is spelt like those of links. */
function isLinkSpelling(query: string): boolean {
  return /^\$count=true&\$pagesize=\d+&\$skip=/.test(query);
}

/** Defects that other requests cause. */
const misreadOffsets = defectsWith({
  keywords: ['records'],
  must: ['traversal/by-parameters'],
  needs: { order: true },
})({
  'link-again-gives-the-next-page': having({
    // Calls of other page sizes between its uses shift the page by a part of it, as another order would.
    may: ['traversal/no-duplicates'],
  })
    .subtle('A link that a token follows again gives the page after the last one that this token followed.')
    .by(
      wrap('skip', (skip) => {
        const followed = new Set<string>();
        const last = new Map<string, number>();
        return (page, service) => {
          const offset = skip(page, service);
          if (!isLinkSpelling(page.request.query)) return offset;
          const token = bearerOf(page.request, service);
          const key = `${token} ${page.request.query}`;
          const given = followed.has(key) ? (last.get(token) ?? 0) + page.pageSize : offset;
          followed.add(key);
          last.set(token, given);
          return given;
        };
      }),
    ),
  'page-out-of-order-gives-the-next-page': having({ may: ['traversal/followable'] })
    .subtle(
      'A page with $skip continues after the previous page of the same token, whatever $skip is, if both have the same page size.',
    )
    .by(cursorOf(() => true)),
  'page-out-of-order-only-forward': having({ may: ['traversal/followable'] })
    .subtle(
      'A page whose $skip is too low continues after the previous page of the same token, if both have the same page size.',
    )
    .by(cursorOf((skip, next) => skip < next)),
  'skip-forgotten-after-another-size': having({
    may: ['traversal/terminates', 'traversal/no-duplicates', 'traversal/same-records'],
  })
    .subtle('$skip is ignored unless the previous call over the same connection had the same page size.')
    .by(
      withState(WeakMap<object, number>, (sizes) =>
        rewrite('skip', (skip, { request: { connection }, pageSize }) => {
          const before = sizes.get(connection);
          sizes.set(connection, pageSize);
          return before === pageSize ? skip : 0;
        }),
      ),
    ),
  'skip-halved-now-and-then': having({ may: ['traversal/no-duplicates'], needs: {} })
    .subtle(
      'Every fifth page whose $skip the client itself sets begins at half its $skip, with the usual link.',
    )
    .by(
      onPages(({ skip, request }) => skip > 0 && !isLinkSpelling(request.query))(
        everyNth(5)(changePositions((position, { skip }) => position - Math.ceil(skip / 2))),
      ),
    ),
  'skip-of-a-concurrent-call': having({
    may: [
      'traversal/terminates',
      'traversal/no-duplicates',
      'traversal/same-records',
      'page-size/filled',
      'page-size/default',
    ],
  })
    .subtle('While more than two calls are answered at once, a call gets the $skip of the previous one.')
    .by(skipOfOtherCall(2)),
  'page-empty-every-third-time': emptyPages(3, 'every third'),
  'page-empty-every-fourth-time': emptyPages(4, 'every fourth'),
  'page-empty-when-repeated': having({ keywords: ['requested again'] })
    .subtle('A page behind the first one is given once; the same request gives no records from then on.')
    .by(changeRepetitions(() => [])),
  'page-after-it-when-repeated': having({ keywords: ['requested again'] })
    .subtle('From the second time on, a request for a page behind the first one gives the page after it.')
    .by(
      changeRepetitions((positions, { pageSize, total }) =>
        positions.map((position) => position + pageSize).filter((position) => position < total),
      ),
    ),
});

/** Defects of pages that the client requests by $skip and $pagesize. */
export const byParametersDefects = [...byParameters, ...misreadOffsets];
