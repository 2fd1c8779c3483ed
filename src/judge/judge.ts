import { lackOf } from '../core/cause.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import type { JudgedResult } from '../core/results.ts';
import { changing, Undecided } from '../core/undecided.ts';
import type { Snapshots } from '../provider/snapshot.ts';
import type { Check, JudgeInput } from './check.ts';
import { CheckEvidence, contextFor } from './check-evidence.ts';
import { type CheckContext, untilStopped } from './context.ts';
import { modelOf } from './model/stateful-model.ts';
import { errorOf, orNull } from './outcomes.ts';
import { expectRefusedAgain } from './probes/lasting-refusals.ts';
import { knownObstacle } from './probes/traversal-completeness.ts';
import { type CheckOutcome, outcomeOf, PASSED, resultOf } from './requirement-result.ts';
import { expectEveryPageKept } from './rules/every-page.ts';
import { Violation } from './violation.ts';

/** A check that is being judged. */
interface Judging {
  /** Fulfilled when the check has run, except for the parts that it leaves until all other checks have run. */
  readonly firstPart: Promise<unknown>;
  /**
   * The result. Never throws.
   *
   * @param otherChecks fulfilled when the other checks have run; awaited before the parts that were left for later
   */
  conclude(otherChecks: Promise<unknown>): Promise<JudgedResult>;
}

/** Judges one check while no other check runs. Never throws. */
export function judge(check: Check, input: JudgeInput): Promise<JudgedResult> {
  return startJudging(check, input).conclude(Promise.resolve());
}

/** Why a check is judged again. */
export type RetryReason = 'change' | 'outage';

/**
 * Judges a check again on new snapshots, without the stateful model, while no other check runs. Never throws.
 *
 * The result so far stands, unless the check fails now, or passes and nothing speaks against it. The model must suspect no
 * breach. After a `change`, the list must also be at rest with another length: otherwise what was seen may have come from one
 * of several servers.
 *
 * @param before the result so far
 */
export async function judgeSecondAttempt(
  check: Check,
  input: JudgeInput,
  before: JudgedResult,
  { snapshots, retryReason }: { readonly snapshots: Snapshots; readonly retryReason: RetryReason },
): Promise<JudgedResult> {
  const again = await judge(check, { ...input, snapshots, isSecondAttempt: true });
  const isDecided =
    again.verdict === 'fail' ||
    (again.verdict === 'pass' &&
      !(await isSuspect(check, input)) &&
      (retryReason === 'outage' || (await isExplainedByChange(check, input, snapshots))));
  return {
    ...(isDecided ? again : before),
    requests: before.requests + again.requests,
    durationMs: before.durationMs + again.durationMs,
  };
}

/**
 * Whether a sequence of the model, which is not repeated, showed what may be a breach of the check's requirement, or could
 * not be carried out.
 */
async function isSuspect(check: Check, input: JudgeInput): Promise<boolean> {
  if (!isModelled(check, input)) return false;
  return (await orNull(modelOf(input).suspects(check.requirement.id))) ?? true;
}

/**
 * Whether a change of the list that is over explains what a check saw at first and, on later snapshots, does not see.
 */
async function isExplainedByChange(check: Check, input: JudgeInput, snapshots: Snapshots): Promise<boolean> {
  const { counts } = input.list.pages;
  if (counts === null || counts.first === counts.last || counts.hasReturned) return false;
  // A single answer may have had a wrong count.
  if (counts.ofFirst < 2) return false;
  const requester = input.requester(check.requirement.id);
  return (await requester.run(() => orNull(snapshots.hasChanged(0)))) === false;
}

export function startJudging(check: Check, input: JudgeInput): Judging {
  const requester = input.requester(check.requirement.id);
  const evidence = new CheckEvidence(check);
  const context = contextFor(check, input, evidence);
  // The code of a user may never end; requirements wait only for requests and pauses, which the signal ends.
  const isCustom = isCustomCheck(check.requirement);
  let failure: unknown = null;
  const run = async (part: () => Promise<void>): Promise<void> => {
    failure ??= await errorOf(() =>
      requester.run(() => (isCustom ? untilStopped(part, input.signal) : part())),
    );
  };
  const firstPart = run(() => check.judge(context)).then(async () => {
    // Its error is reported by the checks that read its findings.
    if (failure === null && isModelled(check, input))
      await modelOf(input)
        .carriedOut()
        .catch(() => undefined);
  });
  return {
    firstPart,
    conclude: async (otherChecks) => {
      await firstPart;
      // Each step may replace the result.
      if (failure === null && evidence.laterParts.length > 0) await otherChecks;
      for (const part of evidence.laterParts) await run(part);
      if (failure === null && check.leastRecords !== undefined && check.leastRecords > 0) {
        await otherChecks;
        failure = obstacleOfShrunkList(check.leastRecords, evidence, context);
      }
      if (isOpenToProof(failure, evidence) && input.options.suite !== 'smoke') {
        await otherChecks;
        const isPass = failure === null && evidence.limitation === null;
        failure = await requester.run(() => withBreachOnAnyPage(failure, isPass, check, context));
      }
      failure = await requester.run(() => withoutRateLimit(failure, context));
      const outcome = await requester
        .run(() => outcomeFrom(failure, evidence, check, input))
        .catch((error: unknown) => outcomeOf(error, input, isCustom));
      const ofModel = await outcomeOfModel(outcome, evidence, check, input, otherChecks);
      return requester.run(() =>
        resultOf(ofModel ?? outcome, check, input, { cases: evidence.cases, requester }),
      );
    },
  };
}

/** Whether other pages of the run may still decide: the check passed so far, saw an intermittent breach, or got no answer. */
function isOpenToProof(failure: unknown, { limitation, cases }: CheckEvidence): boolean {
  if (failure === null) return limitation !== null || cases > 0;
  return (
    failure instanceof Undecided && ['changing', 'intermittent', 'unavailable'].includes(failure.cause.kind)
  );
}

/** What a check ends with, given what it ended with before and the breach that all pages of the run show, if any. */
async function withBreachOnAnyPage(
  before: unknown,
  isPass: boolean,
  { pageRule }: Check,
  context: CheckContext,
): Promise<unknown> {
  if (pageRule === undefined) return before;
  const error = await errorOf(() => expectEveryPageKept(context, pageRule));
  return isPass || error instanceof Violation ? error : before;
}

/** What a check ends with, given its breach, if a rate limit may explain that. */
async function withoutRateLimit(before: unknown, context: CheckContext): Promise<unknown> {
  if (!(before instanceof Violation)) return before;
  return (await errorOf(() => expectRefusedAgain(context, before))) ?? before;
}

/** Undecided if the list lost the records in which a breach would have shown; null if it has them. */
function obstacleOfShrunkList(
  leastRecords: number,
  { cases }: CheckEvidence,
  { list }: CheckContext,
): Undecided | null {
  const { fewest } = list.pages;
  if (cases === 0 || fewest >= leastRecords) return null;
  const seen = `the list held ${fewest} records at times, too few for a breach to show`;
  return changing(seen);
}

/** Whether sequences of the stateful model may show a breach of a check's requirement. */
function isModelled({ requirement }: Check, input: JudgeInput): boolean {
  if (input.isSecondAttempt === true || input.options.suite === 'smoke' || input.signal?.aborted === true)
    return false;
  return modelOf(input).covers(requirement.id);
}

/** What sequences show if the check itself found no breach; null for nothing. */
async function outcomeOfModel(
  ofCheck: CheckOutcome,
  evidence: CheckEvidence,
  check: Check,
  input: JudgeInput,
  otherChecks: Promise<unknown>,
): Promise<CheckOutcome | null> {
  if (ofCheck.verdict === 'fail' || ofCheck.verdict === 'error' || !isModelled(check, input)) return null;
  const model = modelOf(input);
  const { id } = check.requirement;
  try {
    await model.expectNoBreach(id, otherChecks);
    if (evidence.cases > 0) evidence.cases += model.casesOf(id);
    return null;
  } catch (error) {
    const outcome = outcomeOf(error, input);
    // A breach that was not seen again does not replace a reason that the check has itself.
    if (outcome.verdict !== 'fail' && ofCheck.verdict !== 'pass') return null;
    evidence.cases += model.casesOf(id);
    return outcome;
  }
}

/** A pass needs an exercised case, and no error, limitation or obstacle. */
async function outcomeFrom(
  failure: unknown,
  evidence: CheckEvidence,
  check: Check,
  input: JudgeInput,
): Promise<CheckOutcome> {
  if (failure !== null) return outcomeOf(failure, input, isCustomCheck(check.requirement));
  if (evidence.limitation !== null) return outcomeOf(evidence.limitation, input);
  if (evidence.cases > 0) return PASSED;
  const obstacle = await knownObstacle(input.snapshots.at(0));
  if (obstacle !== null && !evidence.isAboutItself(obstacle)) return outcomeOf(obstacle, input);
  return outcomeOf(new Undecided(lackOf(check.dataNeed)), input);
}
