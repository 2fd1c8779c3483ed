import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern, PatternError } from '../../../../src/core/schemas/user-schema.ts';

/** Characters that belong to different classes in ECMA-262 and RE2, and some of each kind. */
const LETTERS = [...'ab Zk09_-.:[]^$\n\r\t\v\f\b\0/\\αΣé\u00a0\u1680\u2028\u2029\u202f\u3000\ufeff😀\ud83d'];

const PATTERNS = [
  '^(a+)+$',
  '(a|a)*b',
  '.',
  '^.$',
  '[.]',
  '\\s',
  '^\\S+$',
  '[\\s\\S]',
  '[^\\s]',
  '[^\\S]',
  '[\\S0]',
  '\\bab\\b',
  '[\\b]',
  '[[:alpha]',
  '[[:a]',
  '[^]',
  '[]',
  '[]|a',
  '\\0',
  '\\cI',
  '\\x61|\\u0062|\\u{1F600}',
  '\\uD83D\\uDE00',
  '[\\uD83D\\uDE00-\\u{1F601}]',
  '\\p{L}',
  '\\p{Script=Greek}',
  '[^\\p{gc=Lu}]',
  '\\P{sc=Greek}',
  '(?<name>a)b',
  '\\/|[\\-a]',
  '\\w\\W',
  '\\d\\D',
  'a{2,3}b?',
  '^$',
  '^a|b$',
  '(?:)',
];

describe('a pattern matched in linear time', () => {
  it.each(PATTERNS)('matches the same texts as in ECMA-262: %s', (pattern) => {
    const own = new RegExp(pattern, 'u');
    const linear = linearPattern(pattern);
    const text = fc.array(fc.constantFrom(...LETTERS), { maxLength: 6 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(text, (one) => {
        expect([one, linear.test(one)]).toEqual([one, own.test(one)]);
      }),
      { numRuns: 500, seed: 7 },
    );
    for (const letter of LETTERS) expect([letter, linear.test(letter)]).toEqual([letter, own.test(letter)]);
  });

  it.each(['^(a+)+$', '(x+x+)+y', '^(.*a){20}$'])(
    'terminates on a text of a million characters: %s',
    (pattern) => {
      expect(linearPattern(pattern).test(`${'ax'.repeat(500_000)}!`)).toBe(false);
      expect(linearPattern(pattern).test(`${'x'.repeat(1_000_000)}!`)).toBe(false);
    },
  );

  it.each([
    'a(?=b)',
    'a(?!b)',
    '(?<=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    'a{1001}',
    '\\p{ASCII}',
    '(',
    '\\q',
  ])('is rejected if it is not linear: %s', (pattern) => {
    expect(() => linearPattern(pattern)).toThrow(PatternError);
  });
});
