import { setTimeout as wait } from 'node:timers/promises';
import { bearerOf, cacheFromUse, isAnonymous, isBehindFirst } from '../authorization-changes.ts';
import { breaks, defectsWith, having, subtle } from '../catalogue-rows.ts';
import { all, has, isCounted, isLinked, isUnsized, not, type PageTest } from '../page-tests.ts';
import {
  type Change,
  composeChanges,
  counting,
  everyNth,
  type Page,
  rewrite,
  valuesOf,
  withState,
  wrap,
} from '../pipeline.ts';
import {
  addLinkParameter,
  changePositions,
  onPages,
  refusePages,
  refuseRepetitions,
} from '../step-changes.ts';

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

/** Breaches that only the order of requests shows. */
export const orderDefects = defectsWith({
  keywords: ['401'],
  must: ['authorization/accepted'],
  needs: { order: true },
})({
  'link-works-once': breaks('traversal/followable', '410')
    .hidden('Each nextPageLink carries a number that can be used once: followed again it is answered 410.')
    .by(
      counting((count) => addLinkParameter('once', () => count())),
      counting((count) =>
        refusePages(410, 'this link was used', (page) => {
          const [number] = valuesOf(page, 'once');
          return number !== undefined && count(number) > 1;
        }),
      ),
    ),
  'refusal-spoils-next-call': subtle(
    'After a refused call of a linked page the next call of that page with a valid token is refused.',
  ).by(
    withState(Set<string>, (spoilt) =>
      rewrite('authorize', (isAuthorized, request, service) => {
        if (isAuthorized) return !spoilt.delete(request.target);
        if (isBehindFirst(request, service)) spoilt.add(request.target);
        return false;
      }),
    ),
  ),
  'cache-open-without-token-after-two-uses': breaks('authorization/required-on-every-page', 'authorization')
    .having({ may: ['authorization/required'] })
    .subtle(
      'A cache keyed by URL alone takes linked pages in at their second use, ' +
        'and gives them without an Authorization header from then on.',
    )
    .by(cacheFromUse(2, isBehindFirst, isAnonymous)),
  'cache-open-to-any-token-after-two-uses': breaks('authorization/token-integrity', 'token')
    .subtle(
      'A cache takes linked pages in at their second use, and gives them to any token from then on, ' +
        'also to one that was not issued.',
    )
    .by(cacheFromUse(2, isBehindFirst, (request, service) => !isAnonymous(request, service))),
  'page-size-of-the-call-before': breaks('page-size/default', '500')
    // Pages without $pagesize then hold other records than the linked ones.
    .having({ may: ['traversal/by-parameters'] })
    .subtle('Without $pagesize the page size of the previous call with the same token is used.')
    .by(
      withState(Map<string, number>, (last) =>
        rewrite('pageSize', (size, page, service) => {
          const token = bearerOf(page.request, service);
          if (isUnsized(page, service)) return last.get(token) ?? size;
          last.set(token, size);
          return size;
        }),
      ),
    ),
  'other-token-gets-an-empty-page': breaks('page-size/filled', '0 records')
    .subtle(
      'From its third use on a first page is empty for a token if another one was given it just before.',
    )
    .by(
      withState(Map<string, readonly string[]>, (uses) =>
        rewrite('positions', (positions, page, service) => {
          const { target } = page.request;
          const isCached = page.counting && page.skip === 0 && has('$pagesize')(page, service);
          const token = bearerOf(page.request, service);
          const before = uses.get(target) ?? [];
          uses.set(target, [...before, token]);
          return isCached && before.length > 1 && before.at(-1) !== token ? [] : positions;
        }),
      ),
    ),
});

/** Refuses first pages with a count after each was given so many times. */
function refuseFirstPages(status: number, given: number, where: PageTest): Change {
  const isFirst = all(isCounted, not(isLinked), where);
  return counting((count) =>
    refusePages(
      status,
      'the cached page is broken',
      (page, service) => isFirst(page, service) && count(page.request.target) > given,
    ),
  );
}

/** Breaches that only repeated requests show, and that the data could explain: trials of their own prove them. */
export const repetitionDefects = defectsWith({ keywords: [], needs: { order: true } })({
  'repetition-within-a-second-500': breaks('authorization/accepted', '500')
    .hidden('A list call that is repeated within a second is answered 500, as by a broken cache.')
    .by(refuseRepetitions(500, 'the cached answer is broken')),
  'second-use-500': breaks('authorization/accepted', '500')
    .hidden('Every second use of the same request target is answered 500.')
    .by(
      counting((count) =>
        refusePages(500, 'this answer was sent', ({ request: { target } }) => count(target) % 2 === 0),
      ),
    ),
  'counted-default-page-once': breaks('authorization/accepted', '500')
    .subtle('The first page with $count=true and without $pagesize is answered 500 from its second time on.')
    .by(refuseFirstPages(500, 1, isUnsized)),
  'sized-first-page-twice': breaks('authorization/accepted', '404')
    .subtle('A first page with $count=true and a $pagesize up to 200 is answered 404 from its third time on.')
    .by(refuseFirstPages(404, 2, (page, service) => has('$pagesize')(page, service) && page.pageSize <= 200)),
  'page-empty-when-repeated': breaks('traversal/by-parameters', 'requested again')
    .subtle('A page behind the first one is given once; the same request gives no records from then on.')
    .by(changeRepetitions(() => [])),
  'page-after-it-when-repeated': breaks('traversal/by-parameters', 'requested again')
    .subtle('From the second time on, a request for a page behind the first one gives the page after it.')
    .by(
      changeRepetitions((positions, { pageSize, total }) =>
        positions.map((position) => position + pageSize).filter((position) => position < total),
      ),
    ),
});

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

/** Breaches of reading $skip that other requests cause. */
export const misreadOffsetDefects = defectsWith({
  keywords: ['records'],
  must: ['traversal/by-parameters'],
  needs: { order: true },
})({
  'link-again-gives-the-next-page': subtle(
    'A link that a token follows again gives the page after the last one that this token followed.',
  ).by(
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
});
