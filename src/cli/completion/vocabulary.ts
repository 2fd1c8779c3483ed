import { matchIds } from '../../../specs/catalogue.ts';
import { CHAPTERS } from '../../core/requirement.ts';
import { defects } from '../../mock/index.ts';
import { FORMATS } from '../../report/formats/table.ts';
import type { Command, Values } from '../command.ts';

/** The candidates for completion: words, files, folders, or nothing. */
export type Completion = readonly string[] | 'file' | 'folder';

/** An option for completion. */
export interface KnownOption {
  /** Including the dashes. */
  readonly name: string;
  readonly summary: string;
  /** Null for a switch, which takes no value. */
  readonly values: Completion | null;
}

/** A command for completion. */
export interface KnownCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly KnownOption[];
  readonly arguments: Completion;
}

/** Every command with its options and the values that they take. */
export function vocabularyOf(commands: readonly Command[]): readonly KnownCommand[] {
  return commands.map(({ name, summary, options, positionals }) => ({
    name,
    summary,
    options: [
      ...Object.entries(options)
        .filter(([, { hidden }]) => hidden !== true)
        .map(([option, { type, describe, values }]) => ({
          name: `--${option}`,
          summary: describe,
          values: type === 'boolean' ? null : completionOf(values),
        })),
      { name: '--help', summary: 'show the arguments and options', values: null },
    ],
    arguments: completionOf(Object.values(positionals)[0]?.values),
  }));
}

function completionOf(values: Values | undefined): Completion {
  switch (values) {
    case undefined:
      return [];
    case 'requirement':
      return matchIds(['*']);
    case 'selection':
      return [...CHAPTERS.map((chapter) => `${chapter}/*`), ...matchIds(['*'])];
    case 'defect':
      return defects.map(({ id }) => id);
    case 'format':
      return FORMATS;
    default:
      return values;
  }
}
