import { mapStrings } from '../core/json-text.ts';
import { type Observation, onOneLine } from '../core/requirement.ts';
import type { Json, ObservationResult } from '../core/results.ts';
import { messageOf } from '../core/system-error.ts';
import type { LoggedExchange } from '../core/traffic.ts';
import type { JudgeInput } from './judge-input.ts';

/** What a provider does in a case that the specification leaves open. */
export interface Observed {
  /** A few words: what the provider does. */
  readonly value: string;
  /** Whether it needs a reader's attention; false if left out. */
  readonly attention?: boolean;
  readonly detail?: { readonly [name: string]: Json };
  readonly exchanges?: readonly number[];
}

/** The exchanges of a target so far, as observers of one of its lists read them. */
export interface RecordedTraffic {
  /** Every exchange of the target so far. */
  readonly log: readonly LoggedExchange[];
  /** Calls of this list with the path of the target file; a provider need not answer other spellings. */
  readonly calls: readonly LoggedExchange[];
  /** Token requests. */
  readonly tokenRequests: readonly LoggedExchange[];
}

/** What an observer works with: the exchanges of the run so far, and clients for further requests. */
export interface ObserverContext extends JudgeInput, RecordedTraffic {}

/** @param path the request target of the list without a query */
export function recordedTraffic(log: readonly LoggedExchange[], path: string): RecordedTraffic {
  return {
    log,
    calls: log.filter(({ request }) => request.method !== 'POST' && request.target.split('?', 1)[0] === path),
    tokenRequests: log.filter(({ request }) => request.target.endsWith('/connect/token')),
  };
}

/** An observation with the function that makes it. */
export interface Observer {
  readonly observation: Observation;
  /** `target` if it concerns no list. */
  readonly scope: 'target' | 'list';
  /** Whether it sends requests of its own, after those of the checks. */
  readonly sendsRequests: boolean;
  /** Null if the run met nothing to observe. */
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
      : await input.requester(observer.observation.id).run(() => attempt(observer, context));
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

async function attempt(observer: Observer, context: ObserverContext): Promise<Observed> {
  try {
    return (await observer.observe(context)) ?? { value: 'did not occur in this run' };
  } catch (error) {
    return { value: `not observed: ${messageOf(error)}` };
  }
}
