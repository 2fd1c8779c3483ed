import { Blocked } from '../../core/undecided.ts';
import { parametersOf, wholeNumberIn } from '../../provider/link.ts';
import type { ListAnswer, NoPage, Page } from '../../provider/page.ts';
import type { CheckContext } from '../context.ts';
import { countProvenRecords } from '../list-facts.ts';
import { orNull } from '../optional-answer.ts';
import { Violation } from '../violation.ts';
import { continuesItsPage } from './broken-links.ts';

/** Refused pages that are traced back to a link at most. */
const MAX_PLACES = 3;
/** How often a refused page and the first page are requested in turn: more than a rate limit or chance explains. */
const TURNS = 3;

/** A link that stays refused while the first page is given. */
interface RefusedLink {
  /** The page that gives it. */
  readonly source: Page;
  readonly refusals: readonly NoPage[];
}

/** The links to which refused request targets were traced back so far; null for none. */
type Traces = Map<string, Promise<RefusedLink | null>>;

const newTraces = (): Traces => new Map();

/**
 * Throws Blocked by traversal/followable if a page that was refused by its parameters is behind a link that stays refused as
 * well: then clients cannot reach it by links, either.
 */
export async function expectNoRefusedLinkTo(context: CheckContext, target: string): Promise<void> {
  const link = await trace(context, target);
  if (link !== null) throw new Blocked('traversal/followable', messageFor(link));
}

/**
 * Throws Violation if a page from within the list that a call of the run asked for by parameters was refused, and the link that
 * leads there, or to the first such page, stays refused as well. Without refused pages it sends nothing.
 */
export async function expectNoRefusedLink(context: CheckContext): Promise<void> {
  const { list, snapshot } = context;
  for (const target of [...list.records.refusedPlaces].slice(0, MAX_PLACES)) await trace(context, target);
  for (const traced of snapshot.memo.once(newTraces).values()) {
    const link = await traced;
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
    exchanges: [...refusals.map(({ exchange }) => exchange), source.exchange],
  });
}

/** The refused link that explains a refused page, the same for all checks; null if there is none, or if answers fail. */
async function trace(context: CheckContext, target: string): Promise<RefusedLink | null> {
  const traces = context.snapshot.memo.once(newTraces);
  const traced = traces.get(target) ?? orNull(findRefusedLink(context, target));
  traces.set(target, traced);
  return traced;
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
  if (source === null || !continuesItsPage(source)) return null;
  const refusals = await refusalsBehind(context, source, total);
  return refusals === null ? null : { source, refusals };
}

/** The refusals of a page's link, requested in turn with the first page; null if it is followed, or if the list changes. */
async function refusalsBehind(
  context: CheckContext,
  source: Page,
  total: number,
): Promise<readonly NoPage[] | null> {
  const link = context.snapshot.linkOf(source);
  if (link === null) return null;
  return refusalsBetweenFirstPages(context, total, () =>
    context.list.authorized(link.target, { after: source.exchange }),
  );
}

/**
 * The refusals of a page, requested in turn with the first page; null if it is given, or answered 401, or if the first page is
 * not given with the count of the whole list.
 */
export async function refusalsBetweenFirstPages(
  { list, snapshot }: CheckContext,
  total: number,
  ask: () => Promise<ListAnswer>,
): Promise<readonly NoPage[] | null> {
  const refusals: NoPage[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    // Once or twice, so that a fault of every second answer does not always meet the page.
    for (let times = 0; times <= turn % 2; times++) {
      const answer = await ask();
      if (answer.kind !== 'refused' || answer.status === 401) return null;
      refusals.push(answer);
    }
    const first = await list.authorized(snapshot.targetOf({ count: true }));
    if (first.kind !== 'page' || first.count !== total) return null;
  }
  return refusals;
}
