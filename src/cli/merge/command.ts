import { OPTIONAL_FORMATS } from '../../report/formats/table.ts';
import type { Command } from '../command.ts';

/** `assay merge RUN...`: merges the shards of a run. */
export const mergeCommand: Command = {
  name: 'merge',
  usage: 'merge <run...>',
  summary: 'Merges the shards of one run, made by assay run --shard or by npx playwright test --shard',
  positionals: {
    run: {
      type: 'string',
      array: true,
      describe: 'the folders of all shards, or folders that hold them',
      values: 'file',
    },
  },
  options: {
    format: {
      type: 'string',
      array: true,
      describe: `further formats: ${OPTIONAL_FORMATS.join(', ')}`,
      values: 'format',
    },
    out: {
      type: 'string',
      describe: 'folder of the merged run; default: reports/<run id>',
      values: 'folder',
    },
    strict: {
      type: 'boolean',
      describe: 'exit 2 also if the list has too few records to test everything',
    },
    'allow-inconclusive': { type: 'boolean', describe: 'exit 0 even if something could not be tested' },
    sign: {
      type: 'string',
      describe: 'private key (PEM) to sign the run with; default: ASSAY_SIGNING_KEY',
      values: 'file',
    },
    quiet: { type: 'boolean', describe: 'with --json: no report on standard error' },
    json: { type: 'boolean', describe: 'print results as JSON, everything else to standard error' },
  },
  examples: [['assay merge shards/*', 'one report of four machines']],
  execute: async (args, host, words) => (await import('./action.ts')).performMerge(args, host, words),
};
