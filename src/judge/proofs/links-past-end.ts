import { Blocked } from '../../core/undecided.ts';
import type { Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Step, Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { listFacts, recordsAfter } from '../list-facts.ts';
import { orNull } from '../optional-answer.ts';
import { firstPages } from '../probes/first-pages.ts';
import { answersToAllTargets } from '../probes/page-targets.ts';
import { partialTraversals } from '../probes/partial-traversals.ts';
import { type RequestedPage, requestedPageOf } from '../probes/requested-page.ts';
import { skipOf, traversalName } from '../traversals.ts';

/** A $skip beyond any list: links that continue there do not end. */
const PAST_ANY_LIST = 1_000_000_000;
/** Pages beyond the end of the traversal, for a provider that refuses the larger $skip. */
const PAGES_FURTHER = 64;

/**
 * Requests a page beyond any list by its parameters. If it gives nothing new and has a link, the links of a runaway
 * traversal never end. The traversal alone does not prove this: a wrong count with repeated records, or an empty page,
 * looks the same, and those links end. Null if the links prove it themselves because $skip does not increase. Without
 * such a proof, Blocked by the requirement that a page without new records breaks.
 */
export async function proveEndlessLinks(
  snapshot: Snapshot,
  traversal: Traversal,
): Promise<Page | Blocked | null> {
  const [before, last] = traversal.steps.slice(-2);
  if (before === undefined || last === undefined)
    throw new Error('a runaway traversal has two pages and more');
  const [from, to] = [skipOf(before), skipOf(last)];
  if (from !== null && to !== null && to <= from) return null;
  // Records that share an identifier are given without being new.
  const counts = traversal.steps.map(({ page: { count } }) => (typeof count === 'number' ? count : 0));
  const end = Math.max(last.recordsSoFar, ...counts);
  for (const skip of [PAST_ANY_LIST, end + PAGES_FURTHER * last.sizeInForce]) {
    // A call without an answer proves nothing, and is no error of this check.
    const far = await orNull(snapshot.first({ count: true, pageSize: last.sizeInForce, skip }));
    if (far?.kind !== 'page') continue;
    const fresh = traversal.reached.countMissing(far.identities);
    if (fresh === 0 && typeof far.link === 'string' && far.link !== '') return far;
    break;
  }
  const where = `page ${last.number} of ${traversalName(traversal)} gives nothing new and has a link, but the links may end`;
  return new Blocked(last.page.itemCount > 0 ? 'traversal/no-duplicates' : 'link/absent-at-the-end', where);
}

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
  for (const requested of pages) {
    if (requested === null || requested.page.link === undefined || requested.page.link === '') continue;
    const after = recordsAfter(requested, await listFacts(snapshot));
    if (after === null || after > 0) continue;
    const linked = snapshot.linkOf(requested.page)?.target;
    if (snapshot.pages().some(({ target }) => target === linked)) continue;
    const { target } = requested.page;
    const broken = requested.counting === true ? 'link/absent-at-the-end' : 'link/absent-without-count';
    return new Blocked(broken, `${target} holds the last record and gives a nextPageLink`);
  }
  return null;
}

function lastOf(steps: readonly Step[]): RequestedPage | null {
  const last = steps.at(-1);
  return last === undefined ? null : requestedPageOf(last.page);
}
