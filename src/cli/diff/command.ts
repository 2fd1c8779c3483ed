import type { Command } from '../command.ts';

/** `assay diff A B`: what changed between two runs. */
export const diffCommand: Command = {
  name: 'diff',
  usage: 'diff <before> <after>',
  summary: 'Says what got worse, better, new or gone between two runs; fails when something got worse',
  positionals: {
    before: { type: 'string', describe: 'the earlier run: a folder, a run id below reports/, or latest' },
    after: { type: 'string', describe: 'the later run' },
  },
  options: {
    format: { type: 'string', describe: 'text, markdown or json; text unless given' },
    json: { type: 'boolean', describe: 'the same as --format json' },
  },
  examples: [['assay diff main latest --format markdown', 'for a pull request']],
  execute: async (args, host) => (await import('./action.ts')).performDiff(args, host),
};
