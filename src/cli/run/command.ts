import { OPTIONAL_FORMATS } from '../../report/formats/table.ts';
import type { Command } from '../command.ts';
import { envOption, SUITES } from '../shared/option-values.ts';

/** `assay run [target...]`: tests providers. */
export const runCommand: Command = {
  name: 'run',
  usage: 'run [target...]',
  summary: 'Runs the conformance suite; without a target, against the embedded reference provider',
  positionals: {
    target: {
      type: 'string',
      array: true,
      describe: 'target files (YAML or JSON); default: the target in the ASSAY_ variables',
      values: 'file',
    },
  },
  options: {
    env: envOption,
    suite: { type: 'string', describe: 'smoke, full or certify; default: full', values: SUITES },
    only: {
      type: 'string',
      array: true,
      describe: 'test only these: identifiers or globs such as link/*',
      values: 'selection',
    },
    skip: {
      type: 'string',
      array: true,
      describe: 'do not test these: identifiers or globs',
      values: 'selection',
    },
    seed: { type: 'string', describe: 'same seed, same requests; default: random, and printed' },
    runs: { type: 'string', describe: 'random cases per property' },
    format: {
      type: 'string',
      array: true,
      describe: `further formats: ${OPTIONAL_FORMATS.join(', ')}`,
      values: 'format',
    },
    out: { type: 'string', describe: 'folder of the run; default: reports/<run id>', values: 'folder' },
    strict: {
      type: 'boolean',
      describe: 'exit 2 also if the list has too few records to test everything',
    },
    'allow-inconclusive': { type: 'boolean', describe: 'exit 0 even if something could not be tested' },
    'max-requests': { type: 'string', describe: 'send at most this many requests to a target' },
    rate: { type: 'string', describe: 'requests per second' },
    shard: {
      type: 'string',
      describe: 'test one part of the targets: 2/4 is the second of four; see assay merge',
    },
    expiry: { type: 'boolean', describe: 'wait for a token to expire' },
    baseline: {
      type: 'string',
      describe: 'earlier run whose failures are accepted; new and stale ones fail',
      values: 'folder',
    },
    sign: {
      type: 'string',
      describe: 'private key (PEM) to sign the run with; default: ASSAY_SIGNING_KEY',
      values: 'file',
    },
    issuer: { type: 'string', describe: 'organisation that certifies, for the certificate' },
    ui: { type: 'boolean', describe: "open the checks in Playwright's UI mode" },
    quiet: { type: 'boolean', describe: 'no progress, only the report' },
    json: { type: 'boolean', describe: 'print results as JSON, everything else to standard error' },
  },
  examples: [
    ['assay run', 'test the embedded reference provider'],
    ['assay run acme.yaml --suite smoke', 'a quick test of your provider'],
    ["assay run acme.yaml --only 'link/*' --seed 42", 'one chapter, the same requests as before'],
  ],
  execute: async (args, host, words) =>
    args['ui'] === true
      ? (await import('./ui.ts')).performUi(args, host)
      : (await import('./action.ts')).performRun(args, host, words),
};
