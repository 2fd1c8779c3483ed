import { type Cause, contradictsItself, verdictOf } from '../core/cause.ts';
import type { Exchange } from '../core/exchange.ts';
import { getOrMake } from '../core/maps.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import type { JudgedResult } from '../core/results.ts';
import { Undecided } from '../core/undecided.ts';
import type { Verdict } from '../core/verdict.ts';
import { type Check, type JudgeInput, plan } from '../judge/check.ts';
import { waitFor } from '../judge/context.ts';
import { judgeSecondAttempt, type RetryReason } from '../judge/judge.ts';
import { refusalsByGateway } from '../judge/probes/lasting-refusals.ts';
import { isFailed } from '../provider/call-log.ts';
import { NoAnswer } from '../provider/sender.ts';
import type { Snapshots } from '../provider/snapshot.ts';
import { isOfGateway } from '../provider/throttled-answer.ts';
import type { ConformOptions } from './conform-options.ts';

/** Options that exclude checks from a run, and the signal that stops it. */
export type SelectionOptions = Pick<ConformOptions, 'suite' | 'only' | 'skip'> &
  Partial<Pick<ConformOptions, 'signal'>>;

/** What tests after the parallel ones need. */
export interface FurtherTests {
  readonly checks: readonly Check[];
  readonly inputs: readonly JudgeInput[];
  readonly options: SelectionOptions;
  readonly report?: (result: JudgedResult) => void;
}

/**
 * Goes through the results, one requirement at a time, until the run is stopped, and replaces those for which `again` returns a
 * new one. Not in the smoke suite, which sends few requests.
 */
export async function judgeAgain(
  judged: readonly JudgedResult[],
  { checks, inputs, options: { suite, signal }, report }: FurtherTests,
  again: (
    entry: { readonly check: Check; readonly input: JudgeInput },
    before: JudgedResult,
    results: readonly JudgedResult[],
  ) => Promise<JudgedResult | null>,
): Promise<readonly JudgedResult[]> {
  const results = [...judged];
  if (suite === 'smoke') return results;
  for (const [index, entry] of plan(checks, inputs).entries()) {
    const before = results[index];
    if (before === undefined || signal?.aborted === true) break;
    const result = await again(entry, before, results);
    if (result === null) continue;
    results[index] = result;
    report?.(result);
  }
  return results;
}

/** Second attempts in a row that decide nothing, after which no other requirement has one, by what it is open for. */
const MAX_UNDECIDED: Readonly<Record<RetryReason, number>> = { change: 2, outage: 4 };
/** Calls until a provider that had an outage answers again, and the milliseconds between them. */
const OUTAGE = { attempts: 3, pauseMs: 2000 };

/**
 * Tests requirements again that changed data or an outage may have kept open. One at a time: data that changes from time to
 * time is at rest long enough for one.
 */
export function judgeOpen(
  judged: readonly JudgedResult[],
  tests: FurtherTests,
): Promise<readonly JudgedResult[]> {
  // What was requested after an outage serves all its checks.
  const afterOutage = new Map<JudgeInput, Promise<Snapshots | null>>();
  const undecided = { change: 0, outage: 0 };
  return judgeAgain(judged, tests, async ({ check, input }, before, results) => {
    const retryReason = reasonToRepeat(before, results, input);
    if (retryReason === null || undecided[retryReason] === MAX_UNDECIDED[retryReason]) return null;
    let snapshots: Snapshots | null = input.newSnapshots();
    if (retryReason === 'outage') {
      if (input.list.history.calls.hadOutage) input.list.history.calls.explain('all');
      snapshots = await getOrMake(afterOutage, input, () => snapshotsAfterOutage(check, input));
    }
    if (snapshots === null) return null;
    const result = await judgeSecondAttempt(check, input, before, { snapshots, retryReason });
    undecided[retryReason] = result.verdict === 'inconclusive' ? undecided[retryReason] + 1 : 0;
    return result;
  });
}

/** Why a check that is open may be decided now; null if that is not to be expected. */
function reasonToRepeat(
  result: JudgedResult,
  results: readonly JudgedResult[],
  { list }: JudgeInput,
): RetryReason | null {
  const { cause, verdict } = result;
  if (verdict !== 'inconclusive' || cause === null) return null;
  // The token endpoint was down when this requirement needed a token.
  if (cause.kind === 'blocked' && cause.by === 'token/issued' && verdictOfBlocker(cause, results) !== 'fail')
    return 'outage';
  if (list.history.calls.hadOutage) {
    const { counts } = list.pages;
    const isBlocked = cause.kind === 'blocked' && verdictOfBlocker(cause, results) !== 'fail';
    const hasOneLength = cause.kind === 'changing' && counts !== null && counts.first === counts.last;
    const lacksRecords =
      contradictsItself(cause) || (cause.kind === 'data' && (cause.records ?? 0) < (counts?.last ?? 0));
    if (cause.kind === 'intermittent' || isBlocked || hasOneLength || lacksRecords) return 'outage';
  }
  if (mayBeDueToChange(result, results)) return 'change';
  // A rate limit is not over soon.
  return cause.kind === 'unavailable' && cause.status !== 429 ? 'outage' : null;
}

/** New snapshots of a list as soon as it is answered, if it was before, or if the run was given a token; null if it is not. */
async function snapshotsAfterOutage(check: Check, input: JudgeInput): Promise<Snapshots | null> {
  const { list, tokens } = input;
  const isTokenGiven = tokens.history.answersToValidRequests().some(({ token }) => token !== null);
  if (!list.history.wasAccepted && !isTokenGiven) return null;
  return (await areAnswered([list.path], OUTAGE, check, input)) ? input.newSnapshots() : null;
}

/** Calls with each refused request target at most, if a similar one was answered, and the milliseconds between them. */
const REFUSED = { attempts: 5, pauseMs: 1000 };
/** Request targets that are called again at most. */
const MAX_REPEATED = 4;

/**
 * Tests requirements again that failed because calls were refused, if an outage of these calls explains that: they were refused
 * in one time span, in which none of them was answered, and are answered now. A gateway whose service is down since they were
 * answered leaves them open, unless it refuses one target only. Calls that a gateway was already shown to refuse for good
 * are not tested again.
 */
export function judgeRefused(
  judged: readonly JudgedResult[],
  tests: FurtherTests,
): Promise<readonly JudgedResult[]> {
  return judgeAgain(judged, tests, async ({ check, input }, before) => {
    const { calls } = input.list.history;
    if (before.verdict !== 'fail' || isCustomCheck(check.requirement)) return null;
    const numbers = before.violations.flatMap(({ exchanges }) => exchanges);
    const failed = calls.among(numbers).filter(isFailed);
    const targets = new Set(failed.map(({ target }) => target));
    if (!calls.failedTogether(targets) || [...targets].every((target) => calls.isLasting(target)))
      return null;
    const wereAnswered = calls.wasAnswered(targets);
    const detail = before.violations[0]?.message ?? '';
    const repetition = wereAnswered ? REFUSED : { ...REFUSED, attempts: 1 };
    if (!(await areAnswered([...targets].slice(0, MAX_REPEATED), repetition, check, input))) {
      const status = failed[0]?.status ?? null;
      if (!wereAnswered || !failed.every((call) => isOfGateway(call.status ?? 0))) return null;
      const [target = ''] = targets;
      const refusals = await input
        .requester(check.requirement.id)
        .run(() => refusalsByGateway(input, target));
      if (refusals !== null) return withRefusals(before, target, refusals);
      return undecided(before, { kind: 'unavailable', status }, detail);
    }
    calls.explain(targets);
    const attempts = failed.length + Math.min(targets.size, MAX_REPEATED);
    const open = undecided(before, { kind: 'intermittent', seen: failed.length, attempts }, detail);
    const snapshots = input.newSnapshots();
    return judgeSecondAttempt(check, input, open, { snapshots, retryReason: 'outage' });
  });
}

/** A failed result with the refusals that exclude an outage. */
function withRefusals(result: JudgedResult, target: string, refusals: readonly Exchange[]): JudgedResult {
  const [first, ...others] = result.violations;
  if (first === undefined) return result;
  const message =
    `${first.message}; ${target} was refused ${refusals.length} more times over some seconds, and the first page was ` +
    'answered 200 right before and right after each refusal';
  const exchanges = [...first.exchanges, ...refusals.map(({ number }) => number)];
  return { ...result, detail: message, violations: [{ ...first, message, exchanges }, ...others] };
}

function undecided(result: JudgedResult, cause: Cause, detail: string): JudgedResult {
  return { ...result, verdict: verdictOf(cause), cause, detail, violations: [] };
}

/** Whether calls with these request targets are all answered 200 in one of several attempts, with pauses between them. */
function areAnswered(
  targets: readonly string[],
  { attempts, pauseMs }: typeof OUTAGE,
  { requirement }: Check,
  input: JudgeInput,
): Promise<boolean> {
  const { list, tokens } = input;
  const areAnsweredAfter = async (waitMs: number): Promise<boolean> => {
    if (waitMs > 0) await waitFor(waitMs, input);
    for (const target of targets) {
      const { answer } = await list.call({ target, authorization: `Bearer ${await tokens.bearer()}` });
      if (answer?.status !== 200) return false;
    }
    return true;
  };
  const falseIfUnanswered = (error: unknown): false => {
    if (error instanceof Undecided || error instanceof NoAnswer) return false;
    throw error;
  };
  return input.requester(requirement.id).run(async () => {
    for (let attempt = 0; attempt < attempts; attempt++)
      if (await areAnsweredAfter(attempt === 0 ? 0 : pauseMs).catch(falseIfUnanswered)) return true;
    return false;
  });
}

/** Whether data that changed may have kept a check open: it says so, or it saw a breach of a requirement that passed. */
function mayBeDueToChange({ cause }: JudgedResult, results: readonly JudgedResult[]): boolean {
  return cause?.kind === 'blocked' ? verdictOfBlocker(cause, results) === 'pass' : cause?.kind === 'changing';
}

function verdictOfBlocker(
  { by, resource }: Extract<Cause, { kind: 'blocked' }>,
  results: readonly JudgedResult[],
): Verdict | null {
  return results.find((one) => one.id === by && one.resource === resource)?.verdict ?? null;
}
