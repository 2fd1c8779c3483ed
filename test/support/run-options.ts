import type { ConformOptions } from '../../src/run/conform-options.ts';

/** Default options of test runs: the full suite, quiet, without evidence. Given options take precedence. */
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
