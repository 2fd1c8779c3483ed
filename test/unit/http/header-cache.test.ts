import { describe, expect, it } from 'vitest';
import { HeaderCache } from '../../../src/http/header-cache.ts';

describe('HeaderCache', () => {
  it('returns the same object for equal headers', () => {
    const headers = new HeaderCache();
    const first = headers.shared('Accept', 'application/json');
    expect(first).toEqual(['Accept', 'application/json']);
    expect(headers.shared('Accept', 'application/json')).toBe(first);
  });

  it('distinguishes headers by case and by the end of the name', () => {
    const headers = new HeaderCache();
    const different = [
      ['a', 'b:c'],
      ['a:b', 'c'],
      ['A', 'b:c'],
      ['1', '1 x'],
      ['11', ' x'],
      ['', 'a'],
      ['a', ''],
    ] as const;
    const given = different.map(([name, value]) => headers.shared(name, value));
    expect(given).toEqual(different);
    expect(new Set(given).size).toBe(different.length);
    expect(different.map(([name, value]) => headers.shared(name, value))).toEqual(given);
  });

  it('is bounded in number and length', () => {
    const headers = new HeaderCache();
    const long = headers.shared('Set-Cookie', 'x'.repeat(300));
    expect(headers.shared('Set-Cookie', 'x'.repeat(300))).not.toBe(long);
    const first = headers.shared('Date', '0');
    for (let count = 1; count < 600; count += 1) headers.shared('Date', String(count));
    expect(headers.shared('Date', '0')).not.toBe(first);
  });
});
