import type { Exchange, Header } from '../../core/exchange.ts';
import { isJsonObject } from '../../core/json-text.ts';
import { jwtOf } from '../../core/jwt.ts';
import type { Json } from '../../core/results.ts';
import { messageOf } from '../../core/system-error.ts';
import { Blocked, stoppedBy, Undecided } from '../../core/undecided.ts';
import { type JsonBody, member, readJson } from '../../provider/json-reader.ts';
import { canonicalQuery, readLink } from '../../provider/link.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import type { TokenClient } from '../../provider/token-client.ts';
import type { CheckContext } from '../context.ts';
import { Violation } from '../violation.ts';
import type { Answer, Breach, Findings, ListSnapshot, Placed, Query, TokenSnapshot } from './check-types.ts';

/**
 * The findings of one attempt at a check, with a function that notes the last answer, which proves a breach.
 *
 * @param exercised called for each expectation
 */
function newAttempt(exercised: () => void) {
  let last: readonly Answer[] = [];
  const findings: Findings = {
    expect: (holds, breach) => {
      // A check without types may give one, which would always hold.
      if (isPromise(holds)) throw new Error('expect() was given a promise as its condition; await it');
      exercised();
      if (holds) return;
      // A check without types may give none.
      const given: Breach | string | null | undefined = breach;
      const { message, answers, ...rest }: Breach =
        typeof given === 'object' && given !== null
          ? given
          : { message: given ?? 'an expectation does not hold' };
      const exchanges = (answers ?? last).map(({ exchange }) => exchange);
      throw new Violation({ expected: null, actual: null, ...asJson(rest), message, exchanges });
    },
    inconclusive: (reason) => {
      throw new Undecided({ kind: 'data', needs: 'other data', records: null }, reason);
    },
    skip: (reason) => {
      throw new Undecided({ kind: 'unselected' }, reason);
    },
  };
  return {
    findings,
    noted: (answer: Answer): Answer => {
      last = [answer];
      return answer;
    },
  };
}

/** Whether a value is a promise. It is handled: the error of the check says what is wrong, not what it rejects with. */
function isPromise(value: unknown): boolean {
  if (!(value instanceof Promise)) return false;
  value.catch(() => undefined);
  return true;
}

/** A copy of what a check says of a breach. Throws Error if it is no JSON: a check without types may give anything. */
function asJson<Value extends object>(value: Value): Value {
  try {
    return JSON.parse(JSON.stringify(value)) as Value;
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    throw new Error(`expected, actual and counterexample of a breach must be JSON (${reason})`);
  }
}

/**
 * An answered exchange for custom checks.
 *
 * @param maxDepth arrays and objects within each other, from limits.maxJsonDepth
 */
function answerOf(exchange: Exchange, maxDepth: number): Answer {
  const { answer, number, request } = exchange;
  if (answer === null) throw new Error('an exchange without an answer');
  let read: JsonBody | null = null;
  return {
    exchange: number,
    target: request.target,
    status: answer.status,
    headers: Object.fromEntries(
      answer.headers.toReversed().map(([name, value]) => [name.toLowerCase(), value]),
    ),
    get text() {
      return new TextDecoder().decode(answer.body);
    },
    get json() {
      read ??= readJson(answer, maxDepth);
      return read.ok ? read.value : undefined;
    },
  };
}

/** Bytes of answers that one snapshot keeps for all checks. */
const MAX_KEPT_BYTES = 33_554_432;

/** The answers that one snapshot keeps. */
interface Kept {
  readonly answers: Map<string, Promise<Answer>>;
  bytes: number;
}

function nothingKept(): Kept {
  return { answers: new Map(), bytes: 0 };
}

export function listSnapshot(snapshot: Snapshot, exercised: () => void): ListSnapshot {
  const { client } = snapshot;
  const depth = client.target.limits.maxJsonDepth;
  const kept = snapshot.memo.once(nothingKept);
  const { findings, noted } = newAttempt(exercised);
  const expectSendable = (target: string, headers: readonly Header[]): void => {
    const why = client.whyUnsendable(target, headers);
    if (why !== null) throw new Error(`the check makes a call that cannot be sent: ${why}`);
  };
  const ask = async (target: string): Promise<Answer> => {
    expectSendable(target, []);
    const exchange = await snapshot.exchange(target);
    kept.bytes += exchange.answer?.body.length ?? 0;
    if (kept.bytes > MAX_KEPT_BYTES) kept.answers.delete(target);
    return answerOf(exchange, depth);
  };
  const read = (target: string): Promise<Answer> => {
    const known = kept.answers.get(target) ?? ask(target);
    if (kept.bytes <= MAX_KEPT_BYTES) kept.answers.set(target, known);
    return known;
  };
  const at = async (target: string): Promise<Answer> => noted(await read(target));
  return {
    ...findings,
    resource: client.resource,
    get: (query) => at(targetOf(client.path, query)),
    records: ({ pageSize } = {}) => {
      const expectEnd = async (position: number): Promise<void> => {
        const next = await read(snapshot.targetOf({ count: true, pageSize, skip: position }));
        if (itemsOf(next)?.length === 0) return;
        const why = `no nextPageLink is given after ${position} records, although count says that more follow`;
        throw new Blocked('link/present-when-more', why);
      };
      return recordsFrom(snapshot, { at, expectEnd }, snapshot.targetOf({ count: true, pageSize }));
    },
    call: async ({ query, headers = {}, authorization }) => {
      const given: readonly Header[] = Object.entries(headers);
      const target = targetOf(client.path, query);
      const own: readonly Header[] =
        typeof authorization === 'string' ? [['Authorization', authorization]] : [];
      expectSendable(target, [...given, ...own]);
      const exchange = await client.call({
        target,
        authorization: authorization === undefined ? `Bearer ${await client.tokens.bearer()}` : authorization,
        headers: given,
        omittedHeaders: given.map(([name]) => name.toLowerCase()),
      });
      client.readAndNote(exchange);
      return noted(answerOf(exchange, depth));
    },
  };
}

function targetOf(path: string, query: Query | undefined): string {
  const text =
    typeof query === 'object'
      ? Object.entries(query)
          .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
          .join('&')
      : (query ?? '');
  // Otherwise the provider would be blamed for an unknown parameter.
  if (text.startsWith('?'))
    throw new Error('the query of a call begins with ?, which Assay adds: leave it out');
  return text === '' ? path : `${path}?${text}`;
}

function itemsOf({ status, json }: Answer): readonly Json[] | null {
  const items = status === 200 && isJsonObject(json) ? member(json, 'items') : undefined;
  return Array.isArray(items) ? (items as readonly Json[]) : null;
}

interface PageReader {
  readonly at: (target: string) => Promise<Answer>;
  /** Throws Undecided unless the list has no records after so many. Called if count says that it has. */
  readonly expectEnd: (position: number) => Promise<void>;
}

async function* recordsFrom(
  snapshot: Snapshot,
  { at, expectEnd }: PageReader,
  start: string,
): AsyncGenerator<Placed> {
  const { address, resource, target: provider } = snapshot.client;
  const visited = new Set<string>();
  let position = 0;
  for (let target = start; ; ) {
    visited.add(canonicalQuery(target));
    const page = await at(target);
    const items = itemsOf(page);
    if (items === null) {
      const cause = visited.size > 1 ? 'traversal/followable' : 'list/envelope';
      throw new Blocked(cause, `the answer to ${target} (status ${page.status}) is not a list`);
    }
    for (const record of items)
      yield { record, id: member(record, resource.idField), position: position++, page };
    const link = member(page.json, 'nextPageLink');
    if (link === undefined || link === '') {
      const count = member(page.json, 'count');
      if (typeof count === 'number' && count > position) await expectEnd(position);
      return;
    }
    const read = typeof link === 'string' ? readLink(link, address) : null;
    if (read === null || read.kind === 'unusable')
      throw new Blocked('link/relative', `the nextPageLink of ${target} cannot be followed`);
    if (visited.has(canonicalQuery(read.target)))
      throw new Blocked('traversal/terminates', `the nextPageLink of ${target} leads to an earlier page`);
    if (visited.size >= provider.limits.maxPages)
      throw stoppedBy('maxPages', `${provider.limits.maxPages} pages were read`);
    target = read.target;
  }
}

/**
 * The token endpoint for custom checks.
 *
 * @param attempt from 0; the first shares the token of the run and refusals of wrong secrets, the others ask for fresh ones
 */
export function tokenSnapshot({ tokens, target, exercised }: CheckContext, attempt: number): TokenSnapshot {
  const { findings, noted } = newAttempt(exercised);
  let sent: Promise<TokenAnswer> | null = null;
  const request = (): Promise<TokenAnswer> => {
    sent ??= attempt === 0 ? tokens.firstAnswer() : tokens.requestUnshared();
    return sent;
  };
  const answered = ({ exchange }: TokenAnswer): Answer =>
    noted(answerOf(exchange, target.limits.maxJsonDepth));
  return {
    ...findings,
    answer: async () => answered(await request()),
    jwt: async () => {
      const answer = await request();
      answered(answer);
      const jwt = answer.token === null ? null : jwtOf(answer.token);
      return jwt === null ? null : { header: jwt.header, payload: jwt.payload };
    },
    ask: async (changes) => answered(await changed(tokens, changes, attempt > 0)),
  };
}

async function changed(
  tokens: TokenClient,
  changes: { readonly [field: string]: string | null | undefined },
  isRepeated: boolean,
): Promise<TokenAnswer> {
  const valid = tokens.endpoint.validForm();
  const fields = new Map(valid);
  // A check written in JavaScript may give undefined, which changes nothing.
  for (const [name, value] of Object.entries(changes))
    if (value === null) fields.delete(name);
    else if (value !== undefined) fields.set(name, value);
  const form = [...fields];
  const isValid = valid.every(([name, value]) => !name.startsWith('client_') || fields.get(name) === value);
  if (isValid) return tokens.endpoint.ask(form);
  const answer = await tokens.wrong.sendSecret('first', form, { isRepeated });
  if (answer === null)
    throw stoppedBy('probes.wrongCredentials', 'no more requests with other credentials are allowed');
  return answer;
}
