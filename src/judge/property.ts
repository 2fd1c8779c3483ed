import { createRequire } from 'node:module';
import type { Parameters } from 'fast-check';
import { Blocked, changing } from '../core/undecided.ts';
import type { Snapshot, Snapshots } from '../provider/snapshot.ts';
import {
  type ConfirmSettings,
  confirm,
  MAX_ATTEMPTS,
  MAX_SNAPSHOTS,
  mayBeDataChange,
} from './confirmation.ts';
import type { Property } from './context.ts';
import { errorOf, mapInParallel } from './outcomes.ts';
import { Violation } from './violation.ts';

/**
 * Smaller cases tried at most after a breach. Two numbers take 30 to 70; a text has thousands of smaller ones,
 * which would cost thousands of requests.
 */
const MAX_SHRINK_STEPS = 80;

/** Number of the snapshot after which no further one is taken. */
const MAX_QUIET_SNAPSHOTS = 12;

let loaded: typeof import('fast-check') | null = null;

/**
 * fast-check, loaded by the first property that draws or shrinks. Synchronous, so that loading does not change
 * the order of requests.
 */
export function fastCheckOf(): typeof import('fast-check') {
  loaded ??= createRequire(import.meta.url)('fast-check') as typeof import('fast-check');
  return loaded;
}

interface PropertyOptions<Case> {
  readonly snapshots: Snapshots;
  readonly isFrugal?: ConfirmSettings['isFrugal'];
  readonly property: Property<Case>;
  readonly seed: number;
  readonly runs: number;
  readonly attempt: (snapshot: Snapshot, value: Case) => Promise<void>;
}

/** What the cases of one snapshot show. */
interface TriedCases<Case> {
  /** The smallest case that breaks the property; null if none does. */
  breach: { readonly value: Case; readonly violation: Violation } | null;
  /** The first error that kept a case from being judged; null if there is none. */
  obstacle: unknown;
}

/**
 * Makes an attempt for the examples and for seeded random cases. A breach is shrunk by fast-check to the smallest
 * case that still shows it, then confirmed on fresh snapshots. Throws Violation, Undecided, or the first error
 * that kept a case from being judged.
 */
export async function runProperty<Case>(options: PropertyOptions<Case>): Promise<void> {
  const { snapshots, isFrugal = false, property, attempt } = options;
  // If changed data explains a breach, all cases are tried again on a snapshot at rest.
  for (let number = 0; ; number++) {
    const { breach, obstacle } = await tryCases(snapshots.at(number), options);
    if (breach !== null) {
      const { value, violation } = breach;
      const maxSnapshots = property.atRest ? MAX_SNAPSHOTS : MAX_ATTEMPTS;
      const settings: ConfirmSettings = { ...property, isFrugal, maxSnapshots };
      const last = await confirm(snapshots, settings, (fresh) => attempt(fresh, value), {
        violation,
        number,
      });
      const isLast = isFrugal && last >= 2 && (await snapshots.hasChanged(last - 1));
      if (isLast || last >= MAX_QUIET_SNAPSHOTS) throw changing(violation.message);
      // Tries all cases on that snapshot.
      number = last - 1;
      continue;
    }
    if (obstacle === null) return;
    const mayChange =
      property.atRest &&
      number < MAX_SNAPSHOTS &&
      obstacle instanceof Blocked &&
      mayBeDataChange(obstacle, { isFrugal }) &&
      (await snapshots.hasChanged(number));
    if (!mayChange) throw obstacle;
  }
}

/** Tries all cases on one snapshot, and shrinks the first one that breaks the property. */
async function tryCases<Case>(
  snapshot: Snapshot,
  { property, seed, runs, attempt }: PropertyOptions<Case>,
): Promise<TriedCases<Case>> {
  const { examples, prepare } = property;
  const parameters = {
    seed,
    numRuns: examples.length + runs,
    examples: examples.map((example): [Case] => [example]),
  };
  if (prepare !== undefined) {
    const cases = runs > 0 ? drawn(property, parameters) : examples;
    const { limits } = snapshot.client.target;
    // The case that needs the evidence reports errors.
    await mapInParallel(limits, cases, (value) => prepare(snapshot, value).catch(() => undefined));
  }
  const found: TriedCases<Case> = { breach: null, obstacle: null };
  let shrinks: number | null = null;
  const judgeCase = async (value: Case): Promise<void> => {
    if (shrinks !== null && ++shrinks > MAX_SHRINK_STEPS) return;
    try {
      await attempt(snapshot, value);
    } catch (error) {
      if (error instanceof Violation) {
        shrinks ??= 0;
        found.breach ??= { value, violation: error };
        throw error;
      }
      found.obstacle ??= error ?? new Error(String(error));
    }
  };
  if (runs === 0 && !(await anyBreaks(examples, judgeCase))) return found;
  const { check, asyncProperty } = fastCheckOf();
  shrinks = null;
  const outcome = await check(asyncProperty(property.arbitrary(fastCheckOf()), judgeCase), parameters);
  if (outcome.failed && outcome.counterexample === null) throw outcome.errorInstance;
  const [smallest] = outcome.counterexample ?? [];
  // An intermittent breach, as of one server of several, is confirmed with its original case.
  const breach =
    outcome.failed && outcome.errorInstance instanceof Violation
      ? { value: smallest as Case, violation: outcome.errorInstance }
      : found.breach;
  return { breach, obstacle: found.obstacle };
}

/** The cases that will be tried, the examples first. */
function drawn<Case>(property: Property<Case>, parameters: Parameters<[Case]>): readonly Case[] {
  const { sample, tuple } = fastCheckOf();
  return sample(tuple(property.arbitrary(fastCheckOf())), parameters).map(([value]) => value);
}

/** Whether a breach shows in one of the cases, which are tried in order until one does. */
async function anyBreaks<Case>(
  cases: readonly Case[],
  judgeCase: (value: Case) => Promise<void>,
): Promise<boolean> {
  for (const value of cases) if ((await errorOf(() => judgeCase(value))) !== null) return true;
  return false;
}

/**
 * A 31-bit number from a seed and a label: an FNV-1a hash, mixed as in MurmurHash3. Without that, its lowest bits would
 * depend on the lowest bits of the seed alone, and small draws of different labels on each other.
 */
export function seededNumber(seed: number, label: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < label.length; index++)
    hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 1;
}
