import { Blocked } from '../core/undecided.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Step } from '../provider/traversal.ts';
import type { CheckContext } from './context.ts';
import { positionOf } from './list-position.ts';
import { partialTraversals } from './list-traversals.ts';
import { answersToAllTargets } from './page-targets.ts';
import { type RequestedPage, requestedPageOf } from './requested-page.ts';

/**
 * A link that is given behind the last record and was not followed, or leads to no page, as what follows from it; null
 * where there is none. Of traversals it speaks where they were not meant to reach the end: others show it themselves.
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
    return new Blocked(
      'link/absent-at-the-end',
      `${target} holds the last record and links to a further page`,
    );
  }
  return null;
}

function lastOf(steps: readonly Step[]): RequestedPage | null {
  const last = steps.at(-1);
  return last === undefined ? null : requestedPageOf(last.page);
}
