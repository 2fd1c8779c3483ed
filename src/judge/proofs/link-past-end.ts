import { Blocked } from '../../core/undecided.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Step } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { positionOf } from '../list-position.ts';
import { firstPages } from '../probes/first-pages.ts';
import { answersToAllTargets } from '../probes/page-targets.ts';
import { partialTraversals } from '../probes/partial-traversals.ts';
import { type RequestedPage, requestedPageOf } from '../probes/requested-page.ts';

/**
 * Blocked by link/absent-at-the-end or link/absent-without-count if a page with the last record gives a link that was
 * not followed, or that leads to no page; otherwise null. Of the traversals it reads partial ones only, because whole
 * ones follow such links themselves.
 */
export async function findLinkPastEnd(context: CheckContext, snapshot: Snapshot): Promise<Blocked | null> {
  const answers =
    context.options.suite === 'smoke'
      ? (await firstPages(context, snapshot)).map(({ answer }) => answer)
      : await answersToAllTargets(context, snapshot);
  const ends = answers.map((answer) => requestedPageOf(answer));
  const pages = [...ends, ...(await partialTraversals(context, snapshot)).map(({ steps }) => lastOf(steps))];
  for (const asked of pages) {
    if (asked === null || asked.page.link === undefined || asked.page.link === '') continue;
    const place = await positionOf(asked, snapshot);
    if (place === null || place.after > 0) continue;
    const linked = snapshot.linkOf(asked.page)?.target;
    if (snapshot.pages().some(({ target }) => target === linked)) continue;
    const { target } = asked.page;
    const broken = asked.counting === true ? 'link/absent-at-the-end' : 'link/absent-without-count';
    return new Blocked(broken, `${target} holds the last record and gives a nextPageLink`);
  }
  return null;
}

function lastOf(steps: readonly Step[]): RequestedPage | null {
  const last = steps.at(-1);
  return last === undefined ? null : requestedPageOf(last.page);
}
