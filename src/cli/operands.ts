import type { Arguments, Command } from './command.ts';
import { UsageError } from './shared/usage-error.ts';

/** Stands before a word that means itself. No argument of a process can hold it. */
const MARK = '\0';

/** Marks words that mean themselves, whatever they look like: all behind `--`, which goes, and `-` and empty ones. */
export function marked(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  const before = end === -1 ? words : words.slice(0, end);
  return [
    ...before.map((word) => (word === '-' || word === '' ? `${MARK}${word}` : word)),
    ...words.slice(before.length + 1).map((word) => `${MARK}${word}`),
  ];
}

/** A text without the marks in it. */
export function unmarkedText(text: string): string {
  return text.replaceAll(MARK, '');
}

/** Arguments without marks. Throws UsageError where one that stands by itself is empty. */
export function unmarked(args: Arguments, command: Command): Arguments {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    return typeof value === 'string' ? unmarkedText(value) : value;
  };
  const read = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, plain(value)]));
  const empty = Object.keys(command.positionals).find((name) => [read[name]].flat().includes(''));
  if (empty !== undefined) throw new UsageError(`assay ${command.usage}: what stands for ${empty} is empty`);
  return read;
}
