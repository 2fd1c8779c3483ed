import { randomInt } from 'node:crypto';
import type { Results } from './core/results.ts';
import type { Check } from './judge/check.ts';
import { type ConformOptions, conform as judgeTargets } from './run/conform.ts';
import { ownChecksOf, selected } from './run/own-checks.ts';
import { loadTargets } from './target/load.ts';
import type { Target } from './target/target.ts';

/** How targets are judged; everything may be left out. */
export interface JudgingOptions
  extends Partial<Omit<ConformOptions, 'checks' | 'own' | 'replay' | 'inquire' | 'only' | 'skip'>> {
  /** Requirements to judge alone: identifiers or globs, as `link/*`. All unless given. */
  readonly only?: readonly string[];
  /** Requirements to leave out: identifiers or globs. */
  readonly skip?: readonly string[];
  /** Checks of your own, beside those of the suite and those that a target names. */
  readonly checks?: readonly Check[];
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
  for (const target of targets) own.set(target, [...given, ...(await ownChecksOf(target))]);
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
    only: selected(options.only ?? [], ids),
    skip: selected(options.skip ?? [], ids),
    own: (target) => own.get(target) ?? [],
  });
}

function isList(what: Target | string | readonly (Target | string)[]): what is readonly (Target | string)[] {
  return Array.isArray(what);
}
