import type { Host } from './host.ts';
import type { ExitStatus } from './shared/exit-status.ts';

/** What yargs read from the command line; values are not validated yet. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * What completion offers for a value: words, or a kind that is looked up when it is needed. A selection is a requirement
 * or a glob of several.
 */
export type Values =
  | readonly string[]
  | 'file'
  | 'folder'
  | 'requirement'
  | 'selection'
  | 'defect'
  | 'format';

/** A positional argument. */
export interface Positional {
  readonly type: 'string';
  readonly array?: true;
  readonly describe: string;
  /** Without it, nothing is completed. */
  readonly values?: Values;
}

/** An option. Parser, help, docs/commands.md and completion follow from it. */
export interface Option {
  readonly type: 'boolean' | 'string';
  /** May be repeated. */
  readonly array?: true;
  /** For contributors: works, but is left out of help, docs/commands.md and completion. */
  readonly hidden?: true;
  readonly describe: string;
  /** Without it, nothing is completed. */
  readonly values?: Values;
}

/** One command. Its file declares it; its action is loaded when it runs. */
export interface Command {
  readonly name: string;
  /** Name and positional arguments, as yargs writes them: `explain <id>`. */
  readonly usage: string;
  readonly summary: string;
  readonly positionals: Readonly<Record<string, Positional>>;
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /**
   * Carries the command out.
   *
   * @param words the command line after `assay`, as given
   * @throws UsageError and other errors for users; any other error is a bug
   */
  readonly execute: (args: Arguments, host: Host, words: readonly string[]) => Promise<ExitStatus>;
}
