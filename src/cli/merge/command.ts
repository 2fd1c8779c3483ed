import type { Command } from '../command.ts';
import { resultsAsJson, runOptions } from '../shared/options.ts';

export const mergeCommand: Command = {
  name: 'merge',
  usage: 'merge <run...>',
  summary: 'Merges the shards of one run, made by assay run --shard or by npx playwright test --shard',
  positionals: {
    run: { describe: 'the folders of all shards, or folders that hold them', values: 'file' },
  },
  options: {
    format: runOptions.format,
    out: { value: 'DIR', describe: 'folder of the merged run; default: reports/<run id>', values: 'folder' },
    baseline: runOptions.baseline,
    strict: runOptions.strict,
    'allow-inconclusive': runOptions['allow-inconclusive'],
    sign: runOptions.sign,
    quiet: { describe: 'with --json: no report on standard error' },
    json: resultsAsJson,
  },
  examples: [['assay merge shards/*', 'one report of four machines']],
  execute: async (args, host, words) => (await import('./action.ts')).performMerge(args, host, words),
};
