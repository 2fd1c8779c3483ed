import { Blocked } from '../core/undecided.ts';
import { sameIdentities } from '../provider/identity.ts';
import { type ListAnswer, othersIn } from '../provider/page.ts';
import type { View } from '../provider/view.ts';
import type { Step, Walk } from '../provider/walk.ts';
import type { CheckContext } from './context.ts';
import { wholeWalks } from './evidence.ts';
import { causedBy, firstMisstep, walkName } from './walks.ts';

/** A linked page, and the query that asks for it by its parameters (4.3.3). */
export interface ByParameters {
  readonly walk: Walk;
  readonly step: Step;
  readonly query: string;
}

/**
 * Linked pages that are asked for by their parameters too: of the walk with the smallest pages one in the middle and the
 * last, of others the second, where offsets go wrong. Only of walks without a misstep.
 */
export async function pagesByParameters(context: CheckContext, view: View): Promise<readonly ByParameters[]> {
  const walks = (await wholeWalks(context, view)).filter(({ pageSize }) => pageSize !== null);
  return walks.flatMap((walk, index) => {
    const misstep = firstMisstep(walk);
    if (misstep !== null) {
      context.curtailed(causedBy(misstep));
      return [];
    }
    const linked = walk.steps.slice(1);
    const chosen = new Set(index === 0 ? [Math.floor(linked.length / 2), linked.length - 1] : [0]);
    return linked
      .filter((_step, place) => chosen.has(place))
      .map((step) => {
        const skip = step.given - step.page.itemCount;
        // Another order than links have, so that it is a question of its own.
        return { walk, step, query: `$skip=${skip}&$pagesize=${walk.pageSize}&$count=true` };
      });
  });
}

/** What such a query is answered with in the place of the linked page, as the end of a sentence; null where it is the same. */
export function unlikeTheLinked({ step }: ByParameters, answer: ListAnswer): string | null {
  if (answer.kind !== 'page') return `is refused: ${answer.why}`;
  const asMany = answer.itemCount === step.page.itemCount;
  if (asMany && sameIdentities(answer.identities, step.page.identities)) return null;
  const others = othersIn(answer, step.page);
  return asMany && others === 0 ? null : `gives ${answer.itemCount} records, ${others} of them others`;
}

/** The first linked page that is another where it is asked for by its parameters, as what follows from that; or null. */
export async function parametersAstray(context: CheckContext, view: View): Promise<Blocked | null> {
  for (const asked of await pagesByParameters(context, view)) {
    const answer = await view.query(asked.query);
    const what = unlikeTheLinked(asked, answer);
    if (what === null) continue;
    const where = `the link to page ${asked.step.number} of ${walkName(asked.walk)}`;
    return new Blocked('traversal/by-parameters', `GET ${answer.target} ${what}, unlike ${where}`);
  }
  return null;
}
