import type { Command } from '../command.ts';
import { resultsAsJson } from '../shared/options.ts';

export const proveCommand: Command = {
  name: 'prove',
  usage: 'prove',
  summary: 'Tests Assay itself: it must find every defect and must not fail a conforming variant',
  positionals: {},
  options: {
    only: {
      value: 'ID',
      array: true,
      describe: 'defects, variants or requirements: identifiers or globs',
      values: 'selection',
    },
    seed: { value: 'N', describe: 'same seed, same requests; default: 1' },
    jobs: { value: 'N', describe: 'threads; default: one per processor' },
    combine: { value: 'N', hidden: true, describe: 'test N pairs and triples of defects instead' },
    sweep: { hidden: true, describe: 'plant defects at every page size from 1 to 500 instead' },
    runs: {
      value: 'N',
      array: true,
      hidden: true,
      describe: 'with --sweep: values of --runs to test as well',
    },
    out: { value: 'DIR', describe: 'folder of the proof; default: reports/<run id>', values: 'folder' },
    quiet: { describe: 'print only the outcome' },
    json: resultsAsJson,
  },
  examples: [
    ['assay prove', 'all defects and variants'],
    ["assay prove --only 'link/*'", 'the defects that break a requirement of one chapter'],
  ],
  execute: async (args, host, words) => (await import('./action.ts')).performProve(args, host, words),
};
