import type { Exchange } from '../../core/exchange.ts';
import { intermittent, Undecided } from '../../core/undecided.ts';
import { ON_NEW_CONNECTION, OVER_KEPT_CONNECTION } from '../../provider/call-options.ts';
import type { CheckContext } from '../context.ts';
import { waitFor } from '../interruptible-wait.ts';
import { tryUndisturbed } from '../probes/valid-token-calls.ts';
import { afterOnConnection, type SequenceStep, Violation } from '../violation.ts';

/** Connections that carry the token of a trial. */
const CONNECTIONS = 10;
/** The same if the last one was refused. */
const MAX_CONNECTIONS = 13;
/** Calls that are not refused at a slow pace, of which one of several servers would refuse some, and the pause before each. */
const SLOW_CALLS = 25;
const SLOW_PAUSE_MS = 400;
/** Slow calls without another request of the run in between, after which a limit is over, and slow calls at most. */
const CALLS_BEFORE = 6;
const MAX_TRIED = 80;
/** Calls over the kept connection, each followed by one over a new connection. */
const TURNS = 3;

/**
 * Expects that a new token is accepted on every connection, if a call of the run was refused with a valid token: one of
 * several servers may not know that token, or a connection may remember what it carried. Throws Violation with the share
 * of connections that refuse it.
 */
export async function expectAcceptedOnAllConnections(context: CheckContext): Promise<void> {
  const seen = firstRefused(context);
  if (seen === null) return;
  await tryUndisturbed(context, () => tryConnections(context, seen));
}

/** Expects that the list accepts a token over the kept connection, which also carries token requests of the same origin. */
export async function expectAcceptedOnKeptConnection(context: CheckContext): Promise<void> {
  const authorization = `Bearer ${await context.tokens.bearer()}`;
  const call = await context.list.call({ authorization, ...OVER_KEPT_CONNECTION });
  if (call.answer?.status !== 401) return;
  await context.tokens.lock.runAlone(() => compareConnections(context, call));
}

/** A call of the run that was answered 401 with a token of the run; null if there is none. */
function firstRefused({ list, tokens, snapshot }: CheckContext): Pick<Exchange, 'number' | 'request'> | null {
  const [refusal] = list.history.refusalsInForce;
  // A token is of all lists of the target.
  const ending = tokens.history.endings.find(
    ({ refused }) => refused.request.target.split('?', 1)[0] === list.path,
  );
  const refused = refusal?.refused ?? ending?.refused;
  if (refused !== undefined) return refused;
  const answer = snapshot.answers().find(({ kind, status }) => kind === 'refused' && status === 401);
  if (answer === undefined) return null;
  const request = { method: 'GET', origin: snapshot.client.place.origin, headers: [], body: null };
  return { number: answer.exchange, request: { ...request, target: answer.target } };
}

async function tryConnections(
  context: CheckContext,
  seen: Pick<Exchange, 'number' | 'request'>,
): Promise<'kept' | 'disturbed'> {
  const { tokens, list, exercised } = context;
  const issued = await tokens.requestUnshared();
  if (issued.token === null) return 'kept';
  const requestsBefore = tokens.history.requests.begun;
  const { target } = seen.request;
  const calls: Exchange[] = [];
  const isRefused = (call: Exchange | undefined): boolean => call?.answer?.status === 401;
  // A refusal proves something only if the token is accepted after it.
  const mayGoOn = (): boolean =>
    calls.length < CONNECTIONS || (calls.length < MAX_CONNECTIONS && isRefused(calls.at(-1)));
  while (mayGoOn()) {
    const authorization = `Bearer ${issued.token}`;
    const exchange = await list.call({ target, authorization, ...ON_NEW_CONNECTION });
    list.read(exchange);
    calls.push(exchange);
  }
  if (tokens.history.requests.begun !== requestsBefore) return 'disturbed';
  const refused = calls.filter(isRefused);
  const [first] = refused;
  const accepted = calls.findLast(({ answer }) => answer?.status === 200);
  if (first === undefined) return 'kept';
  // The token, or the link, may have ended.
  if (accepted === undefined || accepted.number < first.number) {
    await compareConnections(context, seen);
    return 'kept';
  }
  const isAtFirst = refused.every((one, index) => one === calls[index]);
  const what = `GET ${target} with one valid token was answered 401 in ${refused.length} of ${calls.length} calls`;
  await expectRefusedSlowly(
    context,
    what,
    () => (isAtFirst ? requestToken(context) : Promise.resolve(issued.token)),
    [target],
  );
  exercised();
  const known = calls[refused.length] ?? accepted;
  const delayMs = Math.ceil(known.startedAt - issued.exchange.startedAt);
  const cause = isAtFirst
    ? `it is known ${delayMs} ms after it was requested, and not before, or not to all servers behind this address`
    : 'not all servers behind this address know the token';
  throw new Violation({
    message:
      `GET ${target} with one token that was just issued was refused (status 401) on ${refused.length} ` +
      `of ${calls.length} new connections and accepted on the others; ` +
      `it must be answered 200 on each: ${cause}`,
    expected: 200,
    actual: `401 on ${refused.length} of ${calls.length} connections`,
    counterexample: { connections: calls.length, refused: refused.length },
    exchanges: [first.number, accepted.number, ...refused.slice(1).map(({ number }) => number), seen.number],
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
  const { list } = context;
  let calls = 0;
  let undisturbed = 0;
  let before = 0;
  for (let tried = 0; tried < MAX_TRIED && calls < SLOW_CALLS; tried++) {
    await waitFor(SLOW_PAUSE_MS, context);
    const target = targets[tried % targets.length] ?? list.path;
    const authorization = `Bearer ${await tokenOf()}`;
    const exchange = await list.call({ target, authorization, ...ON_NEW_CONNECTION });
    list.read(exchange);
    // Other requests of the run count for a limit, too; a token request may belong to this call.
    undisturbed = exchange.number <= before + 2 ? undisturbed + 1 : 0;
    before = exchange.number;
    if (undisturbed < CALLS_BEFORE) continue;
    calls += 1;
    if (exchange.answer?.status === 401) return;
  }
  // Other checks left no time to rule out a limit.
  if (calls === 0) throw intermittent(what);
  throw new Undecided(
    { kind: 'unavailable', status: 401 },
    `${what}, and in none of ${calls} calls with ${SLOW_PAUSE_MS} ms in between, as by a rate limit`,
  );
}

async function requestToken({ tokens }: CheckContext): Promise<string | null> {
  return (await tokens.requestUnshared()).token;
}

/**
 * Calls with a new token over the kept connection and over new connections in turn. Throws Violation if only the kept
 * one is refused, or only the new ones: then neither the token nor the link has ended.
 */
async function compareConnections(
  { tokens, list, exercised }: CheckContext,
  seen: Pick<Exchange, 'number' | 'request'>,
): Promise<void> {
  const issued = await tokens.requestUnshared();
  if (issued.token === null) return;
  const { target } = seen.request;
  const call = { target, authorization: `Bearer ${issued.token}` };
  const kept: Exchange[] = [];
  const fresh: Exchange[] = [];
  const all = (calls: readonly Exchange[], status: number): boolean =>
    calls.every(({ answer }) => answer?.status === status);
  const isOneRefused = (): boolean =>
    (all(kept, 200) && all(fresh, 401)) || (all(kept, 401) && all(fresh, 200));
  for (let turn = 0; turn < TURNS && isOneRefused(); turn++) {
    kept.push(await list.call({ ...call, ...OVER_KEPT_CONNECTION }));
    fresh.push(await list.call({ ...call, ...ON_NEW_CONNECTION }));
  }
  if (!isOneRefused()) return;
  exercised();
  const isKeptRefused = all(kept, 401);
  const [refused, accepted] = isKeptRefused ? [kept, fresh] : [fresh, kept];
  throw new Violation({
    message: isKeptRefused
      ? `GET ${target} with one token that was just issued was refused (status 401) over a connection that carried ` +
        `other requests, ${TURNS} times, and accepted over new connections in between; it must be answered 200 on each`
      : `GET ${target} with one token that was just issued was accepted over the connection on which it was used ` +
        `first, and refused (status 401) on ${TURNS} new connections in between; it must be answered 200 on each`,
    expected: 200,
    actual: 401,
    exchanges: [...refused, ...accepted].map(({ number }) => number),
    ...(isKeptRefused
      ? afterOnConnection(tokens.endpoint.firstRefusals.get(kept[0]?.connection ?? 0), stepOf(kept))
      : { sequence: [stepOf(kept), stepOf(fresh)] }),
  });
}

/** The first of the calls, as a step of a sequence. */
function stepOf([first]: readonly Exchange[]): SequenceStep {
  return { exchange: first?.number ?? 0, token: 1 };
}
