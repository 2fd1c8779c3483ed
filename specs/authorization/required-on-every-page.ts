import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { wholeTraversals } from '../../src/judge/probes/list-traversals.ts';
import { causeOfEarlyStop } from '../../src/judge/probes/traversal-completeness.ts';
import { type ListProbe, refusedListCalls } from '../../src/judge/rules/refused-list-calls.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

/** Linked pages that are requested without a token at most; of more, the first, the last and random ones. */
const MAX_LINKS = 100;

export const authorizationRequiredOnEveryPage = requirement({
  id: 'authorization/required-on-every-page',
  clause: ['5.1', '4.3.3'],
  rule: 'A call of any nextPageLink that the run followed is refused without the Authorization header.',
  needs: MORE_THAN_ONE_PAGE,
  leastRecords: 1,
  tested: `Traverses the list with the token, then requests its links without the header and looks for records in
      the answers.`,
  breach: 'A linked page is served without the header, although the first page requires it.',
  causes: `A gate that matches the query as well as the path, or a check in the handler of the first page only;
      links with a continuation secret that replaces the token; a cache that stored the page for the authorised
      caller.`,
  fix: `Protect the path whatever its query is. Put only paging parameters into links, nothing that replaces the
      token. Keep pages out of shared caches.`,
  isAboutAnswers: true,
  judge: refusedListCalls(async function* (context) {
    yield await linkedPagesWithoutToken(context);
  }),
});

async function linkedPagesWithoutToken(context: CheckContext): Promise<readonly ListProbe[]> {
  const traversals = await wholeTraversals(context);
  // The main traversal of a short list may have a single page.
  const byLength = traversals.toSorted((one, other) => other.steps.length - one.steps.length);
  const whole = traversals.slice(0, 1).find(({ steps }) => steps.length > 1) ?? byLength[0];
  const targets = [
    ...new Set(traversals.flatMap((one) => (one === whole ? linksOf(one) : someLinksOf(one)))),
  ];
  const earlyStop = traversals.map(causeOfEarlyStop).find((cause) => cause !== null);
  if (targets.length === 0 && earlyStop != null) throw earlyStop;
  return sampleOf(targets, context).map((target) => ({
    key: target,
    description:
      `of the linked page ${target} (${targets.indexOf(target) + 1} of ${targets.length}) without an ` +
      'Authorization header',
    call: { target, authorization: null },
    mayListBeOpen: true,
  }));
}

/** The last linked page, and of long traversals also the one in the middle. */
function someLinksOf(traversal: Traversal): readonly string[] {
  const linked = linksOf(traversal);
  return [linked.length > 4 ? linked[Math.floor(linked.length / 2)] : undefined, linked.at(-1)].filter(
    (target) => target !== undefined,
  );
}

function linksOf({ steps }: Traversal): readonly string[] {
  return steps.slice(1).map(({ page }) => page.target);
}

function sampleOf(targets: readonly string[], context: CheckContext): readonly string[] {
  if (targets.length <= MAX_LINKS) return targets;
  const chosen = new Set([0, 1, 2, targets.length - 2, targets.length - 1]);
  for (let number = 0; chosen.size < MAX_LINKS; number++)
    chosen.add(context.random(`link ${number}`) % targets.length);
  return [...chosen].sort((one, other) => one - other).map((index) => targets[index] as string);
}
