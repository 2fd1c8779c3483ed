import { Blocked, intermittent } from '../../core/undecided.ts';
import { hasParameter, parametersOf, valuesOf, wholeNumber } from '../../provider/link.ts';
import type { LinkSource, LostLink } from '../../provider/link-log.ts';
import type { Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { isLinked } from '../given-place.ts';
import { orNull } from '../outcomes.ts';
import { firstPages } from '../probes/first-pages.ts';
import { refusalsByGateway } from '../probes/lasting-refusals.ts';
import { listFacts, recordsAfter } from '../probes/list-facts.ts';
import { partialTraversals } from '../probes/list-traversals.ts';
import { answersToAllTargets } from '../probes/page-targets.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { isAccepted } from '../probes/valid-token-calls.ts';
import { queryFaults, skipOf, traversalName } from '../traversals.ts';
import { Violation } from '../violation.ts';

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
export async function findLinkPastEnd(context: CheckContext): Promise<Blocked | null> {
  const { snapshot } = context;
  const answers =
    context.options.suite === 'smoke'
      ? (await firstPages(context)).map(({ answer }) => answer)
      : await answersToAllTargets(context);
  const partial = await partialTraversals(context);
  for (const answer of [...answers, ...partial.flatMap(({ steps }) => steps.at(-1)?.page ?? [])]) {
    const requested = requestedPageOf(answer);
    if (requested === null || !isLinked(requested.page)) continue;
    const after = recordsAfter(requested, await listFacts(snapshot));
    if (after === null || after > 0) continue;
    const linked = snapshot.linkOf(requested.page)?.target;
    if (snapshot.pages().some(({ target }) => target === linked)) continue;
    const { target } = requested.page;
    const broken = requested.isCounted === true ? 'link/absent-at-the-end' : 'link/absent-without-count';
    return new Blocked(broken, `${target} holds the last record and gives a nextPageLink`);
  }
  return null;
}

/** Statuses that say nothing of the link: they refuse the caller, or ask to try again later. */
const STATUSES_OF_CALLERS = [401, 403, 407, 408, 425, 429];

/** Links that gave no page and are followed again at most. */
const MAX_REPEATED = 3;
/** If at least so many calls without $skip were refused like links, the links are not the cause. */
const LEAST_OTHERS = 2;
/** Other links that are followed again at most, to see one more that gives no page. */
const MAX_FURTHER = 40;

/**
 * Expects that no link of the run gave no page, whichever check followed it: one of several servers may not know how to read it.
 * Follows such links again, and others until a second one gives no page. Throws Violation, with their share, if there were
 * two with a page between them, Undecided otherwise: all links that are followed during an outage give no page. A link counts
 * if its query continues its page, and the list holds as many records now as then.
 */
export async function expectNoLostLink(context: CheckContext): Promise<void> {
  const { list, tokens } = context;
  const { lost, followed, given } = list.history.links;
  const { tokenOf } = list.history;
  const isEnded = (token: string | undefined): boolean =>
    tokens.history.endings.some((ending) => ending.token === token);
  // A link may be bound to the token that obtained it. An earlier page may have given the same link.
  const isFollowedAsGiven = (link: LostLink): boolean => {
    const { source, answer, isFollowed } = link;
    const token = tokenOf.get(answer.exchange);
    return isLinkRefusal(link) && !isEnded(token) && (isFollowed || tokenOf.get(source.exchange) === token);
  };
  const broken = lost
    .filter(isFollowedAsGiven)
    .filter(
      ({ source, answer }) => continuesItsPage(source) && !list.history.calls.isExplained(answer.exchange),
    );
  // A page that was refused by its parameters may be refused by a link at another time.
  const { refusedPlaces, counts } = list.pages;
  if (broken.length === 0 && ![...refusedPlaces.values()].some((skip) => skip < (counts?.last ?? 0))) return;
  let repeated = 0;
  let isAtRest = true;
  const followAgain = async (target: string, source: LinkSource): Promise<void> => {
    const again = await list.authorized(target, { after: source.exchange });
    repeated++;
    if (again.kind !== 'page' && isFollowedAsGiven({ source, answer: again, isFollowed: false }))
      broken.push({ source, answer: again, isFollowed: false });
    const now = again.kind === 'page' ? again : await list.authorized(source.target);
    isAtRest &&= now.kind === 'page' && now.count === source.count;
  };
  for (const { answer, source } of broken.slice(0, MAX_REPEATED)) await followAgain(answer.target, source);
  const isSeenTwice = (): boolean => list.history.links.separate(broken.map((one) => one.answer)) > 1;
  for (const [target, source] of given.slice(0, MAX_FURTHER))
    if (!isSeenTwice() && isAtRest && continuesItsPage(source)) await followAgain(target, source);
  const found = await followedInForce(context, broken);
  const [first] = found;
  if (first === undefined) return;
  const { source, answer } = first;
  const message = `the nextPageLink of ${source.target}, followed as given, is not a list page: ${answer.why}`;
  const areSeparate = list.history.links.separate(found.map((one) => one.answer)) > 1;
  const others = list.history.calls.refusedNowAndThen.filter(({ target }) => !hasParameter(target, '$skip'));
  if (others.filter(({ status }) => status === answer.status).length >= LEAST_OTHERS)
    throw new Blocked(
      'authorization/accepted',
      `calls without $skip were answered ${answer.status} now and then, too`,
    );
  // An outage explains a 500.
  if (!areSeparate || !isAtRest || found.some((one) => one.answer.status >= 500))
    throw intermittent(message, followed + repeated, found.length);
  throw new Violation({
    message: `${message} (${found.length} of ${followed + repeated} linked pages)`,
    expected: 'status 200 with a list envelope',
    actual: answer.why,
    counterexample: { request: source.target },
    exchanges: [answer, source, ...found.slice(1).map((one) => one.answer)],
  });
}

/** The links whose token is accepted now, or not known: another token may have ended, with whatever status it is refused. */
async function followedInForce(
  { list }: CheckContext,
  links: readonly LostLink[],
): Promise<readonly LostLink[]> {
  const tokenOf = ({ answer }: LostLink): string | undefined => list.history.tokenOf.get(answer.exchange);
  const inForce = new Map<string | undefined, boolean>([[undefined, true]]);
  for (const token of new Set(links.map(tokenOf)))
    if (token !== undefined)
      inForce.set(token, isAccepted(await list.call({ authorization: `Bearer ${token}` })));
  return links.filter((link) => inForce.get(tokenOf(link)));
}

/**
 * Expects that no link of the run stays refused by a gateway while it answers other pages: a provider that fails or times out on
 * later pages. Throws Violation.
 */
export async function expectNoLinkDown(context: CheckContext): Promise<void> {
  const { calls, links } = context.list.history;
  const [refused] = links.given.filter(
    ([target, source]) => calls.isRefusedByGateway(target) && continuesItsPage(source),
  );
  if (refused === undefined) return;
  const [target, source] = refused;
  const refusals = await refusalsByGateway(context, target);
  if (refusals === null) return;
  const status = [...new Set(refusals.map(({ answer }) => answer?.status))].join(' and ');
  throw new Violation({
    message:
      `the nextPageLink of ${source.target}, followed as given, is answered ${status}, ${refusals.length} times over some ` +
      'seconds, while the first page was answered 200 right before and right after each of them',
    expected: 'status 200 with a list envelope',
    actual: `the status is ${status}`,
    counterexample: { request: source.target },
    exchanges: [...refusals, source],
  });
}

/** Whether the link itself was refused. list/envelope judges answers with status 200. */
function isLinkRefusal({ answer }: LostLink): boolean {
  const { status, kind } = answer;
  return kind === 'refused' && !STATUSES_OF_CALLERS.includes(status) && status <= 500;
}

/** Whether a link asks for the records after its page, and there are some. */
export function continuesItsPage({ target, itemCount, count, link }: LinkSource): boolean {
  const linked = parametersOf(typeof link === 'string' ? link : '');
  const skip = wholeNumber(valuesOf(linked, '$skip')[0] ?? '');
  const before = wholeNumber(valuesOf(parametersOf(target), '$skip')[0] ?? '0');
  return (
    queryFaults(linked, null).length === 0 &&
    before !== null &&
    skip === before + itemCount &&
    typeof count === 'number' &&
    count > skip
  );
}
