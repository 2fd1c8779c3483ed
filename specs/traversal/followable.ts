import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { Blocked, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { errorOf } from '../../src/judge/outcomes.ts';
import { refusedWithValidToken } from '../../src/judge/probes/expected-page.ts';
import { firstPages } from '../../src/judge/probes/first-pages.ts';
import { traversalsMainFirst } from '../../src/judge/probes/list-traversals.ts';
import { deepPage, pageAfterDeepPage } from '../../src/judge/probes/pages-by-parameters.ts';
import { causeOfEarlyStop } from '../../src/judge/probes/traversal-completeness.ts';
import { expectNoLinkDown, expectNoLostLink, findLinkPastEnd } from '../../src/judge/proofs/broken-links.ts';
import { expectNoRefusedLink } from '../../src/judge/proofs/refused-places.ts';
import { type RuleFinding, ruleTest } from '../../src/judge/rules/rule.ts';
import { secondClientRule } from '../../src/judge/rules/second-client-rule.ts';
import { findFirstFault, traversalName, wrongQuery } from '../../src/judge/traversals.ts';
import { type Breach, Violation } from '../../src/judge/violation.ts';
import { parametersOf, wholeNumberIn } from '../../src/provider/link.ts';
import type { ListAnswer, Page } from '../../src/provider/page.ts';
import { isOfGateway } from '../../src/provider/throttled-answer.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

export const traversalFollowable = requirement({
  id: 'traversal/followable',
  clause: ['4.3.2', '4.3.3'],
  smoke: true,
  rule: `Every nextPageLink, followed exactly as given and with the same headers, is answered with HTTP 200 and a list
    envelope.`,
  needs: MORE_THAN_ONE_PAGE,
  tested: `Follows every link of several traversals, byte for byte, resolved against the list path, with the same
    headers. A link of any check that gave no page is followed again: two refusals with a page between them fail, with
    their share. So does a link that a gateway keeps refusing for some seconds while it answers first pages. If a page
    from within the list is refused by its parameters, follows the link that leads there, or to the first page that is
    refused, three times. A link that is refused again and again fails also while the list changes, if the list always
    held more records than its $skip. Also follows the first three links with a token of the second provider.`,
  breach: '404, 400, 500 or a body that is not a list, for a link that the provider gave.',
  causes: `The link has another path prefix than the gateway's. $ is encoded twice. The service's own validation refuses
    the link. $skip exceeds a limit of the search engine (10,000 records). The query becomes slow with its offset and
    times out.`,
  fix: `Route the link exactly like the first request: same path, same gateway, same parser. Keep no state between pages
    that may be lost. Allow every offset up to the total.`,
  judge: async (context) => {
    const obstacle = await errorOf(() => judgeTraversals(context));
    const cause = obstacle instanceof Undecided ? obstacle.cause : null;
    const isDown = cause?.kind === 'unavailable' && isOfGateway(cause.status ?? 0);
    if (obstacle !== null && cause?.kind !== 'intermittent' && !isDown) throw obstacle;
    context.afterAllChecks(async () => {
      if (context.options.suite !== 'smoke') await expectNoRefusedLink(context);
      if (!isDown) await expectNoLostLink(context);
      else if (context.options.suite !== 'smoke') await expectNoLinkDown(context);
      await judgeForSecondClient(context);
      if (obstacle !== null) throw obstacle;
    });
  },
});

const judgeTraversals = ruleTest({
  atRest: true,
  oracle: givesPage,
  probes: followedLinks,
  obstacle: findLinkPastEnd,
});

const judgeForSecondClient = secondClientRule(givesPage, async (traversal, context) => {
  // A refusal of the token says nothing of the link.
  if (traversal.end.kind === 'broken' && traversal.end.answer.status === 401) return null;
  return (await obstacleOf(context, traversal)) ?? lastLinkOf(traversal);
});

/** The oracle, over a link that was followed, or why a traversal has none. */
function givesPage(link: FollowedLink | Undecided): RuleFinding {
  if (link instanceof Undecided) return link;
  const { page, answer, position } = link;
  if (answer.kind === 'page') return 'kept';
  const place = position === null ? page.target : `page ${position.number} of ${position.name}`;
  return new Violation({
    key: position === null ? answer.target : `${position.pageSize} ${answer.target}`,
    message:
      `the nextPageLink of ${place}, followed as given, ` +
      `is ${position === null ? 'refused' : 'no list page'}: ${answer.why}`,
    expected: 'status 200 with a list envelope',
    actual: answer.why,
    counterexample:
      position === null
        ? { request: page.target }
        : { pageSize: position.pageSize, page: position.number + 1 },
    exchanges: [answer, page],
    ...heldBehind(answer),
  });
}

/** Statuses that say that the provider does not serve the request: no outage and no limit of requests explains them. */
const REFUSES_REQUEST = [400, 404, 405, 410, 414, 416, 422];

/** How many records a list must have held for a refused link to break the rule although records were added or removed. */
function heldBehind({ kind, status, target }: ListAnswer): Pick<Breach, 'heldRecords'> {
  const skip = wholeNumberIn(parametersOf(target), '$skip');
  return kind === 'refused' && skip !== null && REFUSES_REQUEST.includes(status)
    ? { heldRecords: skip + 1 }
    : {};
}

interface FollowedLink {
  /** The page that gives it. */
  readonly page: Page;
  readonly answer: ListAnswer;
  /** Where the page is in a traversal; null for a page that was requested by its parameters. */
  readonly position: {
    readonly name: string;
    readonly pageSize: number | null;
    readonly number: number;
  } | null;
}

/** The last link that each traversal followed, or why it shows nothing; then that of a page near the end of the list. */
async function* followedLinks(context: CheckContext): AsyncGenerator<FollowedLink | Undecided> {
  for await (const traversal of traversalsMainFirst(context, { whole: false })) {
    const link = (await obstacleOf(context, traversal)) ?? lastLinkOf(traversal);
    if (link !== null) yield link;
  }
  const deep = await deepPage(context);
  const answer = deep === null ? null : await pageAfterDeepPage(deep, context.snapshot);
  if (deep?.answer.kind !== 'page' || answer === null) return;
  if (answer.kind === 'no-envelope') throw new Blocked('list/envelope', answer.why);
  yield { page: deep.answer, answer, position: null };
}

function lastLinkOf(traversal: Traversal): FollowedLink | null {
  const { pageSize, steps, end } = traversal;
  const step = end.kind === 'broken' ? steps.at(-1) : steps.at(-2);
  const answer = end.kind === 'broken' ? end.answer : steps.at(-1)?.page;
  if (step === undefined || answer === undefined) return null;
  return {
    page: step.page,
    answer,
    position: { name: traversalName(traversal), pageSize, number: step.number },
  };
}

/** Why a traversal does not show whether its links can be followed; null if it does. */
async function obstacleOf(context: CheckContext, traversal: Traversal): Promise<Undecided | null> {
  const { end, steps } = traversal;
  // Links that were not followed may lead to an error.
  if (['unusable', 'runaway', 'limit'].includes(end.kind)) return causeOfEarlyStop(traversal);
  if (end.kind !== 'broken') return null;
  const last = steps.at(-1);
  if (last === undefined) return causeOfEarlyStop(traversal);
  const fault = findFirstFault(traversal);
  const hasWrongOffset = fault?.requirement === 'link/offset' && fault.step === last;
  const wrongLink = wrongQuery(traversal, last) ?? (hasWrongOffset ? fault : null);
  if (wrongLink !== null) return wrongLink;
  if (last.page.count === last.recordsSoFar && last.recordsSoFar >= (await mostOnAPage(context)))
    return new Blocked(
      'link/absent-at-the-end',
      `the link of ${last.page.target} leads beyond the last record`,
    );
  if (end.answer.kind === 'no-envelope') return causeOfEarlyStop(traversal);
  return refusedWithValidToken(end.answer, context.snapshot.client);
}

/** Records of the fullest first page: the list has at least as many, whatever its count is. */
async function mostOnAPage(context: CheckContext): Promise<number> {
  const firsts = await firstPages(context);
  return Math.max(...firsts.map(({ answer }) => (answer.kind === 'page' ? answer.itemCount : 0)));
}
