import type { Command } from '../command.ts';

/** `assay explain ID`: everything the catalogue says of one row. */
export const explainCommand: Command = {
  name: 'explain',
  usage: 'explain <id>',
  summary:
    'Shows one requirement: rule, clause, how it is tested, what a breach looks like, causes and fixes',
  positionals: { id: { type: 'string', describe: 'identifier, such as link/offset' } },
  options: { json: { type: 'boolean', describe: 'the same as JSON' } },
  examples: [
    ['assay explain link/offset', 'what link/offset asks for, and what to do where it fails'],
    ['assay explain observe/latency', 'what an observation looks at'],
  ],
  execute: async (args, host) => (await import('./action.ts')).performExplain(args, host),
};
