import { OPTIONAL_FORMATS } from '../../report/formats/table.ts';
import type { Command } from '../command.ts';

/** `assay merge RUN...`: joins the shards of a run. */
export const mergeCommand: Command = {
  name: 'merge',
  usage: 'merge <run...>',
  summary: 'Joins the shards of one run, made by assay run --shard or by npx playwright test --shard',
  positionals: {
    run: { type: 'string', array: true, describe: 'the folders of all shards, or folders that hold them' },
  },
  options: {
    format: { type: 'string', array: true, describe: OPTIONAL_FORMATS.join(', ') },
    out: { type: 'string', describe: 'folder of the whole run; reports/<run id> unless given' },
    strict: { type: 'boolean', describe: 'exit 2 also where the list is too short to test everything' },
    'allow-inconclusive': { type: 'boolean', describe: 'exit 0 although something could not be tested' },
    sign: { type: 'string', describe: 'key (PEM) to sign the run with; ASSAY_SIGNING_KEY holds one, too' },
    quiet: { type: 'boolean', describe: 'with --json, no report on standard error' },
    json: { type: 'boolean', describe: 'results on standard output, everything else on standard error' },
  },
  examples: [['assay merge shards/*', 'one report of four machines']],
  execute: async (args, host, words) => (await import('../perform-merge.ts')).performMerge(args, host, words),
};
