import type { Options, PositionalOptions } from 'yargs';
import type { Host } from './host.ts';
import type { ExitStatus } from './shared/exit-status.ts';

/** What yargs read from the command line, before Assay has looked at the values. */
export type Arguments = Readonly<Record<string, unknown>>;

/** One command. Its file declares it; what it needs to run is loaded when it runs. */
export interface Command {
  readonly name: string;
  /** Name and positional arguments, as yargs writes them: `explain <id>`. */
  readonly usage: string;
  readonly summary: string;
  readonly positionals: Readonly<Record<string, PositionalOptions>>;
  readonly options: Readonly<Record<string, Options>>;
  readonly examples: readonly (readonly [command: string, words: string])[];
  /**
   * Carries the command out.
   *
   * @param words the command line after `assay`, as given
   * @throws UsageError and other errors for users; any other error is a bug
   */
  readonly execute: (args: Arguments, host: Host, words: readonly string[]) => Promise<ExitStatus>;
}
