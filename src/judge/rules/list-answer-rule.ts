import type { Undecided } from '../../core/undecided.ts';
import { parametersOf, wholeNumberIn } from '../../provider/link.ts';
import type { ListAnswer } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { Resource } from '../../target/target.ts';
import type { CheckContext } from '../context.ts';
import { blockedByRefusal } from '../expected-page.ts';
import { awaitAll } from '../parallel-map.ts';
import {
  encodedQueries,
  encodedUncountedQuery,
  firstPages,
  requestUncountedPage,
  smallPageSize,
} from '../probes/first-pages.ts';
import { countKnownRecords, mainTraversal } from '../probes/list-traversals.ts';
import { answersToAllTargets } from '../probes/page-targets.ts';
import { pagesByParameters } from '../probes/pages-by-parameters.ts';
import { allTraversals } from '../probes/partial-traversals.ts';
import { Violation } from '../violation.ts';
import type { RuleFinding, RuleTest } from './rule.ts';

/** Over one answer to a list call. */
type ListAnswerOracle = (answer: ListAnswer, resource: Resource) => Exclude<RuleFinding, Undecided>;

/** A rule about single answers to list calls. */
interface ListAnswerRule {
  readonly oracle: ListAnswerOracle;
  /** The answers to judge. Throws Undecided if there is nothing to judge. */
  readonly probes: (context: CheckContext, snapshot: Snapshot) => AsyncIterable<ListAnswer>;
  /** Whether a violation says how many of the answers show the breach; false unless given. */
  readonly hasShare?: boolean;
}

/**
 * Tests a rule by applying its oracle to every answer that its probes give. Refused calls are left out, and limit the
 * check.
 */
export function listAnswerRule(rule: ListAnswerRule): RuleTest {
  const { oracle, hasShare = false } = rule;
  const judge = async (context: CheckContext): Promise<void> => {
    let share = '';
    let suspect: string | null = null;
    await context.confirm({ atRest: false }, async (snapshot) => {
      const isFirst = snapshot === context.snapshot;
      // The answer that showed the breach comes first when it is confirmed: all others may be too many to request again.
      const repeated = isFirst || suspect === null ? null : await snapshot.at(suspect);
      const again = repeated === null ? null : findingOf(repeated, rule, context);
      if (again instanceof Violation) throw withShare(again, share);
      // A snapshot that confirms a breach requests no more than it needs.
      const { broken, judged } = await judgeAnswers(rule, context, snapshot, {
        isUpToFirst: !hasShare || !isFirst,
      });
      const [first] = broken;
      if (first === undefined) return;
      suspect ??= first.target;
      if (hasShare && isFirst) share = ` (${broken.length} of ${judged} answers)`;
      throw withShare(first.violation, share);
    });
  };
  return { oracle, judge };
}

/** What the rule says of an answer; nothing of a refused call. */
function findingOf(
  answer: ListAnswer,
  { oracle }: ListAnswerRule,
  { list }: CheckContext,
): ReturnType<ListAnswerOracle> {
  return answer.kind === 'refused' ? null : oracle(answer, list.resource);
}

/** An answer that breaks the rule. */
interface BrokenAnswer {
  readonly target: string;
  readonly violation: Violation;
}

/** Judges the answers of the probes: all of them, or up to the first that breaks the rule. */
async function judgeAnswers(
  rule: ListAnswerRule,
  context: CheckContext,
  snapshot: Snapshot,
  { isUpToFirst }: { readonly isUpToFirst: boolean },
): Promise<{ readonly broken: readonly BrokenAnswer[]; readonly judged: number }> {
  const broken: BrokenAnswer[] = [];
  let judged = 0;
  for await (const answer of rule.probes(context, snapshot)) {
    if (answer.kind === 'refused') context.limitedBy(blockedByRefusal(answer));
    const finding = findingOf(answer, rule, context);
    if (finding === null) continue;
    context.exercised();
    judged++;
    if (finding === 'kept') continue;
    broken.push({ target: answer.target, violation: finding });
    if (isUpToFirst) break;
  }
  return { broken, judged };
}

function withShare({ breaches }: Violation, share: string): Violation {
  return new Violation(breaches.map((breach) => ({ ...breach, message: `${breach.message}${share}` })));
}

/**
 * Every answer of the shared snapshot, those of common calls first. The first snapshot requests all of them at once; a
 * later one, which confirms a breach, requests only those that the caller takes.
 */
export async function* sharedAnswers(context: CheckContext, snapshot: Snapshot): AsyncGenerator<ListAnswer> {
  if (snapshot.number === 0) await requestSharedAnswers(context, snapshot);
  yield snapshot.first({});
  yield* answersOf(await mainTraversal(snapshot));
  const { firsts, traversals, others } = await requestSharedAnswers(context, snapshot);
  yield* firsts.map(({ answer }) => answer);
  yield* others;
  yield* traversals.flatMap(answersOf);
}

async function requestSharedAnswers(context: CheckContext, snapshot: Snapshot) {
  const [firsts, traversals, others] = await awaitAll([
    firstPages(context, snapshot),
    allTraversals(context, snapshot),
    requestFurtherAnswers(context, snapshot),
  ]);
  return { firsts, traversals, others };
}

/** Answers of a traversal: its pages, and the answer without a page that ended it, unless a link was refused. */
function answersOf({ steps, end }: Traversal): readonly ListAnswer[] {
  const isLast = end.kind === 'broken' && (steps.length === 0 || end.answer.kind !== 'refused');
  return [...steps.map(({ page }) => page), ...(isLast ? [end.answer] : [])];
}

/** Answers to further calls: `$count=false`, names with %24, pages by parameters, and the targets of page-targets.ts. */
async function requestFurtherAnswers(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly ListAnswer[]> {
  const size = await smallPageSize(context, snapshot);
  const uncounted = await encodedUncountedQuery(context, snapshot);
  const paged = (await pagesByParameters(context, snapshot)).filter(({ isAligned }) => isAligned);
  const requested = await awaitAll([
    requestUncountedPage(context, snapshot),
    ...(size > 0 ? encodedQueries(context, size) : []).map((query) => snapshot.query(query)),
    ...(uncounted === null || size === 0 ? [] : [snapshot.query(uncounted)]),
    ...paged.map(({ query }) => snapshot.query(query)),
  ]);
  const further = await answersToAllTargets(context, snapshot);
  const known = await countKnownRecords(snapshot);
  return [
    ...requested.filter(({ kind, target }) => kind !== 'refused' || !hasSkipWithoutCount(target)),
    ...further.filter((answer) => !isAllowedRefusal(answer, known)),
  ];
}

/** Whether a call has $skip without `$count=true`, which the specification does not show. */
function hasSkipWithoutCount(target: string): boolean {
  const parameters = parametersOf(target);
  const isCounted = parameters.some(({ name, value }) => name === '$count' && value === 'true');
  return !isCounted && parameters.some(({ name }) => name === '$skip');
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
