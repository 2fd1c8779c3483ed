import { Blocked } from '../core/undecided.ts';
import type { ListAnswer, Page } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Step, Traversal } from '../provider/traversal.ts';
import type { CheckContext } from './context.ts';
import { firstTargets, uncountedFirstPage } from './first-pages.ts';
import { lastPageRequests } from './last-page.ts';
import { mainTraversal, partialTraversals } from './list-traversals.ts';
import { causeOfDoubtfulEnd } from './missing-link.ts';
import { oversizeCases, oversizeQuery } from './oversize-cases.ts';
import { pagesByParameters } from './pages-by-parameters.ts';
import { awaitAll, mapInParallel } from './parallel-map.ts';
import { type RequestedPage, requestedPageOf } from './requested-page.ts';
import { causeOfIncompleteness } from './traversal-completeness.ts';

/** The answers to the same calls, in a snapshot; what was not answered is left out. */
export async function answersToAllTargets(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly ListAnswer[]> {
  if (context.options.suite === 'smoke') return [];
  const answers = await requestAll(context, snapshot, await allTargets(context));
  return answers.filter((answer) => answer !== null);
}

export function requestAll(
  context: CheckContext,
  snapshot: Snapshot,
  targets: readonly string[],
): Promise<readonly (ListAnswer | null)[]> {
  return mapInParallel(context.target.limits, targets, (target) => snapshot.at(target).catch(() => null));
}

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

/** Null where no page came: whether one had to, other rules say. */
export async function requestPage(snapshot: Snapshot, target: string): Promise<RequestedPage | null> {
  const answer = await snapshot.at(target).catch(() => null);
  return answer?.kind === 'page' ? requestedPageOf(answer) : null;
}

export function allTargets(context: CheckContext): Promise<readonly string[]> {
  const { snapshot } = context;
  return snapshot.memo.once(gatherTargets, context, snapshot);
}

async function gatherTargets(asker: CheckContext, snapshot: Snapshot): Promise<readonly string[]> {
  // All checks share the targets. A missing page limits the checks of its own traversal, not the check that asks first.
  const context: CheckContext = { ...asker, limitedBy: () => undefined };
  const [firsts, uncounted, linked, oversize, ends] = await awaitAll([
    firstTargets(context, snapshot),
    uncountedFirstPage(context, snapshot),
    pagesByParameters(context, snapshot),
    oversizeCases(context, snapshot),
    endTargets(snapshot),
  ]);
  const at = (query: string): string => `${snapshot.client.path}?${query}`;
  return [
    ...new Set([
      ...firsts,
      snapshot.targetOf(uncounted),
      ...linked.map(({ query }) => at(query)),
      ...oversize.filter(({ encoded }) => !encoded).map((one) => at(oversizeQuery(one))),
      ...ends,
    ]),
  ];
}

async function endTargets(snapshot: Snapshot): Promise<readonly string[]> {
  const records = await countProvenRecords(snapshot);
  return records === null ? [] : lastPageRequests(records).map((jump) => snapshot.targetOf(jump));
}

/** How many records the list holds where the main traversal shows all of it, each once; null where it does not. */
export async function countProvenRecords(snapshot: Snapshot): Promise<number | null> {
  const main = await mainTraversal(snapshot);
  if (
    (await causeOfIncompleteness(snapshot, main)) !== null ||
    (await causeOfDoubtfulEnd(snapshot, main)) !== null
  )
    return null;
  return main.steps.at(-1)?.given === main.reached.size ? main.reached.size : null;
}

/** What a page is held against: the list as the main traversal gave it. */
export interface PositionInList {
  /** Records of the whole list. */
  readonly records: number;
  /** Records that follow behind the page. */
  readonly after: number;
}

/**
 * Where in the list a page stands; null where that is not known. A page from within the list counts only where it
 * gives the records that stand there: otherwise traversal/by-parameters is broken, and what else is wrong follows.
 */
export async function positionOf(
  { page, skip }: RequestedPage,
  snapshot: Snapshot,
): Promise<PositionInList | null> {
  const records = await countProvenRecords(snapshot);
  if (records === null) return null;
  if (skip > 0 && !matchesTraversal(await mainTraversal(snapshot), skip, page)) return null;
  return { records, after: records - skip - page.itemCount };
}

/** Whether a page gives records of a traversal in their order, from a position on. */
function matchesTraversal(traversal: Traversal, skip: number, { identities, itemCount }: Page): boolean {
  if (identities.length !== itemCount) return false;
  let before = 0;
  for (const { page } of traversal.steps) {
    if (before >= skip + itemCount) break;
    for (const [index, identity] of page.identities.entries()) {
      const place = before + index - skip;
      if (place >= 0 && place < itemCount && identities[place] !== identity) return false;
    }
    before += page.itemCount;
  }
  // An empty page shows nothing of where it stands, unless it is behind the last record.
  return itemCount === 0 ? skip >= before : skip + itemCount <= before;
}
