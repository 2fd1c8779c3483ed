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
import type { Snapshot } from '../provider/snapshot.ts';
import type { Snapshots } from '../provider/snapshots.ts';
import type { TokenClient } from '../provider/token-client.ts';
import type { Target } from '../target/target.ts';
import type { Check } from './check.ts';
import { confirm } from './confirm.ts';
import type { CheckContext, JudgeOptions } from './context.ts';
import { curlOf } from './curl.ts';
import { type Breach, Violation } from './findings.ts';
import { mix } from './mix.ts';
import { runProperty } from './property.ts';
import { obstacleIn } from './traversals.ts';

/** A check or an observation, as the requests and uses of evidence are counted for it. */
export interface Asker {
  /** Runs work: what it sends and uses, however late, counts for this asker. */
  run<Result>(work: () => Result): Result;
  /** How many of the requests that it was first to ask for so far were sent; waits for the last of them. */
  requests(): Promise<number>;
  /** Milliseconds during which at least one of those requests was under way; waits for the last of them. */
  requestMs(): Promise<number>;
}

/** What a host gives the judge for one list of one target. */
export interface Bench {
  readonly tokens: TokenClient;
  readonly list: ListClient;
  readonly snapshots: Snapshots;
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
  offline(): { readonly tokens: TokenClient; readonly list: ListClient; readonly snapshot: Snapshot };
  /** A new asker for one judgement by the check, or one observation, of that identifier. */
  asker(id: string): Asker;
}

/** A check that is being judged. */
export interface Judging {
  /** Fulfilled when it is over, but for what it leaves until after the other checks. */
  readonly asked: Promise<unknown>;
  /**
   * The verdict. Never throws.
   *
   * @param others what to wait for before the part that the check leaves until after the other checks
   */
  conclude(others: Promise<unknown>): Promise<RequirementResult>;
}

/** Judges one check that no others run beside, and turns what it throws into a verdict. Never throws. */
export function judge(check: Check, bench: Bench): Promise<RequirementResult> {
  return startJudging(check, bench).conclude(Promise.resolve());
}

/** Begins to judge one check. */
export function startJudging(check: Check, bench: Bench): Judging {
  const { requirement } = check;
  const asker = bench.asker(requirement.id);
  const later: (() => Promise<void>)[] = [];
  let cases = 0;
  let cut: Undecided | null = null;
  const { tokens, list, snapshots } = bench;
  const context: CheckContext = {
    requirement,
    target: bench.target,
    options: bench.options,
    tokens,
    list,
    snapshot: snapshots.at(0),
    secrets: bench.secrets,
    signal: bench.signal,
    clock: bench.clock,
    exercised: (more = 1) => {
      cases += more;
    },
    limitedBy: (cause) => {
      if (!isAbout(cause, requirement.id)) cut ??= cause;
    },
    afterOthers: (part) => {
      later.push(part);
    },
    random: (label) => mix(bench.options.seed, label),
    confirm: async (options, oracle) => {
      // What limited one snapshot does not limit the next one.
      let before = cut;
      await confirm(snapshots, options, async (snapshot) => {
        cut = before;
        before = null;
        await oracle(snapshot);
        const cause = cut as Undecided | null;
        cut = null;
        // Thrown here, so that another snapshot is taken where it was the data that moved.
        if (cause !== null) throw cause;
      });
    },
    property: (property, oracle) =>
      runProperty({
        snapshots,
        property,
        seed: mix(bench.options.seed, property.sample),
        runs: property.runs === null ? 0 : (bench.options.runs ?? property.runs),
        oracle,
      }),
  };
  let thrown: { readonly error: unknown } | null = null;
  const attempt = async (part: () => Promise<void>): Promise<void> => {
    try {
      if (thrown === null) await asker.run(part);
    } catch (error) {
      thrown = { error };
    }
  };
  const findingSoFar = async (): Promise<Finding> => {
    const failure = thrown as { readonly error: unknown } | null;
    if (failure !== null) return findingOf(failure.error, bench, requirement.id.startsWith('x/'));
    const limitation = cut as Undecided | null;
    if (limitation !== null) return findingOf(limitation, bench);
    if (cases > 0) return { verdict: 'pass', cause: null, detail: '', breaches: [] };
    const obstacle = await obstacleIn(context.snapshot);
    if (obstacle !== null && !isAbout(obstacle, requirement.id)) return findingOf(obstacle, bench);
    const needs = requirement.needs ?? AT_LEAST_ONE_RECORD;
    return findingOf(new Undecided({ kind: 'data', needs, records: null }), bench);
  };
  const verdict = async (): Promise<RequirementResult> => {
    const finding = await findingSoFar();
    const resource = check.scope === 'target' ? null : bench.list.resource.name;
    const cause = await completed(finding.cause, bench, context.snapshot, resource);
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
            : printable(finding.detail, bench)
          : printable(reasonOf(cause, finding.detail), bench),
      cause,
      waiver:
        finding.verdict === 'fail'
          ? waiverFor(requirement.id, bench.target, new Date(bench.clock.now()))
          : null,
      violations: finding.breaches.map((breach) => recordOf(breach, bench)),
      cases,
      requests: await asker.requests(),
      durationMs: Math.round(await asker.requestMs()),
    };
  };
  const asked = attempt(() => check.judge(context));
  return {
    asked,
    conclude: async (others) => {
      await asked;
      if (thrown === null && later.length > 0) await others;
      for (const part of later) await attempt(part);
      return asker.run(verdict);
    },
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
  snapshot: Snapshot,
  resource: string | null,
): Promise<Cause | null> {
  if (cause?.kind === 'blocked')
    return { ...cause, resource: cause.by.startsWith('token/') ? null : list.resource.name };
  if (cause?.kind === 'data' && cause.records === null && resource !== null)
    return { ...cause, records: await recordsSeen(snapshot) };
  return cause;
}

/** How many records a list is known to hold: those of the main traversal, or of the longest page; null where none was read. */
async function recordsSeen(snapshot: Snapshot): Promise<number | null> {
  const traversal = await snapshot.startedTraversal(null)?.catch(() => null);
  if (traversal != null && traversal.steps.length > 0) return traversal.steps.at(-1)?.given ?? null;
  const sizes = snapshot.pages().map(({ itemCount }) => itemCount);
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
  const clean = <Value extends Json>(value: Value): Value =>
    mapStrings(value, (text) => printable(text, bench));
  return {
    message: printable(breach.message, bench),
    expected: clean(breach.expected ?? null),
    actual: clean(breach.actual ?? null),
    counterexample: clean(breach.counterexample ?? null),
    exchanges: breach.exchanges,
    curl: shown === null ? '' : curlOf(shown, bench.secrets),
  };
}

/** Characters of a sentence, or of a value beside it, beyond which nobody reads on. */
const MAX_CHARACTERS = 4000;

// Cut only once it holds no secret, since half a one is not recognised. Half a surrogate pair is no text to readers of JSON.
function printable(text: string, { secrets }: Bench): string {
  const clean = secrets.redactWords(text);
  return clean.length <= MAX_CHARACTERS
    ? clean.toWellFormed()
    : `${clean.slice(0, MAX_CHARACTERS).toWellFormed()}${CUT}`;
}

/** The waiver of a requirement, with whether it still counts on that day (UTC). */
export function waiverFor(id: string, target: Target, today: Date = new Date()): AppliedWaiver | null {
  const waivers = target.waivers
    .filter(({ requirement }) => globPattern(requirement).test(id))
    .map((waiver) => ({ ...waiver, active: today.toISOString().slice(0, 10) <= waiver.until }));
  return waivers.find((waiver) => waiver.active) ?? waivers[0] ?? null;
}
