import type { Arguments, Command } from './command.ts';

/**
 * Reads the words after a command's name where nothing about them is special: options of the command, spelt out, with
 * their values, and as many positional arguments as it takes. Gives what yargs would, without loading it, which takes
 * longer than a short command; null for everything else (help, mistakes, `--`, repeated options), which yargs reads.
 */
export function readPlain(command: Command, words: readonly string[]): Arguments | null {
  const args: Record<string, unknown> = {};
  const positional: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('-')) {
      if (!isPlain(word)) return null;
      positional.push(word);
      continue;
    }
    const [, name = '', attached] = /^--([^=]+)(?:=(.*))?$/su.exec(word) ?? [];
    const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
    if (option?.type === 'boolean') {
      // yargs takes a truth value that follows for that of the switch.
      if (attached !== undefined || name in args || /^(true|false)$/u.test(words[index + 1] ?? ''))
        return null;
      args[name] = true;
    } else if (option?.type === 'string') {
      const value = attached ?? words[++index] ?? '';
      if (!isPlain(value)) return null;
      if (option.array === true) args[name] = [...((args[name] as string[] | undefined) ?? []), value];
      else if (name in args) return null;
      else args[name] = value;
    } else return null;
  }
  const placed = place(command.usage, positional);
  return placed === null ? null : { ...args, ...placed };
}

// yargs takes quotes off, and a word that begins with a dash for an option.
function isPlain(value: string): boolean {
  return /^[^-'"]/u.test(value);
}

/** Positional arguments by name, as the usage of their command has them: `<one>`, `[perhaps]`, `[many...]`. */
function place(usage: string, given: readonly string[]): Arguments | null {
  const args: Record<string, unknown> = {};
  let next = 0;
  for (const [, bracket, name = '', many] of usage.matchAll(/([<[])([^\]>.]+)(\.\.\.)?/gu)) {
    const required = bracket === '<';
    if (required && next === given.length) return null;
    if (many !== undefined) {
      args[name] = given.slice(next);
      next = given.length;
    } else if (next < given.length) args[name] = given[next++];
  }
  return next === given.length ? args : null;
}
