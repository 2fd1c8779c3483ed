import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { suite as conformance } from '../../specs/suite.ts';
import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';
import type { EvidenceUses, Exchange, HttpRequest } from '../core/exchange.ts';
import { getOrMake } from '../core/maps.ts';
import { DEFAULT_EXPIRY, type TargetResult } from '../core/results.ts';
import { type LoggedExchange, loggedOf, trafficOf } from '../core/traffic.ts';
import { outcomeOf } from '../core/verdict.ts';
import { WorkInProgress } from '../core/work-in-progress.ts';
import type { Redactor } from '../evidence/redaction/redactor.ts';
import { HttpClient } from '../http/http-client.ts';
import { proxyEnvironment } from '../http/proxy.ts';
import type { SendOptions } from '../http/request.ts';
import type { Check, JudgeInput } from '../judge/check.ts';
import type { JudgeOptions } from '../judge/context.ts';
import { lengthShownBy } from '../judge/probes/list-facts.ts';
import { ListClient } from '../provider/list-client.ts';
import { Pseudonymizer } from '../provider/pseudonymizer.ts';
import { forgetSchema } from '../provider/schemas.ts';
import { SecretRegistry } from '../provider/secret-registry.ts';
import { Snapshot, Snapshots } from '../provider/snapshot.ts';
import { tokenGivenBy } from '../provider/token-answer.ts';
import { TokenClient } from '../provider/token-client.ts';
import { COOKIE_LABEL, longCookiesOf, maskTokenAnswer } from '../provider/token-mask.ts';
import { originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';
import { attributed, currentRequester, Requester } from './requester.ts';

/** Sends the requests of a session by HTTP, or answers them from evidence. */
export type SessionClient = Pick<HttpClient, 'send' | 'signal' | 'sentCount' | 'close'>;

/** Constructor options of a session's client. */
export interface SessionClientParts {
  readonly target: Target;
  /** Environment variables for proxies. */
  readonly environment: NodeJS.ProcessEnv;
  /** Ends the client. */
  readonly signal: AbortSignal | null;
  /**
   * Called with every completed exchange and the check that requested it. The client returns the exchange
   * when the promise resolves.
   */
  readonly onExchange: (exchange: Exchange, check: string | null) => unknown;
}

/** A client that sends by HTTP, and masks exchanges before they are recorded and judged. */
export function httpClient({ target, environment, signal, onExchange }: SessionClientParts): SessionClient {
  const pseudonymizer = target.evidence === 'full' ? null : new Pseudonymizer(target);
  return new HttpClient({
    limits: target.limits,
    tls: target.tls,
    origins: originsOf(target),
    env: proxyEnvironment(target, environment),
    signal: signal ?? undefined,
    mask: (exchange) => {
      const withoutToken = maskTokenAnswer(exchange, target);
      return pseudonymizer?.apply(withoutToken) ?? withoutToken;
    },
    onExchange,
  });
}

interface SessionEvents {
  /** Called with every completed exchange, including secrets, and the requirement whose check sent the request. */
  readonly onExchange?: (exchange: Exchange, check: string | null) => void | Promise<void>;
  /** Called with an exchange just before the check that requested it receives it. */
  readonly onDelivery?: (exchange: Exchange) => void;
  /** Called with the records of every list page that was read. */
  readonly onPage?: (records: number) => void;
}

interface SessionParts extends Omit<SessionClientParts, 'onExchange'> {
  readonly options: JudgeOptions;
  readonly redactor: Redactor;
  /** The checks with their page rules; the conformance suite by default. */
  readonly checks?: readonly Check[];
  readonly events?: SessionEvents;
  /** Creates the client; an HTTP client by default. */
  readonly connect?: (parts: SessionClientParts) => SessionClient;
  /** The system clock by default. */
  readonly clock?: Clock;
}

/** A target under test: its clients, token, lists, and exchanges so far. */
export class Session {
  readonly target: Target;
  readonly inputs: readonly JudgeInput[];
  /** Inputs for custom checks, with snapshots of their own. */
  readonly customInputs: readonly JudgeInput[];
  readonly #client: SessionClient;
  readonly #onDelivery: (exchange: Exchange) => void;
  readonly #log = new Map<number, LoggedExchange>();
  readonly #secrets: SecretRegistry;
  readonly #uses = new Map<string, Set<number>>();
  readonly #pending = new WorkInProgress();

  constructor(parts: SessionParts) {
    const { target, options, events } = parts;
    this.target = target;
    this.#onDelivery = events?.onDelivery ?? (() => undefined);
    this.#secrets = new SecretRegistry(parts.redactor);
    const clock = parts.clock ?? SYSTEM_CLOCK;
    // The schemas of a replay come from its evidence.
    if (parts.connect === undefined) for (const { itemSchema } of target.resources) forgetSchema(itemSchema);
    // A replay needs no mask: its evidence is already masked and pseudonymous.
    this.#client = (parts.connect ?? httpClient)({
      ...parts,
      onExchange: (exchange, check) => {
        this.#remember(exchange);
        return events?.onExchange?.(exchange, check);
      },
    });
    const sender = attributed((request, sendOptions) => this.#send(request, sendOptions));
    const tokens = new TokenClient({ target, options, sender, secrets: this.#secrets, clock });
    const use = (exchanges: readonly number[]): void => currentRequester()?.use(exchanges);
    const lists = target.resources.map(
      (resource) => new ListClient({ target, resource, tokens, sender, onPage: events?.onPage }),
    );
    this.inputs = lists.map((list) => {
      const newSnapshots = (): Snapshots => new Snapshots((number) => new Snapshot(list, number, use));
      const snapshots = newSnapshots();
      return {
        target,
        options,
        checks: parts.checks ?? conformance,
        tokens,
        list,
        lists,
        snapshots,
        newSnapshots,
        secrets: this.#secrets,
        signal: this.#client.signal,
        clock,
        exchange: (number) => this.#log.get(number) ?? null,
        hasAnswered: (origin) =>
          [...this.#log.values()].some(({ request, answer }) => answer !== null && request.origin === origin),
        offline: () => {
          const offlineTokens = tokens.offline();
          const offlineList = list.offline(offlineTokens);
          return { tokens: offlineTokens, list: offlineList, snapshot: snapshots.at(0).offline(offlineList) };
        },
        requester: (id) =>
          new Requester(
            id,
            getOrMake(this.#uses, id, () => new Set<number>()),
          ),
      };
    });
    this.customInputs = this.inputs.map((input) => ({ ...input, snapshots: input.newSnapshots() }));
  }

  /** Records per resource in the main traversal; null if it did not show the end of the list. */
  async records(): Promise<{ readonly [resource: string]: number | null }> {
    const counts: { [resource: string]: number | null } = {};
    for (const { list, snapshots } of this.inputs) {
      const snapshot = snapshots.at(0);
      const traversal = await snapshot.startedTraversal()?.catch(() => null);
      counts[list.resource.name] = traversal == null ? null : lengthShownBy(traversal, snapshot);
    }
    return counts;
  }

  result(parts: Pick<TargetResult, 'records' | 'requirements' | 'observations'>): TargetResult {
    const { name, authUrl, baseUrl, file, product, expiry } = this.target;
    return {
      name,
      authUrl,
      baseUrl,
      ...(file === null ? {} : { file }),
      ...(product === null ? {} : { product }),
      ...(isDeepStrictEqual(expiry, DEFAULT_EXPIRY) ? {} : { expiry }),
      outcome: outcomeOf(parts.requirements),
      ...parts,
      traffic: trafficOf([...this.#log.values()]),
    };
  }

  /** Every exchange so far, in order. */
  exchanges(): readonly LoggedExchange[] {
    return [...this.#log.values()].sort((one, other) => one.number - other.number);
  }

  /** The exchanges that each check used. */
  uses(): EvidenceUses {
    const used = [...this.#uses].filter(([, numbers]) => numbers.size > 0);
    return Object.fromEntries(used.map(([check, numbers]) => [check, spansOf(numbers)]));
  }

  get requests(): number {
    return this.#client.sentCount;
  }

  /**
   * Resolves when every request so far has ended, and those that their answers cause. A check that fails, such as after
   * a stop, may leave requests behind.
   */
  async idle(): Promise<void> {
    do {
      await this.#pending.settled();
      await nextTurn();
    } while (!this.#pending.isEmpty);
  }

  redact(text: string): string {
    return this.#secrets.redact(text);
  }

  /** As {@link redact}, for a sentence of Assay, also if it quotes a text that is cut in a secret. */
  redactWords(text: string): string {
    return this.#secrets.redactWords(text);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #send(request: HttpRequest, options: SendOptions): Promise<Exchange> {
    const sending = this.#client.send(request, options).then((exchange) => {
      this.#onDelivery(exchange);
      return exchange;
    });
    return this.#pending.add(sending);
  }

  // Called before the exchange is recorded, so that its own token is redacted as well.
  #remember(exchange: Exchange): void {
    const token = tokenGivenBy(exchange, this.target.limits.maxJsonDepth);
    if (token !== null) this.#secrets.addToken(token, this.#isOfSecondClient(exchange));
    for (const cookie of longCookiesOf(exchange)) this.#secrets.add(cookie, COOKIE_LABEL, '$TOKEN_COOKIE');
    this.#secrets.redactor.learn(exchange);
    this.#log.set(
      exchange.number,
      loggedOf(exchange, (text) => this.#secrets.redact(text)),
    );
  }

  #isOfSecondClient({ request }: Exchange): boolean {
    const { otherCredentials } = this.target;
    if (otherCredentials === null) return false;
    return new URLSearchParams(request.body ?? '').get('client_id') === otherCredentials.clientId;
  }
}

function spansOf(numbers: ReadonlySet<number>): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans;
}
