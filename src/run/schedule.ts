import { observers } from '../../specs/observations/index.ts';
import { type Cause, verdictOf } from '../core/cause.ts';
import { getOrMake } from '../core/maps.ts';
import type { RequirementId } from '../core/requirement-id.ts';
import type { JudgedResult, ObservationResult } from '../core/results.ts';
import { type Check, type JudgeInput, type OfflineAnswers, plan } from '../judge/check.ts';
import { showsBreachOffline } from '../judge/check-evidence.ts';
import { judge, startJudging } from '../judge/judge.ts';
import { makeObservation, type RecordedTraffic, recordedTraffic } from '../judge/observation.ts';
import { MAX_FURTHER_REQUESTS } from '../judge/probes/list-variations.ts';
import { isBrokenByPages } from '../judge/rules/every-page.ts';
import type { Target } from '../target/target.ts';
import { type CheckedList, OBSERVATIONS, type Turn } from './evidence-setting.ts';
import {
  type FurtherTests,
  judgeAgain,
  judgeOpen,
  judgeRefused,
  type SelectionOptions,
} from './second-attempts.ts';
import type { Session } from './session.ts';

/** The requirement that a provider violates by refusing a token early. */
export const ACCEPTED_UNTIL_EXPIRY: RequirementId = 'token/accepted-until-expiry';

/** Why a check is not selected, as a clause; null if it is. */
export function whyUnselected(check: Check, options: SelectionOptions): string | null {
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
export async function judgeAll(tests: FurtherTests): Promise<readonly JudgedResult[]> {
  const { checks, inputs, options, report } = tests;
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
      report?.(result);
      return result;
    }),
  );
}

/**
 * Judges checks one after the other, in the order in which Playwright Test judged them.
 *
 * @param observe makes the observations, which have a place in that order
 * @param wasInterrupted whether the run was stopped before a check that has no place in it
 */
export async function judgeInTurn(
  turns: readonly Turn[],
  { checks, inputs, options }: FurtherTests,
  observe: () => Promise<void>,
  wasInterrupted: (check: CheckedList) => boolean,
): Promise<readonly JudgedResult[]> {
  const entries = plan(checks, inputs).map(({ check, input }) => {
    const unjudged = unjudgedResult(check, input.list.resource.name, options, wasInterrupted);
    return { check, input, unjudged, key: turnKey(unjudged.id, unjudged.resource) };
  });
  const results = new Map<string, JudgedResult>();
  for (const [id, list] of turns) {
    const key = turnKey(id, list);
    const entry = entries.find((one) => one.key === key);
    if (id === OBSERVATIONS) await observe();
    else if (entry !== undefined) results.set(key, await judgeAlone(entry.check, entry.input, options));
  }
  return entries.map(({ key, unjudged }) => results.get(key) ?? unjudged);
}

/** The result of a check that Playwright Test did not ask for. */
export function unjudgedResult(
  check: Check,
  list: string,
  options: SelectionOptions,
  wasInterrupted: (check: CheckedList) => boolean,
): JudgedResult {
  const unselected = whyUnselected(check, options);
  const interrupted = resultWithoutRun(check, list, { kind: 'interrupted' });
  return unselected === null && wasInterrupted(interrupted)
    ? interrupted
    : resultWithoutRun(check, list, { kind: 'unselected' }, unselected ?? 'Playwright ran other tests');
}

/** Identifies a turn of a check. */
export function turnKey(id: string, list: string | null): string {
  return JSON.stringify([id, list]);
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
 * Also tests requirements that were not selected if the evidence suggests a breach: one that blocks a selected requirement, and
 * in the smoke suite one whose breach shows in the answers so far. Requirements in `skip` are left out.
 */
async function judgeSuspected(
  judged: readonly JudgedResult[],
  { checks, inputs, options, report }: FurtherTests,
): Promise<readonly JudgedResult[]> {
  const results = [...judged];
  const isUnselected = (index: number): boolean =>
    results[index]?.cause?.kind === 'unselected' && !options.skip.includes(results[index]?.id ?? '');
  const unselected = plan(checks, inputs).flatMap((entry, index) =>
    isUnselected(index) ? [{ ...entry, index }] : [],
  );
  const run = async ({ check, input, index }: (typeof unselected)[number]): Promise<void> => {
    const result = await judgeLeftOut(check, input);
    results[index] = result;
    report?.(result);
  };
  // After a stop, no more checks run.
  if (results.some(({ cause }) => cause?.kind === 'interrupted')) return results;
  if (options.suite === 'smoke' && options.only.length === 0 && options.signal?.aborted !== true) {
    const answers = new Map<JudgeInput, OfflineAnswers>();
    for (const entry of unselected) {
      const { check, input } = entry;
      const hasEarlyExpiry =
        check.requirement.id === ACCEPTED_UNTIL_EXPIRY && input.tokens.history.endings.length > 0;
      const known = getOrMake(answers, input, input.offline);
      if (!hasEarlyExpiry && !(await showsBreachOffline(check, input, known))) continue;
      await run(entry);
      // It may have received further answers.
      answers.clear();
    }
  }
  for (;;) {
    const next = unselected.find(({ index }) => isUnselected(index) && blocks(results[index], results));
    if (next === undefined || options.signal?.aborted === true) return results;
    await run(next);
  }
}

/**
 * Tests requirements again that passed although a page breaks their rule that came after their test: one that an observation
 * requested or, where checks run in turn, another check.
 *
 * @param judged the results of all checks in the order of the plan
 */
export function judgeLaterPages(
  judged: readonly JudgedResult[],
  tests: FurtherTests,
): Promise<readonly JudgedResult[]> {
  return judgeAgain(judged, tests, async ({ check, input }, before) => {
    if (before.verdict !== 'pass' || !(await isBrokenByPages(check, input))) return null;
    const again = await judge(check, input);
    // Data that has changed since does not undo a pass.
    if (again.verdict === 'pass' || again.cause?.kind === 'changing') return null;
    return {
      ...again,
      requests: before.requests + again.requests,
      durationMs: before.durationMs + again.durationMs,
    };
  });
}

/** Runs a check alone. A check excluded by the suite or `only` runs because it blocks a selected one. */
export function judgeAlone(
  check: Check,
  input: JudgeInput,
  options: SelectionOptions,
): Promise<JudgedResult> {
  return whyUnselected(check, options) === null ? judge(check, input) : judgeLeftOut(check, input);
}

/** Runs an excluded check as in the full suite, because the smoke suite may identify the wrong requirement. */
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

/** Makes all observations. Observers that send requests run first, so that the others also read those exchanges. */
export async function observeAll(
  session: Session,
  options: ObservingOptions,
): Promise<readonly ObservationResult[]> {
  const maySend = mayObserve(options);
  const entries = observers.flatMap((observer) =>
    session.inputs
      .slice(0, observer.scope === 'list' ? undefined : 1)
      .map((input, resource) => ({ observer, input, resource })),
  );
  const results = new Map<(typeof entries)[number], ObservationResult>();
  for (const sends of [true, false]) {
    await session.idle();
    const exchanges = session.exchanges();
    const evidence = session.inputs.map(({ list }) => recordedTraffic(exchanges, list.path));
    const group = entries.filter(({ observer }) => observer.sendsRequests === sends);
    await Promise.all(
      group.map(async (entry) => {
        const { observer, input, resource } = entry;
        const traffic = evidence[resource] as RecordedTraffic;
        results.set(entry, await makeObservation(observer, input, traffic, maySend));
      }),
    );
  }
  return entries.map((entry) => results.get(entry)).filter((result) => result !== undefined);
}

type ObservingOptions = Pick<SelectionOptions, 'suite' | 'only'>;

/** Whether observations of a run may send requests: not in the smoke suite, and not with --only. */
function mayObserve(options: ObservingOptions): boolean {
  return options.suite !== 'smoke' && options.only.length === 0;
}

/** Maximum number of extra requests of observations if the provider refuses calls that combine variations. */
export function maxFurtherRequests({ resources }: Target, options: ObservingOptions): number {
  return mayObserve(options) ? resources.length * MAX_FURTHER_REQUESTS : 0;
}
