import { randomInt } from 'node:crypto';
import type { Results, RunEvent, Suite } from './core/results.ts';
import type { Check } from './judge/check.ts';
import type { OwnCheck } from './judge/custom/check-types.ts';
import { conform as judgeTargets } from './run/conform.ts';
import { isCheck, loadCustomChecks, selectIds } from './run/custom-checks.ts';
import { loadTargets } from './target/load.ts';
import type { Target } from './target/target.ts';

/** How targets are judged; everything may be left out. */
export interface JudgingOptions {
  /** `full` unless given. */
  readonly suite?: Suite;
  /** Requirements to judge alone: identifiers or globs, as `link/*`. All unless given. */
  readonly only?: readonly string[];
  /** Requirements to leave out: identifiers or globs. */
  readonly skip?: readonly string[];
  /** Checks of your own, beside those of the suite and those that a target names. */
  readonly checks?: readonly OwnCheck[];
  /** 32-bit integer: the same asks the same. Drawn unless given. */
  readonly seed?: number;
  /** Random cases per property; the suite's own number unless given. */
  readonly runs?: number | null;
  /** Whether to wait for a token to expire, an hour or more; false unless given. */
  readonly expiry?: boolean;
  /** What the results name as the run. */
  readonly runId?: string;
  /** What the results name as the command line; secrets are removed from it. */
  readonly command?: string;
  /** Where evidence goes as the run goes on; nowhere unless given. */
  readonly evidenceFile?: string | null;
  readonly listener?: (event: RunEvent) => void;
  /** Aborting it ends the run in order, with an incomplete result. */
  readonly signal?: AbortSignal | null;
  /** Read for proxies and target files; the process's own unless given. */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * Judges targets and gathers the results: the full suite with a seed of its own, unless the options say otherwise.
 * Never throws for anything that a provider does.
 *
 * @param what targets, or the paths of target files, which are read with the environment of this process
 * @throws TargetError, UnknownIdError, OwnChecksError, before anything is sent
 */
export async function conform(
  what: Target | string | readonly (Target | string)[],
  options: JudgingOptions = {},
): Promise<Results> {
  const { checks: given = [], ...rest } = options;
  const env = options.environment ?? process.env;
  const targets: Target[] = [];
  for (const one of typeof what === 'string' || !isList(what) ? [what] : what)
    targets.push(...(typeof one === 'string' ? (await loadTargets({ files: [one], env })).targets : [one]));
  const own = new Map<Target, readonly Check[]>();
  for (const target of targets)
    own.set(target, [...given.filter(isCheck), ...(await loadCustomChecks(target))]);
  const ids = [...own.values()].flat().map(({ requirement }) => requirement.id);
  return judgeTargets(targets, {
    suite: 'full',
    seed: randomInt(2 ** 31),
    runs: null,
    expiry: false,
    command: 'conform()',
    runId: new Date().toISOString(),
    evidenceFile: null,
    listener: () => undefined,
    signal: null,
    ...rest,
    only: selectIds(options.only ?? [], ids),
    skip: selectIds(options.skip ?? [], ids),
    own: (target) => own.get(target) ?? [],
  });
}

function isList(what: Target | string | readonly (Target | string)[]): what is readonly (Target | string)[] {
  return Array.isArray(what);
}
