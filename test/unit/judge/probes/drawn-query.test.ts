import { describe, expect, it } from 'vitest';
import { drawnQuery } from '../../../../src/judge/probes/drawn-query.ts';
import { seededNumber } from '../../../../src/judge/property.ts';

function queryOf(seed: number, label = 'probe'): string {
  return drawnQuery({ random: (text) => seededNumber(seed, text) }, label);
}

const queries = Array.from({ length: 300 }, (_none, seed) => queryOf(seed));

describe('drawn queries of list calls', () => {
  it('are the same for the same seed and label', () => {
    expect(queryOf(5)).toBe(queryOf(5));
    expect(new Set(['a', 'b', 'c', 'd'].map((label) => queryOf(5, label))).size).toBeGreaterThan(1);
  });

  it('are never empty, and have each parameter at most once', () => {
    for (const query of queries) {
      const names = [...new URLSearchParams(query).keys()];
      expect(query).toMatch(/^\?./);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it.each([
    ['$count=true', /[?&](?:\$|%24)count=true/],
    ['$count=false', /[?&](?:\$|%24)count=false/],
    ['no $count', /^(?!.*count)/],
    ['encoded names', /%24/],
    ['a page size up to 20', /pagesize=(?:1?\d|20)(?:&|$)/],
    ['no page size', /^(?!.*pagesize)/],
    ['$skip', /skip=1/],
  ])('are drawn with %s', (_what, form) => {
    expect(queries.some((query) => form.test(query))).toBe(true);
  });
});
