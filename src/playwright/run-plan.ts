import { createHash, randomInt } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../core/results.ts';
import type { Check } from '../judge/check.ts';
import { commonSeed } from '../run/common-seed.ts';
import { ownChecksOf, selected } from '../run/own-checks.ts';
import { hasEnvironmentTarget } from '../target/environment.ts';
import { loadTargets } from '../target/load.ts';
import { type ReferenceFacts, referenceTarget } from '../target/reference-target.ts';
import type { Target } from '../target/target.ts';

/** What `npx playwright test` judges, and how: read from the environment, since Playwright's command line is its own. */
export interface Plan {
  readonly targets: readonly Target[];
  readonly suite: Suite;
  readonly seed: number;
  readonly runs: number | null;
  readonly expiry: boolean;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** Checks of the user's own by the name of the target. */
  readonly own: ReadonlyMap<string, readonly Check[]>;
  /** SHA-256 of the names of all targets, one per line: by it the shards of one run know each other. */
  readonly digest: string;
}

/**
 * Settles the seed, which the main process decides for all workers. Called when the configuration is read; workers inherit
 * the environment.
 *
 * @param shared whether this is a shard: all shards of a run draw the same seed
 */
export function fixSeed(environment: NodeJS.ProcessEnv, shared: boolean): void {
  environment['ASSAY_SEED'] ??= String(shared ? commonSeed(targetFiles(environment)) : randomInt(2 ** 31));
}

/**
 * Reads the plan. `ASSAY_TARGETS` names target files, or folders of them, separated by commas; without it one target may come from the
 * environment alone (ASSAY_AUTH_URL and so on), and without that it is the embedded reference provider, whose
 * address is known once the global setup has started it. Throws TargetError, UnknownIdError, OwnChecksError.
 */
export async function readPlan(environment: NodeJS.ProcessEnv): Promise<Plan> {
  const files = targetFiles(environment);
  const suite = environment['ASSAY_SUITE'] ?? 'full';
  if (suite !== 'smoke' && suite !== 'full' && suite !== 'certify')
    throw new Error(`ASSAY_SUITE is ${suite}; it is smoke, full or certify`);
  const targets = needsReferenceProvider(environment)
    ? [referenceTargetFrom(environment)]
    : (await loadTargets({ files, env: environment })).targets;
  const own = new Map<string, readonly Check[]>();
  for (const target of targets) own.set(target.name, await ownChecksOf(target));
  const ids = [...own.values()].flat().map(({ requirement }) => requirement.id);
  const names = targets.map(({ name }) => name).join('\n');
  return {
    targets,
    own,
    digest: createHash('sha256').update(names).digest('hex'),
    suite,
    seed: wholeNumber('ASSAY_SEED', environment['ASSAY_SEED']) ?? 1,
    runs: wholeNumber('ASSAY_RUNS', environment['ASSAY_RUNS']),
    expiry: isExpirySelected(environment),
    only: selected(list(environment['ASSAY_ONLY']), ids),
    skip: selected(list(environment['ASSAY_SKIP']), ids),
  };
}

/** Whether the plan needs the embedded reference provider. */
export function needsReferenceProvider(environment: NodeJS.ProcessEnv): boolean {
  return targetFiles(environment).length === 0 && !hasEnvironmentTarget(environment);
}

function referenceTargetFrom(environment: NodeJS.ProcessEnv): Target {
  const started = environment['ASSAY_EMBEDDED'];
  const facts = started === undefined ? NOT_STARTED : (JSON.parse(started) as ReferenceFacts);
  return referenceTarget(facts, { expiry: isExpirySelected(environment) });
}

/** Whether the plan waits for a token to expire. */
export function isExpirySelected(environment: NodeJS.ProcessEnv): boolean {
  return environment['ASSAY_EXPIRY'] === '1';
}

// While Playwright collects the tests, the provider is not running yet: only the target's name matters then.
const NOT_STARTED: ReferenceFacts = {
  authUrl: 'http://127.0.0.1:1',
  baseUrl: 'http://127.0.0.1:1',
  tenant: null,
  credentials: { clientId: '-', clientSecret: '-', scope: '-' },
  otherCredentials: null,
  expiredToken: null,
};

/** The files that ASSAY_TARGETS names; a folder stands for the target files in it, by name. */
function targetFiles(environment: NodeJS.ProcessEnv): readonly string[] {
  return list(environment['ASSAY_TARGETS']).flatMap((named) =>
    statSync(named, { throwIfNoEntry: false })?.isDirectory() === true ? filesIn(named) : [named],
  );
}

function filesIn(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => /\.(?:ya?ml|json)$/u.test(name));
  if (files.length === 0) throw new Error(`ASSAY_TARGETS names ${folder}, which holds no target file`);
  return files.toSorted().map((name) => path.join(folder, name));
}

function list(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function wholeNumber(name: string, text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} is ${text}; it is a whole number`);
  return Number(text);
}
