import type { ObservationResult, RequirementResult, TargetResult } from '../core/results.ts';
import { combineParts, type Part } from '../core/target-result.ts';
import { type LoggedExchange, loggedOf } from '../core/traffic.ts';
import { credentialsIn } from '../evidence/credentials.ts';
import { Redactor } from '../evidence/redactor.ts';
import type { Check } from '../judge/check.ts';
import { judge } from '../judge/judge.ts';
import type { ListAnswer } from '../provider/page.ts';
import { tokenGivenBy } from '../provider/token-answer.ts';
import type { Target } from '../target/target.ts';
import type { ReplayedOptions } from './evidence-setting.ts';
import { mayObserve, observeAll } from './observations.ts';
import type { ReplayClient } from './replay-client.ts';
import { ACCEPTED_UNTIL_EXPIRY, plan, whyUnselected } from './schedule.ts';
import { Session } from './session.ts';

/**
 * Replays a target as Playwright Test ran it: one check after the other. A failing test ends the session, and
 * the next test continues with the state that earlier sessions shared.
 */
export async function judgeSequentially(
  target: Target,
  then: TargetResult,
  options: ReplayedOptions,
  { client, checks }: { readonly client: ReplayClient; readonly checks: readonly Check[] },
): Promise<TargetResult> {
  const known = new Map(then.requirements.map((one) => [JSON.stringify([one.id, one.resource]), one]));
  const relay = new SessionRelay(target, options, client);
  const parts: Part[] = [];
  const addPart = async (result: RequirementResult | null): Promise<void> => {
    const session = relay.session();
    parts.push({ result, records: await session.records(), traffic: session.traffic() });
  };
  const entries = plan(checks, target.resources);
  const keyOf = ({ check, resource }: (typeof entries)[number]): string => {
    const list = target.resources[resource]?.name ?? '';
    return JSON.stringify([check.requirement.id, check.scope === 'target' ? null : list]);
  };
  const done = new Set<string>();
  const judgeEntry = async (entry: (typeof entries)[number]): Promise<RequirementResult> => {
    done.add(keyOf(entry));
    const bench = relay.session().benches[entry.resource];
    if (bench === undefined) throw new Error('a target has at least one resource');
    const result = await judge(entry.check, bench);
    await addPart(result);
    return result;
  };
  /** The requirement that blocks a result, if the same test judged it although it was not selected. */
  const blockerOf = (
    { cause }: RequirementResult,
    resource: number,
  ): (typeof entries)[number] | undefined => {
    const by = cause?.kind === 'blocked' ? cause.by : null;
    const entry = entries.find((one) => one.check.requirement.id === by && one.resource === resource);
    if (entry === undefined || done.has(keyOf(entry)) || whyUnselected(entry.check, options) === null)
      return undefined;
    return known.get(keyOf(entry))?.verdict === 'skipped' ? undefined : entry;
  };
  for (const entry of entries) {
    const { check, resource } = entry;
    const result = known.get(keyOf(entry));
    if (result === undefined || done.has(keyOf(entry))) continue;
    const unselected = whyUnselected(check, options) !== null;
    // The command line of the run excluded this check.
    if (result.verdict === 'skipped' && (unselected || result.cause?.kind === 'unselected')) {
      await addPart(result);
      continue;
    }
    // It was judged in the test of a requirement that it blocks.
    if (unselected) continue;
    const judged = [await judgeEntry(entry)];
    for (let next = blockerOf(judged[0] as RequirementResult, resource); next !== undefined; ) {
      const last = await judgeEntry(next);
      judged.push(last);
      next = blockerOf(last, resource);
    }
    if (judged.some(endsWorker)) await relay.end();
  }
  // Playwright tests this requirement again if a token expired early in any test.
  const judgeEarlyExpiry = async (): Promise<void> => {
    const check = checks.find(({ requirement }) => requirement.id === ACCEPTED_UNTIL_EXPIRY);
    const [bench] = relay.session().benches;
    if (check === undefined || bench === undefined || options.expiry || bench.tokens.endings.length === 0)
      return;
    if (!options.skip.includes(ACCEPTED_UNTIL_EXPIRY)) await addPart(await judge(check, bench));
  };
  let observations: readonly ObservationResult[] = [];
  if (then.observations.length > 0) {
    await judgeEarlyExpiry();
    observations = await observeAll(relay.session(), mayObserve(options));
    await addPart(null);
  }
  await relay.end();
  const [first, ...more] = parts;
  if (first === undefined) return { ...then, requirements: [], observations: [] };
  const order = checks.map(({ requirement }) => requirement.id);
  const { name, authUrl, baseUrl } = target;
  const identity = { name, authUrl, baseUrl, ...(target.product == null ? {} : { product: target.product }) };
  return combineParts(identity, [first, ...more], observations, order);
}

/** Playwright ends the worker process of a failing test. */
function endsWorker({ verdict, waiver }: RequirementResult): boolean {
  return verdict === 'error' || (verdict === 'fail' && waiver?.active !== true);
}

/**
 * Consecutive sessions, like the workers of a Playwright run. Keeps in memory what the workers share on disk.
 */
class SessionRelay {
  readonly #target: Target;
  readonly #options: ReplayedOptions;
  readonly #client: ReplayClient;
  readonly #answers = new Map<string, ListAnswer>();
  readonly #log: LoggedExchange[] = [];
  /** Every token so far, and whether a check altered it. */
  readonly #tokens = new Map<string, boolean>();
  #session: Session | null = null;

  constructor(target: Target, options: ReplayedOptions, client: ReplayClient) {
    this.#target = target;
    this.#options = options;
    this.#client = client;
  }

  session(): Session {
    this.#session ??= this.#open();
    return this.#session;
  }

  async end(): Promise<void> {
    await this.#session?.close();
    this.#session = null;
  }

  #open(): Session {
    const redactor = new Redactor(this.#options.tokensBefore);
    for (const [token, altered] of this.#tokens) {
      if (altered) redactor.add(token, 'altered-token');
      else redactor.addToken(token);
    }
    this.#client.useRedactor(redactor);
    const { connect, clock } = this.#client;
    return new Session({
      target: this.#target,
      options: this.#options,
      redactor,
      signal: null,
      environment: {},
      connect,
      clock,
      memory: {
        answers: {
          recall: (key) => this.#answers.get(key) ?? null,
          keep: (key, answer) => this.#answers.set(key, answer),
        },
        exchanges: [...this.#log],
        pseudonymKey: null,
      },
      events: {
        onExchange: (exchange) => {
          const token = tokenGivenBy(exchange, this.#target.limits.maxJsonDepth);
          if (token !== null) this.#keep(token, false);
          for (const credential of credentialsIn(exchange.request.headers))
            if (redactor.redact(credential) !== credential) this.#keep(credential, true);
          const logged = loggedOf(exchange, (text) => redactor.redact(text));
          this.#log.push(JSON.parse(redactor.redact(JSON.stringify(logged))) as LoggedExchange);
        },
      },
    });
  }

  #keep(token: string, altered: boolean): void {
    if (!this.#tokens.has(token)) this.#tokens.set(token, altered);
  }
}
