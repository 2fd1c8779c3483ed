import { randomInt } from 'node:crypto';
import { jsonText } from '../../core/json-text.ts';
import { SUITES } from '../../core/results.ts';
import type { Examination } from '../../doctor/doctor.ts';
import { type Command, EXIT } from '../command.ts';
import { envOption, flag, manyOf, positionals, targetFiles, text, wholeNumber } from '../shared/options.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  usage: 'doctor [target...]',
  summary: 'Checks connectivity, TLS, clock and credentials, and estimates the requests of each suite',
  positionals: { target: targetFiles },
  options: {
    env: envOption,
    suite: {
      value: 'SUITE',
      array: true,
      describe: 'suites to estimate: smoke, full, certify; default: all',
      values: SUITES,
    },
    seed: { value: 'N', describe: 'seed of the run to estimate; default: random, and printed' },
    json: { describe: 'print the findings as JSON' },
  },
  examples: [
    ['assay doctor acme.yaml', 'check the target file, and estimate the requests of a run'],
    [
      'assay doctor acme.yaml --suite smoke --seed 42',
      'estimate the requests of assay run acme.yaml --suite smoke --seed 42',
    ],
  ],
  execute: async (args, host) => {
    const { withTargets } = await import('../shared/run-targets.ts');
    const { diagnosisText } = await import('./diagnosis-text.ts');
    const files = positionals(args, 'target');
    const envFile = text(args, 'env');
    const env = envFile === null ? [] : ['--env', envFile];
    const chosen = manyOf(args, 'suite', SUITES);
    const suites = SUITES.filter((suite) => chosen.length === 0 || chosen.includes(suite));
    const seed = wholeNumber(args, 'seed', { least: 0, most: 0xffff_ffff }) ?? randomInt(2 ** 31);
    const json = flag(args, 'json');
    return withTargets({ files, envFile }, host, async (targets, signal) => {
      const { examine } = await import('../../doctor/doctor.ts');
      const examinations: Examination[] = [];
      for (const [index, target] of targets.entries()) {
        const examination = await examine(target, { seed, suites, env: host.env, signal });
        examinations.push(examination);
        if (signal.aborted) return EXIT.interrupted;
        const source = [...files.slice(index, index + 1), ...env];
        if (!json) host.out.write(diagnosisText(examination, source, host.out));
      }
      if (json) host.out.write(`${jsonText({ format: 'assay-doctor/1', targets: examinations })}\n`);
      return examinations.every(({ ready }) => ready) ? EXIT.ok : EXIT.notCarriedOut;
    });
  },
};
