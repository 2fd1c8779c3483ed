import { setTimeout as wait } from 'node:timers/promises';
import { defectsWith, having, subtle } from '../catalogue-rows.ts';
import { type Change, composeChanges, everyNth, rewrite, withState, wrap } from '../pipeline.ts';
import { changePositions, onPages } from '../step-changes.ts';
import { bearerOf } from '../token-changes.ts';

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
