import { AT_LEAST_ONE_RECORD, type Cause } from '../core/cause.ts';
import { reasonOf } from '../core/cause-sentences.ts';
import type { Clock } from '../core/clock.ts';
import type { HttpRequest } from '../core/exchange.ts';
import { globPattern } from '../core/glob.ts';
import type { AppliedWaiver, Json, RequirementResult, ViolationRecord } from '../core/results.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import type { Verdict } from '../core/verdict.ts';
import { CUT } from '../evidence/cut-secrets.ts';
import { mapStrings } from '../evidence/map-strings.ts';
import { failureDiagnosis } from '../provider/diagnosis.ts';
import type { ListClient } from '../provider/list-client.ts';
import type { Secrets } from '../provider/secrets.ts';
import { NoAnswer } from '../provider/sender.ts';
import type { TokenClient } from '../provider/token-client.ts';
import type { View } from '../provider/view.ts';
import type { Target } from '../target/target.ts';
import type { Check } from './check.ts';
import type { CheckContext, JudgeOptions } from './context.ts';
import { curlOf } from './curl.ts';
import { type Breach, Violation } from './findings.ts';
import { mix } from './mix.ts';
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
  /** Whether any request to that origin was answered so far, whatever the answer. */
  hasAnswered(origin: string): boolean;
  /** The answers so far, as a check may read them that sends nothing: a further request throws. */
  offline(): { readonly tokens: TokenClient; readonly list: ListClient; readonly view: View };
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
  let cut: Undecided | null = null;
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
      if (!isAbout(cause, requirement.id)) cut ??= cause;
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
        const cause = cut as Undecided | null;
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
      return findingOf(error, bench, requirement.id.startsWith('x/'));
    }
    const curtailment = cut as Undecided | null;
    if (curtailment !== null) return findingOf(curtailment, bench);
    if (cases > 0) return { verdict: 'pass', cause: null, detail: '', breaches: [] };
    const obstacle = await obstacleIn(context.view);
    if (obstacle !== null && !isAbout(obstacle, requirement.id)) return findingOf(obstacle, bench);
    const needs = requirement.needs ?? AT_LEAST_ONE_RECORD;
    return findingOf(new Undecided({ kind: 'data', needs, records: null }), bench);
  };
  const finding = await judged();
  const resource = check.scope === 'target' ? null : bench.list.resource.name;
  const cause = await completed(finding.cause, bench, context.view, resource);
  const durationMs = Math.round(performance.now() - started - waitedMs);
  return {
    id: requirement.id,
    resource,
    clause: requirement.clause,
    rule: requirement.rule,
    verdict: finding.verdict,
    reason:
      cause === null
        ? finding.detail === ''
          ? null
          : told(finding.detail, bench)
        : told(reasonOf(cause, finding.detail), bench),
    cause,
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

interface Finding {
  readonly verdict: Verdict;
  readonly cause: Cause | null;
  readonly detail: string;
  readonly breaches: readonly Breach[];
}

/** Whether what hides the evidence is a breach of the very requirement that is judged. */
function isAbout(error: Undecided | null, id: string): boolean {
  return error instanceof Blocked && error.requirement === id;
}

/** The cause with what the check that threw it did not know: which list it is about, and how long that is. */
async function completed(
  cause: Cause | null,
  { list }: Bench,
  view: View,
  resource: string | null,
): Promise<Cause | null> {
  if (cause?.kind === 'blocked')
    return { ...cause, resource: cause.by.startsWith('token/') ? null : list.resource.name };
  if (cause?.kind === 'data' && cause.records === null && resource !== null)
    return { ...cause, records: await recordsSeen(view) };
  return cause;
}

/** How many records a list is known to hold: those of the main traversal, or of the longest page; null where none was read. */
async function recordsSeen(view: View): Promise<number | null> {
  const walk = await view.walked(null)?.catch(() => null);
  if (walk != null && walk.steps.length > 0) return walk.steps.at(-1)?.given ?? null;
  const sizes = view.pages().map(({ itemCount }) => itemCount);
  return sizes.length === 0 ? null : Math.max(...sizes);
}

/** @param own whether the check is of the user's own */
function findingOf(error: unknown, bench: Bench, own = false): Finding {
  if (error instanceof Violation)
    return { verdict: 'fail', cause: null, detail: error.message, breaches: error.breaches };
  if (error instanceof Undecided)
    return { verdict: error.verdict, cause: error.cause, detail: error.message, breaches: [] };
  if (error instanceof NoAnswer) {
    const { exchange } = error;
    const { cause, verdict, sentence } = failureDiagnosis(exchange.failure, exchange, bench.target);
    // Where nothing was ever answered there is nothing to decide: the run could not be carried out.
    const never = cause.kind === 'unavailable' && !bench.hasAnswered(exchange.request.origin);
    return { verdict: never ? 'error' : verdict, cause, detail: sentence, breaches: [] };
  }
  const words = error instanceof Error ? error.message : String(error);
  const stack = process.env['ASSAY_DEBUG'] === '1' && error instanceof Error ? `\n${error.stack}` : '';
  const cause: Cause = own ? { kind: 'configuration', key: 'checks' } : { kind: 'harness' };
  return { verdict: 'error', cause, detail: words + stack, breaches: [] };
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
    .filter(({ requirement }) => globPattern(requirement).test(id))
    .map((waiver) => ({ ...waiver, active: today.toISOString().slice(0, 10) <= waiver.until }));
  return waivers.find((waiver) => waiver.active) ?? waivers[0] ?? null;
}
