import { writeSync } from 'node:fs';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { matchIds } from '../../specs/catalogue.ts';
import { errorLocation } from '../core/error-location.ts';
import { isJsonObject } from '../core/json-text.ts';
import { ownModule } from '../core/package-file.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import { didYouMean } from '../core/suggestion.ts';
import { globPattern } from '../core/text.ts';
import { UserError } from '../core/user-error.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import type { Check } from '../judge/check.ts';
import { secretsOf, type Target } from '../target/target.ts';

/** Exit status of a run that could not be carried out. */
const NOT_CARRIED_OUT = 3;

/** Exit status after a second Ctrl+C. */
const INTERRUPTED = 130;

/** Modules of the custom checks that may be running, one entry per guard. */
const running = new Set<{ readonly files: readonly string[] }>();

/** Custom checks cannot be loaded, for a reason that Assay words itself: the text of any other error may hold a secret. */
class CustomChecksError extends UserError {
  override readonly name = 'CustomChecksError';
}

/** The module that `import … from 'assay'` loads in custom checks: this package, wherever the checks are stored. */
const ASSAY = pathToFileURL(ownModule('src/index')).href;

const TYPESCRIPT = /\.[mc]?ts$/u;

/**
 * Loads the modules that a target names under `checks`. Uses every check that a module exports, alone or in
 * an array, in the order of the exported names.
 *
 * @throws CustomChecksError if a module cannot be loaded, exports no check, or defines an identifier twice
 */
export async function loadCustomChecks(target: Target): Promise<readonly Check[]> {
  const found: Check[] = [];
  for (const file of target.checks) {
    const exported = Object.values(await withExitGuard([file], () => load(file, target)))
      .flat()
      .filter(isCheck);
    if (exported.length === 0)
      throw new CustomChecksError(
        `${file} exports no check; export the result of check(), list(), property() or token()`,
      );
    for (const one of new Set(exported)) {
      const { id } = one.requirement;
      if (found.some(({ requirement }) => requirement.id === id))
        throw new CustomChecksError(`${file}: two checks are called ${id}`);
      found.push(one);
    }
  }
  return found;
}

/** The custom checks of each of several targets. Throws as {@link loadCustomChecks}. */
export async function customChecksOf(targets: readonly Target[]): Promise<Map<Target, readonly Check[]>> {
  const checks = new Map<Target, readonly Check[]>();
  for (const target of targets) checks.set(target, await loadCustomChecks(target));
  return checks;
}

/**
 * The identifiers that match any of the globs. Globs that begin with `x/` match custom checks, others match the catalogue.
 *
 * @throws UserError for the first glob without a match
 */
export function selectIds(globs: readonly string[], customIds: readonly string[]): readonly string[] {
  const isCustom = (glob: string): boolean => isCustomCheck({ id: glob });
  const custom = globs.filter(isCustom).flatMap((glob) => {
    const pattern = globPattern(glob);
    const hits = customIds.filter((id) => pattern.test(id));
    if (hits.length > 0) return hits;
    throw new UserError(`no custom check is called "${glob}"${didYouMean(glob, customIds)}`);
  });
  return [...matchIds(globs.filter((glob) => !isCustom(glob))), ...new Set(custom)];
}

async function load(file: string, target: Target): Promise<object> {
  try {
    // Node.js runs TypeScript from 22.18 and 23.6.
    const runsTypeScript = 'typescript' in process.features && process.features.typescript !== false;
    if (TYPESCRIPT.test(file) && !runsTypeScript) return await importWithJiti(file);
    resolveAssayToThisPackage();
    return (await import(pathToFileURL(file).href)) as object;
  } catch (error) {
    if (error instanceof CustomChecksError) throw error;
    // A module may have read a secret from the environment.
    const redactor = new Redactor();
    for (const { secret, label } of secretsOf(target)) redactor.add(secret, label);
    throw new CustomChecksError(
      `the checks in ${file} cannot be loaded: ${redactor.redact(reasonOf(error))}`,
    );
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [message = ''] = error.message.split('\n');
  // Node.js does not give the position of a syntax error.
  if (error instanceof SyntaxError) return `${error.name}: ${message}; node --check shows where`;
  const location = errorLocation(error);
  return `${error.name}: ${message}${location === null ? '' : ` (${location})`}`;
}

async function importWithJiti(file: string): Promise<object> {
  const jiti = await import('jiti').catch(() => {
    throw new CustomChecksError(
      `${file} is TypeScript, which Node.js ${process.versions.node} does not read by itself: ` +
        'npm install jiti, or use Node.js 22.18 or newer, or write it as .mjs',
    );
  });
  const load = jiti.createJiti(pathToFileURL(file).href, { alias: { assay: ASSAY }, moduleCache: false });
  return (await load.import(file)) as object;
}

let isRegistered = false;

// The module may be in a folder without node_modules, or next to another version of Assay.
function resolveAssayToThisPackage(): void {
  if (isRegistered) return;
  isRegistered = true;
  const hook = `export const resolve = (specifier, context, next) =>
    specifier === 'assay' ? { url: ${JSON.stringify(ASSAY)}, shortCircuit: true } : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

/** Whether a value is the result of check(), list(), property() or token(). */
export function isCheck(value: unknown): value is Check {
  const { judge, requirement }: { readonly [name: string]: unknown } = isJsonObject(value) ? value : {};
  return (
    typeof judge === 'function' &&
    isJsonObject(requirement) &&
    isCustomCheck({ id: String(requirement['id']) })
  );
}

/** Runs work that executes custom checks, with {@link startExitGuard}. */
export async function withExitGuard<Result>(
  files: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const endGuard = startExitGuard(files);
  try {
    return await work();
  } finally {
    endGuard();
  }
}

/**
 * From now on, if a check ends the process by `process.exit` or an uncaught error, the exit status becomes 3, because other
 * statuses mean a verdict.
 *
 * @param files modules of the checks that may do so
 * @returns ends this
 */
export function startExitGuard(files: readonly string[]): () => void {
  const entry = { files };
  if (running.size === 0) process.on('exit', onExit);
  running.add(entry);
  return () => {
    running.delete(entry);
    if (running.size === 0) process.off('exit', onExit);
  };
}

/**
 * From now on, a rejected promise that no check awaits ends the process with status 3 and one sentence: it may hold a breach
 * that no verdict shows. For a process of its own, because such a promise may be anybody's.
 *
 * @param files modules of the checks that may leave one
 * @returns ends this
 */
export function startRejectionGuard(files: readonly string[]): () => void {
  const onRejection = (reason: unknown): void => {
    process.off('exit', onExit);
    writeSync(
      2,
      `assay: ${checksIn(files)} left a promise that failed: ${reasonOf(reason)}; await it. Nothing was tested\n`,
    );
    process.exit(NOT_CARRIED_OUT);
  };
  process.on('unhandledRejection', onRejection);
  return () => void process.off('unhandledRejection', onRejection);
}

function onExit(status: number): void {
  if (status === INTERRUPTED) return;
  process.exitCode = NOT_CARRIED_OUT;
  const what = checksIn([...running].flatMap((entry) => entry.files));
  writeSync(2, `assay: ${what} ended the process with status ${status}; nothing was tested\n`);
}

function checksIn(files: readonly string[]): string {
  return files.length === 0 ? 'custom checks' : `the checks in ${[...new Set(files)].join(', ')}`;
}
