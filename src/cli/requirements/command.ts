import type { Command } from '../command.ts';
import { LISTING_LAYOUTS } from '../shared/options.ts';

export const requirementsCommand: Command = {
  name: 'requirements',
  usage: 'requirements',
  summary: 'Lists requirements and observations; --coverage maps each clause to the defects that prove it',
  positionals: {},
  options: {
    format: {
      value: 'NAME',
      describe: `${LISTING_LAYOUTS.join(', ')}; default: table`,
      values: LISTING_LAYOUTS,
    },
    coverage: {
      describe: 'per clause: the requirement, its check, and the defects that prove the check',
    },
    json: { describe: 'same as --format json' },
  },
  examples: [
    ['assay requirements --format csv', 'for a spreadsheet'],
    ['assay requirements --coverage --format markdown', 'the traceability matrix'],
  ],
  execute: async (args, host) => (await import('./action.ts')).performRequirements(args, host),
};
