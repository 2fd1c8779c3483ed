import type { RequirementId } from '../core/requirement-id.ts';
import { Blocked, type Undecided } from '../core/undecided.ts';
import { parametersOf, wholeNumberIn } from '../provider/link.ts';
import type { Check, JudgeInput, OfflineAnswers } from './check.ts';
import { confirm } from './confirmation.ts';
import type { CheckContext } from './context.ts';
import { errorOf } from './outcomes.ts';
import { isAboutIdentifier } from './probes/traversal-completeness.ts';
import { runProperty, seededNumber } from './property.ts';
import { type Breach, Violation } from './violation.ts';

/** Requirements whose breach does not stop a traversal: its links and answers can still be read. */
const ABOUT_ITEMS: readonly RequirementId[] = ['list/items', 'page-size/filled'];

/** The page size of a counterexample, or of the request that it names; null if there is none. */
function sizeIn(counterexample: Breach['counterexample']): number | null {
  const { pageSize, request } = counterexample ?? {};
  if (typeof pageSize === 'number') return pageSize;
  return typeof request === 'string' ? wholeNumberIn(parametersOf(request), '$pagesize') : null;
}

/** What a check reports while it runs. */
export class CheckEvidence {
  cases = 0;
  /** Why part of the evidence is missing; null if nothing is. */
  limitation: Undecided | null = null;
  readonly laterParts: (() => Promise<void>)[] = [];
  readonly #check: Check;

  constructor(check: Check) {
    this.#check = check;
  }

  /** Page sizes that showed a breach so far. */
  readonly suspectSizes = new Set<number>();

  /** Rejects as the attempt does. */
  async rememberSizes(judged: Promise<void>): Promise<void> {
    try {
      await judged;
    } catch (error) {
      const breaches = error instanceof Violation ? error.breaches : [];
      for (const { counterexample } of breaches) {
        const size = sizeIn(counterexample);
        if (size !== null) this.suspectSizes.add(size);
      }
      throw error;
    }
  }

  limitBy(cause: Undecided | null): void {
    if (!this.isAboutItself(cause) && !this.#isAboutItems(cause)) this.limitation ??= cause;
  }

  /** Whether the cause is a breach of this requirement itself. */
  isAboutItself(cause: Undecided | null): boolean {
    return cause instanceof Blocked && cause.requirement === this.#check.requirement.id;
  }

  /** Whether a cause is about items only, and the requirement is not. */
  #isAboutItems(cause: Undecided | null): boolean {
    if (this.#check.isAboutAnswers !== true || cause === null) return false;
    return cause instanceof Blocked ? ABOUT_ITEMS.includes(cause.requirement) : isAboutIdentifier(cause);
  }
}

/** What a check works with; its reports go to the evidence. */
export function contextFor({ requirement }: Check, input: JudgeInput, evidence: CheckEvidence): CheckContext {
  const { snapshots, options } = input;
  const context: CheckContext = {
    ...input,
    requirement,
    sharedSnapshot: snapshots.at(0),
    snapshot: snapshots.at(0),
    isSecondAttempt: input.isSecondAttempt === true,
    exercised: (more = 1) => {
      evidence.cases += more;
    },
    limitedBy: (cause) => evidence.limitBy(cause),
    afterAllChecks: (part) => {
      evidence.laterParts.push(part);
    },
    suspectSizes: evidence.suspectSizes,
    random: (label) => seededNumber(options.seed, label),
    confirm: async (confirmOptions, attempt) => {
      // What limited one snapshot does not limit the next one.
      let before = evidence.limitation;
      await confirm(
        snapshots,
        { ...confirmOptions, isFrugal: options.suite === 'certify' },
        async (snapshot) => {
          evidence.limitation = before;
          before = null;
          await evidence.rememberSizes(attempt({ ...context, snapshot }));
          const cause = evidence.limitation;
          evidence.limitation = null;
          // Thrown here, so that another snapshot is taken if the data has changed.
          if (cause !== null) throw cause;
        },
      );
    },
    property: (property, attempt) =>
      runProperty({
        snapshots,
        isFrugal: options.suite === 'certify',
        property,
        seed: seededNumber(options.seed, property.sample),
        runs: property.runs === null ? 0 : (options.runs ?? property.runs),
        attempt: (snapshot, value) => attempt({ ...context, snapshot }, value),
      }),
  };
  return context;
}

/**
 * Whether a check finds a breach in the answers so far. It sends nothing, so it neither confirms a breach nor shows
 * that the requirement is kept: its result only decides whether to run the check.
 *
 * @param answers the answers so far; several checks may share them
 */
export async function showsBreachOffline(
  check: Check,
  input: JudgeInput,
  { tokens, list, snapshot }: OfflineAnswers,
): Promise<boolean> {
  const evidence = new CheckEvidence(check);
  const context: CheckContext = {
    ...contextFor(check, { ...input, tokens, list, lists: [list] }, evidence),
    sharedSnapshot: snapshot,
    snapshot,
    clock: { now: () => input.clock.now(), sleep: () => Promise.reject(new Error('nothing waits offline')) },
    confirm: (_options, attempt) => attempt(context),
    property: async (property, attempt) => {
      let firstError: unknown = null;
      for (const example of property.examples) {
        const error = await errorOf(() => attempt(context, example));
        if (error instanceof Violation) throw error;
        firstError ??= error;
      }
      if (firstError !== null) throw firstError;
    },
  };
  const error = await errorOf(async () => {
    await check.judge(context);
    for (const part of evidence.laterParts) await part();
  });
  return error instanceof Violation;
}
