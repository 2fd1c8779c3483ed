import type { Arbitrary, AsyncCommand } from 'fast-check';
import { isRequirementId, type RequirementId } from '../../core/requirement-id.ts';
import type { Suite } from '../../core/results.ts';
import { Blocked, intermittent, Undecided } from '../../core/undecided.ts';
import { WorkQueue } from '../../core/work-in-progress.ts';
import { NoAnswer } from '../../provider/sender.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { JudgeInput } from '../check.ts';
import { withRate } from '../confirmation.ts';
import { orNull } from '../outcomes.ts';
import { countProvenRecords } from '../probes/list-facts.ts';
import { isAtRest, isTraversedAlike } from '../proofs/data-at-rest.ts';
import { fastCheckOf, seededNumber } from '../property.ts';
import { Violation } from '../violation.ts';
import { ModelActor } from './model-actor.ts';
import { commandsOf, EVERYTHING, kindOf, THEMES, type Theme } from './model-commands.ts';
import {
  BreachSuspected,
  type NamedPageRule,
  ProviderModel,
  SequenceEnded,
  type Suspicion,
} from './model-state.ts';

/** Requirements without an oracle of single pages that a sequence can break. */
const STATEFUL: readonly RequirementId[] = [
  'authorization/accepted',
  'authorization/required',
  'authorization/required-on-every-page',
  'authorization/token-integrity',
  'list/envelope',
  'traversal/followable',
  'traversal/by-parameters',
];

/** Requirements that one answer breaks: nothing explains records without a valid token. */
const PROVEN_BY_ONE: readonly RequirementId[] = [
  'authorization/required',
  'authorization/required-on-every-page',
  'authorization/token-integrity',
];

/** Sequences of each theme, and of all commands, in `certify`. */
const CERTIFY = { ofEachTheme: 4, ofEverything: 2 };

/** Most runs of a sequence while it is shrunk. */
const MAX_SHRINK_RUNS = 30;

/** Most sequences that are carried out again to see the breach of one requirement a second time. */
const MAX_CONFIRMED = 3;

/** Most sequences that are drawn to find one with enough kinds of commands. */
const MAX_SKIPS = 1000;

/**
 * Largest page size of the first call of a sequence: smaller in `certify`, which sends many sequences and every size
 * anyway.
 */
const MAX_FIRST_SIZE: Readonly<Record<Suite, number>> = { smoke: 49, full: 160, certify: 49 };

/**
 * How often the shortest sequence must show a breach of data at rest; before each run except the first the data is
 * checked.
 */
const ROUNDS_AT_REST = 3;

/** A breach that a drawn sequence showed, and how the sequence is drawn again. */
interface SuspectedBreach extends Suspicion {
  readonly theme: Theme;
  readonly index: number;
}

type FastCheck = typeof import('fast-check');

type Commands = Iterable<AsyncCommand<ProviderModel, ModelActor, boolean>>;

/**
 * A stateful model of one list: sequences of commands in random order, drawn from the run's seed and carried out one
 * after another, once for all requirements.
 */
class StatefulModel {
  readonly #input: JudgeInput;
  readonly #snapshot: Snapshot;
  readonly #pageRules: readonly NamedPageRule[];
  readonly #cases = new Map<RequirementId, number>();
  #suspected: Promise<readonly SuspectedBreach[]> | null = null;
  readonly #confirmations = new WorkQueue();

  constructor(input: JudgeInput) {
    this.#input = input;
    this.#snapshot = input.snapshots.at(0);
    this.#pageRules = input.checks.flatMap(({ requirement: { id }, pageRule }) =>
      pageRule === undefined || !isRequirementId(id) ? [] : [{ id, ...pageRule }],
    );
  }

  /** Whether sequences can show a breach of that requirement. */
  covers(id: string): boolean {
    return STATEFUL.some((one) => one === id) || this.#pageRules.some((one) => one.id === id);
  }

  /** Whether a sequence showed a possible breach of that requirement, or could not be judged because of one. */
  async suspects(id: string): Promise<boolean> {
    return (await this.carriedOut()).some(({ requirement, hides }) => requirement === id || hides === id);
  }

  /** Steps so far in which a breach of that requirement would have shown. */
  casesOf(id: string): number {
    return isRequirementId(id) ? (this.#cases.get(id) ?? 0) : 0;
  }

  /** Fulfilled when the sequences were carried out, which begins now if it did not before. */
  carriedOut(): Promise<readonly SuspectedBreach[]> {
    this.#suspected ??= this.#carryOutAll();
    return this.#suspected;
  }

  /**
   * Throws Violation if a sequence broke the requirement, and breaks it again after it was shrunk; Undecided for a
   * breach that shows only once and that no change of the data explains.
   *
   * @param others what to wait for before a breach is confirmed: then nothing else is sent
   */
  async expectNoBreach(id: string, others: Promise<unknown>): Promise<void> {
    const all = await this.carriedOut();
    const suspected = all.filter(({ requirement }) => requirement === id);
    const hiding = all.find(({ hides }) => hides === id);
    if (suspected.length === 0 && hiding !== undefined)
      throw new Blocked(hiding.requirement, hiding.violation.message);
    if (suspected.length === 0) return;
    await others;
    await this.#confirmations.run(() => this.#confirmAny(suspected));
  }

  async #carryOutAll(): Promise<readonly SuspectedBreach[]> {
    const total = await this.#recordsAtRest();
    if (total === null || total === 0) return [];
    const found: SuspectedBreach[] = [];
    for (const [theme, runs] of this.#plan()) {
      let index = -1;
      const fastCheck: FastCheck = fastCheckOf();
      const property = fastCheck.asyncProperty(this.#sequences(theme), async (commands) => {
        index++;
        // Not by a filter: fast-check would lose what it knows of the commands that ran, and shrink nothing.
        fastCheck.pre(new Set([...commands].map(kindOf)).size >= theme.minKinds);
        const suspicion = await this.#carryOut(commands, this.#modelFor(theme, index, total), false);
        if (suspicion !== null) found.push({ ...suspicion, theme, index });
      });
      const parameters = { seed: this.#seedOf(theme), numRuns: runs, maxSkipsPerRun: MAX_SKIPS };
      const outcome = await fastCheck.check(property, parameters);
      if (outcome.failed)
        throw outcome.errorInstance ?? new Error(`too few sequences of ${theme.name} were drawn`);
    }
    return found;
  }

  #plan(): readonly (readonly [Theme, number])[] {
    if (this.#input.options.suite !== 'certify') return THEMES.map((theme) => [theme, 1]);
    return [
      ...THEMES.map((theme) => [theme, CERTIFY.ofEachTheme] as const),
      [EVERYTHING, CERTIFY.ofEverything],
    ];
  }

  #seedOf({ name }: Theme): number {
    const { list, options } = this.#input;
    return seededNumber(options.seed, `${list.resource.name} ${name}`);
  }

  #sequences(theme: Theme): Arbitrary<Commands> {
    const fastCheck = fastCheckOf();
    const { maxCommands } = theme;
    return fastCheck.commands(commandsOf(fastCheck, theme), {
      maxCommands,
      size: 'max',
      disableReplayLog: true,
    });
  }

  /** The records of the list as the main traversal gave them; null where that is not known. */
  #recordsAtRest(): Promise<number | null> {
    return orNull(countProvenRecords(this.#snapshot));
  }

  /** The state that a sequence begins with: a small page, the same one if the sequence is drawn again. */
  #modelFor({ name, isAnywhere }: Theme, index: number, total: number): ProviderModel {
    const draw = (what: string): number =>
      seededNumber(this.#input.options.seed, `model ${what} ${name} ${index}`);
    const largest = MAX_FIRST_SIZE[this.#input.options.suite];
    const pageSize = 1 + (draw('size') % Math.max(1, Math.min(largest, Math.floor(total / 4))));
    return new ProviderModel({
      total,
      pageSize,
      firstPage: isAnywhere ? draw('place') % Math.ceil(total / pageSize) : 0,
      randomToken: `${draw('token').toString(36)}${draw('token again').toString(36)}`,
    });
  }

  /** Carries out a sequence with a token of its own; the first breach that it shows. */
  async #carryOut(
    commands: Commands,
    model: ProviderModel,
    isConfirming: boolean,
  ): Promise<Suspicion | null> {
    const actor = new ModelActor({
      input: this.#input,
      pageRules: this.#pageRules,
      model,
      onCase: (id) => {
        if (!isConfirming) this.#cases.set(id, (this.#cases.get(id) ?? 0) + 1);
      },
    });
    let hasBegun = false;
    try {
      await actor.requestToken();
      await actor.callFirst({ count: true, ...model.place(0) });
      hasBegun = true;
      await fastCheckOf().asyncModelRun(() => ({ model, real: actor }), commands);
      return null;
    } catch (error) {
      if (error instanceof BreachSuspected) {
        const { suspicion } = error;
        // list/envelope judges every answer itself, and whether an outage explains it.
        return suspicion.requirement === 'list/envelope' && !hasBegun ? null : suspicion;
      }
      if (error instanceof SequenceEnded || error instanceof NoAnswer || error instanceof Undecided)
        return null;
      throw error;
    }
  }

  /** Confirms a breach by the first of the sequences that shows it again. */
  async #confirmAny(suspected: readonly SuspectedBreach[]): Promise<void> {
    for (const one of suspected.slice(0, MAX_CONFIRMED)) await this.#confirm(one);
    const attempts = suspected.length + Math.min(suspected.length, MAX_CONFIRMED);
    const proven = suspected.find(({ isProven }) => isProven);
    if (proven !== undefined) throw proven.violation;
    const unexcused = suspected.filter(({ isExcusable }) => !isExcusable);
    const lasting = unexcused.find(({ atRest }) => !atRest);
    const seen = lasting ?? unexcused[0];
    if (seen === undefined) return;
    // Changed data may explain a breach of a rule about data at rest.
    if (lasting === undefined && !(await isTraversedAlike(this.#snapshot, 1))) return;
    if (PROVEN_BY_ONE.includes(seen.requirement)) throw withRate(seen.violation, suspected.length, attempts);
    throw intermittent(seen.violation.message, attempts, suspected.length);
  }

  async #confirm({ theme, index, requirement, atRest, place }: SuspectedBreach): Promise<void> {
    const total = await this.#recordsAtRest();
    if (total === null) return;
    const { skip = 0 } = this.#modelFor(theme, index, total).place(0);
    const places = [skip, place];
    if (atRest && !(await isAtRest(this.#snapshot, places))) return;
    const shrunk = await this.#shrunk({ theme, index, requirement, total }, atRest ? places : null);
    if (shrunk === null || (atRest && !(await isAtRest(this.#snapshot, places)))) return;
    throw shrunk;
  }

  /**
   * The breach of the shortest sequence that shows it, and shows it again; null where it does not show.
   *
   * @param places where the data must be at rest, as for `#isAtRest`; null if the breach does not depend on it
   */
  async #shrunk(
    parts: Pick<SuspectedBreach, 'theme' | 'index' | 'requirement'> & { readonly total: number },
    places: readonly number[] | null,
  ): Promise<Violation | null> {
    const { theme, index, requirement, total } = parts;
    const { check, asyncProperty } = fastCheckOf();
    const violationIn = async (commands: Commands): Promise<Violation | null> => {
      const suspicion = await this.#carryOut(commands, this.#modelFor(theme, index, total), true);
      return suspicion?.requirement === requirement ? suspicion.violation : null;
    };
    let runs = 0;
    const property = asyncProperty(this.#sequences(theme), async (commands) => {
      if (++runs > 1 + MAX_SHRINK_RUNS) return;
      const violation = await violationIn(commands);
      if (violation !== null) throw violation;
    });
    const outcome = await check(property, { seed: this.#seedOf(theme), path: String(index), numRuns: 1 });
    if (!outcome.failed) return null;
    const [shortest] = outcome.counterexample ?? [];
    if (shortest === undefined || !(outcome.errorInstance instanceof Violation)) throw outcome.errorInstance;
    let violation: Violation | null = null;
    // Checks of different length come in between: otherwise data that alternates might do so in step with the sequence.
    for (let round = 0; round < (places === null ? 1 : ROUNDS_AT_REST); round++) {
      if (round > 0 && places !== null && !(await isAtRest(this.#snapshot, places, 1 + round))) return null;
      violation = await violationIn(shortest);
      if (violation === null) return null;
    }
    return violation;
  }
}

/** The model of a list, one for all checks of a run. */
export function modelOf(input: JudgeInput): StatefulModel {
  return input.snapshots.at(0).memo.once(newModel, input);
}

const newModel = (input: JudgeInput): StatefulModel => new StatefulModel(input);
