import { describe, expect, it } from 'vitest';
import { tokenFactsOf } from '../../../src/evidence/secret-facts.ts';

describe('what evidence keeps of a token', () => {
  it.each([
    ['abcdefghijklmnop', 'ab'],
    ['aaabcdefghijklmn', 'aaab'],
    ['aaaabcdefghijklm', ''],
    ['abcdefghijklmno', ''],
    ['                ', '                '],
  ])('of %j the beginning %j, which is no more than four characters of sixteen', (token, lead) => {
    expect(tokenFactsOf(token, 'token-1').token?.lead).toBe(lead);
  });
});
