import { parametersOf, wholeNumberIn } from '../../provider/link.ts';
import type { ListAnswer, NoEnvelope, Page } from '../../provider/page.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { awaitAll } from '../outcomes.ts';
import { blockedByRefusal } from './expected-page.ts';
import {
  encodedQueries,
  encodedUncountedQuery,
  firstPages,
  requestUncountedPage,
  smallPageSize,
} from './first-pages.ts';
import { countKnownRecords, mainTraversal } from './list-facts.ts';
import { allTraversals } from './list-traversals.ts';
import { answersToAllTargets } from './page-targets.ts';
import { pagesByParameters } from './pages-by-parameters.ts';

export type AcceptedAnswer = Page | NoEnvelope;

/**
 * Every accepted answer of the shared snapshot, those of common calls first. The first snapshot requests all of them at
 * once; a later one, which confirms a breach, requests only those that the caller takes. Refused calls are left out, and
 * limit the check.
 */
export async function* sharedAnswers(context: CheckContext): AsyncGenerator<AcceptedAnswer> {
  for await (const answer of allAnswers(context)) {
    if (answer.kind === 'refused') context.limitedBy(blockedByRefusal(answer));
    else yield answer;
  }
}

/** One of them once more, in another snapshot; null if the call is refused now. */
export async function repeatAnswer(
  { target }: AcceptedAnswer,
  { snapshot }: CheckContext,
): Promise<AcceptedAnswer | null> {
  const answer = await snapshot.at(target);
  return answer.kind === 'refused' ? null : answer;
}

async function* allAnswers(context: CheckContext): AsyncGenerator<ListAnswer> {
  const { snapshot } = context;
  if (snapshot.number === 0) await requestSharedAnswers(context);
  yield snapshot.first({});
  yield* answersOf(await mainTraversal(snapshot));
  const [firsts, traversals, others] = await requestSharedAnswers(context);
  yield* firsts.map(({ answer }) => answer);
  yield* others;
  yield* traversals.flatMap(answersOf);
}

function requestSharedAnswers(context: CheckContext) {
  return awaitAll([firstPages(context), allTraversals(context), requestFurtherAnswers(context)]);
}

/** Answers of a traversal: its pages, and the answer without a page that ended it, unless a link was refused. */
function answersOf({ steps, end }: Traversal): readonly ListAnswer[] {
  const isLast = end.kind === 'broken' && (steps.length === 0 || end.answer.kind !== 'refused');
  return [...steps.map(({ page }) => page), ...(isLast ? [end.answer] : [])];
}

/** Answers to further calls: `$count=false`, names with %24, pages by parameters, and the targets of page-targets.ts. */
async function requestFurtherAnswers(context: CheckContext): Promise<readonly ListAnswer[]> {
  const { snapshot } = context;
  const size = await smallPageSize(context);
  const uncounted = await encodedUncountedQuery(context);
  const paged = (await pagesByParameters(context)).filter(({ isAligned }) => isAligned);
  const requested = await awaitAll([
    requestUncountedPage(context),
    ...(size > 0 ? encodedQueries(context, size) : []).map((query) => snapshot.query(query)),
    ...(uncounted === null || size === 0 ? [] : [snapshot.query(uncounted)]),
    ...paged.map(({ query }) => snapshot.query(query)),
  ]);
  const further = await answersToAllTargets(context);
  const known = await countKnownRecords(snapshot);
  return [
    ...requested.filter(({ kind, target }) => kind !== 'refused' || !hasLoneSkip(target)),
    ...further.filter((answer) => !isAllowedRefusal(answer, known)),
  ];
}

/** Whether a call has $skip without `$count=true` or without $pagesize: the specification shows $skip in links, which have both. */
function hasLoneSkip(target: string): boolean {
  const parameters = parametersOf(target);
  const has = (name: string): boolean => parameters.some((one) => one.name === name);
  const isCounted = parameters.some(({ name, value }) => name === '$count' && value === 'true');
  return has('$skip') && !(isCounted && has('$pagesize'));
}

/**
 * Whether a call that the specification leaves open is refused. Past the last record, an answer of status 200 that is
 * no list is a refusal, too.
 */
function isAllowedRefusal(answer: ListAnswer, known: number): boolean {
  if (answer.kind !== 'no-envelope') return answer.kind === 'refused';
  const skip = wholeNumberIn(parametersOf(answer.target), '$skip') ?? 0;
  return answer.isOther && skip > 0 && skip >= known;
}
