import type { Exchange } from '../../core/exchange.ts';
import { intermittent, unavailable } from '../../core/undecided.ts';
import { hasParameter } from '../../provider/link.ts';
import type { CallOptions } from '../../provider/sender.ts';
import { isForbidden, isServerError } from '../../provider/throttled-answer.ts';
import type { Client } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { freshTargets } from '../probes/drawn-query.ts';
import { callWithToken, isAccepted, slowCalls } from '../probes/valid-token-calls.ts';
import { type Violation, violationOfStatus } from '../violation.ts';
import { isUnexplained } from './requests-at-once.ts';

/**
 * Least number of failed calls in the run that justifies a trial; the larger one if all of them succeeded after a
 * retry.
 */
const MIN_FAILED = 2;
const MIN_RETRIED = 8;
/** Calls at most, each of which is made twice or three times. */
const MAX_CALLS = 60;
/** Calls after which a trial ends if none failed at first. */
const MIN_CALLS = 30;
/** Calls that must fail at first and succeed when they are repeated, so that chance does not explain them. */
const FAILURES = 6;
/** Least share of the calls that must fail at first: if a gateway fails regularly, but rarely, it may meet first calls only. */
const LEAST_SHARE = 0.25;
/** Calls in a row that must be answered before a breach is proven, so that no gateway that fails every twelfth call, or more often, explains it. */
const CALLS_IN_A_ROW = 12;
/** Exchanges that the violation names at most. */
const MAX_EXCHANGES = 6;
/** Least number of slow calls that count, because no other requests of the run came in between. */
const SLOW_CALLS = 20;
const SLOW_PACE = { pauseMs: 100, most: 120, callsBefore: 10, requests: 1 };
/**
 * The pace, the most slow calls that count, how many must fail right after an accepted one, and the largest share that may
 * fail: a rate limit would refuse more. Chance explains more answers of status 500 than of status 403.
 */
const ALSO_SERVER_ERRORS = { pace: SLOW_PACE, most: SLOW_CALLS, failures: 5, share: 0.5 };
/**
 * Limits of a trial in which no refusal is 500, such as that of a rate limit with 403: the calls count when a limit
 * over some seconds is over.
 */
const NO_SERVER_ERRORS = {
  pace: { ...SLOW_PACE, most: 300, callsBefore: 60 },
  most: 60,
  failures: 3,
  share: 0.5,
};
/**
 * Limits of a trial after many errors in the run, of which a retry hid some. Other checks then repeat
 * requests for a long time, and every second call may fail.
 */
const MANY_SERVER_ERRORS = { pace: { ...SLOW_PACE, most: 400 }, most: 40, failures: 7, share: 0.7 };
/** Answers of status 500 that are many: so many of the run, and this share of its answers. */
const MANY = { least: 8, share: 0.05 };
/** Least number of failed calls in the run that justifies slow calls. */
const MIN_LASTING = 3;
/** Failed calls for each page of the run at most: a rate limit would refuse more. */
const MAX_SHARE = 2;
/**
 * Pause before the next two calls: at least this many milliseconds, and at least this multiple of the time that two
 * calls take.
 */
const MIN_GAP_MS = 10;
const GAP = 2;
/** Calls to a list that limits requests by 403, and the milliseconds before each. */
const LIMITED_CALLS = 12;
const LIMITED_PAUSE_MS = 1000;
const NOT_REPEATED = { senderOptions: { maxRetries: 0 } };
/** New pages that are requested again, and those after which the trial ends if no repetition failed. */
const REPEATED_PAGES = 9;
const QUIET_PAGES = 3;
/** Further new pages between a page and its repetition, in turn. */
const PAGES_BETWEEN = [0, 1, 2];
/** New pages of that trial that may be refused: another check may have requested one just before. */
const MAX_REFUSED_AT_FIRST = 1;
/** Milliseconds before each call of that trial. */
const REPETITION_PAUSE_MS = 30;

/**
 * Expects that calls are answered 200 when they are made for the first time. Runs if some calls of the run were
 * answered only when they were repeated, or not at all. Requests new pages, each twice or three times; after a 403, also
 * uses new tokens in this way. A rate limit, or an outage, would refuse some of the second calls as well. Then expects the same of
 * repeated calls; so it does if calls of the run were refused that had been answered before. Throws Violation.
 */
export async function expectFirstCallsAnswered(context: CheckContext): Promise<void> {
  const { list, tokens } = context;
  const { failedCalls: failures } = list.history;
  const refused = failures.filter((exchange) => exchange.answer?.status !== 200);
  if (refused.length < MIN_FAILED && failures.length < MIN_RETRIED) {
    if (list.history.calls.refusedAgain < MIN_FAILED) return;
    const most = PAGES_BETWEEN.length * REPEATED_PAGES;
    return expectRepetitionsAnswered(context, await freshTargets(context, { isDeep: true, most }));
  }
  const isDeep = failures.some(({ request }) => hasParameter(request.target, '$skip'));
  const most = MAX_CALLS + PAGES_BETWEEN.length * REPEATED_PAGES;
  const all = await freshTargets(context, { isDeep, most });
  const [targets, others] = [all.slice(0, MAX_CALLS), all.slice(MAX_CALLS)];
  await expectEachAnsweredAtFirst(context, 'pages that were requested for the first time', async (number) => {
    const target = targets[number];
    return target === undefined ? null : { target, authorization: `Bearer ${await tokens.bearer()}` };
  });
  await expectRepetitionsAnswered(context, others);
  if (!failures.some(isForbidden)) return;
  await tokens.lock.runAlone(() =>
    expectEachAnsweredAtFirst(context, 'calls with a token that was just issued', async () => {
      const { token } = await tokens.requestUnshared();
      return token === null ? null : { authorization: `Bearer ${token}` };
    }),
  );
}

/**
 * Expects that slow calls are answered 200: one after another, with pauses, and without other requests in between, so
 * that no rate limit explains a refusal. Runs if some calls of the run were answered 403 or 500, or were redirected or refused
 * otherwise although the same call was answered at another time, and enough others gave a page, or if many were answered 500 before they were repeated; then the same calls are made. Throws Violation;
 * Undecided if a rate limit of the run may be the reason.
 */
export async function expectSlowCallsAnswered(context: CheckContext): Promise<void> {
  const { list, exercised } = context;
  const { failedCalls, errorsWithin, answersWithin, forbiddenLimit } = list.history;
  const targets = [...list.history.recovered];
  const seen = failedCalls.filter(isLasting);
  const others = list.history.calls.refusedNowAndThen.length;
  const hasManyErrors =
    targets.length > 0 && errorsWithin >= MANY.least && errorsWithin >= MANY.share * answersWithin;
  const number = seen.length + others;
  const areFew = number < MIN_LASTING || number > MAX_SHARE * list.pages.usual.length;
  if (areFew && !hasManyErrors) return;
  if (!hasManyErrors && forbiddenLimit.isKnown && others === 0 && seen.every(isForbidden))
    return expectOnlyRateLimit(context);
  const few = seen.every(isForbidden) ? NO_SERVER_ERRORS : ALSO_SERVER_ERRORS;
  const { pace, most, failures, share } = hasManyErrors ? MANY_SERVER_ERRORS : few;
  const calls: Exchange[] = [];
  // Refusals in a row count once: a rate limit that the calls before them used up ends once.
  const separate = (): number =>
    calls.filter((call, index) => isLasting(call) && calls.slice(index - 1, index).some(isAccepted)).length;
  const call = (number: number): Promise<Exchange> => {
    const target = (hasManyErrors ? targets[number % targets.length] : null) ?? list.path;
    return callWithToken(context, { ...NOT_REPEATED, target });
  };
  for await (const { exchange, isUndisturbed } of slowCalls(context, pace, call)) {
    if (!isLasting(exchange) && !isAccepted(exchange)) return;
    if (isUndisturbed) calls.push(exchange);
    if (calls.length >= (separate() < failures ? most : SLOW_CALLS)) break;
  }
  const refused = calls.filter(isLasting);
  const [first] = refused;
  const accepted = calls.findLast(isAccepted);
  const isProven = separate() >= failures && refused.length <= share * calls.length;
  // A list that fails so often is not shown to answer each call.
  if (hasManyErrors && (calls.length < SLOW_CALLS || (refused.length > 0 && !isProven)))
    throw intermittent(
      `${errorsWithin} of ${answersWithin} calls with a valid token were answered with a server error`,
      answersWithin,
      errorsWithin,
    );
  if (first === undefined || accepted === undefined || !isProven) return;
  exercised();
  const status = first.answer?.status ?? null;
  throw violationOfStatus(status, {
    message:
      `GET ${first.request.target} with a valid token was answered ${status} in ${refused.length} of ` +
      `${calls.length} calls, which were made one after another with ${SLOW_PACE.pauseMs} ms in between; ` +
      'each must be answered 200',
    counterexample: { calls: calls.length, refused: refused.length },
    exchanges: [...refused, accepted].slice(-MAX_EXCHANGES),
  });
}

/** Throws Undecided if calls are refused at a pace that hardly any rate limit refuses. */
async function expectOnlyRateLimit(context: CheckContext): Promise<void> {
  let refused = 0;
  for (let call = 0; call < LIMITED_CALLS; call++) {
    await waitFor(LIMITED_PAUSE_MS, context);
    if (isForbidden(await callWithToken(context, NOT_REPEATED))) refused += 1;
  }
  if (refused < 2) return;
  const seen = context.list.history.failedCalls.filter(isForbidden).length;
  throw intermittent(
    `calls with a valid token were answered 403 (${seen} of this run), also ${refused} of ${LIMITED_CALLS} with a pause of ` +
      `${LIMITED_PAUSE_MS} ms before each, so that no rate limit explains them`,
    LIMITED_CALLS,
    refused,
  );
}

/** @param callOf the call of that number, from 0; null for no further one */
async function expectEachAnsweredAtFirst(
  context: CheckContext,
  kind: string,
  callOf: (number: number) => Promise<CallOptions | null>,
): Promise<void> {
  const { list, exercised, random } = context;
  const failed: Exchange[] = [];
  for (let number = 0; number < MAX_CALLS; number++) {
    const call = await callOf(number);
    if (call === null) return;
    const first = await list.call({ ...call, ...NOT_REPEATED });
    const second = await list.call({ ...call, ...NOT_REPEATED });
    // Not always two calls: one of two servers that answer in turn may be down.
    const isThrice = number === 0 || random(`calls of ${kind} ${number}`) % 2 === 0;
    const last = isThrice ? await list.call({ ...call, ...NOT_REPEATED }) : second;
    if (second.answer?.status !== 200 || last.answer?.status !== 200) return;
    // More time before a first call than before a second one: a rate limit would refuse the second one.
    await waitFor(Math.max(MIN_GAP_MS, GAP * (first.durationMs + second.durationMs)), context);
    if (isForbidden(first) || isServerError(first)) failed.push(first, second);
    else if (first.answer?.status !== 200) return;
    const [shown] = failed;
    if (shown === undefined && number + 1 >= MIN_CALLS) return;
    const failures = failed.length / 2;
    if (shown === undefined || failures < Math.max(FAILURES, LEAST_SHARE * (number + 1))) continue;
    for (let calls = 0; calls < CALLS_IN_A_ROW; calls++) {
      await waitFor(MIN_GAP_MS, context);
      if (!isAccepted(await list.call({ ...call, ...NOT_REPEATED }))) return;
    }
    exercised();
    const status = shown.answer?.status ?? null;
    throw violationOfStatus(status, {
      message:
        `GET ${shown.request.target} with a valid token was answered ${status} at first and 200 when it ` +
        `was repeated. This happened to ${failures} of ${number + 1} ${kind}; ` +
        'no repeated call was refused. Each must be answered 200',
      counterexample: { request: shown.request.target },
      exchanges: failed.slice(0, MAX_EXCHANGES),
    });
  }
}

/**
 * Expects that a call is answered 200 also if the same one was answered before. Requests new pages, and each of them again,
 * with none, one or two new ones in between: neither a limit of requests nor an outage would spare all new pages and refuse
 * the repeated ones. Throws Violation. A repetition that is answered 401, 403, 429 or by a gateway shows nothing: its token may have
 * ended, or it may be a limit for each address.
 */
async function expectRepetitionsAnswered(context: CheckContext, targets: readonly string[]): Promise<void> {
  const unused = [...targets];
  const call = async (target: string): Promise<Exchange> => {
    await waitFor(REPETITION_PAUSE_MS, context);
    return callWithToken(context, { target, ...NOT_REPEATED });
  };
  const failed: (readonly [again: Exchange, first: Exchange])[] = [];
  let refusedAtFirst = 0;
  for (let page = 0; page < REPEATED_PAGES; page++) {
    const opened: Exchange[] = [];
    for (const target of unused.splice(0, 1 + (PAGES_BETWEEN[page % PAGES_BETWEEN.length] ?? 0))) {
      const exchange = await call(target);
      if (isAccepted(exchange)) opened.push(exchange);
      else if (!isUnexplained(exchange) || ++refusedAtFirst > MAX_REFUSED_AT_FIRST) return;
    }
    const [first] = opened;
    if (first === undefined) continue;
    const again = await call(first.request.target);
    if (isUnexplained(again)) failed.push([again, first]);
    else if (!isAccepted(again)) return;
    if (page + 1 === QUIET_PAGES && failed.length === 0) return;
  }
  const [shown] = failed;
  if (shown === undefined || failed.length < FAILURES) return;
  context.exercised();
  const [again, first] = shown;
  const status = again.answer?.status ?? null;
  throw violationOfStatus(status, {
    message:
      `GET ${first.request.target} with a valid token was answered 200 at first and ${status} when it was requested again. ` +
      `This happened to ${failed.length} of ${REPEATED_PAGES} pages, and ${refusedAtFirst === 0 ? 'no page' : 'only one page'} ` +
      'was refused at first. Each must be answered 200',
    counterexample: { request: first.request.target },
    exchanges: [again, first, ...failed.slice(1).map(([one]) => one)].slice(0, MAX_EXCHANGES),
    comparesTwo: true,
  });
}

/** Whether a call failed with a status that is typical neither of an outage nor of a token that has ended. */
function isLasting(exchange: Exchange): boolean {
  return isForbidden(exchange) || isUnexplained(exchange);
}

/** Minimum number of calls with a token that were refused in a row at the end of the run. */
const MIN_REFUSED = 3;
/** Milliseconds before each call, so that a short rate limit is over. */
const PAUSE_MS = 3000;
/** Whose token each call carries. The second client shows that the address of Assay is not blocked. */
const TURNS: readonly Client[] = ['first', 'second', 'first', 'second', 'first'];

/**
 * The breach of the list call with a token just issued if the list accepted the tokens of the run at first and refuses all of them since,
 * and accepts those of the second client. Null if it accepts one again. Throws Undecided if there is no such client, or
 * if its tokens are refused as well: the provider may block an address after wrong requests.
 */
export async function findLostAccess(context: CheckContext): Promise<Violation | null> {
  const { list, target } = context;
  if (!list.history.wasAccepted || list.history.calls.refusedAtEnd < MIN_REFUSED) return null;
  const ofFirst = await callWithIssuedToken(context, 'first');
  if (ofFirst === null || !isRefused(ofFirst)) return null;
  const status = ofFirst.answer?.status ?? null;
  const lost = `GET ${ofFirst.request.target} was answered 200 before and is answered ${status} since, also with a token just issued`;
  const open = unavailable(status, lost);
  if (target.otherCredentials === null || status !== 401) throw open;
  const exchanges: Exchange[] = [ofFirst];
  for (const client of TURNS) {
    await waitFor(PAUSE_MS, context);
    const exchange = await callWithIssuedToken(context, client);
    if (exchange === null) throw open;
    exchanges.unshift(exchange);
    if (client === 'first' && !isRefused(exchange)) return null;
    if (client === 'second' && exchange.answer?.status !== 200) throw open;
  }
  const refusals = exchanges.filter(isRefused).length;
  return violationOfStatus(status, {
    message:
      `GET ${ofFirst.request.target} with a token just issued was answered ${status}, ${refusals} times; ` +
      'it was answered 200 earlier in this run, and 200 in between with a token of the second provider. It must be answered 200',
    exchanges: exchanges.slice(0, 2),
  });
}

/** A list call with a token that is requested for it; null if none is issued. */
function callWithIssuedToken({ tokens, list }: CheckContext, client: Client): Promise<Exchange | null> {
  return tokens.lock.runAlone(async () => {
    const { token } = await tokens.requestAnother(client);
    return token === null ? null : list.call({ authorization: `Bearer ${token}` });
  });
}

function isRefused(exchange: Exchange): boolean {
  return exchange.answer?.status === 401 || isForbidden(exchange);
}
