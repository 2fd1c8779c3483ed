import type { Observation } from '../core/requirement.ts';
import type { Json, ObservationResult } from '../core/results.ts';
import type { LoggedExchange } from '../core/traffic.ts';
import { mapStrings } from '../evidence/map-strings.ts';
import type { Bench } from './judge.ts';

/** What was seen where the specification leaves it open. */
export interface Seen {
  /** A few words: what the provider does. */
  readonly value: string;
  /** Whether a reader should look at it; false where left out. */
  readonly attention?: boolean;
  readonly detail?: { readonly [name: string]: Json };
  readonly exchanges?: readonly number[];
}

/** What an observer is given: the evidence of the run so far, and the provider to ask where that is not enough. */
export interface ObserverContext extends Bench {
  /** Every exchange of the target so far. */
  readonly log: readonly LoggedExchange[];
  /** Those that called this list, by the path of the target file: other spellings of it are no call that it must answer. */
  readonly calls: readonly LoggedExchange[];
  /** Those that asked for a token. */
  readonly tokenRequests: readonly LoggedExchange[];
}

/** A catalogue row bound to the function that looks; null where the run met nothing to look at. */
export interface Observer {
  readonly observation: Observation;
  /** `target` for what concerns no list. */
  readonly scope: 'target' | 'list';
  /** Whether it makes requests of its own, after the checks have made theirs. */
  readonly asks: boolean;
  readonly look: (context: ObserverContext) => Promise<Seen | null> | Seen | null;
}

/** What a file of `specs/observations/` states. */
export interface ObservationDefinition extends Observation {
  readonly scope: Observer['scope'];
  readonly asks: boolean;
  readonly observe: Observer['look'];
}

/** Declares an observation of what the specification leaves open. */
export function observation({ scope, asks, observe, ...texts }: ObservationDefinition): Observer {
  return { observation: texts, scope, asks, look: observe };
}

/**
 * Looks once. Never throws: an observation that could not be made says so, and fails nothing.
 *
 * @param asking false where observers may make no request of their own
 */
export async function look(
  observer: Observer,
  bench: Bench,
  { log, asking }: { readonly log: readonly LoggedExchange[]; readonly asking: boolean },
): Promise<ObservationResult> {
  const { list, secrets } = bench;
  const context: ObserverContext = {
    ...bench,
    ...bench.askedBy(observer.observation.id),
    log,
    ...partsOf(log, list.path),
  };
  const seen =
    observer.asks && !(asking && wasIssued(bench))
      ? { value: 'not asked in this run' }
      : await attempt(observer, context);
  const { advice } = observer.observation;
  // Half a surrogate pair is no text to readers of JSON.
  const told = (text: string): string => secrets.redactWords(text).toWellFormed();
  return {
    id: observer.observation.id,
    resource: observer.scope === 'list' ? list.resource.name : null,
    value: told(seen.value),
    attention: seen.attention ?? false,
    detail: {
      ...compact(mapStrings(seen.detail ?? {}, told)),
      ...(advice === null ? {} : { advice }),
    },
    exchanges: seen.exchanges ?? [],
  };
}

/** Whether the credentials obtained a token: where they did not, more requests with them would only be more wrong ones. */
function wasIssued({ tokens }: Bench): boolean {
  return tokens.rightAnswers().some(({ status }) => status === 200);
}

type Parts = Pick<ObserverContext, 'calls' | 'tokenRequests'>;

/** Parts of logs by the path of a list: thirty observers read the same ones. */
const PARTS = new WeakMap<readonly LoggedExchange[], Map<string, Parts>>();

function partsOf(log: readonly LoggedExchange[], path: string): Parts {
  const known = PARTS.get(log) ?? new Map<string, Parts>();
  PARTS.set(log, known);
  const parts = known.get(path) ?? {
    calls: log.filter(({ request }) => request.method !== 'POST' && request.target.split('?', 1)[0] === path),
    tokenRequests: log.filter(({ request }) => request.target.endsWith('/connect/token')),
  };
  known.set(path, parts);
  return parts;
}

// An object whose members are named by numbers, as offsets are, otherwise has room for every number up to the largest:
// twelve kilobytes for three of them, kept for every target until the end of the run.
function compact<Value extends Json>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

async function attempt(observer: Observer, context: ObserverContext): Promise<Seen> {
  try {
    return (await observer.look(context)) ?? { value: 'not met in this run' };
  } catch (error) {
    return { value: `could not be looked at: ${error instanceof Error ? error.message : String(error)}` };
  }
}
