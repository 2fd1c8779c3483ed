import { matchIds } from '../../../specs/catalogue.ts';
import { CHAPTERS } from '../../core/requirement.ts';
import { defects } from '../../mock/index.ts';
import { FORMATS } from '../../report/formats/table.ts';
import { SHELLS } from '../commands/completion.ts';
import { LISTS } from '../commands/requirements.ts';
import { commands } from '../program.ts';

/** What may follow an option or stand as an argument: words, a file, a folder, or something that nobody can foresee. */
export type Values = readonly string[] | 'file' | 'folder' | 'anything';

/** An option as completion knows it. */
export interface KnownOption {
  /** With its dashes. */
  readonly name: string;
  readonly words: string;
  /** Null for a switch, which takes no value. */
  readonly values: Values | null;
}

/** A command as completion knows it. */
export interface KnownCommand {
  readonly name: string;
  readonly words: string;
  readonly options: readonly KnownOption[];
  readonly arguments: Values;
}

const FILES = new Set(['sign', 'key', 'scenario', 'log', 'ca']);
const FOLDERS = new Set(['out', 'baseline']);

/** Every command with its options and what they take. */
export function vocabulary(): readonly KnownCommand[] {
  return commands.map(({ name, summary, options, positionals }) => ({
    name,
    words: summary,
    options: [
      ...Object.entries(options).map(([option, { type, describe = '' }]) => ({
        name: `--${option}`,
        words: describe,
        values: type === 'boolean' ? null : valuesOf(name, option),
      })),
      { name: '--help', words: 'show what the command takes', values: null },
    ],
    arguments: argumentsOf(name, Object.keys(positionals)),
  }));
}

function valuesOf(command: string, option: string): Values {
  const ids = (): readonly string[] => [...CHAPTERS.map((chapter) => `${chapter}/*`), ...matchIds(['*'])];
  const known: { readonly [option: string]: () => readonly string[] } = {
    suite: () => ['smoke', 'full', 'certify'],
    tokens: () => ['jwt', 'opaque'],
    only: ids,
    skip: ids,
    defect: () => defects.map(({ id }) => id),
    format: () => ({ requirements: LISTS, diff: ['text', 'markdown', 'json'] })[command] ?? FORMATS,
  };
  if (FILES.has(option)) return 'file';
  if (FOLDERS.has(option)) return 'folder';
  return known[option]?.() ?? 'anything';
}

function argumentsOf(command: string, positionals: readonly string[]): Values {
  if (command === 'explain') return matchIds(['*']);
  if (command === 'completion') return SHELLS;
  return positionals.length === 0 ? [] : 'file';
}
