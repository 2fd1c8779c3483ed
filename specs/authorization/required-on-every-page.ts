import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { expectOpenToToken, expectRefusals, type Intrusion } from '../../src/judge/access.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { wholeWalks } from '../../src/judge/evidence.ts';
import { cutShort } from '../../src/judge/walks.ts';
import type { Walk } from '../../src/provider/traversal.ts';

/** Links whose pages are asked for without a token, at most; beyond that the first, the last and drawn ones. */
const MOST_LINKS = 100;

export const authorizationRequiredOnEveryPage = requirement({
  id: 'authorization/required-on-every-page',
  clause: ['5.1', '4.3.3'],
  smoke: false,
  rule: 'The nextPageLink of every page that was visited is refused when it is asked for without the Authorization header.',
  needs: MORE_THAN_ONE_PAGE,
  tested:
    'Walks the list with the token, then asks for its links without the header and looks for records in the answers.',
  breach: 'A linked page is served without the header, although the first page is guarded.',
  causes: prose`The gate matches the query as well as the path, or only the first page's handler checks; links that
      carry a continuation secret that stands in for the token; a cache that stored the page for the authorised
      caller.`,
  fix: prose`Guard the path whatever its query is; let links carry paging alone and never anything that
      stands in for the token; keep pages out of shared caches.`,
  judge: async (context) => {
    await expectOpenToToken(context);
    const walks = await wholeWalks(context, context.view);
    const targets = [...new Set(walks.flatMap(linkedTargets))];
    if (targets.length === 0) {
      const cause = walks.map(cutShort).find((cut) => cut !== null);
      if (cause != null) throw cause;
      return;
    }
    const intrusions = sampleOf(targets, context).map((target): Intrusion => {
      const place = `${targets.indexOf(target) + 1} of ${targets.length}`;
      return {
        key: target,
        asked: `of the linked page ${target} (${place}) without an Authorization header`,
        call: { target, authorization: null },
        openList: true,
      };
    });
    await expectRefusals(context, intrusions);
  },
});

// Every page of the main walk; of the others the last, and of long ones the middle: small pages far from the start.
function linkedTargets(walk: Walk): readonly string[] {
  const linked = walk.steps.slice(1).map((step) => step.page.target);
  if (walk.pageSize === null) return linked;
  return [linked.length > 4 ? linked[Math.floor(linked.length / 2)] : undefined, linked.at(-1)].filter(
    (target) => target !== undefined,
  );
}

function sampleOf(targets: readonly string[], context: CheckContext): readonly string[] {
  if (targets.length <= MOST_LINKS) return targets;
  const chosen = new Set([0, 1, 2, targets.length - 2, targets.length - 1]);
  for (let number = 0; chosen.size < MOST_LINKS; number++)
    chosen.add(context.random(`link ${number}`) % targets.length);
  return [...chosen].sort((one, other) => one - other).map((index) => targets[index] as string);
}
