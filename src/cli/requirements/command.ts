import type { Command } from '../command.ts';

/** Forms in which the catalogue is listed. */
export const LISTS = ['table', 'json', 'markdown', 'csv'] as const;

/** `assay requirements`: the catalogue as a list. */
export const requirementsCommand: Command = {
  name: 'requirements',
  usage: 'requirements',
  summary: 'Lists requirements and observations; --coverage traces each clause to the defects that prove it',
  positionals: {},
  options: {
    format: { type: 'string', describe: `${LISTS.join(', ')}; table unless given` },
    coverage: {
      type: 'boolean',
      describe: 'clause by clause: requirement, the check that judges it, the defects that prove the check',
    },
    json: { type: 'boolean', describe: 'the same as --format json' },
  },
  examples: [
    ['assay requirements --format csv', 'for a spreadsheet'],
    ['assay requirements --coverage --format markdown', 'what holds Assay to each clause, for the file'],
  ],
  execute: async (args, host) => (await import('./action.ts')).performRequirements(args, host),
};
