import { OPTIONAL_FORMATS } from '../../report/formats/table.ts';
import type { Command } from '../command.ts';

/** `assay run [target...]`: judges providers. */
export const runCommand: Command = {
  name: 'run',
  usage: 'run [target...]',
  summary: 'Runs the conformance suite; with no target, against the embedded reference provider',
  positionals: {
    target: {
      type: 'string',
      array: true,
      describe: 'target files (YAML or JSON); the ASSAY_ variables make a target, too',
    },
  },
  options: {
    suite: { type: 'string', describe: 'smoke, full or certify; full unless given' },
    only: { type: 'string', array: true, describe: 'judge these alone: identifiers or globs, as link/*' },
    skip: { type: 'string', array: true, describe: 'leave these out: identifiers or globs' },
    seed: { type: 'string', describe: 'same seed, same requests; drawn and printed unless given' },
    runs: { type: 'string', describe: 'random cases per property' },
    format: { type: 'string', array: true, describe: OPTIONAL_FORMATS.join(', ') },
    out: { type: 'string', describe: 'folder of the run; reports/<run id> unless given' },
    strict: { type: 'boolean', describe: 'exit 2 also where the list is too short to test everything' },
    'allow-inconclusive': { type: 'boolean', describe: 'exit 0 although something could not be tested' },
    'max-requests': { type: 'string', describe: 'send at most so many requests to a target' },
    rate: { type: 'string', describe: 'requests per second' },
    shard: {
      type: 'string',
      describe: 'judge one part of the targets: 2/4 is the second of four; see merge',
    },
    expiry: { type: 'boolean', describe: 'wait for a token to expire' },
    baseline: {
      type: 'string',
      describe: 'earlier run whose failures are accepted; new and stale ones fail',
    },
    sign: { type: 'string', describe: 'key (PEM) to sign the run with; ASSAY_SIGNING_KEY holds one, too' },
    issuer: { type: 'string', describe: 'who certifies, for the certificate' },
    ui: { type: 'boolean', describe: "open Playwright's UI mode on the checks" },
    quiet: { type: 'boolean', describe: 'no progress, only the report' },
    json: { type: 'boolean', describe: 'results on standard output, everything else on standard error' },
  },
  examples: [
    ['assay run', 'judge the embedded reference provider'],
    ['assay run acme.yaml --suite smoke', 'a first look at a provider of yours'],
    ["assay run acme.yaml --only 'link/*' --seed 42", 'one chapter, the same requests as before'],
  ],
  execute: async (args, host, words) =>
    args['ui'] === true
      ? (await import('../perform-ui.ts')).performUi(args, host)
      : (await import('../perform-run.ts')).performRun(args, host, words),
};
