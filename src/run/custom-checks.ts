import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { matchIds, UnknownIdError } from '../../specs/catalogue.ts';
import { errorLocation } from '../core/error-location.ts';
import { globPattern } from '../core/glob.ts';
import { ownModule } from '../core/package-file.ts';
import { didYouMean } from '../core/suggestion.ts';
import type { Check } from '../judge/check.ts';
import type { Target } from '../target/target.ts';
import { withExitGuard } from './exit-guard.ts';

/** Checks of the user's own that cannot be loaded; the message is one sentence for their author. */
export class CustomChecksError extends Error {
  override readonly name = 'OwnChecksError';
}

/** What `import … from 'assay'` means in a module of checks: this very package, wherever the module lies. */
const ASSAY = pathToFileURL(ownModule('src/index')).href;

const TYPESCRIPT = /\.[mc]?ts$/u;

/**
 * Loads the modules that a target names under `checks`. Every check that a module exports, alone or in an array, is
 * taken, in the order of the names under which they are exported.
 *
 * @throws OwnChecksError where a module cannot be loaded, exports no check, or claims an identifier twice
 */
export async function loadCustomChecks({ checks: files }: Pick<Target, 'checks'>): Promise<readonly Check[]> {
  const found: Check[] = [];
  for (const file of files) {
    const exported = Object.values(await withExitGuard([file], () => load(file)))
      .flat()
      .filter(isCheck);
    if (exported.length === 0)
      throw new CustomChecksError(
        `${file} exports no check; export what check(), list(), property() or token() gives`,
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

/**
 * Identifiers that any of the globs matches: those that begin with `x/` among checks of the user's own, the others in
 * the catalogue.
 *
 * @throws UnknownIdError for the first glob that matches nothing
 */
export function selectIds(globs: readonly string[], ownIds: readonly string[]): readonly string[] {
  const isOwn = (glob: string): boolean => glob.startsWith('x/');
  const own = globs.filter(isOwn).flatMap((glob) => {
    const pattern = globPattern(glob);
    const hits = ownIds.filter((id) => pattern.test(id));
    if (hits.length > 0) return hits;
    throw new UnknownIdError(`no check of your own is called "${glob}"${didYouMean(glob, ownIds)}`);
  });
  return [...matchIds(globs.filter((glob) => !isOwn(glob))), ...new Set(own)];
}

async function load(file: string): Promise<object> {
  try {
    if (TYPESCRIPT.test(file) && !readsTypeScript()) return await throughJiti(file);
    resolveAssayToThisPackage();
    return (await import(pathToFileURL(file).href)) as object;
  } catch (error) {
    if (error instanceof CustomChecksError) throw error;
    throw new CustomChecksError(`the checks in ${file} cannot be loaded: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [message = ''] = error.message.split('\n');
  // Node.js keeps the place of a syntax error to itself.
  if (error instanceof SyntaxError) return `${error.name}: ${message}; node --check shows where`;
  const place = errorLocation(error);
  return `${error.name}: ${message}${place === null ? '' : ` (${place})`}`;
}

// Node.js reads TypeScript by itself from 22.18 and 23.6 on.
function readsTypeScript(): boolean {
  return 'typescript' in process.features && process.features.typescript !== false;
}

async function throughJiti(file: string): Promise<object> {
  const jiti = await import('jiti').catch(() => {
    throw new CustomChecksError(
      `${file} is TypeScript, which Node.js ${process.versions.node} does not read by itself: npm install jiti, or use Node.js 22.18 or newer, or write it as .mjs`,
    );
  });
  const load = jiti.createJiti(pathToFileURL(file).href, { alias: { assay: ASSAY }, moduleCache: false });
  return (await load.import(file)) as object;
}

let claimed = false;

// The module may lie in a folder without node_modules, or beside another version: the checks are judged by this one.
function resolveAssayToThisPackage(): void {
  if (claimed) return;
  claimed = true;
  const hook = `export const resolve = (specifier, context, next) =>
    specifier === 'assay' ? { url: ${JSON.stringify(ASSAY)}, shortCircuit: true } : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

/** Whether a value is what check(), list(), property() or token() gives. */
export function isCheck(value: unknown): value is Check {
  if (typeof value !== 'object' || value === null || !('judge' in value) || !('requirement' in value))
    return false;
  const { judge, requirement } = value;
  return (
    typeof judge === 'function' &&
    typeof requirement === 'object' &&
    requirement !== null &&
    'id' in requirement &&
    String(requirement.id).startsWith('x/')
  );
}
