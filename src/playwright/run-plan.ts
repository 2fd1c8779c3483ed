import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Location } from '@playwright/test/reporter';
import { suite } from '../../specs/suite.ts';
import type { Tolerance } from '../core/conclusion.ts';
import { withCommas } from '../core/number-format.ts';
import { packageFile } from '../core/package-file.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import type { Suite } from '../core/results.ts';
import { sha256 } from '../core/sha256.ts';
import { UserError } from '../core/user-error.ts';
import type { Check } from '../judge/check.ts';
import { shardSeed } from '../run/conform-options.ts';
import { customChecksOf, selectIds } from '../run/custom-checks.ts';
import type { RecordedOptions } from '../run/evidence-setting.ts';
import { expectKnownVariables, hasEnvironmentTarget } from '../target/environment.ts';
import { loadTargets } from '../target/load.ts';
import { type ReferenceFacts, referenceTarget } from '../target/make.ts';
import type { Target } from '../target/target.ts';

/** Targets and options, from the environment: the command line of Playwright has no options for them. */
export interface Plan extends RecordedOptions {
  readonly targets: readonly Target[];
  /** By the name of the target. */
  readonly customChecks: ReadonlyMap<string, readonly Check[]>;
  /** SHA-256 of the names of all targets, one per line: identifies the shards of one run. */
  readonly digest: string;
  readonly tolerance: Tolerance;
}

/** Sets ASSAY_SEED unless it is set; workers inherit it. All shards of a run (`shared`) must have the same seed. */
export function ensureSeed(shared: boolean): void {
  process.env['ASSAY_SEED'] ??= String(shared ? shardSeed(targetFiles(process.env)) : randomInt(2 ** 31));
}

/**
 * Reads the plan. `ASSAY_TARGETS` names target files or folders of them, separated by commas. Without it, the
 * target comes from the environment (ASSAY_AUTH_URL and so on) or is the embedded reference provider.
 *
 * @param reference where the embedded reference provider is; left out where only its name is needed
 * @throws UserError
 */
export async function readPlan(
  environment: NodeJS.ProcessEnv,
  reference: ReferenceFacts = NOT_STARTED,
): Promise<Plan> {
  const files = targetFiles(environment);
  const suite = environment['ASSAY_SUITE'] ?? 'full';
  if (suite !== 'smoke' && suite !== 'full' && suite !== 'certify')
    throw new Error(`ASSAY_SUITE is ${suite}; set it to smoke, full or certify`);
  if (files.length === 0) expectKnownVariables(environment);
  const targets = needsReferenceProvider(environment)
    ? [referenceTarget(reference, { expiry: isExpirySelected(environment) })]
    : (await loadTargets({ files, env: environment })).targets;
  const checks = await customChecksOf(targets);
  const customChecks = new Map([...checks].map(([{ name }, ofTarget]) => [name, ofTarget]));
  const ids = [...customChecks.values()].flat().map(({ requirement }) => requirement.id);
  const names = targets.map(({ name }) => name).join('\n');
  return {
    targets,
    customChecks,
    digest: sha256(names),
    suite,
    tolerance: readTolerance(environment, suite),
    seed: wholeNumber(environment, 'ASSAY_SEED', 0xffff_ffff) ?? 1,
    runs: wholeNumber(environment, 'ASSAY_RUNS', 10_000),
    expiry: isExpirySelected(environment),
    only: selectIds(list(environment['ASSAY_ONLY']), ids),
    skip: selectIds(list(environment['ASSAY_SKIP']), ids),
  };
}

/**
 * Identifiers of the requirements and custom checks that match any of the globs. Throws UserError for a glob without a match,
 * and if there is none to test: a test that tests nothing would pass.
 */
export function judgedIds(globs: readonly string[], customIds: readonly string[]): readonly string[] {
  const judged: readonly string[] = [...suite.map(({ requirement }) => requirement.id), ...customIds];
  const ids = selectIds(globs, customIds).filter((id) => judged.includes(id));
  if (ids.length > 0) return ids;
  const named = globs.length === 0 ? 'nothing' : globs.join(', ');
  throw new UserError(
    `assay.judge was called with ${named}, which selects no requirement; name some, such as link/*`,
  );
}

export function needsReferenceProvider(environment: NodeJS.ProcessEnv): boolean {
  return targetFiles(environment).length === 0 && !hasEnvironmentTarget(environment);
}

export function isExpirySelected(environment: NodeJS.ProcessEnv): boolean {
  return isOn(environment, 'ASSAY_EXPIRY');
}

/** As `assay run` reads `--strict` and `--allow-inconclusive`. */
function readTolerance(environment: NodeJS.ProcessEnv, suite: Suite): Tolerance {
  const strict = isOn(environment, 'ASSAY_STRICT');
  const allowInconclusive = isOn(environment, 'ASSAY_ALLOW_INCONCLUSIVE');
  if (allowInconclusive && strict)
    throw new Error('ASSAY_ALLOW_INCONCLUSIVE contradicts ASSAY_STRICT: leave one out');
  if (allowInconclusive && suite === 'certify')
    throw new Error('a certification tests every requirement: leave out ASSAY_ALLOW_INCONCLUSIVE');
  return { strict: strict || suite === 'certify', allowInconclusive };
}

function isOn(environment: NodeJS.ProcessEnv, name: string): boolean {
  const text = environment[name] ?? '';
  // Another word, such as true, must not turn the option off silently.
  if (!['', '0', '1'].includes(text)) throw new Error(`${name} is ${text}; set it to 1, or leave it out`);
  return text === '1';
}

// The configuration and the spec files read only the name of the target.
const NOT_STARTED: ReferenceFacts = {
  authUrl: 'http://127.0.0.1:1',
  baseUrl: 'http://127.0.0.1:1',
  tenant: null,
  credentials: { clientId: '-', clientSecret: '-', scope: '-' },
  otherCredentials: null,
  expiredToken: null,
};

/** The files of ASSAY_TARGETS; a folder means the target files in it, sorted by name. */
function targetFiles(environment: NodeJS.ProcessEnv): readonly string[] {
  return list(environment['ASSAY_TARGETS']).flatMap((named) =>
    statSync(named, { throwIfNoEntry: false })?.isDirectory() === true ? filesIn(named) : [named],
  );
}

function filesIn(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => /\.(?:ya?ml|json)$/u.test(name));
  if (files.length === 0)
    throw new Error(`ASSAY_TARGETS names ${folder}, which contains no target file (.yaml, .yml or .json)`);
  return files.toSorted().map((name) => path.join(folder, name));
}

function list(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function wholeNumber(environment: NodeJS.ProcessEnv, name: string, most: number): number | null {
  const text = environment[name] ?? '';
  if (text === '') return null;
  if (/^\d{1,10}$/.test(text) && Number(text) <= most) return Number(text);
  throw new Error(`${name} is ${text}; set it to a whole number from 0 to ${withCommas(most)}`);
}

/** Environment variable that tells workers that allure-playwright is installed. */
export const ALLURE = 'ASSAY_ALLURE';

/** The shard in a Playwright command line, such as `1/4`; null for a whole run. */
export function shardArgument(words: readonly string[]): string | null {
  const place = words.findIndex((word) => word === '--shard' || word.startsWith('--shard='));
  const word = words[place] ?? '';
  const named = word === '--shard' ? words[place + 1] : word.slice('--shard='.length);
  return /^\d+\/\d+$/u.exec(named ?? '')?.[0] ?? null;
}

/** Whether a command line opens UI mode or serves an editor: tests run again and again, and no run is written. */
export function isInteractive(words: readonly string[]): boolean {
  return words[2] === 'test-server' || words.some((word) => /^--ui(?:-host|-port)?(?:=|$)/u.test(word));
}

/** Whether tests carry annotations for allure-playwright; without it they would only be noise in other reports. */
export function isAllureInUse(): boolean {
  return process.env[ALLURE] === '1';
}

/** The title of a requirement's test, with the list if the requirement is about one. */
export function testTitle(id: string, list: string | null): string {
  return list === null ? id : `${id} of ${list}`;
}

export function listsOf({ resources }: Target): readonly string[] {
  return resources.map(({ name }) => name);
}

/** Titles of all tests of a target that differ between targets: those of its lists and of its custom checks. */
function titlesOf(target: Target, customChecks: readonly Check[]): readonly string[] {
  return [...suite, ...customChecks].flatMap(({ requirement: { id }, scope }) =>
    scope === 'target' ? [testTitle(id, null)] : listsOf(target).map((list) => testTitle(id, list)),
  );
}

/** Patterns for tests that a target does not have: spec files declare the tests of all targets. */
export function foreignTests(
  target: Target,
  { targets, customChecks }: Pick<Plan, 'targets' | 'customChecks'>,
): RegExp[] {
  const ofTarget = (one: Target): readonly string[] => titlesOf(one, customChecks.get(one.name) ?? []);
  const mine = new Set(ofTarget(target));
  const foreign = new Set(targets.flatMap(ofTarget).filter((title) => !mine.has(title)));
  // Project and file come before the title, tags behind it. Of all characters of a title only the dot needs an escape.
  return [...foreign].map((title) => new RegExp(` ${title.replaceAll('.', '\\.')}( @smoke)?$`, 'u'));
}

/** Where a check is declared; undefined where its source is not installed. */
export function sourceLocation({ requirement, declaredAt = null }: Check): Location | undefined {
  if (isCustomCheck(requirement)) return placeOf(declaredAt);
  const file = packageFile(`specs/${requirement.id}.ts`);
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes(`id: '${requirement.id}'`));
    return line < 0 ? undefined : { file, line: line + 1, column: 1 };
  } catch {
    return undefined;
  }
}

function placeOf(declaredAt: string | null): Location | undefined {
  const [, file, line] = /^(.*):(\d+)$/u.exec(declaredAt ?? '') ?? [];
  return file === undefined ? undefined : { file: path.resolve(file), line: Number(line), column: 1 };
}
