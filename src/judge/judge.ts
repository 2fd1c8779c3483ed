import { followingFrom } from '../core/causes.ts';
import type { Clock } from '../core/clock.ts';
import type { HttpRequest } from '../core/exchange.ts';
import type { AppliedWaiver, Json, RequirementResult, ViolationRecord } from '../core/results.ts';
import type { Verdict } from '../core/verdict.ts';
import { CUT } from '../evidence/beginnings.ts';
import { mapStrings } from '../evidence/strings.ts';
import type { ListClient } from '../provider/list-client.ts';
import { Prevented, Undecided } from '../provider/prevented.ts';
import type { Secrets } from '../provider/secrets.ts';
import { NoAnswer } from '../provider/sender.ts';
import type { TokenClient } from '../provider/token-client.ts';
import type { Target } from '../target/target.ts';
import type { Check } from './check.ts';
import type { CheckContext, JudgeOptions } from './context.ts';
import { curlOf } from './curl.ts';
import { type Breach, Inconclusive, Skipped, Violation } from './findings.ts';
import { runProperty } from './property.ts';
import { type Looks, settle } from './settle.ts';
import { obstacleIn } from './walks.ts';

/** One list of one target, as somebody asks it. */
export interface Asking {
  readonly tokens: TokenClient;
  readonly list: ListClient;
  readonly looks: Looks;
}

/** What a host gives the judge for one list of one target. */
export interface Bench extends Asking {
  readonly target: Target;
  readonly options: JudgeOptions;
  readonly secrets: Secrets;
  readonly signal: AbortSignal | null;
  readonly clock: Clock;
  /** The exchange of that number, to build a curl line from. */
  exchange(number: number): { readonly request: HttpRequest } | null;
  /** The same as a check or an observation asks it. */
  askedBy(id: string): Asking & {
    /** How many of the requests that it was first to ask for so far were sent; waits for the last of them. */
    requests(): Promise<number>;
  };
}

/**
 * Judges one check and turns what it throws into a verdict. Never throws.
 *
 * @param others waits for the checks that run beside it; nothing to wait for where left out
 */
export async function judge(
  check: Check,
  bench: Bench,
  others: () => Promise<void> = async () => undefined,
): Promise<RequirementResult> {
  const { requirement } = check;
  let cases = 0;
  let cut: Prevented | null = null;
  let waitedMs = 0;
  const asking = bench.askedBy(requirement.id);
  const { tokens, list, looks } = asking;
  const context: CheckContext = {
    requirement,
    target: bench.target,
    options: bench.options,
    tokens,
    list,
    view: looks.at(0),
    secrets: bench.secrets,
    signal: bench.signal,
    clock: bench.clock,
    exercised: (more = 1) => {
      cases += more;
    },
    curtailed: (cause) => {
      if (cause?.requirement !== requirement.id) cut ??= cause;
    },
    others: async () => {
      const from = performance.now();
      await others();
      waitedMs += performance.now() - from;
    },
    aside: () => void others(),
    random: (label) => mix(bench.options.seed, label),
    settle: async (options, oracle) => {
      // What curtailed one look does not curtail the next one.
      let before = cut;
      await settle(looks, options, async (view) => {
        cut = before;
        before = null;
        await oracle(view);
        const cause = cut as Prevented | null;
        cut = null;
        // Thrown here, so that another look is taken where it was the data that moved.
        if (cause !== null) throw cause;
      });
    },
    property: (property, oracle) =>
      runProperty({
        looks,
        property,
        seed: mix(bench.options.seed, property.sample),
        runs: property.runs === null ? 0 : (bench.options.runs ?? property.runs),
        oracle,
      }),
  };
  const started = performance.now();
  const judged = async (): Promise<Finding> => {
    try {
      await check.judge(context);
    } catch (error) {
      return findingOf(error, requirement.id.startsWith('x/'));
    }
    const cause = cut as Prevented | null;
    if (cause !== null) return findingOf(cause);
    if (cases > 0) return { verdict: 'pass', reason: null, breaches: [] };
    const obstacle = await obstacleIn(context.view);
    if (obstacle !== null && obstacle.requirement !== requirement.id) return findingOf(obstacle);
    const needed = requirement.needs ?? 'a provider whose data lets a breach show';
    return {
      verdict: 'inconclusive',
      reason: `nothing was tried in which a breach would have shown; it needs ${needed}`,
      breaches: [],
    };
  };
  const finding = await judged();
  const durationMs = Math.round(performance.now() - started - waitedMs);
  return {
    id: requirement.id,
    resource: check.scope === 'target' ? null : bench.list.resource.name,
    clause: requirement.clause,
    rule: requirement.rule,
    verdict: finding.verdict,
    reason: finding.reason === null ? null : told(finding.reason, bench),
    waiver:
      finding.verdict === 'fail'
        ? waiverFor(requirement.id, bench.target, new Date(bench.clock.now()))
        : null,
    violations: finding.breaches.map((breach) => recordOf(breach, bench)),
    cases,
    requests: await asking.requests(),
    durationMs,
  };
}

/** Failures by which the run kept itself within its limits: they say nothing of the provider or the network. */
const BOUNDED = ['request-limit', 'retry-later', 'time-limit', 'interrupted'] as const;

interface Finding {
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly breaches: readonly Breach[];
}

/** @param own whether the check is of the user's own */
function findingOf(error: unknown, own = false): Finding {
  if (error instanceof Violation) return { verdict: 'fail', reason: error.message, breaches: error.breaches };
  if (error instanceof Prevented)
    return {
      verdict: 'inconclusive',
      reason: followingFrom(error.requirement, error.message),
      breaches: [],
    };
  if (error instanceof Inconclusive || error instanceof Undecided)
    return { verdict: 'inconclusive', reason: error.message, breaches: [] };
  if (error instanceof Skipped) return { verdict: 'skipped', reason: error.message, breaches: [] };
  if (error instanceof NoAnswer) {
    const code = error.exchange.failure?.code;
    const bounded = BOUNDED.some((one) => one === code);
    return { verdict: bounded ? 'inconclusive' : 'error', reason: error.message, breaches: [] };
  }
  const words = error instanceof Error ? error.message : String(error);
  const stack = process.env['ASSAY_DEBUG'] === '1' && error instanceof Error ? `\n${error.stack}` : '';
  const who = own ? 'the check itself failed' : 'Assay itself failed at this check';
  return { verdict: 'error', reason: `${who}: ${words}${stack}`, breaches: [] };
}

function recordOf(breach: Breach, bench: Bench): ViolationRecord {
  const shown = breach.request ?? bench.exchange(breach.exchanges[0] ?? 0)?.request ?? null;
  const clean = <Value extends Json>(value: Value): Value => mapStrings(value, (text) => told(text, bench));
  return {
    message: told(breach.message, bench),
    expected: clean(breach.expected ?? null),
    actual: clean(breach.actual ?? null),
    counterexample: clean(breach.counterexample ?? null),
    exchanges: breach.exchanges,
    curl: shown === null ? '' : curlOf(shown, bench.secrets),
  };
}

/** Characters of a sentence, or of a value beside it, beyond which nobody reads on. */
const MOST_TOLD = 4000;

// Cut only once it holds no secret, since half a one is not recognised. Half a surrogate pair is no text to readers of JSON.
function told(text: string, { secrets }: Bench): string {
  const clean = secrets.redactWords(text);
  return clean.length <= MOST_TOLD
    ? clean.toWellFormed()
    : `${clean.slice(0, MOST_TOLD).toWellFormed()}${CUT}`;
}

/** The waiver of a requirement, with whether it still counts on that day (UTC). */
export function waiverFor(id: string, target: Target, today: Date = new Date()): AppliedWaiver | null {
  const waivers = target.waivers
    .filter((waiver) =>
      new RegExp(`^${waiver.requirement.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(
        id,
      ),
    )
    .map((waiver) => ({ ...waiver, active: today.toISOString().slice(0, 10) <= waiver.until }));
  return waivers.find((waiver) => waiver.active) ?? waivers[0] ?? null;
}

/** A 31-bit number from a seed and a label (FNV-1a). */
function mix(seed: number, label: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < label.length; index++)
    hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193);
  return hash >>> 1;
}
