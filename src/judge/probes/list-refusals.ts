import { AT_LEAST_ONE_RECORD, lackOf } from '../../core/cause.ts';
import type { Exchange } from '../../core/exchange.ts';
import { Blocked, type Undecided, unavailable } from '../../core/undecided.ts';
import type { ListAnswer } from '../../provider/page.ts';
import type { CallOptions } from '../../provider/sender.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import { isOfGateway, isUndecided } from '../../provider/throttled-answer.ts';
import { isClosed } from '../../provider/token-answer.ts';
import { MAX_ATTEMPTS } from '../confirmation.ts';
import { type CheckContext, madeUpText } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { type Breach, Violation } from '../violation.ts';
import { callWithNewToken } from './valid-token-calls.ts';

/** Right calls of a URL before a wrong one: some caches keep an answer only from a later use on. */
export const USES_BEFORE = 4;

/** The cause if a list is empty. */
export const NO_RECORD = lackOf(AT_LEAST_ONE_RECORD, 0);

/**
 * Makes a call that must be refused. Null if the provider closed the connection without an answer, which counts as a
 * refusal. Throws NoAnswer for any other failure, and Undecided for 429 and for statuses that say that nothing answered
 * behind a gateway: 502, 503 and 504. These are refusals of another path than that of the list, if the list does not
 * answer so: gateways give them to paths without a service. Throws Undecided as well if a valid call is answered like this one.
 */
export async function callOnce(context: CheckContext, call: CallOptions): Promise<Exchange | null> {
  const exchange = await callOrClosed(context, call);
  const status = exchange.answer?.status ?? 0;
  if (isOfGateway(status) && (await isUnservedPath(context, call))) return exchange;
  if (status === 429 || status === 503) context.list.readAndNote(exchange);
  if (status === 502 || status === 504)
    throw unavailable(
      status,
      `a call that must be refused was answered ${status}: a gateway got no answer, which is not a refusal`,
    );
  await expectNoOutage(context, exchange);
  return exchange.answer === null ? null : exchange;
}

/** Makes a call that must be refused, as {@link callOnce} does. The exchange if it gives records; null if it gives none. */
export async function callIfOpen(context: CheckContext, call: CallOptions): Promise<Exchange | null> {
  const exchange = await callOnce(context, call);
  return exchange === null || context.list.records.findIn(exchange) === null ? null : exchange;
}

/** The exchange of a call, also if the provider closed the connection without an answer. Throws NoAnswer for other failures. */
async function callOrClosed({ list }: CheckContext, call: CallOptions): Promise<Exchange> {
  try {
    // Such calls are sent one after another: a call that waits for one waits for all that follow.
    return await list.call({ senderOptions: { isUrgent: true }, ...call });
  } catch (error) {
    if (isClosed(error)) return error.exchange;
    throw error;
  }
}

/**
 * Throws Undecided or NoAnswer if the list answers valid calls like this one, which must be refused: then it is down, and the
 * refusal shows nothing. Sends a valid call if the answer is a server error, or the status that the last valid call got.
 */
async function expectNoOutage({ list }: CheckContext, exchange: Exchange): Promise<void> {
  const { number, answer } = exchange;
  const status = answer?.status ?? null;
  if (status === 200) {
    if (list.records.findIn(exchange) === null) list.history.answeredWithoutRecords += 1;
    return;
  }
  const isSuspect = list.history.calls.statusBefore(number) === status;
  if (!isSuspect && (status === null || status < 500)) return;
  // Throws NoAnswer if this call gets no answer, either.
  const control = await list.authorized(list.path);
  if (control.kind === 'refused' && control.status === status)
    throw unavailable(
      status,
      `a call that must be refused was answered ${status}, and so is one with a valid token: that refusal shows nothing`,
    );
}

/**
 * Throws Undecided if the list is down after calls that must be refused, some of which were answered 200 without records: a
 * gateway may answer every call so while the provider is down. Not in smoke, which sends few requests.
 */
export async function expectUp({ list, options }: CheckContext): Promise<void> {
  if (list.history.answeredWithoutRecords === 0 || options.suite === 'smoke') return;
  const control = await list.authorized(list.path);
  if (control.kind === 'page') return;
  throw unavailable(
    control.status,
    'calls that must be refused were answered 200 without records, which shows nothing: ' +
      `a call with a valid token gives no list now, either (${control.why})`,
  );
}

/**
 * Why an answer without records to a call with an ended token is no refusal of that token: a limit or a gateway answered, or
 * the list gives no records to a new token, either. Null if it is one.
 */
export async function whyNoRefusal(context: CheckContext, exchange: Exchange): Promise<Undecided | null> {
  const undecided = whyUndecided(exchange);
  if (undecided !== null) return undecided;
  const seen = answeredWords(exchange);
  const control = await callWithNewToken(context);
  if (context.list.records.findIn(control) !== null) return null;
  const given = `a new token obtained no records right after that (status ${control.answer?.status})`;
  return unavailable(control.answer?.status ?? null, `${seen}, which shows nothing: ${given}`);
}

/** Why an answer to a call with an ended token does not decide about that token: a limit or a gateway gave it. Null if it does. */
export function whyUndecided(exchange: Exchange): Undecided | null {
  const status = exchange.answer?.status ?? null;
  if (status === null || !isUndecided(status)) return null;
  return unavailable(status, `${answeredWords(exchange)}, which is not a refusal`);
}

function answeredWords({ request, answer }: Exchange): string {
  return `GET ${request.target} with an expired token was answered ${answer?.status}`;
}

/** Whether a call was for another path than that of the list, which is not refused in the same way. */
async function isUnservedPath({ list }: CheckContext, { target = list.path }: CallOptions): Promise<boolean> {
  if (!list.hasOtherPath(target)) return false;
  const control = await orNull(list.call({ authorization: null }));
  return control !== null && !isOfGateway(control.answer?.status ?? 0);
}

/**
 * Calls whose answers must agree. Fewer may agree by chance if only one of several servers gives records to anybody.
 */
const ROUNDS = 4;

/**
 * Makes a call that must be refused several times.
 *
 * @param givesRecords whether every answer is expected to give records, or none of them
 * @returns the number of the last exchange if all answers are as expected; null otherwise
 */
export async function callRepeatedly(
  context: CheckContext,
  call: CallOptions,
  givesRecords: boolean,
): Promise<number | null> {
  let last: number | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const exchange = await callOnce(context, call);
    if (exchange === null || (context.list.records.findIn(exchange) !== null) !== givesRecords) return null;
    last = exchange.number;
  }
  return last;
}

/**
 * Throws Blocked if the list gives records with any text as a token: then it does not matter which token is sent, or
 * how.
 */
export async function expectClosedToAnyToken(
  context: CheckContext,
  target = context.list.path,
): Promise<void> {
  const authorization = `Bearer ${madeUpText(context, 'any token')}`;
  await expectClosedToUnrelated(context, { target, authorization });
}

/** Throws Blocked if a call without a token of the run gives records. */
export async function expectClosedWithoutToken(context: CheckContext, call: CallOptions): Promise<void> {
  const { list } = context;
  const exchange = await callIfOpen(context, call);
  if (exchange === null) return;
  const { target } = exchange.request;
  const first = list.history.links.isGiven(target) ? await openFirstPage(context, target) : exchange;
  if (first === null)
    throw new Blocked('authorization/required-on-every-page', 'a linked page is given without any token');
  list.history.unauthorizedPages.push(first);
  throw new Blocked('authorization/required', 'the list gives its records without any token');
}

/** A call of the first page without a token that gave records; null if there is none. */
async function openFirstPage(context: CheckContext, linked: string): Promise<Exchange | null> {
  for (const target of firstPageTargets(linked, context)) {
    const exchange = await callIfOpen(context, { target, authorization: null });
    if (exchange !== null) return exchange;
  }
  return null;
}

/** The request targets of the first page: without a query, and with the parameters of a linked page but $skip. */
export function firstPageTargets(linked: string, { list }: CheckContext): readonly string[] {
  const [path, query = ''] = linked.split('?');
  const others = query.split('&').filter((parameter) => !/^(?:\$|%24)skip=/i.test(parameter));
  return others.join('') === '' ? [list.path] : [list.path, `${path}?${others.join('&')}`];
}

/** Throws Blocked if such a call, which carries unrelated text in place of a token, gives records. */
export async function expectClosedToUnrelated(context: CheckContext, call: CallOptions): Promise<void> {
  const exchange = await callIfOpen(context, call);
  if (exchange === null) return;
  const values = [call.authorization, ...(call.headers ?? []).map(([, value]) => value)];
  const sent = values.includes('Bearer') ? 'the word Bearer and no token' : 'any text as a token';
  const { target } = exchange.request;
  context.list.history.acceptedProbes.push({ sent, target, repeat: () => callOnce(context, call) });
  throw new Blocked('authorization/token-integrity', `the list gives its records with ${sent}`);
}

/**
 * The breach of a call that must be refused and gave records, whatever its status (5.1).
 *
 * @param description how the list was called, to follow "a list call"
 * @param records the records in the answer, as text
 */
export function recordsGiven(
  description: string,
  exchange: Exchange,
  records: string,
  { note = '', ...more }: Partial<Breach> & { readonly note?: string } = {},
): Violation {
  return new Violation({
    message: `a list call ${description} was answered ${exchange.answer?.status} with ${records}; it must give none${note}`,
    expected: 'no records',
    actual: `status ${exchange.answer?.status} with ${records}`,
    exchanges: [exchange],
    ...more,
  });
}

/** Repeats the calls with a made-up token that gave records in other checks (5.1). Throws Violation if one gives records again. */
export async function expectProbesRefused({ list }: CheckContext): Promise<void> {
  for (const { sent, repeat } of list.history.acceptedProbes) {
    const exchange = await repeat();
    const records = exchange === null ? null : list.records.findIn(exchange);
    if (exchange === null || records === null) continue;
    throw recordsGiven(`of ${exchange.request.target} with ${sent}`, exchange, records);
  }
}

/**
 * Calls without a token at most, if one of another page, or one with a made-up token gave records: the list may be open
 * from time to time, or where a cache has a page.
 */
const MAX_CONTROLS = 16;

/**
 * Expects that no check of the run found the list open without a token (5.1). If one did, tries a few times again, to
 * state the rate. Throws Violation.
 */
export async function expectListNeverOpen(context: CheckContext): Promise<void> {
  const { list } = context;
  const unauthorized = list.history.unauthorizedPages;
  const open = list.history.acceptedProbes.map(({ target }) => target);
  const targets = list.history.unauthorizedOtherPages.length > 0 ? [list.path, ...open] : open;
  const most = targets.length > 0 ? MAX_CONTROLS : 0;
  for (let tries = 0; unauthorized.length === 0 && tries < most; tries++) {
    const target = targets[tries % targets.length] ?? list.path;
    const exchange = await callIfOpen(context, { target, authorization: null });
    if (exchange !== null) unauthorized.push(exchange);
  }
  const [first] = unauthorized;
  if (first === undefined) return;
  let attempts = unauthorized.length;
  for (let tries = 0; unauthorized.length < 2 && tries < MAX_ATTEMPTS; tries++) {
    const exchange = await callIfOpen(context, { target: first.request.target, authorization: null });
    attempts++;
    if (exchange !== null) unauthorized.push(exchange);
  }
  const last = unauthorized.at(-1) ?? first;
  const description = `of ${last.request.target} without an Authorization header`;
  const rate =
    unauthorized.length < 2 ? `1 of ${attempts} such calls` : `${unauthorized.length} such calls of this run`;
  throw recordsGiven(description, last, String(list.records.findIn(last)), {
    note: `; ${rate} gave records`,
    exchanges: [...new Set([last.number, first.number])],
  });
}

/**
 * The request targets of the second page and, except in `smoke`, of the third one, each with a query: those of links if
 * there are some.
 */
export async function linkedPages({ snapshot, list, options }: CheckContext): Promise<LinkedTargets> {
  const page = await snapshot.first({ count: true });
  const first = linkedTarget(snapshot, page);
  if (page.kind !== 'page' || first === null) return [`${list.path}?$count=true&$pagesize=1&$skip=1`];
  const linked = options.suite === 'smoke' ? null : await snapshot.follow(page);
  const second = linked === null ? null : linkedTarget(snapshot, linked);
  return second === null ? [first] : [first, second];
}

/** Request targets of pages behind the first one. */
export type LinkedTargets = readonly [string, ...string[]];

function linkedTarget(snapshot: Snapshot, answer: ListAnswer): string | null {
  const link = answer.kind === 'page' ? snapshot.linkOf(answer) : null;
  return link?.target.includes('?') === true ? link.target : null;
}

/**
 * The answer, for all checks, to a call without a token of a target that no call with a token has requested. Null if
 * the connection was closed. Throws as callOnce does.
 */
export function unsharedRefusal(context: CheckContext): Promise<Exchange | null> {
  return context.list.memo.once(callUnshared, context);
}

async function callUnshared(context: CheckContext): Promise<Exchange | null> {
  const { list } = context;
  const exchange = await callOnce(context, { target: unsharedTarget(context, 0), authorization: null });
  if (exchange !== null && list.records.findIn(exchange) !== null)
    list.history.unauthorizedPages.push(exchange);
  return exchange;
}

/** A request target, drawn by the seed, that no check sends with a token before it was sent without one. */
export function unsharedTarget({ list, random }: CheckContext, number: number): string {
  return `${list.path}?$count=true&$pagesize=${2 + (random(`unshared ${number}`) % 99)}&$skip=${number}`;
}
