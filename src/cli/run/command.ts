import { SUITES } from '../../core/results.ts';
import type { Command } from '../command.ts';
import { envOption, resultsAsJson, runOptions, targetFiles } from '../shared/options.ts';

export const runCommand: Command = {
  name: 'run',
  usage: 'run [target...]',
  summary: 'Runs the conformance suite; without a target, against the embedded reference provider',
  positionals: { target: targetFiles },
  options: {
    env: envOption,
    suite: { value: 'SUITE', describe: 'smoke, full or certify; default: full', values: SUITES },
    only: {
      value: 'ID',
      array: true,
      describe: 'test only these: identifiers or globs such as link/*',
      values: 'selection',
    },
    skip: {
      value: 'ID',
      array: true,
      describe: 'do not test these: identifiers or globs',
      values: 'selection',
    },
    seed: { value: 'N', describe: 'same seed, same requests; default: random, and printed' },
    runs: { value: 'N', describe: 'random cases per property; default: 24, in the smoke suite 0' },
    format: runOptions.format,
    out: { value: 'DIR', describe: 'folder of the run; default: reports/<run id>', values: 'folder' },
    strict: runOptions.strict,
    'allow-inconclusive': runOptions['allow-inconclusive'],
    'max-requests': { value: 'N', describe: 'send at most this many requests to a target' },
    rate: {
      value: 'R',
      describe: 'send at most this many requests per second; default: limits.requestsPerSecond',
    },
    shard: {
      value: 'I/N',
      describe: 'test one part of the targets: 2/4 is the second of four; see assay merge',
    },
    expiry: { describe: 'wait for a token to expire' },
    baseline: runOptions.baseline,
    sign: runOptions.sign,
    issuer: { value: 'NAME', describe: 'organisation that certifies, for the certificate' },
    ui: { describe: "open the checks in Playwright's UI mode" },
    quiet: { describe: 'no progress, only the report' },
    json: resultsAsJson,
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
