import type { Command } from '../command.ts';
import { envOption, SUITES, targetFiles } from '../shared/options/option-declarations.ts';

/** `assay doctor TARGET`: checks a target before a run. */
export const doctorCommand: Command = {
  name: 'doctor',
  usage: 'doctor [target...]',
  summary: 'Checks connectivity, TLS, clock and credentials, and estimates the requests of each suite',
  positionals: {
    target: targetFiles,
  },
  options: {
    env: envOption,
    suite: {
      type: 'string',
      array: true,
      describe: 'suites to estimate: smoke, full, certify; default: all',
      values: SUITES,
    },
    seed: { type: 'string', describe: 'seed of the run to estimate; default: random, and printed' },
    json: { type: 'boolean', describe: 'print the findings as JSON' },
  },
  examples: [
    ['assay doctor acme.yaml', 'check the target file, and estimate the requests of a run'],
    [
      'assay doctor acme.yaml --suite smoke --seed 42',
      'estimate the requests of assay run acme.yaml --suite smoke --seed 42',
    ],
  ],
  execute: async (args, host) => (await import('./action.ts')).performDoctor(args, host),
};
