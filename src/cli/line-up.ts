import type { Command } from './command.ts';
import { UsageError } from './shared/usage-error.ts';

/** A command line with its command in front, and that command's name as it was typed, if there is any. */
export interface LinedUp {
  readonly named: string | undefined;
  readonly words: readonly string[];
}

/** Puts the command before the options that were typed before it. */
export function commandFirst(words: readonly string[], commands: readonly Command[]): LinedUp {
  const end = words.indexOf('--');
  const before = end === -1 ? words : words.slice(0, end);
  const takesValue = (word: string): boolean =>
    commands.some(({ options }) => options[word.replace(/^--/u, '')]?.type === 'string');
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? '';
    if (!word.startsWith('-')) {
      return { named: word, words: [word, ...words.slice(0, index), ...words.slice(index + 1)] };
    }
    if (takesValue(word)) index++;
  }
  // What stands behind `--` is no command, and without one nobody takes it.
  return { named: undefined, words: before };
}

/**
 * Throws UsageError for an option without a value and for a switch with one that is no truth value, which yargs
 * takes for nothing and for false.
 */
export function expectValues(words: readonly string[], { options }: Command): void {
  for (const [index, word] of words.entries()) {
    if (word === '--') return;
    const [, name = '', attached] = /^--([^=]+)(?:=(.*))?$/su.exec(word) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option?.type === 'boolean' && attached !== undefined && !/^(true|false)$/u.test(attached))
      throw new UsageError(`--${name} takes true or false, not "${attached}"`);
    if (option?.type === 'string' && !isValue(attached ?? words[index + 1] ?? ''))
      throw new UsageError(`--${name} needs a value`);
  }
}

function isValue(word: string): boolean {
  return word !== '' && (!word.startsWith('-') || /^-(\d|$)/u.test(word));
}
