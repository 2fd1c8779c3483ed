import { intermittent, unavailable } from '../../core/undecided.ts';
import { isHtml, oauthError } from '../../provider/refusal-wording.ts';
import { isWebPage, refusesWith200, type TokenAnswer } from '../../provider/token-answer.ts';
import type { TokenClient } from '../../provider/token-client.ts';
import { USUAL_ON_NEW_CONNECTION, USUAL_SPELLING } from '../../provider/token-spellings.ts';
import type { CheckContext } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { afterOnConnection, Violation, violationOfStatus } from '../violation.ts';
import { expectNoFaults, isFault, isRetriable } from './failed-token-requests.ts';

/** Valid requests of a trial at most. */
const MAX_REQUESTS = 12;

/** Valid requests on new connections: if they are accepted, the client is not locked. */
const CONTROLS = 6;

/** Exchanges that a violation names at most. */
const MAX_EXCHANGES = 8;

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
 * explains it. An example is status 409 while an earlier token is in force. Throws Violation if more requests prove it.
 */
async function expectNoOtherRefusals(context: CheckContext): Promise<void> {
  const { history } = context.tokens;
  if (history.answersToValidRequests().some(isFault)) await expectNoFaults(context);
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
  return isRefused && exchange.answer !== null && !isRetriable(answer);
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

function isOAuthRefusal(refused: TokenAnswer): boolean {
  const { answer } = refused.exchange;
  if (answer === null || ![400, 401].includes(refused.status) || isRetriable(refused)) return false;
  return REQUEST_ERRORS.has(oauthError(answer) ?? '');
}
