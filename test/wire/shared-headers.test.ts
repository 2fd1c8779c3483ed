import { describe, expect, it } from 'vitest';
import type { Header } from '../../src/core/exchange.ts';
import { SharedHeaders } from '../../src/wire/shared-headers.ts';

describe('SharedHeaders', () => {
  it('gives the first of equal headers', () => {
    const headers = new SharedHeaders();
    const first: Header = ['Accept', 'application/json'];
    expect(headers.shared(first)).toBe(first);
    expect(headers.shared(['Accept', 'application/json'])).toBe(first);
  });

  it('tells headers apart by their case, and by where the name ends', () => {
    const headers = new SharedHeaders();
    const different: readonly Header[] = [
      ['a', 'b:c'],
      ['a:b', 'c'],
      ['A', 'b:c'],
      ['1', '1 x'],
      ['11', ' x'],
      ['', 'a'],
      ['a', ''],
    ];
    for (const header of different) expect(headers.shared(header)).toBe(header);
    for (const [name, value] of different) expect(headers.shared([name, value])).toEqual([name, value]);
  });

  it('keeps neither long ones nor very many', () => {
    const headers = new SharedHeaders();
    const long: Header = ['Set-Cookie', 'x'.repeat(300)];
    headers.shared(long);
    expect(headers.shared(['Set-Cookie', 'x'.repeat(300)])).not.toBe(long);
    const first: Header = ['Date', '0'];
    headers.shared(first);
    for (let count = 1; count < 600; count += 1) headers.shared(['Date', String(count)]);
    expect(headers.shared(['Date', '0'])).not.toBe(first);
  });
});
