import type { Host } from './host.ts';
import type { ExitStatus } from './shared/process.ts';

/** The arguments that yargs parsed; values are not validated yet. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * The candidates for completing a value: words, or a kind that is resolved on demand. A `selection` is a
 * requirement or a glob.
 */
export type Values =
  | readonly string[]
  | 'file'
  | 'folder'
  | 'requirement'
  | 'selection'
  | 'defect'
  | 'format';

export interface Positional {
  readonly type: 'string';
  readonly array?: true;
  readonly describe: string;
  /** Nothing is completed if absent. */
  readonly values?: Values;
}

/** An option. The parser, help, docs/commands.md and completion are derived from it. */
export interface Option {
  readonly type: 'boolean' | 'string';
  /** May be repeated. */
  readonly array?: true;
  /** For contributors only: not shown in help, docs/commands.md and completion. */
  readonly hidden?: true;
  readonly describe: string;
  /** Nothing is completed if absent. */
  readonly values?: Values;
}

/** A command. Its action is loaded when it runs. */
export interface Command {
  readonly name: string;
  /** Name and positional arguments, as yargs writes them: `explain <id>`. */
  readonly usage: string;
  readonly summary: string;
  readonly positionals: Readonly<Record<string, Positional>>;
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /**
   * Runs the command.
   *
   * @param words the command line after `assay`
   * @throws UsageError and other errors for users; any other error is a bug
   */
  readonly execute: (args: Arguments, host: Host, words: readonly string[]) => Promise<ExitStatus>;
}
