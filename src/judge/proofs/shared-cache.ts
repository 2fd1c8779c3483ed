import type { Exchange } from '../../core/exchange.ts';
import { Blocked } from '../../core/undecided.ts';
import { type CallOptions, ON_NEW_CONNECTION } from '../../provider/sender.ts';
import type { CheckContext } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { callIfOpen, callRepeatedly, USES_BEFORE, unsharedTarget } from '../probes/list-refusals.ts';
import { callWithToken } from '../probes/valid-token-calls.ts';
import { type Breach, type SequenceStep, Violation } from '../violation.ts';

/**
 * Carries out a test of calls without a token. If one of them gave records, finds out whether such calls give records
 * only after the same call with a token, as from a shared cache. The violation then says so and names both calls.
 */
export async function runWithCacheExplanation(
  context: CheckContext,
  test: () => Promise<void>,
): Promise<void> {
  try {
    await test();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const cached = await orNull(explainBySharedCache(context, error));
    if (cached !== null && context.requirement.id === 'authorization/required-on-every-page')
      await expectNoCachedFirstPage(context);
    const explained =
      cached ??
      (await orNull(explainByConnection(context, error))) ??
      explainByEarlierRefusal(context, error);
    throw explained ?? error;
  }
}

/** Throws Blocked if the cache gives first pages as well: then linked pages are not what is open. */
async function expectNoCachedFirstPage(context: CheckContext): Promise<void> {
  // The breach of linked pages stands if this cannot be found out.
  const leaked = await orNull(callAfterUses(context));
  if (leaked === null) return;
  context.list.history.unauthorizedPages.push(leaked);
  throw new Blocked(
    'authorization/required',
    'a cache gives its pages, first ones as well, without any token',
  );
}

/** A call of a first page without a token, after several calls with one, if it gives records; null if it gives none. */
async function callAfterUses(context: CheckContext): Promise<Exchange | null> {
  const { list, random } = context;
  const target = `${list.path}?$count=true&$pagesize=${101 + (random('cold first page') % 99)}`;
  for (let use = 0; use < USES_BEFORE; use++) await callWithToken(context, { target });
  return callIfOpen(context, { target, authorization: null });
}

async function explainBySharedCache(context: CheckContext, violation: Violation): Promise<Violation | null> {
  const { list, random } = context;
  const [breach] = violation.breaches;
  if (breach === undefined) return null;
  // A target that no other check requests. It has a $skip, since caches may treat first pages differently.
  const target = `${list.path}?$count=true&$pagesize=${101 + (random('cold') % 99)}&$skip=3`;
  const bare = { target, authorization: null };
  if ((await callRepeatedly(context, bare, false)) === null) return null;
  const warm = await callWithToken(context, { target });
  const leaked = await callRepeatedly(context, bare, true);
  if (leaked === null) return null;
  const note = 'only after the same call with a token, as a cache with the URL as its only key does';
  return new Violation(givenAfter(breach, note, warm, { exchange: leaked, token: null }));
}

/**
 * The breach with the two calls that show why the second one gives records.
 *
 * @param note when such calls give them, to follow "It gives them"
 */
function givenAfter(breach: Breach, note: string, { number: warm }: Exchange, leaked: SequenceStep): Breach {
  return {
    ...breach,
    message: `${breach.message}. It gives them ${note}`,
    exchanges: [...breach.exchanges, leaked.exchange, warm],
    sequence: [{ exchange: warm, token: 1 }, leaked],
  };
}

/**
 * The violation if calls without a token give records only on a connection that carried a token before; null otherwise.
 */
async function explainByConnection(context: CheckContext, violation: Violation): Promise<Violation | null> {
  const { list, random } = context;
  const [breach] = violation.breaches;
  if (breach === undefined) return null;
  const target = `${list.path}?$count=true&$pagesize=${101 + (random('connection') % 99)}&$skip=5`;
  const fresh = await callRepeatedly(context, { target, authorization: null, ...ON_NEW_CONNECTION }, false);
  if (fresh === null) return null;
  const withoutToken = (): Promise<Exchange> => list.call({ target, authorization: null });
  // Twice, because chance may explain one answer.
  await callWithToken(context);
  if (list.records.findIn(await withoutToken()) === null) return null;
  const warm = await callWithToken(context);
  const leaked = await withoutToken();
  if (list.records.findIn(leaked) === null) return null;
  const note = 'on connections that carried a token before, and none on a new connection';
  const shown = givenAfter(breach, note, warm, { exchange: leaked.number, token: null });
  return new Violation({ ...shown, exchanges: [...shown.exchanges, fresh], onOneConnection: true });
}

/** The violation with the exchange that refused the same call earlier in the run; null if there is none. */
function explainByEarlierRefusal({ list }: CheckContext, violation: Violation): Violation | null {
  const [breach, ...others] = violation.breaches;
  const [number = 0] = breach?.exchanges ?? [];
  const unauthorized = [...list.history.unauthorizedOtherPages, ...list.history.unauthorizedPages].find(
    (one) => one.number === number,
  );
  if (breach === undefined || unauthorized === undefined) return null;
  const refused = list.history.refusalsWithoutToken.get(unauthorized.request.target);
  if (refused === undefined || refused.number >= number || !areSameCalls(refused, unauthorized)) return null;
  if (list.records.findIn(refused) !== null) return null;
  const { message } = breach;
  const later =
    `${message}. The same call was refused earlier in this run (exchange ${refused.number}), ` +
    'so it may take several calls to see this';
  return new Violation([
    { ...breach, message: later, exchanges: [...breach.exchanges, refused.number] },
    ...others,
  ]);
}

/** Whether two calls differ in nothing but the connection. */
function areSameCalls({ request: one }: Exchange, { request: other }: Exchange): boolean {
  const textOf = ({ method, target, headers, body }: Exchange['request']): string =>
    JSON.stringify([method, target, body, headers.filter(([name]) => name.toLowerCase() !== 'connection')]);
  return textOf(one) === textOf(other);
}

/**
 * The violation of a call derived from a token, with the two calls that show it, if such calls give records only after
 * the same call with the token itself, as from a cache. Null if they also give records with a token that was not used
 * before, or if no such token is issued.
 *
 * @param callWith makes the call that gave records from another token; null if it cannot
 */
export async function explainByTokenCache(
  context: CheckContext,
  violation: Violation,
  callWith: (token: string) => Promise<CallOptions | null>,
): Promise<Violation | null> {
  const { list, tokens } = context;
  const [breach] = violation.breaches;
  const { token } = await tokens.requestUnshared();
  if (breach === undefined || token === null || tokens.history.wasAccepted(token)) return null;
  const derived = await callWith(token);
  if (derived === null) return null;
  const target = derived.target?.includes(token) === true ? derived.target : unsharedTarget(context, 7);
  const call = { ...derived, target };
  if ((await callRepeatedly(context, call, false)) === null) return null;
  const warm = await list.call({ target, authorization: `Bearer ${token}` });
  const leaked = await callRepeatedly(context, call, true);
  if (leaked === null) return null;
  const note = 'only after the same call with the token itself, as a cache does';
  return new Violation(givenAfter(breach, note, warm, { exchange: leaked, token: 1 }));
}
