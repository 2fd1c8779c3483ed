import { recordCount } from '../../core/number-format.ts';
import { Blocked, intermittent } from '../../core/undecided.ts';
import { sameIdentities } from '../../provider/identity.ts';
import { hasParameter } from '../../provider/link.ts';
import type { ListClient } from '../../provider/list-client.ts';
import { type ListAnswer, type NoPage, othersIn, type Page } from '../../provider/page.ts';
import { isUndecided } from '../../provider/throttled-answer.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { countProvenRecords, isInPlace } from '../probes/list-facts.ts';
import { expectClosedWithoutToken } from '../probes/list-refusals.ts';
import { type RequestedPage, requestedCount, requestedPageOf } from '../probes/requested-page.ts';
import {
  allSecondClientPages,
  endForSecondClient,
  type SecondClientPages,
  secondClientPages,
} from '../probes/second-client.ts';
import { type Violation, violationOn } from '../violation.ts';
import { END_PAUSE_MS, END_REPETITIONS } from './count-changes.ts';
import { withFurther } from './data-at-rest.ts';

/**
 * Expects one count on the pages of the second client, whose list may be another one. Two of its requests that
 * give their counts again, three times each and once with a further parameter, which no cache knows, show that the data did
 * not change. Throws Violation.
 */
export async function expectOneCountForSecondClient(context: CheckContext): Promise<void> {
  const { pages, ask } = await allSecondClientPages(context);
  const [first, ...others] = pages.filter((page) => typeof requestedCount(page) === 'number');
  const other = others.find(({ count }) => count !== first?.count);
  if (first === undefined || other === undefined) return;
  // Data that changes with every read, or once, does not change in this order.
  for (const page of [first, first, other, first, other, other])
    if ((await ask(page.target))?.count !== page.count) return;
  for (const page of [first, other]) {
    const fresh = await ask(withFurther(page));
    if (fresh?.count !== undefined && fresh.count !== page.count) return;
  }
  throw violationOn(other, {
    message:
      `with a token of the second provider, count is ${first.count} in the answer to ${first.target} and ` +
      `${other.count} in that to ${other.target}, also when each is sent three times again; ` +
      'it must be the same on every page and for every page size',
    expected: first.count ?? null,
    actual: other.count ?? null,
    further: [first],
  });
}

/** Whether pages of different places share records: then `$skip` is read wrongly, and does not show where the list ends. */
function areOverlapping(pages: readonly Page[]): boolean {
  const placed = pages.flatMap((page) => requestedPageOf(page) ?? []);
  return placed.some((one) =>
    placed.some(
      (other) =>
        one.skip + one.page.itemCount <= other.skip &&
        one.page.identities.some((identity) => identity !== 0n && other.page.identities.includes(identity)),
    ),
  );
}

/**
 * Expects that the list of the second client ends where its count says. Outside of `certify`, tests this only if one of its
 * pages holds fewer or more records than its count leaves for it, or if it sees the records of the run with another count.
 * Throws Violation.
 */
export async function expectCountOfSecondClient(context: CheckContext): Promise<void> {
  const { pages, snapshot, ask } = await allSecondClientPages(context);
  const counts = pages.map(requestedCount).filter((count) => typeof count === 'number');
  const records = await countProvenRecords(context.snapshot);
  const isOther = snapshot === context.snapshot && counts.some((count) => count !== records);
  const isContradicted = pages
    .map((page) => requestedPageOf(page))
    .some((requested) => {
      if (requested?.isCounted !== true || requested.size === null) return false;
      const { page, skip, size } = requested;
      if (typeof page.count !== 'number') return false;
      return page.itemCount < Math.min(size, page.count - skip) || page.itemCount > page.count - skip;
    });
  if (!isContradicted && !isOther && context.options.suite !== 'certify') return;
  if (areOverlapping(pages)) return;
  const end = await endForSecondClient(context);
  if (end === null || !(await endsAsCounted(context, end.kind))) return;
  const { page } = end;
  // Count may lag behind records that are added.
  for (let requests = 0; requests < END_REPETITIONS; requests++) {
    await waitFor(END_PAUSE_MS, context);
    const again = await ask(page.target);
    if (again === null || again.count !== page.count || again.itemCount !== page.itemCount) return;
  }
  // A cache may keep the page from a moment when count lagged behind.
  const fresh = await ask(withFurther(page));
  if (fresh !== null && (fresh.count !== page.count || fresh.itemCount !== page.itemCount)) return;
  throw violationOn(page, {
    message:
      `with a token of the second provider, count is ${page.count}, and GET ${page.target} gives ` +
      (end.kind === 'short' ? 'no record' : 'a record') +
      `, also when it is sent ${END_REPETITIONS} times more; count is the number of records in the list`,
    expected: end.kind === 'short' ? 1 : 0,
    actual: page.itemCount,
  });
}

/** Whether the list of the first client ends as its count says: otherwise $skip, and not count, is wrong. */
async function endsAsCounted({ list, snapshot }: CheckContext, end: 'short' | 'long'): Promise<boolean> {
  const records = await countProvenRecords(snapshot);
  if (records === null || records < 1) return false;
  const skip = end === 'short' ? records - 1 : records;
  const page = await list.authorized(`${list.path}?$count=true&$pagesize=1&$skip=${skip}`);
  return page.kind === 'page' && page.count === records && page.itemCount > 0 === (end === 'short');
}

/** Turns in which the call gives no page, and the first page is given right before and right after it. */
const TURNS = 3;
/** Milliseconds between them: longer in all than most rate limits and restarts last. */
const PAUSE_MS = 2000;
/** Least number of turns with such an answer that prove a breach although other answers are pages. */
const MIN_TURNS = 2;
/** Statuses that a limit of requests or an error that passes may have. */
const PASSING: readonly number[] = [403, 500];

/** A call of the second client that gives no page, each time or again and again. */
interface CallWithoutPage {
  readonly answer: NoPage;
  /** What shows that nothing else is the reason, as a clause. */
  readonly proof: string;
  readonly exchanges: readonly ListAnswer[];
}

/**
 * A call of the second client that gives no page, each time or again and again, although its token is accepted for
 * the first page right before and right after it. A client without the right to list is given no page at all. Null if there
 * is none. Throws Undecided if it was seen once.
 *
 * @param kind whether the call is refused, or answered 200 without a list
 */
export async function findCallWithoutPage(
  context: CheckContext,
  kind: NoPage['kind'],
): Promise<CallWithoutPage | null> {
  const { list, tokens } = context;
  const { pages, withoutPage, snapshots } = await allSecondClientPages(context);
  const [first] = pages;
  // Refused pages behind the first one are for traversal/followable, or only refused by their parameters.
  const seen = withoutPage.find(
    (answer) =>
      answer.kind === kind &&
      !isUndecided(answer.status) &&
      (kind === 'no-envelope' || !hasParameter(answer.target, '$skip')),
  );
  if (first === undefined || seen === undefined || snapshots === null) return null;
  // What no client is given, such as a page size, is for other requirements.
  const toFirstClient = await orNull(list.authorized(seen.target));
  if (toFirstClient?.kind === kind && toFirstClient.status === seen.status) return null;
  const turns = await callInTurns(context, snapshots.at(0).client, [first.target, seen.target, first.target]);
  const isAlike = (answer: ListAnswer | null = null): answer is NoPage =>
    answer?.kind === kind && answer.status === seen.status;
  const isPage = (answer: ListAnswer | null = null): answer is Page => answer?.kind === 'page';
  const alike = turns.flat().filter(isAlike);
  const given = turns.flat().filter(isPage);
  if (alike.length + given.length < turns.flat().length) return null;
  if (turns.every(([before, again, after]) => isPage(before) && isAlike(again) && isPage(after))) {
    // A page that is given without a token, too, does not show that the token is accepted.
    if (seen.status === 401)
      await expectClosedWithoutToken(context, { target: first.target, authorization: null });
    return {
      answer: seen,
      proof:
        `with a token of the second provider, and ${TURNS} times more over some seconds; GET ${first.target} with that token was ` +
        'answered 200 right before and right after each of these',
      exchanges: [...alike.slice(-1), ...given.slice(-1)],
    };
  }
  if (given.length === 0 || PASSING.includes(seen.status)) return null;
  if (seen.status === 401 && tokens.history.endings.length > 0)
    throw new Blocked(
      'token/accepted-until-expiry',
      `GET ${seen.target} with a token of the second provider was answered 401, as tokens that ended early`,
    );
  const calls = turns.flat().length + 1;
  const share = `${alike.length + 1} of ${calls} calls with that token gave no list`;
  if (turns.filter((answers) => answers.some(isAlike)).length < MIN_TURNS)
    throw intermittent(
      `GET ${seen.target} with a token of the second provider gave no list: ${seen.why}; ${share}`,
      calls,
      alike.length + 1,
    );
  return {
    answer: seen,
    proof: `with a token of the second provider (${share})`,
    exchanges: [seen, ...alike.slice(-1), ...given.slice(-1)],
  };
}

/** Makes the same calls one after another, in several turns; null for what was not answered. */
async function callInTurns(
  context: CheckContext,
  client: ListClient,
  targets: readonly string[],
): Promise<readonly (readonly (ListAnswer | null)[])[]> {
  const turns: (ListAnswer | null)[][] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    await waitFor(PAUSE_MS, context);
    const answers: (ListAnswer | null)[] = [];
    for (const target of targets) answers.push(await orNull(client.authorized(target)));
    turns.push(answers);
  }
  return turns;
}

/**
 * Expects that a page from within the list that the second client requests repeats no record of a page before
 * it (4.3.3). Requests pages before it only if the first client is given other records there. Throws Violation.
 */
export async function expectNoRepeatedPlace(context: CheckContext): Promise<void> {
  const { pages, snapshot, ask } = await secondClientPages(context);
  for (const page of pages) {
    const requested = requestedPageOf(page);
    if (requested === null || requested.skip === 0 || (await isInPlace(page, snapshot))) continue;
    // list/items judges records without a proper identifier, which may seem to repeat.
    if (page.badItem !== null) continue;
    const ofFirst = await context.list.authorized(page.target);
    // Other checks judge what the first client is given as well.
    if (ofFirst.kind === 'page' && sameIdentities(ofFirst.identities, page.identities)) continue;
    const found = await findRepetition(requested, ask);
    if (found !== null) throw found;
  }
}

/** Whether a request that no cache knows gives the records of a page, or no page. */
async function isStillGiven(page: Page, ask: SecondClientPages['ask']): Promise<boolean> {
  const fresh = await ask(withFurther(page));
  return fresh === null || sameIdentities(fresh.identities, page.identities);
}

/** The breach of a page that gives records of the first page of its size, or of the one before it, twice. */
async function findRepetition(
  { page, skip, size }: RequestedPage,
  ask: SecondClientPages['ask'],
): Promise<Violation | null> {
  if (size === null) return null;
  const [path = ''] = page.target.split('?', 1);
  for (const place of new Set([Math.max(0, skip - size), 0])) {
    // A link with a wrong offset may lead to a page within the first one, which gives some of its records rightly.
    if (place + size > skip) continue;
    const target = `${path}?$count=true&$pagesize=${size}&$skip=${place}`;
    // In this order data that changes with every read, or once, does not give the same answers again.
    const before = await ask(target);
    const again = await ask(page.target);
    if (before === null || again === null) continue;
    const isSame = async ({ target: path, identities }: Page): Promise<boolean> => {
      const repeated = await ask(path);
      return repeated !== null && sameIdentities(identities, repeated.identities);
    };
    const shared = again.itemCount - othersIn(again, before);
    if (shared === 0 || !(await isSame(again)) || !(await isSame(before))) continue;
    // A cache may keep the two pages from different times.
    if (!(await isStillGiven(again, ask)) || !(await isStillGiven(before, ask))) continue;
    return violationOn(again, {
      message:
        `with a token of the second provider, GET ${again.target} gives ${shared} of the records that ` +
        `${before.target} gives, twice; the records of one place must be on no other page`,
      expected: `${recordCount(again.itemCount)} that ${before.target} does not give`,
      actual: `${shared} of its records`,
      further: [before],
    });
  }
  return null;
}
