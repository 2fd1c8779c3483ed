import { Blocked } from '../core/undecided.ts';
import { readQuery } from '../provider/link.ts';
import type { ListAnswer, Page } from '../provider/page.ts';
import type { View } from '../provider/view.ts';
import type { Step, Walk } from '../provider/walk.ts';
import { pagesByParameters } from './by-parameters.ts';
import type { CheckContext, SettleOptions } from './context.ts';
import { allOf, countFalse, firstTargets, mainWalk, strolls } from './evidence.ts';
import type { Violation } from './findings.ts';
import { inLanes } from './lanes.ts';
import { jumpsToTheEnd } from './list-end.ts';
import { oversizeCases, oversizeQuery } from './oversize.ts';
import { MAXIMUM } from './sizes.ts';
import { doubtful, notWhole } from './walks.ts';

/** A page with what its request asks for. */
export interface AskedPage {
  readonly page: Page;
  /** Whether $count is true; null where it is given twice, or as another word. */
  readonly counting: boolean | null;
  /** $pagesize as it stands in the query; null where it is left out. */
  readonly pageSize: string | null;
  /** The page size from 1 to 500 that was asked for, 500 where none was; null for any other. */
  readonly size: number | null;
  /** Records before the page, by the $skip of its request. */
  readonly skip: number;
}

/** What a request asks for, in any spelling; null where its $skip is no single whole number. */
export function askedOf(page: Page): AskedPage | null {
  const question = page.target.indexOf('?');
  const parameters = readQuery(question < 0 ? '' : page.target.slice(question + 1));
  const valuesOf = (wanted: string): readonly string[] =>
    parameters.filter(({ name }) => name === wanted).map(({ value }) => value);
  const [counts, sizes, skips] = [valuesOf('$count'), valuesOf('$pagesize'), valuesOf('$skip')];
  const skip = skips.length === 0 ? '0' : (skips[0] ?? '');
  if (skips.length > 1 || !/^\d{1,15}$/.test(skip)) return null;
  const word = counts.length === 1 ? counts[0]?.toLowerCase() : null;
  const asked = sizes.length === 0 ? String(MAXIMUM) : sizes.join();
  const size = /^\d{1,15}$/.test(asked) ? Number(asked) : 0;
  return {
    page,
    counting: counts.length === 0 || word === 'false' ? false : word === 'true' ? true : null,
    pageSize: sizes.length === 0 ? null : sizes.join(),
    size: size >= 1 && size <= MAXIMUM ? size : null,
    skip: Number(skip),
  };
}

/**
 * Applies a rule to every page that the run asks for without following a link, in any check: first pages
 * of all sizes, pages of sizes beyond the maximum, pages by their parameters, the ends of the list, uncounted pages.
 * Nothing is asked for that no check asks for anyway; smoke asks for few of them, and is left out. Names with %24 are
 * for page-size/encoded-name to compare. Throws as `context.settle` does.
 *
 * @param rule the breach that a page shows; null where it keeps the rule, or does not show whether it does
 */
export async function judgeEveryPage(
  context: CheckContext,
  options: SettleOptions,
  rule: (asked: AskedPage, view: View) => Promise<Violation | null> | Violation | null,
): Promise<void> {
  if (context.options.suite === 'smoke') return;
  const targets = await everyTarget(context);
  let suspect: string | null = null;
  await context.settle(options, async (view) => {
    if (view === context.view) await askForAll(context, view, targets);
    // The page that showed a breach comes first where that is confirmed.
    for (const target of new Set(suspect === null ? targets : [suspect, ...targets])) {
      const asked = await askedAt(view, target);
      const violation = asked === null ? null : await rule(asked, view);
      if (violation === null) continue;
      suspect = target;
      throw violation;
    }
  });
}

/** The answers to the same calls, in a snapshot; what was not answered is left out. */
export async function everyAnswer(context: CheckContext, view: View): Promise<readonly ListAnswer[]> {
  if (context.options.suite === 'smoke') return [];
  const answers = await askForAll(context, view, await everyTarget(context));
  return answers.filter((answer) => answer !== null);
}

function askForAll(
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
async function askedAt(view: View, target: string): Promise<AskedPage | null> {
  const answer = await view.at(target).catch(() => null);
  return answer?.kind === 'page' ? askedOf(answer) : null;
}

function everyTarget(context: CheckContext): Promise<readonly string[]> {
  const { view } = context;
  return view.memo.once(gatherTargets, context, view);
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

/**
 * The page size in force: the one that was asked for, or, where that is no size from 1 to 500, the one that the page's own
 * link says was applied. Null where nothing says it: what becomes of such sizes the specification leaves open.
 */
export function sizeInForce({ page, size }: AskedPage): number | null {
  if (size !== null) return size;
  if (typeof page.link !== 'string') return null;
  const query = page.link.slice(page.link.indexOf('?') + 1).split('#')[0] ?? '';
  const sizes = readQuery(query).filter(({ name }) => name === '$pagesize');
  const value = sizes.length === 1 ? (sizes[0]?.value ?? '') : '';
  return /^\d{1,15}$/.test(value) && Number(value) >= 1 ? Math.min(MAXIMUM, Number(value)) : null;
}
