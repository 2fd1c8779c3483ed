import type { Command } from '../command.ts';

/** `assay doctor TARGET`: examines a target before a run. */
export const doctorCommand: Command = {
  name: 'doctor',
  usage: 'doctor [target...]',
  summary: 'Checks the way to a provider, TLS, clocks, credentials, and what a run will cost and leave open',
  positionals: {
    target: {
      type: 'string',
      array: true,
      describe: 'target files (YAML or JSON); the ASSAY_ variables make a target, too',
    },
  },
  options: {
    suite: {
      type: 'string',
      array: true,
      describe: 'suites to foretell: smoke, full, certify; all unless given',
    },
    seed: { type: 'string', describe: 'of the run to come; drawn and printed unless given' },
    json: { type: 'boolean', describe: 'the findings on standard output, as JSON' },
  },
  examples: [
    ['assay doctor acme.yaml', 'is the target file right, and what will a run cost?'],
    [
      'assay doctor acme.yaml --suite smoke --seed 42',
      'the cost of assay run acme.yaml --suite smoke --seed 42',
    ],
  ],
  execute: async (args, host) => (await import('./action.ts')).performDoctor(args, host),
};
