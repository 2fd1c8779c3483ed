import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { deepPage, pageAfterDeepPage } from '../../src/judge/deep-pages.ts';
import { refusedWithValidToken } from '../../src/judge/expected-page.ts';
import { firstPages } from '../../src/judge/first-pages.ts';
import { findLinkPastEnd } from '../../src/judge/link-past-end.ts';
import { traversalsMainFirst } from '../../src/judge/list-traversals.ts';
import { expectNoLostLink } from '../../src/judge/lost-links.ts';
import { blockedByMisstep, firstMisstep, wrongQuery } from '../../src/judge/missteps.ts';
import { causeOfEarlyStop } from '../../src/judge/traversal-completeness.ts';
import { traversalName } from '../../src/judge/traversals.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const traversalFollowable = requirement({
  id: 'traversal/followable',
  clause: ['4.3.2', '4.3.3'],
  smoke: true,
  rule: prose`Every nextPageLink, followed exactly as given and with the same headers, is answered with HTTP 200 and a list
    envelope.`,
  needs: MORE_THAN_ONE_PAGE,
  tested: prose`Follows every link of several traversals, byte for byte, resolved against the list path, with the same
    headers. A link of any check that gave no page is followed again: two refusals fail, with their share.`,
  breach: '404, 400, 500 or a body that is not a list, for a link that the provider gave.',
  causes: prose`The link lacks the gateway's path prefix. $ is encoded twice. The service's own validation refuses the link.
    $skip exceeds a limit of the search engine (10,000 records). The query becomes slow with its offset and times
    out.`,
  fix: prose`Route the link exactly like the first request: same path, same gateway, same parser. Keep no state between pages
    that may be lost. Allow every offset up to the total.`,
  judge: async (context) => {
    const doubt = await expectFollowableTraversals(context).then(
      () => null,
      (error: unknown) => {
        if (error instanceof Undecided && error.cause.kind === 'intermittent') return error;
        throw error;
      },
    );
    context.afterAllChecks(async () => {
      await expectNoLostLink(context);
      if (doubt !== null) throw doubt;
    });
  },
});

async function expectFollowableTraversals(context: CheckContext): Promise<void> {
  await context.confirm({ atRest: true }, async (snapshot) => {
    let blocked: Undecided | null = null;
    for await (const traversal of traversalsMainFirst(context, snapshot, { whole: false })) {
      if (traversal.steps.length > 1) context.exercised();
      // Links that were not followed may lead to an error.
      if (['unusable', 'runaway', 'limit'].includes(traversal.end.kind))
        blocked ??= causeOfEarlyStop(traversal);
      if (traversal.end.kind !== 'broken') continue;
      const last = traversal.steps.at(-1);
      if (last === undefined) {
        blocked ??= causeOfEarlyStop(traversal);
        continue;
      }
      const misstep = firstMisstep(traversal);
      const hasWrongOffset = misstep?.requirement === 'link/offset' && misstep.step === last;
      const wrongLink = wrongQuery(traversal, last) ?? (hasWrongOffset ? misstep : null);
      if (wrongLink !== null) {
        blocked ??= blockedByMisstep(wrongLink);
        continue;
      }
      if (last.page.count === last.given && last.given >= (await mostOnAPage(context, snapshot))) {
        blocked ??= new Blocked(
          'link/absent-at-the-end',
          `the link of ${last.page.target} leads beyond the last record`,
        );
        continue;
      }
      const { answer } = traversal.end;
      const refused = refusedWithValidToken(answer, snapshot.client);
      if (refused !== null) {
        blocked ??= refused;
        continue;
      }
      if (answer.kind === 'no-envelope') {
        blocked ??= causeOfEarlyStop(traversal);
        continue;
      }
      throw new Violation({
        key: `${traversal.pageSize} ${answer.target}`,
        message: `the nextPageLink of page ${last.number} of ${traversalName(traversal)}, followed as given, is no list page: ${answer.why}`,
        expected: 'status 200 with a list envelope',
        actual: answer.why,
        counterexample: { pageSize: traversal.pageSize, page: last.number + 1 },
        exchanges: [answer.exchange, last.page.exchange],
      });
    }
    await expectDeepLinkToBeFollowable(context, snapshot);
    blocked ??= await findLinkPastEnd(context, snapshot);
    if (blocked !== null) throw blocked;
  });
}

/** The link of a page near the end, which was requested by its parameters. */
async function expectDeepLinkToBeFollowable(context: CheckContext, snapshot: Snapshot): Promise<void> {
  const deep = await deepPage(context, snapshot);
  const answer = deep === null ? null : await pageAfterDeepPage(deep, snapshot);
  if (deep === null || answer === null) return;
  context.exercised();
  if (answer.kind === 'page') return;
  if (answer.kind === 'no-envelope') throw new Blocked('list/envelope', answer.why);
  throw new Violation({
    key: answer.target,
    message: `the nextPageLink of ${deep.answer.target}, followed as given, is refused: ${answer.why}`,
    expected: 'status 200 with a list envelope',
    actual: answer.why,
    counterexample: { request: deep.answer.target },
    exchanges: [answer.exchange, deep.answer.exchange],
  });
}

/** Records of the fullest first page: the list has at least as many, whatever its count is. */
async function mostOnAPage(context: CheckContext, snapshot: Snapshot): Promise<number> {
  const firsts = await firstPages(context, snapshot);
  return Math.max(...firsts.map(({ answer }) => (answer.kind === 'page' ? answer.itemCount : 0)));
}
