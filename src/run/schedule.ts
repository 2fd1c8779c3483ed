import { type Cause, verdictOf } from '../core/cause.ts';
import type { RequirementId } from '../core/requirement-id.ts';
import type { JudgedResult } from '../core/results.ts';
import type { Check } from '../judge/check.ts';
import { judge, startJudging } from '../judge/judge.ts';
import type { JudgeInput, OfflineAnswers } from '../judge/judge-input.ts';
import { showsBreachOffline } from '../judge/offline-judging.ts';
import { isBrokenByPages } from '../judge/rules/every-page.ts';
import type { ConformOptions } from './conform-options.ts';
import { plan } from './plan.ts';
import { type FurtherTests, judgeOpen, judgeRefused } from './second-attempts.ts';

/** The requirement that a provider violates by refusing a token early. */
export const ACCEPTED_UNTIL_EXPIRY: RequirementId = 'token/accepted-until-expiry';

/** Why a check is not selected, as a clause; null if it is. */
export function whyUnselected(
  check: Check,
  options: Pick<ConformOptions, 'suite' | 'only' | 'skip'>,
): string | null {
  const { id, smoke } = check.requirement;
  if (options.skip.includes(id)) return '--skip names it';
  if (options.only.length > 0) return options.only.includes(id) ? null : '--only does not name it';
  return options.suite === 'smoke' && !smoke ? 'not part of the smoke suite' : null;
}

/**
 * The result of a check that was not run.
 *
 * @param detail why, as {@link whyUnselected} says
 */
export function resultWithoutRun(
  { requirement, scope }: Check,
  resource: string,
  cause: Cause,
  detail = '',
): JudgedResult {
  return {
    id: requirement.id,
    resource: scope === 'target' ? null : resource,
    clause: requirement.clause,
    rule: requirement.rule,
    verdict: verdictOf(cause),
    cause,
    detail,
    waiver: null,
    violations: [],
    cases: 0,
    requests: 0,
    durationMs: 0,
  };
}

/** Runs every check for each of its lists, in parallel. Results are in the order of the plan. */
export async function judgeAll(
  checks: readonly Check[],
  inputs: readonly JudgeInput[],
  options: ConformOptions,
  report: (result: JudgedResult) => void,
): Promise<readonly JudgedResult[]> {
  const started = plan(checks, inputs).map(({ check, input }) => {
    const unselected = whyUnselected(check, options);
    return unselected === null
      ? startJudging(check, input)
      : resultWithoutRun(check, input.list.resource.name, { kind: 'unselected' }, unselected);
  });
  const allFirstParts = Promise.all(started.map((one) => ('firstPart' in one ? one.firstPart : undefined)));
  return Promise.all(
    started.map(async (one) => {
      const result = 'firstPart' in one ? await one.conclude(allFirstParts) : one;
      report(result);
      return result;
    }),
  );
}

/**
 * Tests alone what parallel checks left open or suggest: first selected requirements that an outage may explain, or that changed
 * data may have kept open, then requirements that were not selected, see {@link judgeSuspected}.
 *
 * @param judged the results of all checks in the order of the plan
 */
export async function judgeFurther(
  judged: readonly JudgedResult[],
  tests: FurtherTests,
): Promise<readonly JudgedResult[]> {
  const decided = await judgeOpen(await judgeRefused(judged, tests), tests);
  // Second attempts see what was refused during the first ones.
  return judgeSuspected(await judgeRefused(decided, tests), tests);
}

/**
 * Also tests requirements that were not selected if the evidence suggests a breach: one that blocks a
 * selected requirement, and in the smoke suite one whose breach shows in the answers so far. Requirements in
 * `skip` are left out.
 */
async function judgeSuspected(
  judged: readonly JudgedResult[],
  { checks, inputs, options, report }: FurtherTests,
): Promise<readonly JudgedResult[]> {
  const results = [...judged];
  const planned = plan(checks, inputs);
  const isUnselected = (index: number): boolean =>
    results[index]?.cause?.kind === 'unselected' && !options.skip.includes(results[index]?.id ?? '');
  const run = async (index: number): Promise<void> => {
    const { check, input } = planned[index] as (typeof planned)[number];
    const result = await judgeLeftOut(check, input);
    results[index] = result;
    report?.(result);
  };
  const unselected = planned.flatMap((_entry, index) => (isUnselected(index) ? [index] : []));
  // After a stop, no more checks run.
  if (results.some(({ cause }) => cause?.kind === 'interrupted')) return results;
  if (options.suite === 'smoke' && options.only.length === 0 && options.signal?.aborted !== true) {
    const answers = new Map<JudgeInput, OfflineAnswers>();
    for (const index of unselected) {
      const { check, input } = planned[index] as (typeof planned)[number];
      const hasEarlyExpiry =
        check.requirement.id === ACCEPTED_UNTIL_EXPIRY && input.tokens.history.endings.length > 0;
      const known = answers.get(input) ?? input.offline();
      answers.set(input, known);
      if (!hasEarlyExpiry && !(await showsBreachOffline(check, input, known))) continue;
      await run(index);
      // It may have received further answers.
      answers.clear();
    }
  }
  for (;;) {
    const next = unselected.find((index) => isUnselected(index) && blocks(results[index], results));
    if (next === undefined || options.signal?.aborted === true) return results;
    await run(next);
  }
}

/**
 * Tests requirements again that passed although a page breaks their rule that came after their test: one that an observation
 * requested or, where checks run in turn, another check. Not in the smoke suite, which requests few pages.
 *
 * @param judged the results of all checks in the order of the plan
 */
export async function judgeLaterPages(
  judged: readonly JudgedResult[],
  { checks, inputs, options: { suite, signal }, report }: FurtherTests,
): Promise<readonly JudgedResult[]> {
  const results = [...judged];
  if (suite === 'smoke') return results;
  for (const [index, { check, input }] of plan(checks, inputs).entries()) {
    const before = results[index];
    if (signal?.aborted === true) break;
    if (before?.verdict !== 'pass' || !(await isBrokenByPages(check, input))) continue;
    const again = await judge(check, input);
    // Data that has changed since does not undo a pass.
    if (again.verdict === 'pass' || again.cause?.kind === 'changing') continue;
    results[index] = {
      ...again,
      requests: before.requests + again.requests,
      durationMs: before.durationMs + again.durationMs,
    };
    report?.(results[index]);
  }
  return results;
}

/** Runs a check alone. A check excluded by the suite or `only` runs because it blocks a selected one. */
export function judgeAlone(
  check: Check,
  input: JudgeInput,
  options: Pick<ConformOptions, 'suite' | 'only' | 'skip'>,
): Promise<JudgedResult> {
  return whyUnselected(check, options) === null ? judge(check, input) : judgeLeftOut(check, input);
}

/**
 * Runs an excluded check as in the full suite, because the smoke suite may identify the wrong requirement.
 */
function judgeLeftOut(check: Check, input: JudgeInput): Promise<JudgedResult> {
  return judge(check, { ...input, options: { ...input.options, suite: 'full' } });
}

/** Whether a result is blocked by that requirement, for the same list if it has one. */
function blocks(one: JudgedResult | undefined, results: readonly JudgedResult[]): boolean {
  return results.some(
    ({ cause }) =>
      cause?.kind === 'blocked' &&
      cause.by === one?.id &&
      (one.resource === null || cause.resource === null || cause.resource === one.resource),
  );
}
