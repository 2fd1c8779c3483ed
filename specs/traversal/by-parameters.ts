import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import { MAX_PAGE_SIZE } from '../../src/core/page-size.ts';
import { Blocked, changing, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { errorOf } from '../../src/judge/outcomes.ts';
import { answeredOtherwise, refusedWithValidToken } from '../../src/judge/probes/expected-page.ts';
import { pagesWithin } from '../../src/judge/probes/first-pages.ts';
import {
  countKnownRecords,
  isInPlace,
  knownLength,
  mainTraversal,
} from '../../src/judge/probes/list-facts.ts';
import { wholeTraversals } from '../../src/judge/probes/list-traversals.ts';
import {
  type DeepPage,
  deepPage,
  differenceFromLinkedPage,
  isCutShort,
  lacksRecords,
  type PageByParameters,
  pagesByParameters,
} from '../../src/judge/probes/pages-by-parameters.ts';
import { requestedPageOf } from '../../src/judge/probes/requested-page.ts';
import { causeOfEarlyStop } from '../../src/judge/probes/traversal-completeness.ts';
import {
  expectNoDisplacedPages,
  expectNoMisplacedPage,
  type LinkedPage,
  otherThanLinked,
} from '../../src/judge/proofs/misplaced-pages.ts';
import { expectNoFaultAtBoundaries } from '../../src/judge/proofs/order-boundary.ts';
import { expectNoRefusedPlace, throwIfLinkIsRefused } from '../../src/judge/proofs/refused-places.ts';
import { expectFirstPageAtZero, expectSameWhenRepeated } from '../../src/judge/proofs/repeated-pages.ts';
import { expectNoRepeatedPlace } from '../../src/judge/proofs/second-client-breaches.ts';
import { type RuleFinding, ruleTest } from '../../src/judge/rules/rule.ts';
import { findFirstFault, traversalName } from '../../src/judge/traversals.ts';
import { Violation, violationOn } from '../../src/judge/violation.ts';
import { canonicalQuery, parametersOf, wholeNumberIn } from '../../src/provider/link.ts';
import { type ListAnswer, type NoPage, othersIn, type Page } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const traversalByParameters = requirement({
  id: 'traversal/by-parameters',
  clause: ['4.3.3'],
  rule: `A page that the client requests with its own $count, $pagesize and $skip holds the same records as the linked
    page.`,
  needs: MORE_THAN_ONE_PAGE,
  tested: `Builds the query of several pages itself, without reading the links, and compares the identifiers with
    those of the linked pages. Requests pages of drawn sizes from within the list in the same way, and some from an
    offset within a page, one of them within the first page. Neither these nor any other pages from within the list that
    the run requests may be refused, or be empty if their own count says that records follow. No page of the run answers
    another $skip, and $skip=0 leaves out no records. If a request of the run gave other records when it was repeated, some new pages are requested
    twice. The second provider's client gets no record of another place.`,
  breach: 'Parameters for the same page return other records, also when they are repeated, or are refused.',
  causes: `$skip is read as a number of pages, or only together with an internal parameter of the link. Linked pages have
    another order than first pages. $skip is bounded more strictly for clients than for links.`,
  fix: `Read $count, $pagesize and $skip from the query in the same way for links and clients. Put nothing into a link
    that such a query lacks.`,
  judge: async (context) => {
    const obstacle = await errorOf(() => judgePlaces(context));
    if (obstacle !== null && !(obstacle instanceof Undecided)) throw obstacle;
    context.afterAllChecks(async () => {
      // These may prove a breach although the data changed.
      await expectNoMisplacedPage(context);
      await expectNoDisplacedPages(context, true);
      await expectFirstPageAtZero(context);
      await expectNoRefusedPlace(context);
      await expectNoFaultAtBoundaries(context, 'misread');
      await expectSameWhenRepeated(context);
      if (obstacle !== null) throw obstacle;
      await expectNoRepeatedPlace(context);
    });
  },
});

const judgePlaces = ruleTest<AnswerByParameters>({
  atRest: true,
  oracle: givesPlace,
  probes: answersByParameters,
  obstacle: obstacleOfTraversals,
});

/** The oracle, over the answer to the parameters of a place in the list. */
function givesPlace(one: AnswerByParameters): RuleFinding {
  if ('before' in one) return holdsLinkedRecords(one);
  if ('skip' in one) return isGiven(one);
  const { requested, answer, obstacle, missing } = one;
  if (obstacle !== null) return obstacle;
  if (answer.kind === 'no-envelope') return new Blocked('list/envelope', answer.why);
  const what = differenceFromLinkedPage(requested, answer);
  if (what !== null && isCutShort(requested, answer))
    return new Blocked('page-size/default', `GET ${answer.target} ${what}`);
  if (what !== null && lacksRecords(requested, answer))
    return new Blocked('page-size/filled', `GET ${answer.target} ${what}`);
  if (what !== null) return otherRecords(requested, answer, what + missing);
  // A refusal of an offset within a page, or without $pagesize, shows nothing.
  return answer.kind === 'page' ? 'kept' : null;
}

/** The answer to the parameters of linked records, a page near the end of the list, or one behind a misplaced page. */
type AnswerByParameters = AskedAnswer | FarPage | LinkedPage;

interface AskedAnswer {
  readonly requested: PageByParameters;
  readonly answer: ListAnswer;
  /** Another explanation of a difference from the linked page. */
  readonly obstacle: Undecided | null;
  /** The end of a sentence that names a record which the answer lacks; empty for none. */
  readonly missing: string;
}

interface FarPage extends DeepPage {
  /** The answer to the same request without $skip; null if this one gave a page. */
  readonly first: ListAnswer | null;
}

/**
 * Pages by their parameters that do not give the records at their place, whose links are followed at most: each takes
 * two requests.
 */
const MAX_MISPLACED = 3;

/** Throws Undecided if a broken link explains why the page near the end is refused. */
async function* answersByParameters(context: CheckContext): AsyncGenerator<AnswerByParameters> {
  const { snapshot } = context;
  for (const requested of await pagesByParameters(context)) {
    const answer = await snapshot.query(requested.query);
    const obstacle = await obstacleOfDifference(snapshot, requested, answer);
    yield { requested, answer, obstacle, missing: await missingRecord(context, requested, answer) };
  }
  yield* pagesOfDrawnSizes(context);
  const deep = await deepPage(context);
  if (deep === null || deep.answer.kind === 'no-envelope') return;
  if (deep.answer.kind === 'page') return yield { ...deep, first: null };
  await expectFollowable(context, deep.answer);
  yield { ...deep, first: await snapshot.first({ count: true, pageSize: deep.pageSize }) };
}

/** Pages of drawn sizes, whose queries are those that links would have. */
async function* pagesOfDrawnSizes(context: CheckContext): AsyncGenerator<FarPage | LinkedPage> {
  const { snapshot } = context;
  const known = await countKnownRecords(snapshot);
  let misplaced = 0;
  for (const query of context.options.suite === 'smoke' ? [] : await pagesWithin(context)) {
    const parameters = parametersOf(`?${query}`);
    const pageSize = wholeNumberIn(parameters, '$pagesize') ?? 0;
    const skip = wholeNumberIn(parameters, '$skip') ?? 0;
    // Without $count, what $skip means is not shown.
    if (skip >= known || !query.includes('$count=true')) continue;
    const earlier = await context.sharedSnapshot.query(query);
    const isMisplaced = earlier.kind === 'page' && !(await isInPlace(earlier, context.sharedSnapshot));
    // A snapshot that confirms a breach requests only what may have shown it.
    if (snapshot.number > 0 && earlier.kind !== 'refused' && !isMisplaced) continue;
    const answer = await snapshot.query(query);
    // list/envelope judges what is not a list.
    if (answer.kind === 'no-envelope') continue;
    // A refusal of an offset within a page shows nothing.
    if (answer.kind === 'refused' && skip % pageSize !== 0) continue;
    if (answer.kind === 'refused') await expectFollowable(context, answer);
    const first = answer.kind === 'refused' ? await snapshot.first({ count: true, pageSize }) : null;
    yield { answer, first, pageSize, skip, linked: null };
    if (answer.kind !== 'page' || !isMisplaced || ++misplaced > MAX_MISPLACED) continue;
    const linked = await linkedPageAfter(answer, snapshot);
    if (linked !== null) yield linked;
  }
}

/** The page to which a link leads, and the page that its parameters alone give; null if these are one request, or no pages. */
async function linkedPageAfter(before: Page, snapshot: Snapshot): Promise<LinkedPage | null> {
  const link = snapshot.linkOf(before);
  if (link === null) return null;
  const size = wholeNumberIn(link.parameters, '$pagesize');
  const skip = wholeNumberIn(link.parameters, '$skip');
  const target = `${snapshot.client.path}?$count=true&$pagesize=${size}&$skip=${skip}`;
  if (size === null || skip === null || canonicalQuery(target) === canonicalQuery(link.target)) return null;
  // A wrong offset in the link explains other records: link/offset judges it.
  const requested = requestedPageOf(before);
  if (requested === null || skip !== requested.skip + before.itemCount) return null;
  const [linked, page] = [await snapshot.follow(before), await snapshot.at(target)];
  return linked?.kind === 'page' && page.kind === 'page' ? { before, linked, page } : null;
}

/** Throws Undecided if a link that gave no page, or one that leads there, explains why a page from within the list is refused. */
async function expectFollowable(context: CheckContext, answer: NoPage): Promise<void> {
  if (context.snapshot.client.history.hasOtherSuccess(answer)) throw answeredOtherwise(answer);
  const broken = (await wholeTraversals(context)).find(({ end }) => end.kind === 'broken');
  const obstacle = broken === undefined ? null : causeOfEarlyStop(broken);
  if (obstacle !== null) throw obstacle;
  await throwIfLinkIsRefused(context, answer.target);
}

/**
 * Another explanation of a difference from the linked page: a refused token, a page that is too long, or an order that
 * changes. Null for none.
 */
async function obstacleOfDifference(
  snapshot: Snapshot,
  requested: PageByParameters,
  answer: ListAnswer,
): Promise<Undecided | null> {
  const { client } = snapshot;
  if (differenceFromLinkedPage(requested, answer) === null) return null;
  if (answer.kind === 'refused') return refusedWithValidToken(answer, client);
  const size = requested.traversal.pageSize ?? MAX_PAGE_SIZE;
  if (answer.kind === 'page' && answer.itemCount > size)
    return new Blocked('page-size/limit', `GET ${answer.target} gives ${recordCount(answer.itemCount)}`);
  const { page } = requested.step;
  const again = await reorderedPage(snapshot, page);
  if (again === null) return unreachedRecords(requested, answer);
  const others = `GET ${again.target} gives other records when it is sent again`;
  const { reached } = await mainTraversal(snapshot);
  if (reached.countMissing(again.identities) > 0 && (await knownLength(snapshot)) === reached.size)
    return changing(`${others}, which the list did not hold before`);
  return new Blocked('traversal/no-duplicates', `${others}: the order of the list changes between requests`);
}

/** The obstacle that records between two linked pages are lost by the links, not by the parameters; null if none is. */
function unreachedRecords({ traversal, isAligned }: PageByParameters, answer: ListAnswer): Undecided | null {
  const unreached =
    isAligned || answer.kind !== 'page' ? 0 : traversal.reached.countMissing(answer.identities);
  if (unreached === 0) return null;
  const what = `${recordCount(unreached)} that ${traversalName(traversal)} does not reach`;
  return new Blocked('traversal/same-records', `GET ${answer.target} gives ${what}`);
}

/** Repetitions of a page whose order may change: an odd number, because two servers may answer in turn. */
const REPETITIONS = 3;

/**
 * Repeats the request of a page, and returns the answer if it has the same count and other records; null
 * otherwise. An empty page shows no order.
 */
async function reorderedPage({ client }: Snapshot, page: Page): Promise<Page | null> {
  for (let repetitions = 0; repetitions < REPETITIONS && page.itemCount > 0; repetitions++) {
    const again = await client.authorized(page.target, { after: page.exchange });
    if (again.kind !== 'page' || again.count !== page.count || again.itemCount === 0) return null;
    if (othersIn(again, page) > 0) return again;
  }
  return null;
}

/** Why a traversal with a page size shows none of its linked pages; null if all show some. */
async function obstacleOfTraversals(context: CheckContext): Promise<Undecided | null> {
  for (const traversal of await wholeTraversals(context)) {
    if (traversal.pageSize === null) continue;
    const fault = findFirstFault(traversal);
    if (fault !== null) return fault;
    const cause = traversal.steps.length > 1 ? null : causeOfEarlyStop(traversal);
    if (cause !== null) return cause;
  }
  return null;
}

/** Whether a page near the end of the list is not refused for its offset. */
function isGiven({ answer, first, pageSize, skip }: FarPage): RuleFinding {
  if (answer.kind === 'page' || first === null) return 'kept';
  if (answer.status === 401 || answer.status === 403)
    return new Blocked('authorization/accepted', `${answer.target}: ${answer.why}`);
  if (first.kind !== 'page')
    return new Blocked('page-size/filled', `$pagesize=${pageSize} is refused: ${first.why}`);
  return violationOn(answer, {
    message:
      `GET ${answer.target} is refused: ${answer.why}; ` +
      `the list holds records from there on, and ${first.target} is answered 200`,
    expected: 'status 200 with records of the list',
    actual: answer.why,
    counterexample: { pageSize, skip },
    further: [first],
  });
}

/**
 * Whether a page requested by its parameters holds the records of the linked page: the order of the list may
 * depend on the page size, but not on further parameters of a link.
 */
function holdsLinkedRecords({ page, before, linked }: LinkedPage): RuleFinding {
  const isKept = othersIn(page, linked) === 0 && page.itemCount === linked.itemCount;
  return isKept ? 'kept' : otherThanLinked({ page, before, linked });
}

function otherRecords(
  { traversal, step, skip, expected, isAligned }: PageByParameters,
  { target, exchange }: ListAnswer,
  what: string,
): Violation {
  const place = `${isAligned ? '' : `record ${skip + 1} on `}page ${step.number} of ${traversalName(traversal)}`;
  const compared = traversal.steps.slice(step.number - 1, step.number + (isAligned ? 0 : 1));
  return new Violation({
    key: `${traversal.pageSize} ${skip}`,
    message: isAligned
      ? `GET ${target} ${what}; the link to ${place} gives ${recordCount(step.page.itemCount)}${orderNote(target, step.page.target)}`
      : `GET ${target} ${what}; the ${expected.length} requested records begin with ${place}`,
    expected: isAligned
      ? `the ${expected.length} records of page ${step.number}`
      : `${expected.length} records from record ${skip + 1} on`,
    actual: what,
    counterexample: { pageSize: traversal.pageSize, skip },
    exchanges: [exchange, ...compared],
    comparesTwo: true,
  });
}

/** A clause that names one record which the page lacks; empty if the page holds as many records as expected. */
async function missingRecord(
  { list, snapshot }: CheckContext,
  { step, expected, isAligned }: PageByParameters,
  answer: ListAnswer,
): Promise<string> {
  if (!isAligned || answer.kind !== 'page' || answer.itemCount >= expected.length) return '';
  const given = list.records.identifiersIn(await snapshot.exchange(answer.target)).map(({ key }) => key);
  const { target, exchange: after } = step.page;
  const linked = list.records.identifiersIn(await snapshot.exchange(target, { after }));
  const missing = linked.find(({ key }) => !given.includes(key));
  return missing === undefined ? '' : `, without record ${missing.name}`;
}

/** What to add if two requests have the same parameters, in another order or in another spelling such as %24 for $. */
function orderNote(target: string, linked: string): string {
  if (target === linked || canonicalQuery(target) !== canonicalQuery(linked)) return '';
  const [requested, given] = [target, linked].map((one) => JSON.stringify(parametersOf(one)));
  const what = requested === given ? 'another spelling' : 'another order';
  return ` for ${linked}, which has the same parameters in ${what}`;
}
