import type { ConformOptions } from '../../src/run/conform-options.ts';

/** How tests carry out a run: the full suite, quietly, without evidence; what is given goes before. */
export function runOptions(given: Partial<ConformOptions> = {}): ConformOptions {
  return {
    suite: 'full',
    only: [],
    skip: [],
    seed: 42,
    runs: null,
    expiry: false,
    command: 'test',
    runId: 'test',
    evidenceFile: null,
    listener: () => undefined,
    signal: null,
    ...given,
  };
}
