import { recordCount } from '../../core/number-format.ts';
import { intermittent } from '../../core/undecided.ts';
import { type Identities, sameIdentities } from '../../provider/identity.ts';
import { canonicalQuery, hasParameter, parametersOf, wholeNumberIn } from '../../provider/link.ts';
import type { ListClient } from '../../provider/list-client.ts';
import { othersIn, type Page } from '../../provider/page.ts';
import { hasOneCount } from '../../provider/page-log.ts';
import type { Connection } from '../../provider/sender.ts';
import { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import { attemptUntilSeenAgain } from '../confirmation.ts';
import type { CheckContext } from '../context.ts';
import { type GivenPlace, isLinked, type PageRange } from '../given-place.ts';
import { listFacts, misplacedTo, misplacement, pagesOfRun } from '../probes/list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { orderOf, recordsAt } from '../traversals.ts';
import { type Violation, violationOn } from '../violation.ts';
import { isFresh } from './data-at-rest.ts';

/** Exchanges that a violation names at most, in addition to the first two. */
const MAX_EXCHANGES = 4;

/** A page that answers another $skip than that of its request. */
interface MisplacedPage {
  readonly page: Page;
  readonly skip: number;
  readonly given: GivenPlace;
}

/**
 * Expects that every page of the run, no matter which check requested it, answers the $skip of its request (4.3.3). Throws
 * Violation if two do not; Undecided for a single one that is given correctly when it is requested again.
 */
export async function expectNoMisplacedPage(context: CheckContext): Promise<void> {
  const { list, snapshot } = context;
  const pages = [...new Set(pagesOfRun(snapshot))];
  // page-size/encoded-name judges names with %24, unless the provider's own links have them, and link/query links without
  // $skip.
  const { links } = list.history;
  const judged = pages.filter(({ target }) =>
    links.isGiven(target) ? hasParameter(target, '$skip') : !target.includes('%24'),
  );
  const found = judged.flatMap((page) => misplacedPage(page, pages, snapshot) ?? []);
  const [first] = found;
  if (first === undefined) return;
  if (found.length === 1) {
    const connections: Connection[] = [];
    // The page may have continued after the one that was requested before it.
    const { page, given } = first;
    const before = given.skip - page.itemCount;
    const targetBefore = page.target.replace(/(?<=skip=)\d+/, String(before));
    const requestAgain = async (): Promise<MisplacedPage | null> => {
      const connection = connections.length % 2 === 0 ? 'new' : 'kept';
      if (connection === 'kept' && before >= 0) await list.authorized(targetBefore, { connection });
      connections.push(connection);
      const again = await list.authorized(first.page.target, { connection });
      return again.kind === 'page' ? misplacedPage(again, pages, snapshot) : null;
    };
    found.push(await attemptUntilSeenAgain(requestAgain, { message: messageFor(first) }));
  }
  throw violationFor(first, found);
}

function misplacedPage(page: Page, pages: readonly Page[], snapshot: Snapshot): MisplacedPage | null {
  const requested = requestedPageOf(page);
  const given = requested === null ? null : misplacedTo(requested, pages, snapshot);
  return requested === null || given === null ? null : { page, skip: requested.skip, given };
}

function violationFor(first: MisplacedPage, found: readonly MisplacedPage[]): Violation {
  const { page, skip, given } = first;
  const others = found.filter((one) => one !== first);
  return violationOn(page, {
    message: `${messageFor(first)} (${found.length} answers of this run)`,
    expected: `records ${skip + 1} to ${skip + page.itemCount}`,
    actual: `records ${given.skip + 1} to ${given.skip + page.itemCount}`,
    further: [given.by, ...others.slice(0, MAX_EXCHANGES)],
  });
}

function messageFor({ page, skip, given }: MisplacedPage): string {
  return (
    `GET ${page.target} gives other records than those of its place: it is answered as if $skip were ${given.skip} instead of ` +
    `${skip}, with the ${isLinked(page) ? 'link' : 'end'} of that place and with records that ${given.by.target} gives; ` +
    'a page holds the records from its $skip on'
  );
}

/** How often a linked page and its parameters alone are requested in turn. */
const TURNS = 2;

/**
 * The breach of a page for which a link with further parameters, and its $count, $pagesize and $skip alone, give different
 * records each time (4.3.3). Null if there is none, as where links have no further parameters, which costs no request.
 *
 * @param position that of the page whose link is followed
 */
export async function findMisreadPlace(
  list: ListClient,
  { skip, size }: PageRange,
): Promise<Violation | null> {
  const snapshot = new Snapshot(list);
  const next = skip + size;
  const before = await snapshot.first({ count: true, pageSize: size, skip: skip || undefined });
  const link = before.kind === 'page' ? snapshot.linkOf(before) : null;
  // A wrong offset or page size in the link explains other records.
  if (before.kind !== 'page' || link === null || wholeNumberIn(link.parameters, '$skip') !== next)
    return null;
  if (wholeNumberIn(link.parameters, '$pagesize') !== size) return null;
  const target = snapshot.targetOf({ count: true, pageSize: size, skip: next });
  if (canonicalQuery(target) === canonicalQuery(link.target)) return null;
  let first: LinkedPage | null = null;
  for (let turn = 0; turn < TURNS; turn++) {
    const linked = await list.authorized(link.target, { after: before.exchange });
    const page = await list.authorized(target);
    if (linked.kind !== 'page' || page.kind !== 'page' || page.count !== linked.count) return null;
    first ??= { before, linked, page };
    // An order that changes between requests explains other records.
    if (!sameIdentities(linked.identities, first.linked.identities)) return null;
    if (!sameIdentities(page.identities, first.page.identities)) return null;
  }
  if (first === null || othersIn(first.page, first.linked) === 0) return null;
  // Caches may keep the two pages from different times.
  if (!(await isFresh(list, [first.linked, first.page]))) return null;
  return otherThanLinked(first, `, ${TURNS} times in turn`);
}

/** A linked page, and the page that its $count, $pagesize and $skip alone give. */
export interface LinkedPage {
  readonly before: Page;
  readonly linked: Page;
  readonly page: Page;
}

/** The breach of a page by parameters that gives other records than the linked page. */
export function otherThanLinked({ page, before, linked }: LinkedPage, howOften = ''): Violation {
  const others = othersIn(page, linked);
  return violationOn(page, {
    message:
      `GET ${page.target} gives ${recordCount(page.itemCount)}, ${others} of them others than those of ` +
      `${linked.target}, to which the link of ${before.target} leads${howOften}`,
    expected: `the ${recordCount(linked.itemCount)} of the linked page`,
    actual: `${recordCount(page.itemCount)}, ${others} of them different`,
    further: [linked, before],
  });
}

/** Pages at most that are shown to be given right now, and how often each must be. */
const MAX_REPEATED = 3;
const REPETITIONS = 3;
/** Pages at most that are requested again and not given right: more of them show that the order of the list has changed. */
const MAX_WRONG = 8;
/** Further requests at most, one of which must give such a page. */
const MAX_FURTHER = 64;
/** Records of other places that a page must hold at least, and their share: a change of the data may have moved fewer. */
const LEAST_OTHERS = 4;
const LEAST_SHARE = 0.5;

/** A page with known records that are not those of its place, and the linked page that gave those before it. */
interface DisplacedPage {
  readonly page: Page;
  readonly expected: Identities;
  readonly before: Page;
  /** Whether it gives the records of another place in their order. */
  readonly isOfOtherPlace: boolean;
}

/**
 * Expects that no page of the run held records of other places, while the same place held its own records before, in the main
 * traversal, and holds them again now. Count was the same in the whole run, and the records are known, but the order of the list
 * may have changed for a while. So one of some further requests must give such a page, right after and right before pages that hold
 * their own records.
 *
 * @param isOfOtherPlace whether to judge pages that give another place of the list (their $skip was misread), or those that give
 * records in another order
 * @throws Violation if it does; Undecided (intermittent) if it does not
 */
export async function expectNoDisplacedPages(context: CheckContext, isOfOtherPlace: boolean): Promise<void> {
  const { list, snapshot } = context;
  const { main, records } = await listFacts(snapshot);
  if (records === null || !hasOneCount(list.pages)) return;
  const pages = [...new Set(pagesOfRun(snapshot))];
  const displaced = pages.flatMap((page) => displacedPage(page, main, records) ?? []);
  const judged = displaced.filter(
    (one) => one.isOfOtherPlace === isOfOtherPlace && !isJudgedElsewhere(one.page, context),
  );
  const found: DisplacedPage[] = [];
  let wrong = 0;
  for (const one of judged) {
    if (found.length === MAX_REPEATED || wrong === MAX_WRONG) break;
    if (await isGivenRightNow(one, main, context)) found.push(one);
    else wrong++;
  }
  const [first] = found;
  if (first === undefined) return;
  let further = 0;
  let again: DisplacedPage | null = null;
  let wasRight = false;
  for (const target of targetsLike(first.page, pages)) {
    const answer = await list.authorized(target);
    further++;
    const one = answer.kind === 'page' ? displacedPage(answer, main, records) : null;
    if (one?.isOfOtherPlace === isOfOtherPlace && wasRight && (await isGivenRightNow(one, main, context))) {
      again = one;
      break;
    }
    wasRight = one === null;
  }
  const { page, before } = first;
  const others = othersIn(page, { identities: first.expected });
  const message =
    `GET ${page.target} gives ${recordCount(page.itemCount)}, ${others} of them from other places of the list; before that, ` +
    `${before.target} gave those of this place, and so does the same request now, ${REPETITIONS} times, with count ${records} ` +
    'all the time';
  if (again === null) throw intermittent(message, pages.length + further);
  throw violationOn(page, {
    message: `${message} (${judged.length + 1} of ${pages.length + further} pages of this run)`,
    expected: `records ${pageSkipOf(page) + 1} to ${pageSkipOf(page) + page.itemCount}, as before and after`,
    actual: `${others} records of other places`,
    further: [before, again, ...found.slice(1, MAX_EXCHANGES - 1)],
  });
}

function displacedPage(page: Page, main: Traversal, records: number): DisplacedPage | null {
  const requested = requestedPageOf(page);
  if (requested === null || requested.isCounted === null || page.itemCount < LEAST_OTHERS) return null;
  if (requested.isCounted ? page.count !== records : page.count !== undefined) return null;
  const { skip } = requested;
  const expected = recordsAt(main, skip, page.itemCount);
  if (expected.length !== page.itemCount || sameIdentities(page.identities, expected)) return null;
  const others = othersIn(page, { identities: expected });
  if (others < Math.max(LEAST_OTHERS, page.itemCount * LEAST_SHARE)) return null;
  if (main.reached.countMissing(page.identities) > 0) return null;
  const before = main.steps.find(({ recordsSoFar }) => recordsSoFar > skip)?.page;
  if (before === undefined || before.exchange >= page.exchange) return null;
  return { page, expected, before, isOfOtherPlace: isRun(page, main) };
}

/** Whether a page gives records that follow one another in the main traversal. */
function isRun({ identities, itemCount }: Page, main: Traversal): boolean {
  const [first = 0n] = identities;
  const skip = orderOf(main).indexOf(first);
  return skip >= 0 && sameIdentities(identities, recordsAt(main, skip, itemCount));
}

/** Whether a page proves by itself that its $skip is misread, or names that are written with %24 explain its records. */
function isJudgedElsewhere(page: Page, { list, snapshot }: CheckContext): boolean {
  const isEncoded = page.target.includes('%24') && !list.history.links.isGiven(page.target);
  return isEncoded || misplacement(page, snapshot) !== null;
}

/** Whether the same request gives the records of its place now, most times, and never a new record or count. */
async function isGivenRightNow(
  { page, expected }: DisplacedPage,
  main: Traversal,
  { list }: CheckContext,
): Promise<boolean> {
  let right = 0;
  for (let request = 0; request < 2 * REPETITIONS - 1 && right < REPETITIONS; request++) {
    const again = await list.authorized(page.target, { connection: request % 2 === 0 ? 'new' : 'kept' });
    if (again.kind !== 'page' || again.count !== page.count) return false;
    if (main.reached.countMissing(again.identities) > 0) return false;
    if (sameIdentities(again.identities, expected)) right++;
  }
  return right === REPETITIONS;
}

/**
 * Requests of the run with the same parameters in the same order as that of a page, in turns that each begin with another one:
 * every n-th answer may be wrong.
 */
function targetsLike(page: Page, pages: readonly Page[]): readonly string[] {
  const names = (target: string): string =>
    parametersOf(target)
      .map(({ name }) => name)
      .join();
  const alike = pages.filter(
    ({ target, itemCount }) => itemCount >= LEAST_OTHERS && names(target) === names(page.target),
  );
  return Array.from({ length: MAX_FURTHER }, (_none, index) => {
    const turn = Math.floor(index / alike.length);
    return alike[(index + turn) % alike.length]?.target ?? page.target;
  });
}

function pageSkipOf(page: Page): number {
  return requestedPageOf(page)?.skip ?? 0;
}
