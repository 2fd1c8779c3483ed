import { rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from '../../specs/suite.ts';
import { resolveCauses } from '../core/cause-resolution.ts';
import { withReason } from '../core/cause-sentences.ts';
import { RunClock } from '../core/clock.ts';
import type { EvidenceUses } from '../core/exchange.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import type { JudgedResult, ObservationResult, RequirementResult, TargetResult } from '../core/results.ts';
import { messageOf } from '../core/system-error.ts';
import type { LoggedExchange } from '../core/traffic.ts';
import { WorkQueue } from '../core/work-in-progress.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import { EvidenceWriter } from '../evidence/writer.ts';
import { type Check, plan } from '../judge/check.ts';
import { withExitGuard } from '../run/custom-checks.ts';
import {
  OBSERVATIONS,
  type RecordedOptions,
  settingOf,
  TOKENS_PER_PROCESS,
  type Turn,
} from '../run/evidence-setting.ts';
import {
  ACCEPTED_UNTIL_EXPIRY,
  judgeAlone,
  judgeFurther,
  judgeLaterPages,
  observeAll,
  resultWithoutRun,
  turnKey,
  unjudgedResult,
  whyUnselected,
} from '../run/schedule.ts';
import { Session } from '../run/session.ts';
import type { Target } from '../target/target.ts';

/** A result for a test to show, with the exchanges of each violation. */
export interface JudgedRequirement {
  readonly result: RequirementResult;
  readonly exchanges: readonly (readonly LoggedExchange[])[];
}

export interface Answer {
  /** The requirement of the test first; then those that block it and that the run leaves out. */
  readonly judged: readonly JudgedRequirement[];
  readonly observations: readonly ObservationResult[];
}

export interface FinishedTarget {
  readonly result: TargetResult;
  readonly uses: EvidenceUses;
  /** Its evidence; null if it could not be written. */
  readonly evidence: string | null;
  readonly unshown: readonly RequirementResult[];
  readonly isInterrupted: boolean;
}

interface Entry {
  readonly check: Check;
  readonly list: string;
  readonly key: string;
}

/** A session of the target, with its evidence and results. A test that runs again begins a new one. */
interface RecordedSession {
  readonly session: Session;
  readonly redactor: Redactor;
  readonly evidence: EvidenceWriter;
  readonly file: string;
  readonly stop: AbortController;
  readonly turns: Turn[];
  readonly requested: Set<string>;
  readonly results: Map<string, JudgedResult>;
  observations: readonly ObservationResult[];
}

/** One target of a Playwright run: its session lives in Playwright's runner, so a failing test does not end it. */
export class HostedTarget {
  readonly target: Target;
  readonly #options: RecordedOptions;
  readonly #place: { readonly folder: string; readonly index: number };
  readonly #entries: readonly Entry[];
  readonly #customEntries: readonly Entry[];
  readonly #allEntries: readonly Entry[];
  /** Keys of all requirements that tests asked for, also before the current session. */
  readonly #requested = new Set<string>();
  #current: RecordedSession | null = null;
  #sessionCount = 0;
  readonly #queue = new WorkQueue();

  /** `place` is the folder for evidence and the number of the target, from 0. */
  constructor(
    target: Target,
    customChecks: readonly Check[],
    options: RecordedOptions,
    place: { readonly folder: string; readonly index: number },
  ) {
    this.target = target;
    this.#options = options;
    this.#place = place;
    const entriesOf = (checks: readonly Check[]): readonly Entry[] =>
      plan(checks, target.resources).map(({ check, input: { name } }) => {
        const { id } = check.requirement;
        return { check, list: name, key: turnKey(id, check.scope === 'target' ? null : name) };
      });
    this.#entries = entriesOf(suite);
    this.#customEntries = entriesOf(customChecks);
    this.#allEntries = [...this.#entries, ...this.#customEntries];
  }

  get isComplete(): boolean {
    return this.#allEntries.every(({ key }) => this.#requested.has(key));
  }

  /**
   * Judges a requirement, after all that were asked for before. If it is asked for again, the target begins a new session.
   *
   * @param list null for a requirement that is judged once for each target
   * @param gone aborted if nobody waits for the result any more; ends the session
   */
  judge(id: string, list: string | null, gone: AbortSignal): Promise<Answer> {
    const key = turnKey(id, list);
    return this.#enqueue(key, gone, async (current) => {
      const entry = this.#allEntries.find((one) => one.key === key);
      if (entry === undefined) throw new Error(`${this.target.name} has no requirement ${id} of ${list}`);
      const unselected = whyUnselected(entry.check, this.#options);
      const results = [
        unselected === null
          ? await this.#judgeEntry(current, entry)
          : resultWithoutRun(entry.check, entry.list, { kind: 'unselected' }, unselected),
      ];
      for (let blocker = this.#blockerOf(current, results[0], entry); blocker !== undefined; ) {
        const result = await this.#judgeEntry(current, blocker);
        results.push(result);
        blocker = this.#blockerOf(current, result, blocker);
      }
      return { judged: results.map((result) => withExchanges(current, result)), observations: [] };
    });
  }

  /** Makes the observations; judges token/accepted-until-expiry again if a token was refused early after its own test. */
  observe(gone: AbortSignal): Promise<Answer> {
    return this.#enqueue(OBSERVATIONS, gone, async (current) => {
      const early = this.#entries.find(({ check }) => check.requirement.id === ACCEPTED_UNTIL_EXPIRY);
      const hasEndings = current.session.inputs.some(({ tokens }) => tokens.history.endings.length > 0);
      const isDue =
        hasEndings && !this.#options.expiry && !this.#options.skip.includes(ACCEPTED_UNTIL_EXPIRY);
      const judged = isDue && early !== undefined ? [await this.#judgeEntry(current, early)] : [];
      await this.#observe(current);
      const { observations } = current;
      return { judged: judged.map((result) => withExchanges(current, result)), observations };
    });
  }

  stop(): void {
    this.#current?.stop.abort();
  }

  /** Judges what is left, closes the session and returns the results; null if no test asked for the target. */
  async finish(isStopped: boolean): Promise<FinishedTarget | null> {
    if (isStopped) this.stop();
    await this.#queue.idle();
    const current = this.#current;
    if (current === null) return null;
    const { session, turns, evidence, results } = current;
    const isInterrupted = isStopped || current.stop.signal.aborted;
    // What an earlier session judged has no evidence any more.
    const lost = isInterrupted ? [] : this.#lostEntries(current);
    for (const entry of lost) await this.#judgeEntry(current, entry);
    if (!isInterrupted && this.#requested.has(OBSERVATIONS) && !current.requested.has(OBSERVATIONS))
      await this.#observe(current);
    const resultOf = ({ check, list, key }: Entry): JudgedResult => {
      const wasInterrupted = (): boolean => isInterrupted || this.#requested.has(key);
      return results.get(key) ?? unjudgedResult(check, list, this.#options, wasInterrupted);
    };
    const custom = this.#customEntries.map((entry) => withReason(resultOf(entry)));
    const before = this.#entries.map(resultOf);
    const tests = { checks: suite, inputs: session.inputs, options: this.#options };
    const further = await judgeFurther(before, tests);
    const records = await session.records();
    const judged = await judgeLaterPages(further, tests);
    const requirements = resolveCauses(judged);
    await session.idle();
    const uses = Object.fromEntries(Object.entries(session.uses()).filter(([id]) => !isCustomCheck({ id })));
    const { observations } = current;
    const result = session.result({ records, requirements: [...requirements, ...custom], observations });
    const { index } = this.#place;
    const options = { ...this.#options, inTurn: turns, tokensBefore: index * TOKENS_PER_PROCESS };
    // Written last, because only now the order is known.
    evidence.describe(this.target.name, settingOf(this.target, options, current.redactor, true));
    evidence.conclude(this.target.name, uses);
    const isWritten = await this.#close(current);
    return {
      result,
      uses,
      evidence: isWritten ? current.file : null,
      unshown: requirements.filter(
        (_one, at) => judged[at] !== before[at] || lost.some(({ key }) => key === this.#entries[at]?.key),
      ),
      isInterrupted,
    };
  }

  /** Runs the work when all earlier work has ended, in a new session if this one has done the same before. */
  #enqueue(
    key: string,
    gone: AbortSignal,
    work: (current: RecordedSession) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#queue.run(async () => {
      if (gone.aborted) throw new Error('the test has ended');
      const open = this.#current;
      if (open !== null && (open.requested.has(key) || open.stop.signal.aborted)) {
        this.#current = null;
        await this.#close(open);
        await rm(open.file, { force: true });
      }
      this.#current ??= this.#open();
      const current = this.#current;
      this.#requested.add(key);
      current.requested.add(key);
      const stop = (): void => current.stop.abort();
      gone.addEventListener('abort', stop);
      return work(current).finally(() => gone.removeEventListener('abort', stop));
    });
  }

  async #judgeEntry(current: RecordedSession, { check, list, key }: Entry): Promise<JudgedResult> {
    const { session, results, turns } = current;
    const isCustom = isCustomCheck(check.requirement);
    const inputs = isCustom ? session.customInputs : session.inputs;
    const input = inputs.find((one) => one.list.resource.name === list);
    if (input === undefined) throw new Error('a target has at least one resource');
    const judge = (): Promise<JudgedResult> => judgeAlone(check, input, this.#options);
    // Custom checks are not judged again in a replay.
    if (!isCustom) turns.push([check.requirement.id, check.scope === 'target' ? null : list]);
    const result = await (isCustom ? withExitGuard(this.target.checks, judge) : judge());
    results.set(key, result);
    return result;
  }

  async #observe(current: RecordedSession): Promise<void> {
    current.turns.push([OBSERVATIONS, null]);
    current.observations = await observeAll(current.session, this.#options);
  }

  /** The requirement that blocks a result, if the suite or the options leave it out and it is not judged yet. */
  #blockerOf(
    { results }: RecordedSession,
    blocked: JudgedResult | undefined,
    { list }: Entry,
  ): Entry | undefined {
    const by = blocked?.cause?.kind === 'blocked' ? blocked.cause.by : null;
    const isBlocking = ({ check, list: other, key }: Entry): boolean =>
      check.requirement.id === by &&
      (check.scope === 'target' || other === list) &&
      !results.has(key) &&
      !this.#options.skip.includes(by) &&
      whyUnselected(check, this.#options) !== null;
    return this.#entries.find(isBlocking);
  }

  #lostEntries({ results }: RecordedSession): readonly Entry[] {
    return this.#allEntries.filter(
      ({ check, key }) =>
        this.#requested.has(key) && !results.has(key) && whyUnselected(check, this.#options) === null,
    );
  }

  #open(): RecordedSession {
    const { folder, index } = this.#place;
    const redactor = new Redactor(index * TOKENS_PER_PROCESS);
    const file = path.join(folder, `evidence-${index}-${this.#sessionCount++}.ndjson.gz`);
    const evidence = new EvidenceWriter(file, redactor);
    const stop = new AbortController();
    const clock = new RunClock(stop.signal);
    const session = new Session({
      target: this.target,
      options: this.#options,
      redactor,
      signal: stop.signal,
      environment: process.env,
      clock,
      events: {
        onDelivery: (exchange) => clock.note(exchange),
        onExchange: (exchange, check) => {
          evidence.record(this.target.name, exchange, check);
          return evidence.ready();
        },
      },
    });
    const empty = { turns: [], requested: new Set<string>(), results: new Map(), observations: [] };
    return { session, redactor, evidence, file, stop, ...empty };
  }

  // Verdicts stay valid if evidence could not be written, as on a full disk.
  async #close({ session, evidence }: RecordedSession): Promise<boolean> {
    await session.close();
    try {
      await evidence.close();
      return true;
    } catch (error) {
      process.stderr.write(`assay: ${messageOf(error)}\n`);
      return false;
    }
  }
}

function withExchanges({ session }: RecordedSession, judged: JudgedResult): JudgedRequirement {
  const result = withReason(judged);
  const input = session.inputs[0];
  const exchanges = result.violations.map((violation) =>
    violation.exchanges.flatMap((number) => input?.exchange(number) ?? []),
  );
  return JSON.parse(session.redact(JSON.stringify({ result, exchanges }))) as JudgedRequirement;
}
