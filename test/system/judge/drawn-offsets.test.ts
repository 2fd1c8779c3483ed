import { expect, it } from 'vitest';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, openMock } from '../../support/judge-mock.ts';

it('the offset within a first page is 1 for some seeds, and a larger one for others', async () => {
  const mock = await openMock({ records: 1234 });
  const offsets = new Set<number>();
  const note: Behaviour = ({ target, answer }) => {
    const query = new URLSearchParams(target.split('?')[1]);
    const skip = Number(query.get('$skip') ?? 0);
    if (query.get('$pagesize') === '411' && skip > 0 && skip < 411) offsets.add(skip);
    return answer;
  };
  for (const seed of [2, 3, 6, 7]) await judgeBehind(mock, note, { seed, only: ['traversal/by-parameters'] });
  expect(offsets.has(1)).toBe(true);
  expect(Math.max(...offsets)).toBeGreaterThan(1);
});
