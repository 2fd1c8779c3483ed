import { withCommas } from '../../../core/number-format.ts';
import type { Suite } from '../../../core/results.ts';
import { didYouMean } from '../../../core/suggestion.ts';
import { shellQuoted } from '../../../core/text.ts';
import type { Arguments } from '../../command.ts';
import { type Tolerance, UsageError } from '../process/exit-status.ts';

/** Bounds of a number, both inclusive. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Whether a switch was given. */
export function flag(args: Arguments, name: string): boolean {
  return args[name] === true;
}

/** The value of an option; null if it was not given. Throws UsageError if it was given twice. */
export function text(args: Arguments, name: string): string | null {
  const value = args[name];
  if (value === undefined) return null;
  if (Array.isArray(value)) throw new UsageError(`--${name} was given more than once`);
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} needs a value`);
  return value;
}

/**
 * Values of an option that may be repeated or contain several values separated by commas; empty if not given.
 */
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
  const value = args[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** A whole number within bounds; null if not given. Throws UsageError for anything else. */
export function wholeNumber(args: Arguments, name: string, bounds: Bounds): number | null {
  const given = text(args, name);
  if (given === null) return null;
  const value = /^\d{1,15}$/u.test(given) ? Number(given) : Number.NaN;
  if (value >= bounds.least && value <= bounds.most) return value;
  throw new UsageError(`--${name} takes a whole number from ${rangeText(bounds)}, not "${given}"`);
}

/** A decimal number within bounds; null if not given. Throws UsageError for anything else. */
export function decimal(args: Arguments, name: string, bounds: Bounds): number | null {
  const given = text(args, name);
  if (given === null) return null;
  const value = /^\d{1,15}(\.\d{1,15})?$/u.test(given) ? Number(given) : Number.NaN;
  if (value >= bounds.least && value <= bounds.most) return value;
  throw new UsageError(`--${name} takes a number from ${rangeText(bounds)}, not "${given}"`);
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

function rangeText({ least, most }: Bounds): string {
  return `${withCommas(least)} to ${withCommas(most)}`;
}

/**
 * Reads `--strict` and `--allow-inconclusive`; a certification is always strict.
 *
 * @throws UsageError if they contradict each other
 */
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
