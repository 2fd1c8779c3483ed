import { describe, expect, it } from 'vitest';
import { tokenFactsOf } from '../../../src/evidence/secret-facts.ts';

describe('the recorded facts of a token', () => {
  it.each([
    ['abcdefghijklmnop', 'ab'],
    ['aaabcdefghijklmn', 'aaab'],
    ['aaaabcdefghijklm', ''],
    ['abcdefghijklmno', ''],
    ['                ', '                '],
  ])('of %j contain the prefix %j, at most four of sixteen characters', (token, lead) => {
    expect(tokenFactsOf(token, 'token-1').token?.lead).toBe(lead);
  });
});
