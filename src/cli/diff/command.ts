import type { Command } from '../command.ts';
import { DIFF_LAYOUTS } from '../shared/options/option-declarations.ts';

/** `assay diff BEFORE AFTER`: what changed between two runs. */
export const diffCommand: Command = {
  name: 'diff',
  usage: 'diff <before> <after>',
  summary: 'Compares two runs: what got worse, better, new or gone; exits 1 if something got worse',
  positionals: {
    before: {
      type: 'string',
      describe: 'the earlier run: a folder, a run id in reports/, or latest',
      values: 'file',
    },
    after: { type: 'string', describe: 'the later run' },
  },
  options: {
    format: { type: 'string', describe: `${DIFF_LAYOUTS.join(', ')}; default: text`, values: DIFF_LAYOUTS },
    json: { type: 'boolean', describe: 'same as --format json' },
  },
  examples: [['assay diff main latest --format markdown', 'for a pull request']],
  execute: async (args, host) => (await import('./action.ts')).performDiff(args, host),
};
