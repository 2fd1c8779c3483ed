import { describe, expect, it } from 'vitest';
import type { ProvenVariant } from '../../../src/core/prove-results.ts';
import { variants } from '../../../src/mock/index.ts';
import { proveHere } from '../../support/prove.ts';

async function judged(ids: readonly string[], seeds: readonly number[]): Promise<readonly ProvenVariant[]> {
  const proofs = await Promise.all(seeds.map((seed) => proveHere({ only: ids, seed })));
  return proofs.flatMap((proof) => proof.variants);
}

describe('a list that changes during the test', () => {
  it('never fails, for any time of the change', async () => {
    const living = variants.filter((variant) => variant.living === true).map(({ id }) => id);
    // The seed determines the times of the changes; the default seed is part of the whole matrix.
    const seeds = [2];
    const rows = await judged(living, seeds);
    expect(rows).toHaveLength(living.length * seeds.length);
    expect(
      rows.filter(({ fate }) => fate !== 'cleared').map(({ id, failed, errors }) => [id, failed, errors]),
    ).toEqual([]);
  }, 600_000);

  it('is tested completely if it changes only once', async () => {
    const once = [
      'living-one-added-once',
      'living-one-removed-once',
      'living-one-removed-at-once',
      'living-one-added-late',
      'living-moved-to-front-once',
      'living-replaced-at-once',
      'living-halved',
    ];
    const rows = await judged(once, [3]);
    expect(
      rows
        .filter(({ inconclusive }) => inconclusive.length > 0)
        .map(({ id, inconclusive }) => [id, inconclusive]),
    ).toEqual([]);
  });
});
