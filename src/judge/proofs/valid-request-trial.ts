import { headerOf } from '../../core/exchange.ts';
import { intermittent, unavailable } from '../../core/undecided.ts';
import { isHtml, oauthError } from '../../provider/refusal-wording.ts';
import { isOfGateway } from '../../provider/throttled-answer.ts';
import { isWebPage, refusesWith200, type TokenAnswer } from '../../provider/token-answer.ts';
import type { TokenClient } from '../../provider/token-client.ts';
import { USUAL_ON_NEW_CONNECTION, USUAL_SPELLING } from '../../provider/token-spellings.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { afterOnConnection, Violation, violationOfStatus } from '../violation.ts';

/** Valid requests of a trial at most. */
const MAX_REQUESTS = 12;

/**
 * Valid requests at most of a trial that looks for server errors: wrong requests of other checks may get some
 * of these errors.
 */
const MAX_SPACED = 30;

/** Valid requests on new connections: if they are accepted, the client is not locked. */
const CONTROLS = 6;

/** Exchanges that a violation names at most. */
const MAX_EXCHANGES = 8;

/** Least number of valid requests of the run that were repeated, for such a trial. */
const MIN_REPEATED = 2;

/** Most server errors of a trial, each followed by an answer 200, that outages or a few errors in a hundred may explain. */
const MAX_OUTAGES = 4;

/** Pairs of requests at once, those after which the trial ends if all were answered, and how many must fail. */
const PAIRS = 8;
const QUIET_PAIRS = 3;
const FAILED_PAIRS = 6;

/** Milliseconds between valid requests of a trial that looks for server errors. */
const PAUSE_MS = 300;

/**
 * Error codes that say what is wrong with a request (RFC 6749, 5.2). Other errors may come from a rate limit.
 */
const REQUEST_ERRORS = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

/**
 * Expects that every valid token request of the run was answered 200 (4.1). Leaves out refusals after wrong requests,
 * which may come from a lock-out, and answers 429 or 5xx, which may come from a limit or an outage. If another refusal
 * was seen, sends valid requests, over new connections and over the kept one in turn, until one is refused again. Throws
 * Violation with the share; Undecided if a refusal was seen only once.
 *
 * @param seen a refused request in an unusual spelling, which was accepted in both spellings at other times
 */
export async function expectEachAnswered(
  context: CheckContext,
  seen: TokenAnswer | null = null,
): Promise<void> {
  const { tokens, options } = context;
  expectNoOtherSuccess(tokens);
  if (options.suite === 'smoke') return;
  let isLockPossible = true;
  const found = (): readonly TokenAnswer[] => [
    ...(seen !== null && isOAuthRefusal(seen) ? [seen] : []),
    ...unansweredValidRequests(tokens, isLockPossible),
  ];
  if (found().length === 0) {
    if (await isLockedOut(context)) return;
    isLockPossible = false;
  }
  const [first] = found();
  if (first === undefined) return expectNoOtherRefusals(context);
  await requestUntilTwo(tokens, found);
  // What is refused over one connection may be refused by the one server that has locked the client out.
  if (found().length < 2 && isLockPossible && !(await isLockedOut(context))) isLockPossible = false;
  const unanswered = found();
  const answers = [...validAnswers(tokens), ...(seen === null ? [] : [seen])];
  const share = `${unanswered.length} of ${answers.length} valid token requests of this run`;
  const error = first.exchange.answer === null ? null : oauthError(first.exchange.answer);
  const status = `${first.status}${error === null ? '' : ` (${error})`}`;
  if (unanswered.length < 2)
    throw intermittent(`${share} was answered ${status} instead of 200`, answers.length);
  const accepted = answers.filter((answer) => answer.status === 200).slice(0, 1);
  const onConnection = onSharedConnection(tokens, unanswered);
  const isShared = onConnection.sequence !== undefined;
  const where = isShared ? '; they used one connection, which also carried a wrong request earlier' : '';
  const condition = `${where}; no wrong request was sent between them and the accepted one before, so no lock-out explains this`;
  throw violationOfStatus(first.status, {
    message: `${share} were not answered 200 but ${status}${condition}; each must be answered 200`,
    counterexample: { requests: answers.length, unanswered: unanswered.length },
    exchanges: [...unanswered.slice(0, MAX_EXCHANGES), ...accepted],
    ...onConnection,
  });
}

/** Sends valid requests, over new connections and over the kept one in turn, until two answers are found. */
function requestUntilTwo(tokens: TokenClient, found: () => readonly TokenAnswer[]): Promise<void> {
  return tokens.lock.runAlone(async () => {
    for (let number = 0; number < MAX_REQUESTS && found().length < 2; number++)
      await tokens.requestUnshared(number % 2 === 0 ? USUAL_ON_NEW_CONNECTION : USUAL_SPELLING);
  });
}

/**
 * The answers so far to valid requests of both clients. Without those of a second client that never obtained a token but an
 * OAuth error: its credentials may be mistyped, of which token/provider-isolation tells.
 */
export function validAnswers({ history }: TokenClient): readonly TokenAnswer[] {
  const ofSecond = history.answersToValidRequests('second');
  return [...history.answersToValidRequests('first'), ...(ofSecond.every(refusesWith200) ? [] : ofSecond)];
}

/**
 * Throws Undecided if a list call is now answered like this valid request, with a web page or a redirect, after tokens were
 * issued: a portal or a page of maintenance stands in front of the provider.
 */
export async function expectNoPortal(
  { list, tokens }: CheckContext,
  { status, exchange: { answer } }: TokenAnswer,
): Promise<void> {
  const bearer = answer === null || status >= 400 ? null : await orNull(tokens.bearer());
  if (answer === null || bearer === null) return;
  const call = await list.call({ target: list.path, authorization: `Bearer ${bearer}` });
  if (call.answer?.status !== status || isHtml(call.answer) !== isHtml(answer)) return;
  throw unavailable(
    status,
    'tokens were issued before, and token requests and list calls are answered alike now, as by a portal in front of the provider',
  );
}

/** Throws Violation if a valid request was given a token with another status of success than 200: that is no refusal, and no outage. */
function expectNoOtherSuccess(tokens: TokenClient): void {
  const answers = validAnswers(tokens);
  const broken = answers.filter(hasTokenElsewhere);
  const [first] = broken;
  if (first === undefined) return;
  throw violationOfStatus(first.status, {
    message:
      `${broken.length} of ${answers.length} valid token requests of this run were not answered 200 but ${first.status}, ` +
      'with a token; each must be answered 200',
    counterexample: { requests: answers.length, unanswered: broken.length },
    exchanges: broken.slice(0, MAX_EXCHANGES),
  });
}

/**
 * Expects that no valid request was answered 200 with a web page. If one was, sends others until a second one is. Throws
 * Violation if a token was issued between two of them; Undecided otherwise, because an outage may explain pages in a row.
 */
export async function expectNoWebPages({ tokens, options }: CheckContext): Promise<void> {
  if (options.suite === 'smoke') return;
  const all = (): readonly TokenAnswer[] => validAnswers(tokens);
  const isPage = (answer: TokenAnswer): boolean => answer.status === 200 && isWebPage(answer);
  /** The page that came first, and the one requested last if a token was issued between them. */
  const found = (): readonly TokenAnswer[] => {
    const pages = all().filter(isPage);
    const [from] = pages.toSorted((one, other) => one.answeredAt - other.answeredAt);
    const to = pages.toSorted((one, other) => one.requestedAt - other.requestedAt).at(-1);
    if (from === undefined || to === undefined) return [];
    const isBetween = ({ token, requestedAt, answeredAt }: TokenAnswer): boolean =>
      token !== null && requestedAt >= from.answeredAt && answeredAt <= to.requestedAt;
    return all().some(isBetween) ? [from, to] : [from];
  };
  if (!all().some(isPage)) return;
  await requestUntilTwo(tokens, found);
  const pages = all().filter(isPage).length;
  const share = `${pages} of ${all().length} valid token requests of this run`;
  if (found().length < 2)
    throw intermittent(
      `${share} ${pages === 1 ? 'was' : 'were'} answered 200 with a web page`,
      all().length,
      pages,
    );
  throw new Violation({
    message: `${share} were answered 200 with a web page, and tokens were issued between them; each must be answered 200 with a token`,
    expected: 'a token',
    actual: 'a web page',
    counterexample: { requests: all().length, unanswered: pages },
    exchanges: found(),
  });
}

/**
 * Throws Undecided if valid requests were refused again and again, no answer says why, and no wrong request or limit
 * explains it. An example is status 409 while an earlier token is in force.
 */
function expectNoOtherRefusals({ tokens: { history } }: CheckContext): void {
  const answers = history.answersToValidRequests();
  const refused = answers.filter((answer) => isUnexplained(answer) && history.isUnprovoked(answer));
  const [first] = refused;
  if (first === undefined || refused.length < 2) return;
  throw intermittent(
    `${refused.length} of ${answers.length} valid token requests of this run were answered ${first.status} instead of 200, ` +
      'although no wrong request was sent between them and the accepted one before',
    answers.length,
    refused.length,
  );
}

/** Whether a refusal names neither a mistake of the request nor a limit. */
function isUnexplained(answer: TokenAnswer): boolean {
  const { status, exchange } = answer;
  const isRefused = status >= 400 && status < 500 && status !== 429 && !isOAuthRefusal(answer);
  return isRefused && exchange.answer !== null && headerOf(exchange.answer.headers, 'retry-after') === null;
}

/** What marks refusals that all came over one connection, on which a wrong request was refused before. */
function onSharedConnection(
  { endpoint }: TokenClient,
  refused: readonly TokenAnswer[],
): ReturnType<typeof afterOnConnection> {
  const [first] = refused.map(({ exchange }) => exchange);
  if (first?.connection == null || refused.some(({ exchange }) => exchange.connection !== first.connection))
    return {};
  return afterOnConnection(endpoint.firstRefusals.get(first.connection), {
    exchange: first.number,
    token: null,
  });
}

/**
 * Expects that valid requests do not get server errors again and again (4.1). Runs if valid requests of the run
 * were answered 200 only after a retry: sends more of them without retries, one after another and in pairs. Throws Violation
 * with the share.
 */
export async function expectNoRepeatedErrors({ tokens, options, ...context }: CheckContext): Promise<void> {
  const earlier = tokens.history.answersToValidRequests();
  const failed = earlier.filter((one) => one.exchange.retry > 0 || isProviderError(one));
  const isIssuing = earlier.some(({ status }) => status === 200);
  if (!isIssuing || failed.length === 0 || options.suite === 'smoke') return;
  if (failed.length < MIN_REPEATED) return expectAnsweredInPairs(tokens);
  const answers: TokenAnswer[] = [];
  const outages = (): readonly TokenAnswer[] =>
    answers.filter((answer, index) => isProviderError(answer) && answers[index + 1]?.status === 200);
  await tokens.lock.runAlone(async () => {
    for (let number = 0; number < MAX_SPACED && outages().length <= MAX_OUTAGES; number++) {
      if (number > 0) await waitFor(PAUSE_MS, context);
      const answer = await tokens.endpoint.sendValid(tokens.endpoint.validForm(), USUAL_SPELLING, {
        maxRetries: 0,
      });
      if (answer.status !== 200 && !isProviderError(answer)) return;
      answers.push(answer);
    }
  });
  const [first] = outages();
  if (first === undefined || outages().length <= MAX_OUTAGES) return expectAnsweredInPairs(tokens);
  const errors = answers.filter(isProviderError);
  throw violationOfStatus(first.status, {
    message:
      `${errors.length} of ${answers.length} valid token requests in a row were answered ` +
      `${first.status}, the others 200; each must be answered 200`,
    counterexample: { requests: answers.length, unanswered: errors.length },
    exchanges: errors.slice(0, MAX_EXCHANGES),
  });
}

/**
 * Expects that two valid requests at once are answered 200 both. Sends a single one after each pair. Throws Violation if
 * pairs get server errors again and again and single ones do not: an outage would not tell them apart.
 */
async function expectAnsweredInPairs(tokens: TokenClient): Promise<void> {
  const { endpoint } = tokens;
  const send = (): Promise<TokenAnswer | null> =>
    orNull(endpoint.sendValid(endpoint.validForm(), USUAL_ON_NEW_CONNECTION, { maxRetries: 0 }));
  const failed: (readonly TokenAnswer[])[] = [];
  await tokens.lock.runAlone(async () => {
    for (let pair = 1; pair <= PAIRS; pair++) {
      const given = await Promise.all([send(), send()]);
      // A connection that fails in the network ends the trial.
      const answers = given.filter((answer) => answer !== null);
      const areDecided = answers.every((answer) => answer.status === 200 || isProviderError(answer));
      if (answers.length < given.length || !areDecided) return;
      if (answers.some(isProviderError)) failed.push(answers);
      if ((await send())?.status !== 200 || (pair === QUIET_PAIRS && failed.length === 0)) return;
    }
  });
  const errors = failed.flat().filter(isProviderError);
  const [first] = errors;
  if (first === undefined || failed.length < FAILED_PAIRS) return;
  throw violationOfStatus(first.status, {
    message:
      `in ${failed.length} of ${PAIRS} pairs of valid token requests that were sent at once, one or both were answered ` +
      `${first.status}; each single request after a pair was answered 200. Each must be answered 200`,
    counterexample: { pairs: PAIRS, failed: failed.length },
    exchanges: failed.flat().slice(0, MAX_EXCHANGES),
  });
}

function isProviderError({ status }: TokenAnswer): boolean {
  return status >= 500 && !isOfGateway(status);
}

/**
 * If a valid request of the run was refused after wrong ones, sends valid requests on new connections and on the kept
 * one in turn. A lock-out, even on one of several servers, also refuses some of those on new connections.
 */
async function isLockedOut({ tokens }: CheckContext): Promise<boolean> {
  if (!tokens.history.answersToValidRequests().some(isOAuthRefusal)) return false;
  return tokens.lock.runAlone(async () => {
    for (let number = 0; number < CONTROLS; number++) {
      const control = await tokens.requestUnshared(USUAL_ON_NEW_CONNECTION);
      if (control.status !== 200) return true;
      await tokens.requestUnshared(USUAL_SPELLING);
    }
    return false;
  });
}

/**
 * Valid requests that were not answered 200 although they had to be.
 *
 * @param isLockPossible whether one of several servers may have locked the client out
 */
function unansweredValidRequests(
  { history }: Pick<TokenClient, 'history'>,
  isLockPossible: boolean,
): readonly TokenAnswer[] {
  const isProven = history.provenRefusals.length > 0 || !isLockPossible;
  const isRefused = (answer: TokenAnswer): boolean =>
    isOAuthRefusal(answer) &&
    (history.refusedBeforeWrong.includes(answer) ||
      history.isUnprovoked(answer, { overOneConnection: !isProven }));
  return history.answersToValidRequests().filter(isRefused);
}

/** Whether an answer has another status of success than 200, and a token. */
export function hasTokenElsewhere(answer: TokenAnswer): boolean {
  return answer.status > 200 && answer.status < 300 && answer.tokenElsewhere !== null && !isWebPage(answer);
}

function isOAuthRefusal({ status, exchange: { answer } }: TokenAnswer): boolean {
  if (answer === null || (status !== 400 && status !== 401)) return false;
  return REQUEST_ERRORS.has(oauthError(answer) ?? '') && headerOf(answer.headers, 'retry-after') === null;
}
