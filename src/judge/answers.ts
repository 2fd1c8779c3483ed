import type { ListAnswer } from '../provider/page.ts';
import type { Walk } from '../provider/traversal.ts';
import type { View } from '../provider/view.ts';
import { pagesByParameters } from './by-parameters.ts';
import type { CheckContext } from './context.ts';
import { everyAnswer } from './every-page.ts';
import { allOf, allWalks, countFalse, encodedQueries, firstPages, mainWalk, smallSize } from './evidence.ts';

/**
 * Every answer of the shared evidence, those of the usual calls first. A first look asks for all of it at a time; a
 * later one, which is there to see a breach again, asks for no more than is taken of it.
 */
export async function* answersInTurn(context: CheckContext, view: View): AsyncGenerator<ListAnswer> {
  if (view.number === 0) await everywhere(context, view);
  yield view.first({});
  yield* answersOf(await mainWalk(view));
  const { firsts, walks, others } = await everywhere(context, view);
  yield* firsts.map(({ answer }) => answer);
  yield* others;
  yield* walks.flatMap(answersOf);
}

async function everywhere(context: CheckContext, view: View) {
  const [firsts, walks, others] = await allOf([
    firstPages(context, view),
    allWalks(context, view),
    otherwiseAsked(context, view),
  ]);
  return { firsts, walks, others };
}

/** Answers that a walk met: its pages, and what came in the place of one. */
function answersOf({ steps, end }: Walk): readonly ListAnswer[] {
  return [...steps.map(({ page }) => page), ...(end.kind === 'broken' ? [end.answer] : [])];
}

/** Answers to other ways of asking that checks try: `$count=false`, names with %24, and what {@link everyPage} asks for. */
async function otherwiseAsked(context: CheckContext, view: View): Promise<readonly ListAnswer[]> {
  const size = await smallSize(view);
  const paged = (await pagesByParameters(context, view)).filter(({ isAligned }) => isAligned);
  const asked = await allOf([
    view.first(await countFalse(context, view)),
    ...(size > 0 ? encodedQueries(context, size).map((query) => view.query(query)) : []),
    ...paged.map(({ query }) => view.query(query)),
  ]);
  const further = await everyAnswer(context, view);
  // What the specification leaves open may be refused.
  return [...asked, ...further.filter(({ kind }) => kind !== 'refused')];
}
