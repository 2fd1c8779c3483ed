import { randomInt } from 'node:crypto';
import { type Results, type RunEvent, SUITES, type Suite } from './core/results.ts';
import { UserError } from './core/user-error.ts';
import type { Check } from './judge/check.ts';
import type { CustomCheck } from './judge/custom/check-types.ts';
import { conform as judgeTargets } from './run/conform.ts';
import { customChecksOf, isCheck, selectIds } from './run/custom-checks.ts';
import { loadTargets } from './target/load.ts';
import type { Target } from './target/target.ts';

/** Seeds are 32-bit integers, with or without a sign. */
const SEEDS = { least: -(2 ** 31), most: 2 ** 32 - 1 };

/** Options of `conform`; all are optional. */
export interface JudgingOptions {
  /** Default: `full`. */
  readonly suite?: Suite;
  /** Requirements to test: identifiers or globs such as `link/*`. Default: all. */
  readonly only?: readonly string[];
  /** Requirements to skip: identifiers or globs. */
  readonly skip?: readonly string[];
  /** Custom checks, in addition to the suite and the checks that a target names. */
  readonly checks?: readonly CustomCheck[];
  /** 32-bit integer: the same seed sends the same requests. Default: random. */
  readonly seed?: number;
  /** Random cases per property. Default: that of the suite. */
  readonly runs?: number | null;
  /** Whether to wait for a token to expire, which takes an hour or more. Default: false. */
  readonly expiry?: boolean;
  /** Run id in the results. */
  readonly runId?: string;
  /** Command line in the results; secrets are removed. */
  readonly command?: string;
  /** File for evidence, written during the run. Default: none. */
  readonly evidenceFile?: string | null;
  /** Called with each event of the run, in order. */
  readonly listener?: (event: RunEvent) => void;
  /** Aborting it stops the run, which returns an incomplete result. */
  readonly signal?: AbortSignal | null;
  /** Environment for proxies and target files. Default: process.env. */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * Tests targets and returns the results. Default: the full suite with a random seed. Never throws because of
 * a provider.
 *
 * @param what targets, or paths of target files, which are read with the environment of this process
 * @throws UserError before any request
 */
export async function conform(
  what: Target | string | readonly (Target | string)[],
  options: JudgingOptions = {},
): Promise<Results> {
  const { checks: given = [], ...rest } = withoutUndefined(options);
  expectOptions(rest);
  const extra = given.map(expectCheck);
  const env = options.environment ?? process.env;
  const targets: Target[] = [];
  for (const one of typeof what === 'string' || !isList(what) ? [what] : what)
    targets.push(...(typeof one === 'string' ? (await loadTargets({ files: [one], env })).targets : [one]));
  const own = await customChecksOf(targets);
  for (const [target, checks] of own) own.set(target, [...extra, ...checks]);
  const ids = [...own.values()].flat().map(({ requirement }) => requirement.id);
  return judgeTargets(targets, {
    suite: 'full',
    seed: randomInt(2 ** 31),
    runs: null,
    expiry: false,
    command: 'conform()',
    runId: new Date().toISOString(),
    signal: null,
    ...rest,
    only: selectIds(options.only ?? [], ids),
    skip: selectIds(options.skip ?? [], ids),
    customChecks: (target) => own.get(target) ?? [],
  });
}

/** Callers without strict types pass undefined for an option that they leave out. */
function withoutUndefined(options: JudgingOptions): JudgingOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

// A wrong number could draw nothing, which would look like a pass.
function expectOptions({ suite = 'full', seed = 0, runs = null }: JudgingOptions): void {
  if (!SUITES.includes(suite))
    throw new UserError(`suite must be one of ${SUITES.join(', ')}, not '${suite}'`);
  if (!Number.isInteger(seed) || seed < SEEDS.least || seed > SEEDS.most)
    throw new UserError(`seed must be a 32-bit integer, not ${seed}`);
  if (runs !== null && (!Number.isInteger(runs) || runs < 0))
    throw new UserError(`runs must be a whole number, not ${runs}`);
}

// A check that is left out would look like one that passed.
function expectCheck(given: unknown, index: number): Check {
  if (isCheck(given)) return given;
  throw new UserError(
    `checks[${index}] is no custom check; pass the result of check(), list(), property() or token()`,
  );
}

function isList(what: Target | string | readonly (Target | string)[]): what is readonly (Target | string)[] {
  return Array.isArray(what);
}
