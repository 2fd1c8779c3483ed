import type { Arbitrary, AsyncCommand } from 'fast-check';
import { isRequirementId, type RequirementId } from '../core/requirement-id.ts';
import { Undecided } from '../core/undecided.ts';
import { sameAnswer } from '../provider/page.ts';
import { NoAnswer } from '../provider/sender.ts';
import { recordsAtRest } from './every-page.ts';
import { mainTraversal } from './evidence.ts';
import { Violation } from './findings.ts';
import type { Bench } from './judge.ts';
import { mix } from './mix.ts';
import { ModelActor, type NamedOracle, SequenceOver, type Suspicion, SuspicionMet } from './model-actor.ts';
import { commandsOf, EVERYTHING, kindOf, THEMES, type Theme } from './model-commands.ts';
import { ProviderModel } from './model-state.ts';
import { fastCheckOf } from './property.ts';

/** Requirements that a sequence can break beside those that state an oracle. */
const STATEFUL: readonly RequirementId[] = [
  'token/accepted-until-expiry',
  'authorization/accepted',
  'authorization/required',
  'authorization/required-on-every-page',
  'authorization/token-integrity',
  'list/envelope',
  'traversal/followable',
  'traversal/by-parameters',
];

/** Sequences of each theme, and of all commands, in `certify`. */
const CERTIFY = { ofEachTheme: 4, ofEverything: 5 };

/** Times that a sequence is carried out at most while it is shrunk. */
const MAX_SHRINK_RUNS = 30;

/** Times that a sequence is carried out at most to see its breach again. */
const MAX_CONFIRM_RUNS = 2;

/** Largest page size of the first call of a sequence. */
const MAX_FIRST_PAGE = 9;

/** A breach that a drawn sequence met, and how the sequence is drawn again. */
interface Met extends Suspicion {
  readonly theme: Theme;
  readonly run: number;
}

type Commands = Iterable<AsyncCommand<ProviderModel, ModelActor, boolean>>;

/**
 * A stateful model of one list: sequences of commands in random order, drawn from the run's seed and carried out one after
 * another, once for all requirements.
 */
export class StatefulModel {
  readonly #bench: Bench;
  readonly #oracles: readonly NamedOracle[];
  readonly #cases = new Map<RequirementId, number>();
  #met: Promise<readonly Met[]> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(bench: Bench) {
    this.#bench = bench;
    this.#oracles = bench.suite.flatMap(({ requirement: { id }, oracle }) =>
      oracle === undefined || !isRequirementId(id) ? [] : [{ id, ...oracle }],
    );
  }

  /** Whether sequences can show a breach of that requirement. */
  covers(id: string): boolean {
    return STATEFUL.some((one) => one === id) || this.#oracles.some((one) => one.id === id);
  }

  /** Steps so far in which a breach of that requirement would have shown. */
  casesOf(id: string): number {
    return isRequirementId(id) ? (this.#cases.get(id) ?? 0) : 0;
  }

  /** Fulfilled when the sequences were carried out, which begins now if it did not before. */
  carriedOut(): Promise<readonly Met[]> {
    this.#met ??= this.#carryOutAll();
    return this.#met;
  }

  /**
   * Throws a Violation if a sequence broke the requirement, and does so again after it was shrunk; Undecided for a breach
   * that shows once and that no change of the data excuses.
   *
   * @param others what to wait for before a breach is confirmed: then nothing else is sent
   */
  async expectNoBreach(id: string, others: Promise<unknown>): Promise<void> {
    const met = (await this.carriedOut()).find(({ requirement }) => requirement === id);
    if (met === undefined) return;
    await others;
    const turn = this.#turn.then(() => this.#confirm(met));
    this.#turn = turn.catch(() => undefined);
    await turn;
  }

  async #carryOutAll(): Promise<readonly Met[]> {
    const total = await this.#recordsAtRest();
    if (total === null || total === 0) return [];
    const found: Met[] = [];
    for (const [theme, runs] of this.#plan()) {
      let run = 0;
      const { check, asyncProperty } = fastCheckOf();
      const property = asyncProperty(
        this.#sequences(theme, () => false),
        async (commands) => {
          const suspicion = await this.#carryOut(commands, total, false);
          if (suspicion !== null) found.push({ ...suspicion, theme, run });
          run++;
        },
      );
      const outcome = await check(property, { seed: this.#seedOf(theme), numRuns: runs });
      if (outcome.failed) throw outcome.errorInstance;
    }
    return found;
  }

  #plan(): readonly (readonly [Theme, number])[] {
    if (this.#bench.options.suite !== 'certify') return THEMES.map((theme) => [theme, 1]);
    return [
      ...THEMES.map((theme) => [theme, CERTIFY.ofEachTheme] as const),
      [EVERYTHING, CERTIFY.ofEverything],
    ];
  }

  #seedOf({ name }: Theme): number {
    const { list, options } = this.#bench;
    return mix(options.seed, `${list.resource.name} ${name}`);
  }

  /** Sequences with each command of the theme; with any of them where `isShrinking` says so. */
  #sequences(theme: Theme, isShrinking: () => boolean): Arbitrary<Commands> {
    const fastCheck = fastCheckOf();
    const { maxCommands, kinds } = theme;
    const needed = theme === EVERYTHING ? 1 : kinds.length;
    return fastCheck
      .commands(commandsOf(fastCheck, theme), { maxCommands, size: 'max', disableReplayLog: true })
      .filter((commands) => isShrinking() || new Set([...commands].map(kindOf)).size >= needed);
  }

  /** The records of the list as the main traversal gave them; null where that is not known. */
  async #recordsAtRest(): Promise<number | null> {
    const { snapshots } = this.#bench;
    try {
      return await recordsAtRest(snapshots.at(0));
    } catch (error) {
      if (error instanceof NoAnswer || error instanceof Undecided) return null;
      throw error;
    }
  }

  /** Carries out a sequence with a token of its own; the first breach that it met. */
  async #carryOut(commands: Commands, total: number, strict: boolean): Promise<Suspicion | null> {
    const { seed } = this.#bench.options;
    const smallest = Math.max(1, Math.min(MAX_FIRST_PAGE, Math.floor(total / 4)));
    const model = new ProviderModel({
      total,
      pageSize: 1 + (mix(seed, 'model size') % smallest),
      randomToken: `${mix(seed, 'model token').toString(36)}${mix(seed, 'model token again').toString(36)}`,
    });
    const actor = new ModelActor({
      bench: this.#bench,
      oracles: this.#oracles,
      model,
      strict,
      onCase: (id) => {
        if (!strict) this.#cases.set(id, (this.#cases.get(id) ?? 0) + 1);
      },
    });
    try {
      await actor.requestToken();
      const first = actor.targetOf({ count: true, pageSize: model.pageSize });
      await actor.call(model.callOf(first), model.newest);
      await fastCheckOf().asyncModelRun(() => ({ model, real: actor }), commands);
      return null;
    } catch (error) {
      if (error instanceof SuspicionMet) return error.suspicion;
      if (error instanceof SequenceOver || error instanceof NoAnswer || error instanceof Undecided)
        return null;
      throw error;
    }
  }

  async #confirm({ theme, run, requirement, atRest, violation }: Met): Promise<void> {
    const total = await this.#recordsAtRest();
    if (total === null) return;
    for (let attempts = 1; attempts <= MAX_CONFIRM_RUNS; attempts++) {
      if (atRest && !(await this.#isAtRest())) return;
      const shrunk = await this.#shrunk({ theme, run, requirement, total });
      if (atRest && !(await this.#isAtRest())) return;
      if (shrunk !== null) throw shrunk;
    }
    // What the data may excuse, or what another check did meanwhile, leaves nothing open.
    if (atRest || requirement === 'token/accepted-until-expiry') return;
    throw new Undecided({ kind: 'intermittent', seen: 1, attempts: 1 + MAX_CONFIRM_RUNS }, violation.message);
  }

  /** The breach of the shortest sequence that shows it, and shows it again; null where it does not show. */
  async #shrunk(
    parts: Pick<Met, 'theme' | 'run' | 'requirement'> & { readonly total: number },
  ): Promise<Violation | null> {
    const { theme, run, requirement, total } = parts;
    const { check, asyncProperty } = fastCheckOf();
    let isShrinking = false;
    let runs = 0;
    const violationIn = async (commands: Commands): Promise<Violation | null> => {
      const suspicion = await this.#carryOut(commands, total, true);
      return suspicion?.requirement === requirement ? suspicion.violation : null;
    };
    const property = asyncProperty(
      this.#sequences(theme, () => isShrinking),
      async (commands) => {
        if (isShrinking && ++runs > MAX_SHRINK_RUNS) return;
        const violation = await violationIn(commands);
        isShrinking = true;
        if (violation !== null) throw violation;
      },
    );
    const outcome = await check(property, { seed: this.#seedOf(theme), path: String(run), numRuns: 1 });
    if (!outcome.failed) return null;
    const [shortest] = outcome.counterexample ?? [];
    if (shortest === undefined || !(outcome.errorInstance instanceof Violation)) throw outcome.errorInstance;
    return await violationIn(shortest);
  }

  /** Whether pages of the main traversal are answered as they were then, there and back. */
  async #isAtRest(): Promise<boolean> {
    const snapshot = this.#bench.snapshots.at(0);
    const { steps } = await mainTraversal(snapshot);
    const pages = [steps[0], steps[1], steps.at(-1)].flatMap((step) =>
      step === undefined ? [] : [step.page],
    );
    const chosen = [...new Set(pages)];
    for (const page of [...chosen, ...chosen.toReversed(), ...chosen]) {
      const again = await snapshot.client.authorized(page.target, { after: page.exchange });
      if (!sameAnswer(page, again)) return false;
    }
    return true;
  }
}

/** The model of a list, one for all checks of a run. */
export function modelOf(bench: Bench): StatefulModel {
  return bench.snapshots.at(0).memo.once(newModel, bench);
}

function newModel(bench: Bench): StatefulModel {
  return new StatefulModel(bench);
}
