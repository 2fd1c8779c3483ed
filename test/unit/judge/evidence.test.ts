import { describe, expect, it } from 'vitest';
import type { CheckContext } from '../../../src/judge/context.ts';
import { strolls } from '../../../src/judge/evidence.ts';
import { drawnWalkingSizes } from '../../../src/judge/sizes.ts';
import type { View } from '../../../src/provider/view.ts';

/** The page sizes with which a list of that length is strolled through, and how many pages of each. */
async function strolledThrough(
  total: number,
  suite: 'full' | 'certify',
): Promise<ReadonlyMap<number, number>> {
  const asked = new Map<number, number>();
  const view = {
    walk: async () => ({
      identified: true,
      reached: { size: total },
      steps: [],
      end: { kind: 'end' },
    }),
    stroll: async (size: number, pages: number) => asked.set(size, pages),
  };
  const context = {
    options: { suite },
    random: (label: string) => label.length,
    target: { limits: { concurrency: 4 } },
  };
  await strolls(context as unknown as CheckContext, view as unknown as View);
  return asked;
}

describe('walks of a few pages', () => {
  it('are made with every page size that has a second page, in certify', async () => {
    const asked = await strolledThrough(1234, 'certify');
    expect([...asked.keys()].sort((one, other) => one - other)).toEqual(
      Array.from({ length: 500 }, (_none, index) => index + 1),
    );
    expect(Math.min(...asked.values())).toBe(2);
    expect([...(await strolledThrough(40, 'certify')).keys()]).toHaveLength(39);
  });

  it('are made with two small sizes in the full suite', async () => {
    const asked = await strolledThrough(1234, 'full');
    expect([...asked.values()]).toEqual([3, 3]);
    expect(Math.max(...asked.keys())).toBeLessThanOrEqual(31);
  });
});

describe('drawn page sizes of whole walks', () => {
  it('follow the draw, and keep the walk short', () => {
    expect(drawnWalkingSizes(1234, [0, 474, 475])).toEqual([25, 499]);
    expect(drawnWalkingSizes(30, [3, 4, 5])).toEqual([25, 28, 29]);
    expect(drawnWalkingSizes(1, [7])).toEqual([]);
  });
});
