import type { Command } from '../command.ts';
import { finishedRun } from '../shared/options/option-declarations.ts';

/** `assay replay RUN`: recomputes the verdicts of a run from its evidence, offline. */
export const replayCommand: Command = {
  name: 'replay',
  usage: 'replay <run>',
  summary: 'Recomputes the verdicts of a run from its evidence, offline, and reports every difference',
  positionals: {
    run: finishedRun,
  },
  options: {
    target: { type: 'string', describe: 'only this target of the run' },
    json: { type: 'boolean', describe: 'print the differences as JSON' },
  },
  examples: [['assay replay latest', 'check the verdicts of the newest run without its provider']],
  execute: async (args, host) => (await import('./action.ts')).performReplay(args, host),
};
