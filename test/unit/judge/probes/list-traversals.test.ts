import { describe, expect, it } from 'vitest';
import { Memo } from '../../../../src/core/memo.ts';
import type { CheckContext } from '../../../../src/judge/context.ts';
import { estimateLength } from '../../../../src/judge/probes/list-facts.ts';
import { partialTraversals } from '../../../../src/judge/probes/list-traversals.ts';
import { drawnTraversalSizes } from '../../../../src/judge/probes/page-sizes.ts';
import type { Snapshot } from '../../../../src/provider/snapshot.ts';

/** The page sizes of the short traversals of a list of this length, and the number of pages of each. */
async function partiallyTraversed(
  total: number,
  suite: 'full' | 'certify',
  { number = 0, suspectSizes = [] as readonly number[] } = {},
): Promise<ReadonlyMap<number, number>> {
  const asked = new Map<number, number>();
  const snapshot = {
    memo: new Memo(),
    number,
    traversal: async (size: number, options?: { readonly maxPages: number }) => {
      if (options !== undefined) asked.set(size, options.maxPages);
      return {
        isIdentified: true,
        reached: { size: total },
        steps: [],
        end: { kind: 'end' },
      };
    },
    client: { pages: { counts: { last: total }, usual: [] } },
  };
  const context = {
    snapshot,
    options: { suite },
    random: (label: string) => label.length,
    target: { limits: { concurrency: 4 } },
    suspectSizes: new Set(suspectSizes),
  };
  await partialTraversals(context as unknown as CheckContext);
  return asked;
}

describe('traversals of a few pages', () => {
  it('use every page size with a second page in certify', async () => {
    const asked = await partiallyTraversed(1234, 'certify');
    expect([...asked.keys()].sort((one, other) => one - other)).toEqual(
      Array.from({ length: 500 }, (_none, index) => index + 1),
    );
    expect(Math.min(...asked.values())).toBe(2);
    expect([...(await partiallyTraversed(40, 'certify')).keys()]).toHaveLength(39);
  });

  it('use only usual sizes, and those that showed a breach, to confirm one in certify', async () => {
    const usual = await partiallyTraversed(1234, 'full');
    const asked = await partiallyTraversed(1234, 'certify', { number: 1, suspectSizes: [251] });
    expect([...asked.keys()].sort()).toEqual([...usual.keys(), 251].sort());
  });

  it('use two small sizes in the full suite', async () => {
    const asked = await partiallyTraversed(1234, 'full');
    expect([...asked.values()]).toEqual([3, 2]);
    expect(Math.max(...asked.keys())).toBeLessThanOrEqual(31);
  });
});

describe('estimateLength', () => {
  const refused = { isIdentified: true, reached: { size: 0 }, steps: [], end: { kind: 'broken' } };
  const estimated = (pages: object): Promise<number> =>
    estimateLength({
      memo: new Memo(),
      traversal: async () => refused,
      client: { pages },
    } as unknown as Snapshot);

  it('uses what other pages of the run show if the first page is refused', async () => {
    expect(await estimated({ counts: { last: 1234 }, usual: [{ itemCount: 500 }] })).toBe(1234);
    expect(await estimated({ counts: null, usual: [{ itemCount: 20 }, { itemCount: 500 }] })).toBe(500);
    expect(await estimated({ counts: null, usual: [] })).toBe(0);
  });
});

describe('drawn page sizes of whole traversals', () => {
  it('depend on the seed, and keep the traversal short', () => {
    expect(drawnTraversalSizes(1234, [0, 474, 475])).toEqual([25, 499]);
    expect(drawnTraversalSizes(30, [3, 4, 5])).toEqual([25, 28, 29]);
    expect(drawnTraversalSizes(1, [7])).toEqual([]);
  });
});
