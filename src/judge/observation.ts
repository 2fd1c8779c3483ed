import { headerOf } from '../core/exchange.ts';
import { mapStrings } from '../core/json-text.ts';
import { type Observation, onOneLine } from '../core/requirement.ts';
import type { Json, ObservationResult } from '../core/results.ts';
import { messageOf } from '../core/system-error.ts';
import type { LoggedExchange } from '../core/traffic.ts';
import { LIST_PARAMETERS, parametersOf } from '../provider/link.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
import type { TokenClient } from '../provider/token-client.ts';
import type { Target } from '../target/target.ts';
import type { JudgeInput } from './check.ts';

/** What a provider does in a case that the specification leaves open. */
export interface Observed extends Partial<Omit<ObservationResult, 'id' | 'resource'>> {
  /** A few words: what the provider does. */
  readonly value: string;
}

/** The exchanges of a target so far, as observers of one of its lists read them. */
export interface RecordedTraffic {
  /** Every exchange of the target so far. */
  readonly exchanges: readonly LoggedExchange[];
  /** Those of this list with the path of the target file; a provider need not answer other spellings. */
  readonly listExchanges: readonly LoggedExchange[];
  /** Those of the token endpoint. */
  readonly tokenExchanges: readonly LoggedExchange[];
}

/** What an observer works with: the exchanges of the run so far, and clients for further requests. */
export interface ObserverContext extends JudgeInput, RecordedTraffic {}

/** @param path the request target of the list without a query */
export function recordedTraffic(exchanges: readonly LoggedExchange[], path: string): RecordedTraffic {
  return {
    exchanges,
    listExchanges: exchanges.filter(
      ({ request }) => request.method !== 'POST' && request.target.split('?', 1)[0] === path,
    ),
    // A list call may have this path in its query.
    tokenExchanges: exchanges.filter(
      ({ request }) => request.method === 'POST' && request.target.endsWith('/connect/token'),
    ),
  };
}

/** An observation with the function that makes it. */
export interface Observer {
  readonly observation: Observation;
  /** `target` if it concerns no list. */
  readonly scope: 'target' | 'list';
  /** Whether it sends requests of its own, after those of the checks. */
  readonly sendsRequests: boolean;
  /** Null if the run shows nothing to observe. */
  readonly observe: (context: ObserverContext) => Promise<Observed | null> | Observed | null;
}

/** What a file of `specs/observations/` states. */
export interface ObservationDefinition extends Omit<Observation, 'advice'> {
  readonly advice?: string;
  readonly scope: Observer['scope'];
  readonly sendsRequests?: true;
  readonly observe: Observer['observe'];
}

/** Declares an observation of what the specification leaves open. */
export function observation({
  scope,
  sendsRequests,
  observe,
  advice,
  ...texts
}: ObservationDefinition): Observer {
  return {
    observation: onOneLine({ ...texts, advice: advice ?? null }),
    scope,
    sendsRequests: sendsRequests === true,
    observe,
  };
}

/**
 * Makes one observation. Never throws: an observation that could not be made says so.
 *
 * @param asking false if observers must not send requests
 */
export async function makeObservation(
  observer: Observer,
  input: JudgeInput,
  evidence: RecordedTraffic,
  asking: boolean,
): Promise<ObservationResult> {
  const { list, secrets } = input;
  const context: ObserverContext = { ...input, ...evidence };
  const observed =
    observer.sendsRequests && !(asking && wasIssued(input))
      ? { value: 'not tested in this run: it sends requests of its own' }
      : await input.requester(observer.observation.id).run(() => tryObserver(observer, context));
  const { advice } = observer.observation;
  // JSON parsers refuse half a surrogate pair.
  const clean = (text: string): string => secrets.redactWords(text).toWellFormed();
  return {
    id: observer.observation.id,
    resource: observer.scope === 'list' ? list.resource.name : null,
    value: clean(observed.value),
    attention: observed.attention ?? false,
    detail: {
      ...compact(mapStrings(observed.detail ?? {}, clean)),
      ...(advice === null ? {} : { advice }),
    },
    exchanges: observed.exchanges ?? [],
  };
}

/** Whether the credentials obtained a token. If they did not, more requests with them could lock the client. */
function wasIssued({ tokens }: JudgeInput): boolean {
  return tokens.history.answersToValidRequests().some(({ status }) => status === 200);
}

// V8 reserves memory for every number up to the largest in an object whose names are numbers, such as offsets: 12 kB
// for three of them, for every target until the run ends.
function compact<Value extends Json>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

async function tryObserver(observer: Observer, context: ObserverContext): Promise<Observed> {
  try {
    return (await observer.observe(context)) ?? { value: 'did not occur in this run' };
  } catch (error) {
    return { value: `not observed: ${messageOf(error)}` };
  }
}

/** How often each value occurs. */
export function countValues(values: readonly string[]): { [value: string]: number } {
  const counts: { [value: string]: number } = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** The counted values in one line, the most frequent first. */
export function listByFrequency(counts: { readonly [value: string]: number }): string {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([value]) => value)
    .join(', ');
}

/** The outcomes of several requests in one line; each outcome once, with the requests that led to it. */
export function summarizeOutcomes(outcomes: { readonly [request: string]: string }): string {
  const entries = Object.entries(outcomes);
  const distinct = [...new Set(entries.map(([, outcome]) => outcome))];
  if (distinct.length === 1) return distinct[0] ?? '';
  return distinct
    .map((outcome) => {
      const requests = entries.filter(([, other]) => other === outcome).map(([request]) => request);
      return `${outcome} (${requests.join(', ')})`;
    })
    .join('; ');
}

export function exchangeNumbers(exchanges: readonly { readonly number: number }[]): readonly number[] {
  return exchanges.map(({ number }) => number);
}

/** The answers of the run that issued a token, in the order of their requests: a replay may receive them in another one. */
export function issuedAnswers({ history }: TokenClient): readonly TokenAnswer[] {
  return history
    .answersToValidRequests()
    .filter(({ token }) => token !== null)
    .toSorted((one, other) => one.exchange.number - other.exchange.number);
}

/** The token of an Authorization header with the scheme Bearer; null without such a header. */
export function bearerIn({ request }: LoggedExchange): string | null {
  const given = headerOf(request.headers, 'authorization');
  return given?.startsWith('Bearer ') === true ? given.slice('Bearer '.length) : null;
}

/** Headers that concern the connection or the caller, not the request itself. */
const TRANSPORT_HEADERS = ['host', 'user-agent', 'accept-encoding', 'connection', 'authorization'];

/**
 * Whether a list call is as the specification shows it, apart from its Authorization header: GET with the headers of
 * the target file and the specified parameters. The answer to any other call may be an effect of the difference.
 */
export function isCallOfSpecification({ request }: LoggedExchange, { tenant, headers }: Target): boolean {
  const expected = new Map([['accept', 'application/json']]);
  if (tenant !== null) expected.set('tenant', tenant);
  for (const [name, value] of Object.entries(headers)) expected.set(name.toLowerCase(), value);
  for (const name of TRANSPORT_HEADERS) expected.delete(name);
  const given = request.headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !TRANSPORT_HEADERS.includes(name));
  return (
    request.method === 'GET' &&
    given.length === expected.size &&
    given.every(([name, value]) => expected.get(name) === value) &&
    parametersOf(request.target).every(({ name }) => LIST_PARAMETERS.includes(name))
  );
}

/** The value of a query parameter in a request target, `%24` read as `$`; null if it is absent. */
export function parameterIn(target: string, name: string): string | null {
  return parametersOf(target).find((parameter) => parameter.name === name)?.value ?? null;
}

export function printAnswerCount(count: number, status: string): string {
  return `${count} ${count === 1 ? 'answer' : 'answers'} of ${status}`;
}

/** How calls were refused: status, WWW-Authenticate, body of the first; null if no call was refused. */
export function refusalSummary(calls: readonly LoggedExchange[]): Observed | null {
  // 429 and 503 ask to try again later; they refuse nothing.
  const refused = calls.filter(({ status }) => status !== null && status !== 429 && status !== 503);
  if (refused.length === 0) return null;
  const answers = countValues(
    refused.map(
      ({ status, answer }) =>
        `${status}${headerOf(answer?.headers ?? [], 'www-authenticate') === null ? '' : ' with WWW-Authenticate'}`,
    ),
  );
  const first = refused[0];
  return {
    value: listByFrequency(answers),
    attention: refused.some(({ status }) => status !== 401),
    detail: {
      answers,
      'WWW-Authenticate': headerOf(first?.answer?.headers ?? [], 'www-authenticate'),
      body: first?.answer?.excerpt ?? '',
    },
    exchanges: exchangeNumbers(refused),
  };
}
