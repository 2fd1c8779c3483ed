import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../src/judge/violation.ts';

const keyOfLink = (link: string) =>
  keyOf({ key: `95 ${link}`, message: '', expected: 1, actual: 2, exchanges: [] });

describe('the key of a breach', () => {
  it('does not depend on further parameters of links', () => {
    const key = keyOfLink('/v1/printers?$count=true&$pagesize=95&$skip=95&time=1');
    expect(keyOfLink('/v1/printers?$count=true&$pagesize=95&$skip=95&time=2')).toBe(key);
    expect(keyOfLink('/v1/printers?nonce=x,y&$skip=95&%24pagesize=95&$count=true')).toBe(key);
  });

  it('depends on $count, $pagesize and $skip', () => {
    const links = ['$skip=1', '$skip=2', '$pagesize=1', '$count=true', '$count=false', ''];
    expect(new Set(links.map((query) => keyOfLink(`/v1/printers?${query}`))).size).toBe(links.length);
  });

  it('is the message without further parameters if none is given', () => {
    const of = (time: number) =>
      keyOf({ message: `GET /v1?$skip=7&time=${time}, is refused`, expected: 1, actual: 2, exchanges: [] });
    expect(of(1)).toBe(of(2));
  });
});
