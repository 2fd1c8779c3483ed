import type { ProveResults } from '../../src/core/prove-results.ts';
import { type ProveOptions, prove } from '../../src/prove/prove.ts';

/** Runs a proof in this thread, with the default seed by default. */
export function proveHere(options: Partial<ProveOptions> = {}): Promise<ProveResults> {
  return prove({
    proof: { kind: 'matrix' },
    only: [],
    seed: 1,
    jobs: 1,
    runId: 'test',
    command: 'assay prove',
    onProgress: () => undefined,
    signal: null,
    ...options,
  });
}

/** The parts of a proof that must not depend on the seed or the number of threads. */
export function matrixOf({ defects, variants }: ProveResults): unknown {
  const ids = (verdicts: readonly { readonly requirement: string }[]): readonly string[] =>
    verdicts.map(({ requirement }) => requirement);
  return {
    defects: defects.map(({ id, fate, killedBy, escaped, falselyFailed, errors }) => [
      id,
      fate,
      ids(killedBy),
      ids(escaped),
      ids(falselyFailed),
      ids(errors),
    ]),
    variants: variants.map(({ id, fate, failed, errors }) => [id, fate, ids(failed), ids(errors)]),
  };
}
