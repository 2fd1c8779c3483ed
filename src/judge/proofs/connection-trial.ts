import type { Exchange } from '../../core/exchange.ts';
import { intermittent, Undecided, unavailable } from '../../core/undecided.ts';
import type { ListAnswer } from '../../provider/page.ts';
import { ON_NEW_CONNECTION, OVER_KEPT_CONNECTION } from '../../provider/sender.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { errorOf, evidenceOrNull, orNull } from '../outcomes.ts';
import { callOnce, unsharedRefusal, unsharedTarget } from '../probes/list-refusals.ts';
import {
  callAndRead,
  callWithToken,
  Disturbed,
  isAccepted,
  slowCalls,
  tryUndisturbed,
} from '../probes/valid-token-calls.ts';
import { afterOnConnection, type SequenceStep, Violation, violationOfStatus } from '../violation.ts';

/** Connections that carry the token of a trial. */
const CONNECTIONS = 10;
/** Connections that carry the token if the tenth one was refused. */
const MAX_CONNECTIONS = 13;
/** Calls that are not refused at a slow pace, of which one of several servers would refuse some, and the pause before each. */
const SLOW_CALLS = 25;
/** Other requests of the run count for a limit, too; a token request may belong to a call. */
const SLOW_PACE = { pauseMs: 400, most: 80, callsBefore: 6, requests: 2 };
/** Milliseconds after which every server knows a token. */
const OLD_TOKEN_MS = 3000;
/** Calls over the kept connection, each followed by one over a new connection. */
const TURNS = 3;

/**
 * Expects that a new token is accepted on every connection. One of several servers may not know a token, or a connection may
 * remember what it carried. Runs if a call of the run was refused with a valid token. Throws Violation with the share of
 * connections that refuse it.
 */
export async function expectAcceptedOnAllConnections(context: CheckContext): Promise<void> {
  const seen = firstRefused(context);
  if (seen === null) return;
  await tryUndisturbed(context, () => tryConnections(context, seen));
}

/** Expects that the list accepts a token over the kept connection, which also carries token requests of the same origin. */
async function expectAcceptedOnKeptConnection(context: CheckContext): Promise<void> {
  const call = await callWithToken(context, OVER_KEPT_CONNECTION);
  if (!isUnauthorized(call)) return;
  await context.tokens.lock.runAlone(() => compareConnections(context, call.request.target));
}

type SeenCall = Pick<ListAnswer, 'exchange' | 'target'>;

/** A call of the run that was answered 401 with a token of the run; null if there is none. */
function firstRefused({ list, tokens, snapshot }: CheckContext): SeenCall | null {
  const [refusal] = list.history.refusalsInForce;
  // A token is of all lists of the target.
  const ending = tokens.history.endings.find(
    ({ refused }) => refused.request.target.split('?', 1)[0] === list.path,
  );
  const refused = refusal?.refused ?? ending?.refused;
  if (refused !== undefined) return { exchange: refused.number, target: refused.request.target };
  return snapshot.answers().find(({ kind, status }) => kind === 'refused' && status === 401) ?? null;
}

async function tryConnections(context: CheckContext, { exchange: seen, target }: SeenCall): Promise<void> {
  const { tokens, exercised } = context;
  const issued = await tokens.requestUnshared();
  if (issued.token === null) return;
  const requestsBefore = tokens.history.requests.begun;
  const calls: Exchange[] = [];
  // A refusal proves something only if the token is accepted after it.
  const mayGoOn = (): boolean =>
    calls.length < CONNECTIONS || (calls.length < MAX_CONNECTIONS && isUnauthorized(calls.at(-1)));
  while (mayGoOn()) calls.push(await callAndRead(context, issued.token, { target, ...ON_NEW_CONNECTION }));
  if (tokens.history.requests.begun !== requestsBefore) throw new Disturbed();
  const refused = calls.filter(isUnauthorized);
  const [first] = refused;
  const accepted = calls.findLast(({ answer }) => answer?.status === 200);
  if (first === undefined) return;
  // The token, or the link, may have ended, or the token is good for so many connections.
  if (accepted === undefined || accepted.number < first.number)
    return compareConnections(context, target, calls.length - refused.length);
  const isAtFirst = refused.every((one, index) => one === calls[index]);
  const what = `GET ${target} with one valid token was answered 401 in ${refused.length} of ${calls.length} calls`;
  const tokenOf = async (): Promise<string | null> =>
    isAtFirst ? (await tokens.requestUnshared()).token : issued.token;
  const error = await errorOf(() => expectRefusedSlowly(context, what, tokenOf, [target]));
  const mayBeNew = error instanceof Undecided && !isAtFirst;
  if (error !== null) throw (mayBeNew ? await findRefusedWhenNew(context, target) : null) ?? error;
  exercised();
  const known = calls[refused.length] ?? accepted;
  const delayMs = Math.ceil(known.startedAt - issued.exchange.startedAt);
  const cause = isAtFirst
    ? `it is known ${delayMs} ms after it was requested, and not before, or not to all servers behind this address`
    : 'perhaps not all servers behind this address know the token';
  throw new Violation({
    message:
      `GET ${target} with one token that was just issued was refused (status 401) on ${refused.length} ` +
      `of ${calls.length} new connections and accepted on the others; ` +
      `it must be answered 200 on each: ${cause}`,
    expected: 200,
    actual: `401 on ${refused.length} of ${calls.length} connections`,
    counterexample: { connections: calls.length, refused: refused.length },
    exchanges: [first, accepted, ...refused.slice(1), seen],
  });
}

/**
 * The breach of new tokens that are refused on some new connections, and on none some seconds later at the same pace, several
 * times in turn: then neither a limit of requests nor the connection is the reason. Null if there is none.
 */
async function findRefusedWhenNew(context: CheckContext, target: string): Promise<Violation | null> {
  const { tokens, exercised } = context;
  const callOften = async (token: string, times = CONNECTIONS): Promise<readonly Exchange[]> => {
    const calls: Exchange[] = [];
    while (calls.length < times)
      calls.push(await callAndRead(context, token, { target, ...ON_NEW_CONNECTION }));
    return calls;
  };
  const refused: Exchange[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    // A limit must not find more requests before and among the early calls than for the late ones: these are one more, as
    // the token request counts.
    await waitFor(OLD_TOKEN_MS, context);
    const { token } = await tokens.requestUnshared();
    const early = token === null ? [] : (await callOften(token)).filter(isUnauthorized);
    if (token === null || early.length === 0) return null;
    await waitFor(OLD_TOKEN_MS, context);
    if (!(await callOften(token, CONNECTIONS + 1)).every(isAccepted)) return null;
    refused.push(...early);
  }
  exercised();
  return violationOfStatus(401, {
    message:
      `GET ${target} with tokens that were just issued was refused (status 401) on ${refused.length} of ${TURNS * CONNECTIONS} ` +
      `new connections, and on none of more ${OLD_TOKEN_MS / 1000} s later, in ${TURNS} turns; it must be answered 200 on ` +
      'each: perhaps some servers behind this address know a token some time after it was issued',
    counterexample: { connections: TURNS * CONNECTIONS, refused: refused.length },
    exchanges: refused,
  });
}

/**
 * Expects that one of several calls on new connections is refused also at a pace that hardly any rate limit refuses.
 * Throws Undecided.
 *
 * @param what what was seen before, as a clause
 */
export async function expectRefusedSlowly(
  context: CheckContext,
  what: string,
  tokenOf: () => Promise<string | null>,
  targets: readonly string[],
): Promise<void> {
  let calls = 0;
  const call = async (number: number): Promise<Exchange> => {
    const target = targets[number % targets.length] ?? context.list.path;
    return callAndRead(context, await tokenOf(), { target, ...ON_NEW_CONNECTION });
  };
  for await (const { exchange, isUndisturbed } of slowCalls(context, SLOW_PACE, call)) {
    if (!isUndisturbed) continue;
    if (isUnauthorized(exchange)) return;
    if (++calls === SLOW_CALLS) break;
  }
  // Other checks left no time to rule out a limit.
  if (calls === 0) throw intermittent(what);
  const [target] = targets;
  if (target !== undefined) await expectNoneSpoiled(context, target);
  throw unavailable(
    401,
    `${what}, and in none of ${calls} calls with ${SLOW_PACE.pauseMs} ms in between, as by a rate limit`,
  );
}

/**
 * Calls without a token and then with a new one, over the kept connection, and with that token over a new one. Throws Violation
 * if only the last call is accepted, each time: then the refusal over the same connection spoils the call after it.
 */
async function expectNoneSpoiled({ tokens, list, exercised }: CheckContext, target: string): Promise<void> {
  const { token } = await tokens.requestUnshared();
  if (token === null) return;
  const valid = { target, authorization: `Bearer ${token}` };
  const exchanges: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const refused = await list.call({ target, authorization: null, ...OVER_KEPT_CONNECTION });
    const spoiled = await list.call({ ...valid, ...OVER_KEPT_CONNECTION });
    const accepted = await list.call({ ...valid, ...ON_NEW_CONNECTION });
    if (!isUnauthorized(spoiled) || accepted.answer?.status !== 200) return;
    exchanges.push(refused.number, spoiled.number, accepted.number);
  }
  exercised();
  const [before, shown] = exchanges;
  throw violationOfStatus(401, {
    message:
      `GET ${target} with one token that was just issued was refused (status 401) right after the same call without a token ` +
      `over the same connection, ${TURNS} times, and accepted over new connections in between; it must be answered 200`,
    exchanges,
    ...afterOnConnection(before, { exchange: shown ?? 0, token: 1 }),
  });
}

/**
 * Calls with a new token over the kept connection and over new connections in turn. Throws Violation if only the kept
 * one is refused, or only new ones: then neither the token nor the link has ended.
 *
 * @param known new connections on which a token may be accepted before others are refused
 */
async function compareConnections(
  { tokens, list, exercised }: CheckContext,
  target: string,
  known = 0,
): Promise<void> {
  const issued = await tokens.requestUnshared();
  if (issued.token === null) return;
  const call = { target, authorization: `Bearer ${issued.token}` };
  const kept: Exchange[] = [];
  const fresh: Exchange[] = [];
  const all = (calls: readonly Exchange[], status: number): boolean =>
    calls.every(({ answer }) => answer?.status === status);
  const isOneRefused = (): boolean =>
    (all(kept, 200) && all(fresh.slice(known), 401)) || (all(kept, 401) && all(fresh, 200));
  for (let turn = 0; turn < known + TURNS && isOneRefused(); turn++) {
    kept.push(await list.call({ ...call, ...OVER_KEPT_CONNECTION }));
    fresh.push(await list.call({ ...call, ...ON_NEW_CONNECTION }));
  }
  if (!isOneRefused()) return;
  exercised();
  const isKeptRefused = all(kept, 401);
  const refused = isKeptRefused ? kept : fresh.filter(isUnauthorized);
  const accepted = isKeptRefused ? fresh : kept;
  const [firstKept] = kept;
  throw violationOfStatus(401, {
    message: isKeptRefused
      ? `GET ${target} with one token that was just issued was refused (status 401) over a connection that carried ` +
        `other requests, ${refused.length} times, and accepted over new connections in between; it must be answered 200 on each`
      : `GET ${target} with one token that was just issued was accepted over the connection on which it was used ` +
        `first, and refused (status 401) on ${refused.length} of ${fresh.length} new connections in between; ` +
        'it must be answered 200 on each',
    exchanges: [...refused, ...accepted],
    ...(firstKept !== undefined && isKeptRefused
      ? afterOnConnection(tokens.endpoint.firstRefusals.get(firstKept.connection ?? 0), stepOf(firstKept))
      : {
          sequence: [...kept.slice(0, 1), ...fresh.slice(0, fresh.findIndex(isUnauthorized) + 1)].map(stepOf),
        }),
  });
}

function stepOf({ number }: Exchange): SequenceStep {
  return { exchange: number, token: 1 };
}

/**
 * The breach of a call with a valid token if it is refused after the same call was refused without one; `accepted` if a call
 * whose header names were in lower case was not refused.
 */
export async function findCachedRefusal(context: CheckContext): Promise<Violation | 'accepted' | null> {
  const found = await findRefusalAfterOther(context, [0, 1], async (target, number) =>
    number === 0 ? unsharedRefusal(context) : callOnce(context, { target, authorization: null }),
  );
  // A cache may also refuse the calls that show that there is no outage.
  return found ?? findRefusalRightAfter(context);
}

/** The same for a call right after one without a token, if a valid call of the run was refused: a cache may forget soon. */
export async function findBrieflyCachedRefusal(context: CheckContext): Promise<Violation | null> {
  const found = firstRefused(context) === null ? null : await findRefusalRightAfter(context);
  return found === 'accepted' ? null : found;
}

function findRefusalRightAfter(context: CheckContext): Promise<Violation | 'accepted' | null> {
  return findRefusalAfterOther(context, [3, 4], (target) =>
    context.list.call({ target, authorization: null, ...ON_NEW_CONNECTION }),
  );
}

/**
 * @param numbers of the request targets, two
 * @param callWithout makes a call without a token; what cannot be decided about it is reported by authorization/required
 */
async function findRefusalAfterOther(
  context: CheckContext,
  numbers: readonly number[],
  callWithout: (target: string, number: number) => Promise<Exchange | null>,
): Promise<Violation | 'accepted' | null> {
  const { list, tokens } = context;
  const sequence: SequenceStep[] = [];
  for (const number of numbers) {
    const target = unsharedTarget(context, number);
    const refused = await evidenceOrNull(context, callWithout(target, number));
    if (refused === null || !isUnauthorized(refused)) return null;
    // So that each token of the run is used, if possible.
    const unused = number === 0 ? tokens.history.unusedToken : null;
    const connection = number === 0 ? OVER_KEPT_CONNECTION : {};
    const callWith = (token: string) =>
      list.call({ target, authorization: `Bearer ${token}`, hasLowerCaseNames: true, ...connection });
    const first = unused === null ? null : await callWith(unused);
    if (first !== null && !isUnauthorized(first)) return 'accepted';
    const token = await tokens.bearer();
    const again = await callWith(token);
    if (!isUnauthorized(again)) {
      if (unused !== null && first !== null) tokens.history.noteEarlyExpiry(unused, first, false);
      return 'accepted';
    }
    if (number === 0) await expectAcceptedOnKeptConnection(context);
    // The token itself may have ended, or the names of the headers may be the reason.
    const authorization = `Bearer ${token}`;
    const other = { target: unsharedTarget(context, 2), authorization, hasLowerCaseNames: true };
    if (isUnauthorized(await list.call(other))) {
      // Notes the end of the token if a newer one is accepted.
      await orNull(list.authorized(list.path));
      return null;
    }
    sequence.push({ exchange: refused.number, token: null }, { exchange: again.number, token: 1 });
  }
  return violationOfStatus(401, {
    message:
      `GET ${unsharedTarget(context, numbers.at(-1) ?? 0)} with a valid token was answered 401 after the same call without ` +
      'a token, while other calls with that token were accepted: ' +
      'the refusal of one caller is given to another, as by a cache whose key is the URL alone',
    exchanges: sequence.toReversed(),
    sequence: sequence.slice(-2),
  });
}

/** The breach of a call that is refused twice for header names in lower case, and accepted in between as usual. */
export async function findLowerCaseRefusal({ list, tokens }: CheckContext): Promise<Violation | null> {
  const authorization = `Bearer ${await tokens.bearer()}`;
  const call = { target: `${list.path}?$pagesize=1`, authorization };
  const refused = await list.call({ ...call, hasLowerCaseNames: true });
  if (!isUnauthorized(refused)) return null;
  const usual = await list.call(call);
  const again = await list.call({ ...call, hasLowerCaseNames: true });
  const usualAgain = await list.call(call);
  if (!isUnauthorized(again) || usual.answer?.status !== 200 || usualAgain.answer?.status !== 200)
    return null;
  return violationOfStatus(401, {
    message:
      `GET ${call.target} with a valid token was answered 401 if the names of its headers are in lower ` +
      'case, as in "authorization: Bearer <token>", and 200 as usual; it must be answered 200',
    exchanges: [again, usual, refused, usualAgain],
  });
}

function isUnauthorized(exchange: Exchange | undefined): boolean {
  return exchange?.answer?.status === 401;
}
