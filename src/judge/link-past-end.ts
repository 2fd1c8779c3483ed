import { Blocked } from '../core/undecided.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Step } from '../provider/traversal.ts';
import type { CheckContext } from './context.ts';
import { positionOf } from './list-position.ts';
import { partialTraversals } from './list-traversals.ts';
import { answersToAllTargets } from './page-targets.ts';
import { type RequestedPage, requestedPageOf } from './requested-page.ts';

/**
 * Blocked by link/absent-at-the-end if a page with the last record gives a link that was not followed, or that
 * leads to no page; null if there is none. Of the traversals only partial ones are read, since whole ones show
 * it themselves.
 */
export async function findLinkPastEnd(context: CheckContext, snapshot: Snapshot): Promise<Blocked | null> {
  const ends = (await answersToAllTargets(context, snapshot)).map((answer) =>
    answer.kind === 'page' ? requestedPageOf(answer) : null,
  );
  const pages = [...ends, ...(await partialTraversals(context, snapshot)).map(({ steps }) => lastOf(steps))];
  for (const asked of pages) {
    const link = asked?.counting === true ? snapshot.linkOf(asked.page) : null;
    const place = asked === null || link === null ? null : await positionOf(asked, snapshot);
    if (asked === null || link === null || place === null || place.after > 0) continue;
    if (snapshot.pages().some(({ target }) => target === link.target)) continue;
    const { target } = asked.page;
    return new Blocked('link/absent-at-the-end', `${target} holds the last record and gives a nextPageLink`);
  }
  return null;
}

function lastOf(steps: readonly Step[]): RequestedPage | null {
  const last = steps.at(-1);
  return last === undefined ? null : requestedPageOf(last.page);
}
