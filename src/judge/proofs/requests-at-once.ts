import type { Exchange } from '../../core/exchange.ts';
import { isOtherRefusal } from '../../provider/throttled-answer.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { callWithToken, isAccepted } from '../probes/valid-token-calls.ts';
import { violationOfStatus } from '../violation.ts';

/** Pairs of requests at once at most, those after which the trial ends if all were answered, and how many must fail. */
const MAX_PAIRS = 16;
const QUIET_PAIRS = 4;
const FAILED_PAIRS = 6;
/** Most pairs, those included during which another request of the run was sent. */
const MAX_SENT = 60;

/** Failed single requests at most, during which a request of another check may have been in progress, and the milliseconds after each. */
const MAX_LOST = 5;
const LOST_PAUSE_MS = 100;
/** Least number of failed calls in the run that justifies the trial of calls. */
const MIN_FAILED = 2;
/** Exchanges that a violation names at most. */
const MAX_EXCHANGES = 8;

/** How the requests of a trial are sent, and which answers count. */
interface PairTrial {
  /** Sends a request without retries; null if its connection failed. */
  readonly send: () => Promise<Exchange | null>;
  /** Whether an answer is one that neither a limit nor an outage explains. */
  readonly isFault: (exchange: Exchange) => boolean;
  /** Whether requests of other checks may fail the single requests, so that only pairs without such a request count. */
  readonly mustBeAlone: boolean;
}

/** Pairs that were sent at once, and their failed answers. */
interface FailedPairs {
  readonly pairs: number;
  readonly failed: number;
  readonly faults: readonly Exchange[];
}

/**
 * Sends valid requests two at once, and a single one after each pair. Returns what failed if pairs fail again and again and
 * single ones do not: an outage would not tell them apart. Null otherwise.
 */
export async function findFailedPairs(
  context: CheckContext,
  { send, isFault, mustBeAlone }: PairTrial,
): Promise<FailedPairs | null> {
  const faults: Exchange[] = [];
  let [pairs, failed, lost] = [0, 0, 0];
  for (let sent = 0; sent < MAX_SENT && pairs < MAX_PAIRS && failed < FAILED_PAIRS; sent++) {
    const together = await Promise.all([send(), send()]);
    const single = await send();
    const answers = [...together, single].filter((one) => one !== null);
    // A connection that fails in the network ends the trial.
    if (answers.length < 3) return null;
    const numbers = answers.map(({ number }) => number);
    if (mustBeAlone && Math.max(...numbers) - Math.min(...numbers) >= answers.length) continue;
    const refused = answers.filter((one) => !isAccepted(one));
    if (single === null || !refused.every(isFault)) return null;
    if (refused.includes(single)) {
      lost += 1;
      if (lost > MAX_LOST) return null;
      await waitFor(LOST_PAUSE_MS, context);
      continue;
    }
    pairs += 1;
    if (refused.length > 0) failed += 1;
    faults.push(...refused);
    if (pairs === QUIET_PAIRS && failed === 0) return null;
  }
  return failed < FAILED_PAIRS ? null : { pairs, failed, faults };
}

/**
 * Expects that two calls at once are answered 200 both. Runs if some calls of the run failed, or were refused although the same
 * call was answered at another time. Throws Violation.
 */
export async function expectAnsweredAtOnce(context: CheckContext): Promise<void> {
  const { list, exercised } = context;
  const { failedCalls, calls } = list.history;
  if (failedCalls.length + calls.refusedNowAndThen.length < MIN_FAILED) return;
  const send = (): Promise<Exchange | null> =>
    orNull(callWithToken(context, { senderOptions: { maxRetries: 0 } }));
  const found = await findFailedPairs(context, { send, isFault: isUnexplained, mustBeAlone: true });
  if (found === null) return;
  exercised();
  const { pairs, failed, faults } = found;
  const status = faults[0]?.answer?.status ?? null;
  throw violationOfStatus(status, {
    message:
      `in ${failed} of ${pairs} pairs of GET ${list.path} with a valid token that were sent at once, one or both were answered ` +
      `${status}; each single call after a pair was answered 200. Each must be answered 200`,
    counterexample: { pairs, failed },
    exchanges: faults.slice(0, MAX_EXCHANGES),
  });
}

/** Whether neither its token nor a limit nor a gateway explains that a call is not answered 200. */
export function isUnexplained({ answer }: Exchange): boolean {
  return answer !== null && (answer.status === 500 || isOtherRefusal(answer.status));
}
