import type { Command } from '../command.ts';

/** `assay replay RUN`: judges a run's evidence again, offline. */
export const replayCommand: Command = {
  name: 'replay',
  usage: 'replay <run>',
  summary: "Judges a run's evidence again, offline, and says whether every verdict comes out the same",
  positionals: { run: { type: 'string', describe: 'a folder, a run id below reports/, or latest' } },
  options: {
    target: { type: 'string', describe: 'judge this target of the run alone' },
    json: { type: 'boolean', describe: 'what came out otherwise, as JSON' },
  },
  examples: [['assay replay latest', 'check the verdicts of the newest run without its provider']],
  execute: async (args, host) => (await import('./action.ts')).performReplay(args, host),
};
