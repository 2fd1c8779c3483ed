import { type Exchange, headerOf } from '../../core/exchange.ts';
import { isOfGateway, isOfLock, isOtherRefusal } from '../../provider/throttled-answer.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import { USUAL_ON_NEW_CONNECTION, USUAL_SPELLING } from '../../provider/token-spellings.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { violationOfStatus } from '../violation.ts';
import { findFailedPairs } from './requests-at-once.ts';

/** Exchanges that a violation names at most. */
const MAX_EXCHANGES = 8;

/** Valid requests at most of a trial that looks for errors: wrong requests of other checks may get some of these. */
const MAX_SPACED = 30;

/** Least number of valid requests of the run that were repeated, for such a trial. */
const MIN_REPEATED = 2;

/** Most failed requests of a trial, each followed by an answer 200, that outages or a few errors in a hundred may explain. */
const MAX_OUTAGES = 4;

/** Milliseconds between valid requests of a trial that looks for errors. */
const PAUSE_MS = 300;

/**
 * Expects that valid requests do not get server errors again and again (4.1). Runs if valid requests of the run
 * failed, or were answered 200 only after a retry: sends more of them without retries, one after another and in pairs. Throws Violation
 * with the share.
 */
export async function expectNoRepeatedErrors(context: CheckContext): Promise<void> {
  const { tokens, options } = context;
  const earlier = tokens.history.answersToValidRequests();
  const failed = earlier.filter((one) => one.exchange.retry > 0 || isFault(one));
  const isIssuing = earlier.some(({ status }) => status === 200);
  if (!isIssuing || failed.length === 0 || options.suite === 'smoke') return;
  if (failed.length >= MIN_REPEATED) await expectNoFaults(context);
  await expectAnsweredInPairs(context);
}

/** Sends valid requests one after another. Throws Violation if some of them fail again and again, and others do not. */
export async function expectNoFaults({ tokens, ...context }: CheckContext): Promise<void> {
  const answers: TokenAnswer[] = [];
  const faults = (): readonly TokenAnswer[] =>
    answers.filter((answer, index) => isFault(answer) && answers[index + 1]?.status === 200);
  await tokens.lock.runAlone(async () => {
    for (let number = 0; number < MAX_SPACED && faults().length <= MAX_OUTAGES; number++) {
      if (number > 0) await waitFor(PAUSE_MS, context);
      const answer = await tokens.endpoint.sendValid(tokens.endpoint.validForm(), USUAL_SPELLING, {
        maxRetries: 0,
      });
      if (answer.status !== 200 && !isFault(answer)) return;
      answers.push(answer);
    }
  });
  const [first] = faults();
  if (first === undefined || faults().length <= MAX_OUTAGES) return;
  const failed = answers.filter(isFault);
  throw violationOfStatus(first.status, {
    message:
      `${failed.length} of ${answers.length} valid token requests in a row were answered ` +
      `${first.status}, the others 200; each must be answered 200`,
    counterexample: { requests: answers.length, unanswered: failed.length },
    exchanges: failed.slice(0, MAX_EXCHANGES),
  });
}

/** Expects that two valid requests at once are answered 200 both. Throws Violation. */
async function expectAnsweredInPairs(context: CheckContext): Promise<void> {
  const { endpoint, lock } = context.tokens;
  const send = async (): Promise<Exchange | null> => {
    const sent = endpoint.sendValid(endpoint.validForm(), USUAL_ON_NEW_CONNECTION, { maxRetries: 0 });
    return (await orNull(sent))?.exchange ?? null;
  };
  const found = await lock.runAlone(() =>
    findFailedPairs(context, { send, isFault: isProviderError, mustBeAlone: false }),
  );
  if (found === null) return;
  const { pairs, failed, faults } = found;
  const status = faults[0]?.answer?.status ?? null;
  throw violationOfStatus(status, {
    message:
      `in ${failed} of ${pairs} pairs of valid token requests that were sent at once, one or both were answered ` +
      `${status}; each single request after a pair was answered 200. Each must be answered 200`,
    counterexample: { pairs, failed },
    exchanges: faults.slice(0, MAX_EXCHANGES),
  });
}

function isProviderError({ answer }: Exchange): boolean {
  const status = answer?.status ?? 0;
  return status >= 500 && !isOfGateway(status);
}

/** Whether neither a limit nor an outage nor a lock-out explains that a valid request was not answered 200. */
export function isFault(answer: TokenAnswer): boolean {
  const isRefused = isOtherRefusal(answer.status) && !isOfLock(answer.status) && !isRetriable(answer);
  return isProviderError(answer.exchange) || isRefused;
}

/** Whether an answer says when to try again. */
export function isRetriable({ exchange: { answer } }: TokenAnswer): boolean {
  return answer !== null && headerOf(answer.headers, 'retry-after') !== null;
}
