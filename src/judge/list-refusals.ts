import { AT_LEAST_ONE_RECORD, type Cause } from '../core/cause.ts';
import type { Exchange } from '../core/exchange.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import type { CallOptions } from '../provider/list-client.ts';
import { NoAnswer } from '../provider/sender.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import { attemptUntilSeenAgain, MAX_ATTEMPTS } from './confirmation.ts';
import type { CheckContext } from './context.ts';
import { mapInParallel } from './parallel-map.ts';
import { Violation } from './violation.ts';

/** The cause if a list is empty. */
export const NO_RECORD: Cause = { kind: 'data', needs: AT_LEAST_ONE_RECORD, records: 0 };

/** A list call that must give no records. */
export interface ListProbe {
  /** Identifies the probe when it is sent again. */
  readonly key: string;
  /** How the list is called, to follow "a list call". */
  readonly asked: string;
  readonly call: CallOptions;
  /** Whether the list may be open without any token, which is a breach of authorization/required only. */
  readonly openList: boolean;
  /** The request target whose records nobody may get without a token; by default that of the call, without a token in it. */
  readonly closed?: string;
  /** For a call that is wrong in several ways: one call for each of them, to find the one that breaks the rule. */
  readonly parts?: readonly ListProbe[];
}

/** Expects that a call with a valid token gives records; otherwise a refusal shows nothing. Throws Undecided. */
export async function expectOpenToToken({ snapshot }: CheckContext): Promise<void> {
  const answer = await snapshot.first({});
  if (answer.kind !== 'page') {
    const broken = answer.kind === 'refused' ? 'authorization/accepted' : 'list/envelope';
    throw new Blocked(broken, `the list call with a valid token gives no list: ${answer.why}`);
  }
  if (answer.itemCount === 0)
    throw new Undecided(NO_RECORD, 'the list is empty, so a call that must be refused can give no records');
}

/**
 * Makes a call that must be refused (5.1). Throws Violation if it gives records; for a call with parts, that of the first
 * part that gives records by itself, if any.
 */
export async function expectRefusal(context: CheckContext, probe: ListProbe): Promise<void> {
  try {
    await expectOneRefusal(context, probe);
  } catch (error) {
    if (error instanceof Violation)
      for (const part of probe.parts ?? []) await expectOneRefusal(context, part);
    throw error;
  }
}

/**
 * The same. On a snapshot that confirms, the call follows the same call with a valid token, to detect a shared
 * cache that serves the answer of one caller to the next.
 */
export async function expectRefusalAgain(
  context: CheckContext,
  snapshot: Snapshot,
  probe: ListProbe,
): Promise<void> {
  if (snapshot.number > 0) await snapshot.client.authorized(probe.call.target ?? snapshot.client.path);
  await expectRefusal(context, probe);
}

/**
 * Makes calls that must all be refused, a few at a time, until one gives records. Throws as expectRefusal does, for the
 * first of the breaches in their order, after confirming it.
 */
export async function expectRefusals(context: CheckContext, probes: readonly ListProbe[]): Promise<void> {
  let breached = false;
  const outcomes = await mapInParallel(context.target.limits, probes, async (probe) => {
    if (breached) return null;
    try {
      await context.confirm({ atRest: false, maxSnapshots: MAX_ATTEMPTS }, (snapshot) =>
        expectRefusalAgain(context, snapshot, probe),
      );
      return null;
    } catch (error) {
      breached ||= error instanceof Violation;
      return { error };
    }
  });
  const thrown = outcomes.filter((outcome) => outcome !== null);
  const first = thrown.find(({ error }) => error instanceof Violation) ?? thrown[0];
  if (first !== undefined) throw first.error;
}

/**
 * The oracle, over one answer: a call without a valid token gives no records, whatever its status.
 *
 * @param records the records in the answer, as text; null if there are none
 */
export function givesNoRecords(
  { key, asked }: ListProbe,
  { answer, number }: Exchange,
  records: string | null,
): 'kept' | Violation {
  if (records === null) return 'kept';
  return new Violation({
    key,
    message: `a list call ${asked} was answered ${answer?.status} with ${records}; it must give none`,
    expected: 'no records',
    actual: `status ${answer?.status} with ${records}`,
    counterexample: { call: asked },
    exchanges: [number],
  });
}

async function expectOneRefusal(context: CheckContext, probe: ListProbe): Promise<void> {
  const exchange = await callOnce(context, probe.call);
  context.exercised();
  if (exchange === null) return;
  const finding = givesNoRecords(probe, exchange, context.list.recordsIn(exchange));
  if (finding === 'kept') return;
  if (probe.openList) await expectClosed(context, probe);
  throw finding;
}

/**
 * Makes a call that must be refused. Null if the provider closed the connection without an answer, which counts as a
 * refusal. Throws NoAnswer for any other failure, and Undecided for 429 and 503.
 */
export async function callOnce(context: CheckContext, call: CallOptions): Promise<Exchange | null> {
  try {
    const exchange = await context.list.call(call);
    if (exchange.answer?.status === 429 || exchange.answer?.status === 503) context.list.read(exchange);
    return exchange;
  } catch (error) {
    if (error instanceof NoAnswer && error.exchange.failure?.code === 'closed') return null;
    throw error;
  }
}

/**
 * Throws Blocked if the list gives records without any token: then the probe is not what opens it. Tries a few
 * times, since one of several servers behind a name may be open.
 */
async function expectClosed(context: CheckContext, { call, closed }: ListProbe): Promise<void> {
  const { authorization, target } = call;
  // The same query, unless the token is in it.
  const asked = closed ?? (authorization === null ? undefined : target);
  const same = asked === undefined ? {} : { target: asked };
  for (let tries = 0; tries < CONTROLS; tries++) {
    const exchange = await callOnce(context, { ...same, authorization: null });
    if (exchange === null || context.list.recordsIn(exchange) === null) continue;
    context.list.openings.push(exchange);
    throw new Blocked('authorization/required', 'the list gives its records without any token');
  }
  // Otherwise the probe carries no header that might be accepted whatever token is in it.
  if (authorization !== null && !authorization.startsWith('Bearer '))
    await expectClosedToAnyToken(context, asked);
}

/** Throws Blocked if the list gives records with any text as a token: then it does not matter how or which token is sent. */
export async function expectClosedToAnyToken(context: CheckContext, target?: string): Promise<void> {
  const same = target === undefined ? {} : { target };
  const unrelated = `${context.random('any token').toString(36)}${context.random('any token again').toString(36)}`;
  const exchange = await callOnce(context, { ...same, authorization: `Bearer ${unrelated}` });
  if (exchange === null || context.list.recordsIn(exchange) === null) return;
  throw new Blocked('authorization/token-integrity', 'the list gives its records with any text as a token');
}

/** Calls without a token that show whether the list needs one. */
const CONTROLS = 3;

/**
 * Expects that no check of the run found the list open without a token (5.1). If one did, tries a few times again. Throws
 * Violation if it was open twice, Undecided for once.
 */
export async function expectNoOpening(context: CheckContext): Promise<void> {
  const met = context.list.openings;
  const [first] = met;
  if (first === undefined) return;
  const sentence = ({ request, answer }: Exchange, records: string | null): string =>
    `a list call of ${request.target} without an Authorization header was answered ${answer?.status} with ${records}; it must give none`;
  const askAgain = async (): Promise<Exchange | null> => {
    const exchange = await callOnce(context, { target: first.request.target, authorization: null });
    return exchange !== null && context.list.recordsIn(exchange) !== null ? exchange : null;
  };
  if (met.length < 2)
    met.push(
      await attemptUntilSeenAgain(askAgain, { message: sentence(first, context.list.recordsIn(first)) }),
    );
  const last = met.at(-1) ?? first;
  const records = context.list.recordsIn(last);
  throw new Violation({
    message: `${sentence(last, records)}; ${met.length} such calls of this run gave records`,
    expected: 'no records',
    actual: `status ${last.answer?.status} with ${records}`,
    exchanges: [last.number, first.number],
  });
}

/**
 * Runs probes that are derived from a token, then checks that the token itself is still accepted: if not, their refusal
 * proves nothing. Tries again with a new token if it was revoked in the meantime.
 */
export function withLiveToken(
  context: CheckContext,
  probes: (token: string) => Promise<void>,
): Promise<void> {
  const { tokens, list } = context;
  return tokens.holding(async () => {
    for (let attempts = 0; attempts < 3; attempts++) {
      const token = await tokens.bearer();
      await probes(token);
      const control = await list.call({ authorization: `Bearer ${token}` });
      list.read(control);
      if (control.answer?.status === 200) return;
      await tokens.renew(token);
    }
    throw new Undecided(
      { kind: 'changing' },
      'the token was revoked each time that calls derived from it were sent, so refusals of these calls prove nothing',
    );
  });
}

/** Queries of probes, in turn: a gateway may check the token for some queries only. */
const QUERIES = ['', '?$count=true', '?$count=true&$pagesize=1&$skip=1'];

/** The probe with the query of that turn. */
export function withQuery({ list }: CheckContext, turn: number, probe: ListProbe): ListProbe {
  const query = QUERIES[turn % QUERIES.length];
  if (query === undefined || query === '') return probe;
  return {
    ...probe,
    asked: `of ${list.path}${query} ${probe.asked}`,
    call: { ...probe.call, target: list.path + query },
  };
}

/** The request target of a page behind the first one, with a query: that of the first link if there is one. */
export async function linkedPage({ snapshot, list }: CheckContext): Promise<string> {
  const page = await snapshot.first({ count: true });
  const link = page.kind === 'page' ? snapshot.linkOf(page) : null;
  return link?.target.includes('?') === true ? link.target : `${list.path}?$count=true&$pagesize=1&$skip=1`;
}

/** A request target, drawn by the seed, that no check sends with a token before it was sent without one. */
export function unsharedTarget({ list, random }: CheckContext, number = 0): string {
  return `${list.path}?$count=true&$pagesize=${2 + (random(`unshared ${number}`) % 99)}&$skip=${number}`;
}
