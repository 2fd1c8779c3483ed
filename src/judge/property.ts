import { createRequire } from 'node:module';
import type { Parameters } from 'fast-check';
import { Blocked, Undecided } from '../core/undecided.ts';
import type { View } from '../provider/snapshot.ts';
import type { Property } from './context.ts';
import { Violation } from './findings.ts';
import { inLanes } from './parallel-map.ts';
import { type Looks, MOST_LOOKS, MOST_TRIES, settle } from './confirm.ts';

/**
 * Smaller cases tried at most once a breach is found. A boundary among two numbers takes 30 to 70; a text may have
 * thousands of smaller ones, and a provider is not to be asked thousands of times for a nicer example.
 */
const MOST_SHRINKS = 80;

/** Number of the look from which on no further one is taken for all cases. */
const MOST_QUIET = 12;

let loaded: typeof import('fast-check') | null = null;

/**
 * fast-check, loaded by the first property that draws or shrinks. At once, so that the moment at which it is there
 * does not decide which check asks first.
 */
export function fastCheckOf(): typeof import('fast-check') {
  loaded ??= createRequire(import.meta.url)('fast-check') as typeof import('fast-check');
  return loaded;
}

/**
 * Tries an oracle on the examples and on seeded random cases. A breach is shrunk by fast-check to the smallest
 * case that still shows it, then settled on fresh looks. Throws Violation, Undecided, or the first obstacle
 * that kept a case from being judged.
 */
export async function runProperty<Case>(options: {
  readonly looks: Looks;
  readonly property: Property<Case>;
  readonly seed: number;
  readonly runs: number;
  readonly oracle: (view: View, value: Case) => Promise<void>;
}): Promise<void> {
  const { looks, property, seed, runs, oracle } = options;
  const parameters = {
    seed,
    numRuns: property.examples.length + runs,
    examples: property.examples.map((example): [Case] => [example]),
  };
  // Where a breach turns out to be the data moving, all cases are tried again on the look that was quiet.
  for (let look = 0; ; look++) {
    const view = looks.at(look);
    const prepare = property.prepare;
    if (prepare !== undefined) {
      const cases = runs > 0 ? drawn(property, parameters) : property.examples;
      const { limits } = view.client.target;
      // What cannot be had is told by the case that needs it.
      await inLanes(limits, cases, (value) => prepare(view, value).catch(() => undefined));
    }
    let obstacle: { readonly cause: unknown } | null = null;
    let shrinks: number | null = null;
    let first: { readonly value: Case; readonly violation: Violation } | null = null;
    const judgeCase = async (value: Case): Promise<void> => {
      if (shrinks !== null && ++shrinks > MOST_SHRINKS) return;
      try {
        await oracle(view, value);
      } catch (error) {
        if (error instanceof Violation) {
          shrinks ??= 0;
          first ??= { value, violation: error };
          throw error;
        }
        obstacle ??= { cause: error };
      }
    };
    if (runs > 0 || (await anyBreaks(property.examples, judgeCase))) {
      const { check, asyncProperty } = fastCheckOf();
      shrinks = null;
      const outcome = await check(asyncProperty(property.arbitrary(fastCheckOf()), judgeCase), parameters);
      if (outcome.failed && outcome.counterexample === null) throw outcome.errorInstance;
      // A breach that came and went, as of one server of several, is settled as it was met.
      const once = first as { readonly value: Case; readonly violation: Violation } | null;
      const [smallest] = outcome.counterexample ?? [];
      const breach =
        outcome.failed && outcome.errorInstance instanceof Violation
          ? { value: smallest as Case, violation: outcome.errorInstance }
          : once;
      if (breach !== null) {
        const { value, violation } = breach;
        const options = { atRest: property.atRest, mostLooks: property.atRest ? MOST_LOOKS : MOST_TRIES };
        look = await settle(looks, options, (fresh) => oracle(fresh, value), { violation, look });
        if (look >= MOST_QUIET) throw new Undecided({ kind: 'changing' }, violation.message);
        look--;
        continue;
      }
    }
    const met = obstacle as { readonly cause: unknown } | null;
    if (met === null) return;
    if (property.atRest && look < MOST_LOOKS && met.cause instanceof Blocked && (await looks.moved(look)))
      continue;
    throw met.cause;
  }
}

/** The cases that will be tried, the examples first. */
function drawn<Case>(property: Property<Case>, parameters: Parameters<[Case]>): readonly Case[] {
  const { sample, tuple } = fastCheckOf();
  return sample(tuple(property.arbitrary(fastCheckOf())), parameters).map(([value]) => value);
}

/** Whether a breach shows in one of the cases, tried in their order; the others are then left. */
async function anyBreaks<Case>(
  cases: readonly Case[],
  judgeCase: (value: Case) => Promise<void>,
): Promise<boolean> {
  for (const value of cases) {
    try {
      await judgeCase(value);
    } catch {
      return true;
    }
  }
  return false;
}
