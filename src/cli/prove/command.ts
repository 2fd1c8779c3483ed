import type { Command } from '../command.ts';

/** `assay prove`: judges the harness itself. */
export const proveCommand: Command = {
  name: 'prove',
  usage: 'prove',
  summary: 'Judges the harness itself: every defect has to be named, and no conforming variant failed',
  positionals: {},
  options: {
    only: {
      type: 'string',
      array: true,
      describe: 'defects, variants or requirements: identifiers or globs',
    },
    seed: { type: 'string', describe: 'same seed, same requests; 1 unless given' },
    jobs: { type: 'string', describe: 'threads; one for each processor unless given' },
    combine: { type: 'string', describe: 'judge so many pairs and triples of defects instead' },
    sweep: { type: 'boolean', describe: 'plant defects at every page size from 1 to 500 instead' },
    runs: {
      type: 'string',
      array: true,
      describe: 'with --sweep: values of --runs; 20,50,100,500 unless given',
    },
    out: { type: 'string', describe: 'folder of the proof; reports/<run id> unless given' },
    quiet: { type: 'boolean', describe: 'no progress and no matrix, only the outcome' },
    json: { type: 'boolean', describe: 'results on standard output, everything else on standard error' },
  },
  examples: [
    ['assay prove', 'the whole matrix'],
    ["assay prove --only 'link/*'", 'the defects that break a requirement of one chapter'],
    ['assay prove --combine 300', 'whether each cause is named where a provider has several'],
    ['assay prove --sweep', 'for how many page sizes a defect of that size alone is found'],
  ],
  execute: async (args, host, words) => (await import('./action.ts')).performProve(args, host, words),
};
