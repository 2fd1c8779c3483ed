import { type Exchange, headerOf } from '../../core/exchange.ts';
import { jwtOf } from '../../core/jwt.ts';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { intermittent } from '../../core/undecided.ts';
import { listRefusal, missingAccess } from '../../provider/diagnosis.ts';
import type { ListAnswer } from '../../provider/page.ts';
import { repeatedAfterPauses } from '../../provider/refused-call.ts';
import { type CallOptions, ON_NEW_CONNECTION } from '../../provider/sender.ts';
import { isForbidden } from '../../provider/throttled-answer.ts';
import type { EarlyExpiry } from '../../provider/token-history.ts';
import { USUAL_SPELLING } from '../../provider/token-spellings.ts';
import { confirmServerError } from '../confirmation.ts';
import { type CheckContext, madeUpText, waitFor } from '../context.ts';
import { expectOtherPathsDiffer, isRefusedForLength, throwIfMistaken } from '../probes/expected-page.ts';
import { alternateCalls } from '../probes/lasting-refusals.ts';
import {
  callAndRead,
  callWithNewToken,
  callWithToken,
  Disturbed,
  isAccepted,
  statusOf,
  tryUndisturbed,
} from '../probes/valid-token-calls.ts';
import { type Violation, violationOfStatus } from '../violation.ts';
import { expectAcceptedOnAllConnections, expectRefusedSlowly } from './connection-trial.ts';
import { causeOfOtherUser, endsOlderToken } from './other-users.ts';
import { findLostAccess } from './refused-calls.ts';

/** Tokens that are requested in a trial. */
const TOKENS = 16;
/** Milliseconds until a refused token is used for the last time: the servers may need time to learn of it. */
const LAG_MS = 1000;
/** New tokens that are used with pauses, and the milliseconds before each. */
const SLOW_TOKENS = 12;
const SLOW_PAUSE_MS = 600;
/** Tokens at most that are used until a second one is refused on its first use. */
const MAX_FURTHER = 24;
/** Tokens after a refused one of which one must be accepted. */
const MAX_CONTROLS = 3;

/**
 * Expects that each of several new tokens is accepted on its first use (5.1), if every call with one token of the run
 * was refused. A later token request may have ended that token; those of the trial are used before any other token is
 * requested. Throws Violation.
 */
export async function expectEachTokenAccepted(context: CheckContext): Promise<void> {
  await tryUndisturbed(context, () => tryTokens(context));
}

/** A new token with the answer to its first use. */
interface FirstUse {
  readonly token: string;
  readonly issued: number;
  readonly exchange: Exchange;
}

async function tryTokens(context: CheckContext): Promise<void> {
  const used: FirstUse[] = [];
  const useNext = async (): Promise<FirstUse | null> => {
    const use = await useNewToken(context);
    if (use !== null) used.push(use);
    return use;
  };
  for (let number = 0; number < TOKENS; number++) {
    const use = await useNext();
    if (use === null) return;
    context.exercised();
    if (!isAccepted(use.exchange)) return expectReason(context, use, used, useNext);
  }
}

/** Throws Violation if the refusal of a new token repeats and has no other reason than its first use. */
async function expectReason(
  context: CheckContext,
  use: FirstUse,
  used: readonly FirstUse[],
  useNext: () => Promise<FirstUse | null>,
): Promise<void> {
  const later = await useAgain(context, use.token);
  // A token that is refused on some connections only is for connection-trial. A 403 may come from a limit of
  // requests.
  if (later === null || (isForbidden(use.exchange) && isAccepted(later))) return;
  if (!context.tokens.history.inForce(use.token, later)) throw new Disturbed();
  for (let controls = 0; controls < MAX_CONTROLS; controls++) {
    const control = await useNext();
    if (control === null) return;
    if (!isAccepted(control.exchange)) continue;
    const [refused, accepted] = [callWith(use.token), callWith(control.token)];
    // Otherwise a limit of requests may be the reason.
    const isProven = isAccepted(later)
      ? await isRefusedAtSlowPace(context, useNext)
      : (await alternateCalls(context, { refused, accepted })) !== null;
    if (!isProven) return;
    const breach = refusedFromTheStart(use, later, control, used);
    if (isAccepted(later)) throw breach;
    if (await endsOlderToken(context)) throw causeOfOtherUser(breach.message);
    // A restart that loses all tokens may have come between the first request and its use.
    for (let further = 0; further < MAX_FURTHER; further++) {
      const next = await useNext();
      if (next === null) return;
      if (!isAccepted(next.exchange)) throw breach.withWords({ after: `; so was token ${used.length}` });
    }
    throw intermittent(breach.message, used.length);
  }
  // The list may learn of each token late.
  if (isAccepted(later) && (await isRefusedAtSlowPace(context, useNext)))
    throw refusedFromTheStart(use, later, null, used);
}

/** Whether another new token is refused on its first use, with pauses that hardly any limit of requests needs. */
async function isRefusedAtSlowPace(
  context: CheckContext,
  useNext: () => Promise<FirstUse | null>,
): Promise<boolean> {
  for (let tokens = 0; tokens < SLOW_TOKENS; tokens++) {
    await waitFor(SLOW_PAUSE_MS, context);
    const use = await useNext();
    if (use === null || !isAccepted(use.exchange)) return use !== null;
  }
  return false;
}

/** Null if no new token was issued, or if the list gives no decision. Throws Disturbed. */
async function useNewToken(context: CheckContext): Promise<FirstUse | null> {
  const { tokens } = context;
  const { token, exchange: request } = await tokens.requestUnshared(USUAL_SPELLING);
  if (token === null || tokens.history.wasAccepted(token)) return null;
  const exchange = await callAndRead(context, token);
  if (!tokens.history.inForce(token, exchange)) throw new Disturbed();
  if (![200, 401, 403].includes(exchange.answer?.status ?? 0)) return null;
  return { token, issued: request.number, exchange };
}

/** Uses a refused token again, at once and after a pause. Returns the last call; null if the first one is accepted. */
async function useAgain(context: CheckContext, token: string): Promise<Exchange | null> {
  if (isAccepted(await callAndRead(context, token, ON_NEW_CONNECTION))) return null;
  await waitFor(LAG_MS, context);
  return callAndRead(context, token);
}

function refusedFromTheStart(
  use: FirstUse,
  later: Exchange,
  control: FirstUse | null,
  used: readonly FirstUse[],
): Violation {
  const number = used.indexOf(use) + 1;
  const afterMs = later.startedAt - use.exchange.startedAt;
  const how = isAccepted(later)
    ? `and accepted ${(afterMs / 1000).toFixed(1)} s later`
    : 'and on each later use';
  return violationOfStatus(statusOf(use.exchange), {
    message:
      `a token that was just issued was refused (status ${use.exchange.answer?.status}) on its first use ` +
      `${how}, with no other token request in between, ` +
      `${control === null ? 'and so were the next ones' : 'while another token was accepted at once'}; ` +
      `each must be accepted (token ${number} of ${used.length} that were requested and used one after another)`,
    counterexample: { tokens: used.length, refused: number },
    exchanges: [use, use.issued, later, control?.issued, control],
    sequence: used.flatMap(({ issued, exchange }, index) =>
      [issued, exchange.number].map((one) => ({ exchange: one, token: index + 1 })),
    ),
  });
}

/** Milliseconds after which every server knows a token. */
const MIN_AGE_MS = 5000;
/** Tokens without any use that are used at the end of a certify run, at most. */
const MAX_REMAINING = 20;

/** The tokens of the run that were refused by every list call that carried them, while a newer one was accepted. */
export function neverAcceptedTokens({ tokens }: CheckContext): readonly EarlyExpiry[] {
  // A token whose call was answered with another status was known, and may have ended by that.
  return tokens.history.endings.filter(({ token, uses }) => uses === 0 && !tokens.history.wasAccepted(token));
}

/**
 * Makes a list call with each token that no call has carried, and notes those that are refused while another token is
 * accepted. Only in certify: a full run has the requests for one such call, which the search for shared caches makes.
 */
export async function useRemainingTokens({ list, tokens, options }: CheckContext): Promise<void> {
  if (options.suite !== 'certify') return;
  for (let calls = 0; calls < MAX_REMAINING; calls++) {
    const token = tokens.history.unusedToken;
    if (token === null) return;
    const first = await list.call(callWith(token));
    if (isAccepted(first)) continue;
    tokens.history.noteRefused(token);
    if (first.answer?.status !== 401) continue;
    const again = await list.call(callWith(await tokens.bearer()));
    if (isAccepted(again)) tokens.history.noteEarlyExpiry(token, first, false);
  }
}

/**
 * Throws Violation if a token that was never accepted is refused although an older one is accepted in turn with it (5.1). The
 * older token shows that the provider ends no earlier token when it issues another.
 */
export async function expectNoUselessToken(context: CheckContext): Promise<void> {
  const { history } = context.tokens;
  const [useless] = neverAcceptedTokens(context);
  const answer = useless === undefined ? undefined : history.answerOf(useless.token);
  if (useless === undefined || answer === undefined) return;
  const older = history
    .answersToValidRequests()
    .find(
      ({ token, requestedAt }) =>
        token !== null && history.wasAccepted(token) && requestedAt < answer.requestedAt,
    );
  if (older === undefined) return;
  await waitFor(answer.answeredAt + MIN_AGE_MS - context.clock.now(), context);
  const target = newTarget(context);
  const exchanges = await alternateCalls(context, {
    refused: { target, ...callWith(useless.token) },
    accepted: { target, ...callWith(older.token) },
  });
  if (exchanges === null) return;
  const [last, accepted] = exchanges;
  throw violationOfStatus(last?.answer?.status ?? null, {
    message:
      'a token that was issued with HTTP 200 was refused by every list call of the run that carried it, ' +
      `the last time GET ${last?.request.target} with status ${last?.answer?.status}, while an older token was accepted ` +
      'in turn with it; each must be answered 200',
    exchanges: [last, answer, accepted, useless.refused],
    sequence: [
      { exchange: older.exchange.number, token: 1 },
      { exchange: answer.exchange.number, token: 2 },
      ...exchanges.slice(0, 2).map(({ number }, index) => ({ exchange: number, token: 2 - index })),
    ],
  });
}

/** A request target for which the run has no page yet: a cache may answer others for a token that has ended. */
function newTarget({ list, snapshot, random }: CheckContext): string {
  const sent = new Set(snapshot.answers().map(({ target }) => target));
  const first = random('size for an older token') % MAX_PAGE_SIZE;
  const targets = Array.from(
    { length: MAX_PAGE_SIZE },
    (_none, place) => `${list.path}?$pagesize=${1 + ((first + place) % MAX_PAGE_SIZE)}&$count=true`,
  );
  return targets.find((target) => !sent.has(target)) ?? list.path;
}

function callWith(token: string | null): CallOptions {
  return { authorization: `Bearer ${token}` };
}

/** The breach of the first call with a new token if it is refused again. Throws Undecided if it is not. */
export async function findRefusedFirstUse(
  context: CheckContext,
  answer: ListAnswer,
  refusal: number,
): Promise<Violation | null> {
  const { list, tokens, target } = context;
  // A later use of a token shows nothing about its first use.
  const exchange = await callWithNewToken(context);
  const again = list.readAndNote(exchange);
  if (again.kind !== 'refused' && answer.kind !== 'refused') return null;
  if (again.kind !== 'refused') {
    await expectAcceptedOnAllConnections(context);
    await expectEachTokenAccepted(context);
    throw intermittent(`answered ${answer.status} once and ${again.status} the next time`);
  }
  const isTooLong = !list.history.wasAccepted && (await isRefusedForLength(context, exchange));
  if (!list.history.wasAccepted && !isTooLong) {
    throwIfMistaken(listRefusal(exchange, target));
    await expectNoMissingAccess(context, exchange);
  }
  // A gateway may block this client from a moment on.
  const lost = await findLostAccess(context);
  if (lost !== null) return lost;
  // One of several servers may not know the token.
  if (list.history.wasAccepted) await expectAcceptedOnAllConnections(context);
  if (list.history.wasAccepted && again.status === 403) {
    const later = await callWithToken(context, repeatedAfterPauses({ wasAccepted: false }));
    if (statusOf(later) === 200)
      throw intermittent(
        `GET ${again.target} was answered 403 several times, as by a rate limit, and 200 after a pause`,
        3 + later.retry,
      );
  }
  if (list.history.wasAccepted && again.status === 401) {
    const what = `GET ${again.target} with a token just issued was answered 401`;
    await expectRefusedSlowly(context, what, async () => (await tokens.requestUnshared()).token, [
      again.target,
    ]);
  }
  await confirmServerError(context, again.status, async () => statusOf(await callWithToken(context)));
  // The provider may mean a mistake of the target file that its answer does not name.
  const hint = isTooLong
    ? `; a made-up token of its length (${(await context.tokens.bearer()).length}) is refused in the same way, and a short one with 401`
    : list.history.wasAccepted
      ? ''
      : `${clockHint(exchange)}; no call of this list was accepted: if other clients work, check tenant, scope, that authUrl and baseUrl are of one environment, and that no proxy removes the Authorization header`;
  return violationOfStatus(again.status, {
    message: `GET ${again.target} with a token just issued was answered ${again.status}${locationOf(exchange)}; it must be answered 200${hint}`,
    exchanges: [again, refusal],
  });
}

/** Says that a JWT is not valid yet by the clock of a list that refuses it; empty if it is, or if it does not say since when. */
function clockHint({ request, answer }: Exchange): string {
  const token = headerOf(request.headers, 'authorization')?.replace(/^Bearer /u, '') ?? '';
  const payload = jwtOf(token)?.payload;
  const name = ['iat', 'nbf'].find((one) => Number(payload?.[one]) * 1000 > dateOf(answer));
  if (name === undefined) return '';
  const seconds = Number(payload?.[name]) - dateOf(answer) / 1000;
  return `; ${name} of the token is ${seconds} s after the Date of this answer: compare the clocks of both endpoints`;
}

/** The Date of an answer in milliseconds since the epoch; NaN without one. */
function dateOf(answer: Exchange['answer']): number {
  return Date.parse((answer === null ? null : headerOf(answer.headers, 'date')) ?? '');
}

/**
 * Throws Undecided if a call with a made-up token shows that the provider knows the valid one
 * (see {@link missingAccess}), or if that call and one of a path that does not exist are answered 403 as well. In the
 * second case no answer shows that a token was read: a gateway may have no list at this URL, or block this IP address.
 */
async function expectNoMissingAccess(context: CheckContext, refused: Exchange): Promise<void> {
  const { list, target } = context;
  const authorization = `Bearer ${madeUpText(context, 'made-up token')}`;
  const unknown = await list.call({ authorization });
  throwIfMistaken(missingAccess(refused, unknown, target));
  if (statusOf(refused) === 403 && statusOf(unknown) === 403) await expectOtherPathsDiffer(context, refused);
}

/** Where a redirect leads, to follow its status; empty for any other answer. */
function locationOf({ answer }: Exchange): string {
  const location = answer === null ? null : headerOf(answer.headers, 'location');
  return location === null || location.length > 200 ? '' : ` with Location: ${location}`;
}
