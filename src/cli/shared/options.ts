import type { Tolerance } from '../../core/conclusion.ts';
import { jsonText } from '../../core/json-text.ts';
import { withCommas } from '../../core/number-format.ts';
import type { Suite } from '../../core/results.ts';
import { didYouMean } from '../../core/suggestion.ts';
import { codeOf } from '../../core/system-error.ts';
import { shellQuoted } from '../../core/text.ts';
import { OPTIONAL_FORMATS } from '../../report/formats/table.ts';
import { type Arguments, type Host, type Option, type Positional, UsageError } from '../command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const DIFF_LAYOUTS = ['text', 'markdown', 'json'] as const;

export const LISTING_LAYOUTS = ['table', 'json', 'markdown', 'csv'] as const;

export const TOKEN_KINDS = ['jwt', 'opaque'] as const;

/** `--env FILE`, of commands that read target files. */
export const envOption: Option = {
  value: 'FILE',
  describe: 'file of environment variables for the target; default: .env beside the target file',
  values: 'file',
};

/** `[target...]`, of commands that test providers. */
export const targetFiles: Positional = {
  describe:
    'target files (YAML or JSON); default: the target in the ASSAY_ variables, or without them the embedded reference provider',
  values: 'file',
};

/** `<run>`, of commands that read a finished run. */
export const finishedRun: Positional = {
  describe: 'a folder, a run id in reports/, or latest',
  values: 'file',
};

/** `--json`, of commands that print a report otherwise. */
export const resultsAsJson: Option = {
  describe: 'print results as JSON, everything else to standard error',
};

/** Options of commands that write a run and exit with its status. */
export const runOptions = {
  format: {
    value: 'NAME',
    array: true,
    describe: `further formats: ${OPTIONAL_FORMATS.join(', ')}`,
    values: 'format',
  },
  strict: { describe: 'exit 2 also if the list has too few records to test everything' },
  'allow-inconclusive': { describe: 'exit 0 even if something could not be tested' },
  baseline: {
    value: 'RUN',
    describe: 'earlier run whose failures are accepted; new and stale ones fail',
    values: 'folder',
  },
  sign: {
    value: 'KEY',
    describe: 'private key (PEM) to sign the run with; default: ASSAY_SIGNING_KEY',
    values: 'file',
  },
} as const satisfies Readonly<Record<string, Option>>;

interface Bounds {
  readonly least: number;
  readonly most: number;
}

export function flag(args: Arguments, name: string): boolean {
  return args[name] === true;
}

/** Prints facts as JSON with --json, and as words otherwise. */
export function printFacts(facts: object, words: string, args: Arguments, { out }: Host): void {
  out.write(flag(args, 'json') ? `${jsonText(facts)}\n` : words);
}

/** The value of an option; null if it was not given. Throws UsageError if it was given twice. */
export function text(args: Arguments, name: string): string | null {
  const value = args[name];
  if (value === undefined) return null;
  if (Array.isArray(value)) throw new UsageError(`--${name} was given more than once`);
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} needs a value`);
  return value;
}

/** Values of an option that may be repeated or contain several values separated by commas; empty if not given. */
export function texts(args: Arguments, name: string): readonly string[] {
  const value = args[name];
  if (value === undefined) return [];
  const given = (Array.isArray(value) ? value : [value]).map(String);
  const words = given.flatMap((one) => one.split(',')).map((one) => one.trim());
  if (words.includes('')) throw new UsageError(`--${name} has an empty value`);
  return words;
}

/** The values of a positional argument that may be repeated; empty if not given. */
export function positionals(args: Arguments, name: string): readonly string[] {
  // yargs parses none as one that is undefined, because help must show no default.
  return [args[name]].flat().flatMap((one) => (one === undefined ? [] : [String(one)]));
}

/** A whole number within bounds; null if not given. Throws UsageError for anything else. */
export function wholeNumber(args: Arguments, name: string, bounds: Bounds): number | null {
  return numberOf(args, name, bounds, { form: /^\d{1,15}$/u, kind: 'whole number' });
}

/** A decimal number within bounds; null if not given. Throws UsageError for anything else. */
export function decimal(args: Arguments, name: string, bounds: Bounds): number | null {
  return numberOf(args, name, bounds, { form: /^\d{1,15}(\.\d{1,15})?$/u, kind: 'number' });
}

function numberOf(
  args: Arguments,
  name: string,
  { least, most }: Bounds,
  { form, kind }: { readonly form: RegExp; readonly kind: string },
): number | null {
  const given = text(args, name);
  if (given === null) return null;
  const value = form.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = `${withCommas(least)} to ${withCommas(most)}`;
  throw new UsageError(`--${name} takes a ${kind} from ${range}, not "${given}"`);
}

/** One of several words; null if not given. Throws UsageError that suggests the nearest word. */
export function oneOf<Word extends string>(
  args: Arguments,
  name: string,
  choices: readonly Word[],
): Word | null {
  const given = text(args, name);
  return given === null ? null : choose(`--${name}`, given, choices);
}

/** The value of `--format`, or that of `--json`; the first layout if neither was given. Throws UsageError if they differ. */
export function layoutOf<Layout extends string>(
  args: Arguments,
  layouts: readonly [Layout, ...(readonly (Layout | 'json')[])],
): Layout | 'json' {
  const given = oneOf<Layout | 'json'>(args, 'format', layouts);
  if (!flag(args, 'json')) return given ?? layouts[0];
  if (given === null || given === 'json') return 'json';
  throw new UsageError(`--json and --format ${given} are two formats; choose one`);
}

/** Throws UsageError if `error` says that this port cannot be opened. */
export function expectPort(error: unknown, port: number): void {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') throw new UsageError(`port ${port} is in use; --port 0 chooses a free one`);
  if (code === 'EACCES') throw new UsageError(`no permission to open port ${port}; choose one above 1023`);
}

/** Like {@link texts}, but each value is one of several words. */
export function manyOf<Word extends string>(
  args: Arguments,
  name: string,
  choices: readonly Word[],
): readonly Word[] {
  return [...new Set(texts(args, name).map((given) => choose(`--${name}`, given, choices)))];
}

/** The choice with this name. Throws UsageError that suggests the nearest one. */
export function choose<Word extends string>(name: string, given: string, choices: readonly Word[]): Word {
  const choice = choices.find((one) => one === given);
  if (choice !== undefined) return choice;
  const hint = didYouMean(given, choices) || `; it takes ${choices.join(', ')}`;
  throw new UsageError(`${name} does not accept "${given}"${hint}`);
}

/** Reads `--strict` and `--allow-inconclusive`; a certification is always strict. */
export function readTolerance(args: Arguments, suite: Suite): Tolerance {
  const strict = flag(args, 'strict');
  const allowInconclusive = flag(args, 'allow-inconclusive');
  if (allowInconclusive && strict)
    throw new UsageError('--allow-inconclusive contradicts --strict: leave one out');
  if (allowInconclusive && suite === 'certify')
    throw new UsageError('a certification tests every requirement: leave out --allow-inconclusive');
  return { strict: strict || suite === 'certify', allowInconclusive };
}

/** A command line, quoted so that a shell can run it again. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : shellQuoted(word))).join(' ');
}
