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
 * Judges a target again as Playwright Test did: the checks that it ran, one after the other, in a session that a
 * failing test ends, and that the next one takes up from what the others have left.
 */
export async function judgeSequentially(
  target: Target,
  then: TargetResult,
  options: ReplayedOptions,
  { lines, checks }: { readonly lines: ReplayClient; readonly checks: readonly Check[] },
): Promise<TargetResult> {
  const known = new Map(then.requirements.map((one) => [JSON.stringify([one.id, one.resource]), one]));
  const relay = new SessionRelay(target, options, lines);
  const parts: Part[] = [];
  const note = async (result: RequirementResult | null): Promise<void> => {
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
    await note(result);
    return result;
  };
  /** The requirement that blocks a result, where the same test judged it although the run left it out. */
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
    // What the command line left out was not judged then, either.
    if (result.verdict === 'skipped' && (unselected || result.cause?.kind === 'unselected')) {
      await note(result);
      continue;
    }
    // Another test judged it, which it blocks.
    if (unselected) continue;
    const judged = [await judgeEntry(entry)];
    for (let next = blockerOf(judged[0] as RequirementResult, resource); next !== undefined; ) {
      const last = await judgeEntry(next);
      judged.push(last);
      next = blockerOf(last, resource);
    }
    if (judged.some(endsWorker)) await relay.end();
  }
  // As the host judges it again where the tests have met a token that ended early.
  const noteEarlyEnd = async (): Promise<void> => {
    const check = checks.find(({ requirement }) => requirement.id === ACCEPTED_UNTIL_EXPIRY);
    const [bench] = relay.session().benches;
    if (check === undefined || bench === undefined || options.expiry || bench.tokens.endings.length === 0)
      return;
    if (!options.skip.includes(ACCEPTED_UNTIL_EXPIRY)) await note(await judge(check, bench));
  };
  let observations: readonly ObservationResult[] = [];
  if (then.observations.length > 0) {
    await noteEarlyEnd();
    observations = await observeAll(relay.session(), mayObserve(options));
    await note(null);
  }
  await relay.end();
  const [first, ...more] = parts;
  if (first === undefined) return { ...then, requirements: [], observations: [] };
  const order = checks.map(({ requirement }) => requirement.id);
  const { name, authUrl, baseUrl } = target;
  const identity = { name, authUrl, baseUrl, ...(target.product == null ? {} : { product: target.product }) };
  return combineParts(identity, [first, ...more], observations, order);
}

/** A failing test costs its worker. */
function endsWorker({ verdict, waiver }: RequirementResult): boolean {
  return verdict === 'error' || (verdict === 'fail' && waiver?.active !== true);
}

/** One session after the other, as the workers of a Playwright run had them: what they share lies on disk there. */
class SessionRelay {
  readonly #target: Target;
  readonly #options: ReplayedOptions;
  readonly #lines: ReplayClient;
  readonly #answers = new Map<string, ListAnswer>();
  readonly #log: LoggedExchange[] = [];
  /** Every token met so far, and whether it is a copy that a check altered. */
  readonly #tokens = new Map<string, boolean>();
  #session: Session | null = null;

  constructor(target: Target, options: ReplayedOptions, lines: ReplayClient) {
    this.#target = target;
    this.#options = options;
    this.#lines = lines;
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
    this.#lines.useRedactor(redactor);
    const { connect, clock } = this.#lines;
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
