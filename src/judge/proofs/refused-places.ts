import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { Blocked, intermittent } from '../../core/undecided.ts';
import { parametersOf, valuesOf, wholeNumberIn } from '../../provider/link.ts';
import type { ListAnswer, NoPage, Page } from '../../provider/page.ts';
import type { CheckContext } from '../context.ts';
import { errorOf, orNull } from '../outcomes.ts';
import { countProvenRecords } from '../probes/list-facts.ts';
import { wholeTraversals } from '../probes/list-traversals.ts';
import { Violation } from '../violation.ts';
import { continuesItsPage } from './broken-links.ts';
import { isFresh } from './data-at-rest.ts';

/** Refused or empty pages that are requested again, or for which a refused link is looked for, at most. */
const MAX_PLACES = 3;
/** How often such a page and one that is given are requested in turn: more than a rate limit or chance explains. */
const TURNS = 3;

/** A link that stays refused while the first page is given. */
interface RefusedLink {
  /** The page that gives it. */
  readonly source: Page;
  readonly refusals: readonly NoPage[];
}

/** Refused request targets so far, each with the refused link that explains it; null for none. */
type LinksByTarget = Map<string, Promise<RefusedLink | null>>;

const newLinksByTarget = (): LinksByTarget => new Map();

/**
 * Throws Blocked by traversal/followable if a page that was refused by its parameters is behind a link that stays refused as
 * well: then clients cannot reach it by links, either.
 */
export async function throwIfLinkIsRefused(context: CheckContext, target: string): Promise<void> {
  const link = await refusedLinkTo(context, target);
  if (link !== null) throw new Blocked('traversal/followable', messageFor(link));
}

/**
 * Throws Violation if a page from within the list that a call of the run asked for by parameters was refused, and the link that
 * leads there, or to the first such page, stays refused as well. Without refused pages it sends nothing.
 */
export async function expectNoRefusedLink(context: CheckContext): Promise<void> {
  const { list, snapshot } = context;
  for (const target of [...list.pages.refusedPlaces.keys()].slice(0, MAX_PLACES))
    await refusedLinkTo(context, target);
  for (const found of snapshot.memo.once(newLinksByTarget).values()) {
    const link = await found;
    if (link !== null) throw violationFor(link);
  }
}

function messageFor({ source, refusals }: RefusedLink): string {
  return (
    `the nextPageLink of ${source.target}, followed as given, stays refused (${refusals[0]?.why}) while the first page is given; ` +
    `the count of ${source.count} says that records follow`
  );
}

function violationFor(link: RefusedLink): Violation {
  const { source, refusals } = link;
  return new Violation({
    message: messageFor(link),
    expected: 'status 200 with a list envelope',
    actual: refusals[0]?.why ?? 'refused',
    counterexample: { request: source.target },
    exchanges: [...refusals, source],
  });
}

/** The refused link that explains a refused page, the same for all checks; null if there is none, or if answers fail. */
async function refusedLinkTo(context: CheckContext, target: string): Promise<RefusedLink | null> {
  const links = context.sharedSnapshot.memo.once(newLinksByTarget);
  const link =
    links.get(target) ?? orNull(findRefusedLink({ ...context, snapshot: context.sharedSnapshot }, target));
  links.set(target, link);
  return link;
}

/**
 * Follows the link of the page before a refused page. If that page is refused, too, halves to the last page before it that is
 * given, and follows the link of this one.
 */
async function findRefusedLink(context: CheckContext, target: string): Promise<RefusedLink | null> {
  const { list, snapshot } = context;
  const total = await countProvenRecords(snapshot);
  const parameters = parametersOf(target);
  const [size, skip] = [wholeNumberIn(parameters, '$pagesize'), wholeNumberIn(parameters, '$skip')];
  if (total === null || size === null || skip === null || size < 1 || skip >= total || skip % size !== 0)
    return null;
  let source: Page | null = null;
  let [low, high] = [0, skip / size];
  let number = high - 1;
  while (low < high) {
    const place = { count: true, pageSize: size, skip: number * size || undefined };
    const page = await list.authorized(snapshot.targetOf(place));
    if (page.kind === 'no-envelope' || (page.kind === 'page' && page.count !== total)) return null;
    if (page.kind === 'page') {
      source = page;
      low = number + 1;
    } else {
      high = number;
    }
    number = Math.floor((low + high) / 2);
  }
  const link = source === null ? null : snapshot.linkOf(source);
  if (source === null || link === null || !continuesItsPage(source)) return null;
  const after = source.exchange;
  const refusals = await refusalsBetweenFirstPages(context, total, () =>
    list.authorized(link.target, { after }),
  );
  return refusals === null ? null : { source, refusals };
}

/**
 * The refusals of a page, requested in turn with the first page; null if it is given, or answered 401, or if the first page is
 * not given with the count of the whole list, also by a request that no cache knows.
 */
async function refusalsBetweenFirstPages(
  { list, snapshot }: CheckContext,
  total: number,
  ask: () => Promise<ListAnswer>,
): Promise<readonly NoPage[] | null> {
  const refusals: NoPage[] = [];
  let last: ListAnswer | null = null;
  for (let turn = 0; turn < TURNS; turn++) {
    // Once or twice, so that a fault of every second answer does not always meet the page.
    for (let times = 0; times <= turn % 2; times++) {
      const answer = await ask();
      if (answer.kind !== 'refused' || answer.status === 401) return null;
      refusals.push(answer);
    }
    const first = await list.authorized(snapshot.targetOf({ count: true }));
    if (first.kind !== 'page' || first.count !== total) return null;
    last = first;
  }
  return last === null || (await isFresh(list, [last])) ? refusals : null;
}

/**
 * Expects that no page from within the list that a call of the run asked for stays refused or empty (4.3.3). Throws
 * Violation.
 */
export async function expectNoRefusedPlace(context: CheckContext): Promise<void> {
  const { list, snapshot } = context;
  const total = await countProvenRecords(snapshot);
  if (total === null) return;
  const within = [...list.pages.refusedPlaces].filter(([, skip]) => skip < total);
  const refused = within.slice(0, MAX_PLACES);
  for (const [target] of refused) await throwIfLinkIsRefused(context, target);
  // Where links lead to no page, traversal/followable is broken.
  if (list.history.links.lost.length > 0) return;
  for (const [target] of refused) await expectGiven(context, target, total);
  const linked = (await wholeTraversals(context)).flatMap(({ steps }) => steps);
  const empty = [...list.pages.usual, ...linked.map(({ page }) => page)].filter(
    (page) =>
      page.itemCount === 0 &&
      mayCount(page, total) &&
      (wholeNumberIn(parametersOf(page.target), '$skip') ?? total) < total &&
      mayHoldRecords(page),
  );
  const targets = new Set(empty.map(({ target }) => target));
  let obstacle: unknown = null;
  for (const target of [...targets].slice(0, MAX_PLACES)) {
    const error = await errorOf(() => expectRecords(context, target, total));
    if (error instanceof Violation) throw error;
    obstacle ??= error;
  }
  if (obstacle !== null) throw obstacle;
}

/** Whether a page within the list must hold records: the specification leaves open what a page size outside 1 to 500 gives. */
function mayHoldRecords({ target }: Page): boolean {
  const parameters = parametersOf(target);
  const size = wholeNumberIn(parameters, '$pagesize') ?? 0;
  return valuesOf(parameters, '$pagesize').length === 0 || (size > 0 && size <= MAX_PAGE_SIZE);
}

/** Whether the count of a page allows that many records; a count that is wrong in itself, such as null, does. */
function mayCount({ count, target }: Page, total: number): boolean {
  if (count === total) return true;
  return typeof count !== 'number' && valuesOf(parametersOf(target), '$count').join() === 'true';
}

/** Turns at most of a page that is empty in some answers only. */
const MAX_TURNS = 12;

/**
 * Expects records on a page whose own count does not deny that it holds some, if another page size gives records at the
 * same position. The page may be empty in some answers only. Throws Violation; Undecided if it is empty less often.
 */
async function expectRecords({ list, snapshot }: CheckContext, target: string, total: number): Promise<void> {
  const parameters = parametersOf(target);
  const [skip, size] = ['$skip', '$pagesize'].map((name) => wholeNumberIn(parameters, name) ?? undefined);
  // page-size/default and page-size/filled judge an empty first page.
  const first = await snapshot.first({ count: true, pageSize: size });
  if (first.kind === 'page' && first.itemCount === 0) return;
  const other = snapshot.targetOf({
    count: true,
    pageSize: size === MAX_PAGE_SIZE ? 1 : MAX_PAGE_SIZE,
    skip,
  });
  const what = `GET ${target} gives no record of the ${total} that the list holds, and ${other} gives records from there on`;
  const exchanges: Page[] = [];
  let empty = 0;
  let turn = 0;
  for (; turn < MAX_TURNS && empty < TURNS; turn++) {
    // The page once or twice, so that a breach of every n-th answer does not always meet the other page.
    const targets = turn % 2 === 0 ? [target, other] : [target, target, other];
    const pages: Page[] = [];
    for (const one of targets) {
      const page = await list.authorized(one);
      if (page.kind !== 'page' || !mayCount(page, total)) return;
      pages.push(page);
    }
    const control = pages.pop();
    const emptyPage = pages.find(({ itemCount }) => itemCount === 0);
    if (emptyPage === undefined || control === undefined || control.itemCount === 0) continue;
    empty++;
    exchanges.push(emptyPage, control);
  }
  if (empty < TURNS) throw intermittent(what, 1 + turn, 1 + empty);
  if (!(await isFresh(list, exchanges.slice(-2)))) return;
  throw new Violation({
    message:
      `${what}, ${empty} times in ${turn === empty ? 'turn' : `${turn} turns`}; ` +
      'a page within the list holds its records for every page size',
    expected: 'records of the list',
    actual: 'no record',
    counterexample: { request: target },
    exchanges,
  });
}

async function expectGiven(context: CheckContext, target: string, total: number): Promise<void> {
  const { list, snapshot } = context;
  // A page size that the first page is refused for as well is for page-size/filled.
  const pageSize = wholeNumberIn(parametersOf(target), '$pagesize') ?? undefined;
  if ((await snapshot.first({ count: true, pageSize })).kind === 'refused') return;
  const refusals = await refusalsBetweenFirstPages(context, total, () => list.authorized(target));
  if (refusals === null || refusals.some((refusal) => list.history.hasOtherSuccess(refusal))) return;
  const why = refusals[0]?.why ?? 'refused';
  throw new Violation({
    message:
      `GET ${target} stays refused (${why}) while the first page is given; ` +
      `the list holds ${total} records, some of them from there on, so the page must be given`,
    expected: 'status 200 with records of the list',
    actual: why,
    counterexample: { request: target },
    exchanges: refusals,
  });
}
