import { Blocked } from '../core/undecided.ts';
import type { ListAnswer, Page } from '../provider/page.ts';
import type { Step, Walk } from '../provider/traversal.ts';
import type { View } from '../provider/view.ts';
import { type AskedPage, askedOf } from './asked-page.ts';
import { pagesByParameters } from './by-parameters.ts';
import type { CheckContext } from './context.ts';
import { allOf, countFalse, firstTargets, mainWalk, strolls } from './evidence.ts';
import { inLanes } from './lanes.ts';
import { jumpsToTheEnd } from './list-end.ts';
import { oversizeCases, oversizeQuery } from './oversize.ts';
import { doubtful, notWhole } from './walks.ts';

/** The answers to the same calls, in a snapshot; what was not answered is left out. */
export async function everyAnswer(context: CheckContext, view: View): Promise<readonly ListAnswer[]> {
  if (context.options.suite === 'smoke') return [];
  const answers = await askForAll(context, view, await everyTarget(context));
  return answers.filter((answer) => answer !== null);
}

export function askForAll(
  context: CheckContext,
  view: View,
  targets: readonly string[],
): Promise<readonly (ListAnswer | null)[]> {
  return inLanes(context.target.limits, targets, (target) => view.at(target).catch(() => null));
}

/**
 * A link that is given behind the last record and was not followed, or leads to no page, as what follows from it; null
 * where there is none. Of traversals it speaks where they were not meant to reach the end: others show it themselves.
 */
export async function strayLink(context: CheckContext, view: View): Promise<Blocked | null> {
  const ends = (await everyAnswer(context, view)).map((answer) =>
    answer.kind === 'page' ? askedOf(answer) : null,
  );
  const pages = [...ends, ...(await strolls(context, view)).map(({ steps }) => lastOf(steps))];
  for (const asked of pages) {
    const link = asked?.counting === true ? view.linkOf(asked.page) : null;
    const place = asked === null || link === null ? null : await placeOf(asked, view);
    if (asked === null || link === null || place === null || place.after > 0) continue;
    if (view.pages().some(({ target }) => target === link.target)) continue;
    const { target } = asked.page;
    return new Blocked(
      'link/absent-at-the-end',
      `${target} holds the last record and links to a further page`,
    );
  }
  return null;
}

function lastOf(steps: readonly Step[]): AskedPage | null {
  const last = steps.at(-1);
  return last === undefined ? null : askedOf(last.page);
}

/** Null where no page came: whether one had to, other rules say. */
export async function askedAt(view: View, target: string): Promise<AskedPage | null> {
  const answer = await view.at(target).catch(() => null);
  return answer?.kind === 'page' ? askedOf(answer) : null;
}

const TARGETS = new WeakMap<View['shared'], Promise<readonly string[]>>();

export function everyTarget(context: CheckContext): Promise<readonly string[]> {
  const { view } = context;
  const known = TARGETS.get(view.shared) ?? gatherTargets(context, view);
  TARGETS.set(view.shared, known);
  return known;
}

async function gatherTargets(asker: CheckContext, view: View): Promise<readonly string[]> {
  // All checks share the targets. A missing page curtails the checks of its own walk, not the check that asks first.
  const context: CheckContext = { ...asker, curtailed: () => undefined };
  const [firsts, uncounted, linked, oversize, ends] = await allOf([
    firstTargets(context, view),
    countFalse(context, view),
    pagesByParameters(context, view),
    oversizeCases(context, view),
    endTargets(view),
  ]);
  const at = (query: string): string => `${view.client.path}?${query}`;
  return [
    ...new Set([
      ...firsts,
      view.targetOf(uncounted),
      ...linked.map(({ query }) => at(query)),
      ...oversize.filter(({ encoded }) => !encoded).map((one) => at(oversizeQuery(one))),
      ...ends,
    ]),
  ];
}

async function endTargets(view: View): Promise<readonly string[]> {
  const records = await recordsAtRest(view);
  return records === null ? [] : jumpsToTheEnd(records).map((jump) => view.targetOf(jump));
}

/** How many records the list holds where the main traversal shows all of it, each once; null where it does not. */
export async function recordsAtRest(view: View): Promise<number | null> {
  const main = await mainWalk(view);
  if ((await notWhole(view, main)) !== null || (await doubtful(view, main)) !== null) return null;
  return main.steps.at(-1)?.given === main.reached.size ? main.reached.size : null;
}

/** What a page is held against: the list as the main traversal gave it. */
export interface Place {
  /** Records of the whole list. */
  readonly records: number;
  /** Records that follow behind the page. */
  readonly after: number;
}

/**
 * Where in the list a page stands; null where that is not known. A page from within the list counts only where it
 * gives the records that stand there: otherwise traversal/by-parameters is broken, and what else is wrong follows.
 */
export async function placeOf({ page, skip }: AskedPage, view: View): Promise<Place | null> {
  const records = await recordsAtRest(view);
  if (records === null) return null;
  if (skip > 0 && !standsAt(await mainWalk(view), skip, page)) return null;
  return { records, after: records - skip - page.itemCount };
}

/** Whether a page gives records of a traversal in their order, from a position on. */
function standsAt(walk: Walk, skip: number, { identities, itemCount }: Page): boolean {
  if (identities.length !== itemCount) return false;
  let before = 0;
  for (const { page } of walk.steps) {
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
