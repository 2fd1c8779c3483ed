import type { Command } from '../command.ts';

export const explainCommand: Command = {
  name: 'explain',
  usage: 'explain <id>',
  summary:
    'Shows one requirement: rule, clause, how it is tested, what a breach looks like, causes and fixes',
  positionals: { id: { describe: 'identifier, such as link/offset', values: 'requirement' } },
  options: { json: { describe: 'print it as JSON' } },
  examples: [
    ['assay explain link/offset', 'what link/offset requires, and how to fix a failure'],
    ['assay explain observe/latency', 'what an observation records'],
  ],
  execute: async (args, host) => (await import('./action.ts')).performExplain(args, host),
};
