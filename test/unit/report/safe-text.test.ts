import { describe, expect, test } from 'vitest';
import { excerpt, showCase, showJson, visible } from '../../../src/report/wording/phrases.ts';
import { FORBIDDEN, HOSTILE } from '../../support/report/sample.ts';

describe('visible text', () => {
  test.each([
    ['\u001b[31m', '\\u001b[31m'],
    ['a\nb\tc\r', 'a\\nb\\tc\\r'],
    ['\u202egpj', '\\u202egpj'],
    ['\u0000\u007f\u009b', '\\u0000\\u007f\\u009b'],
    ['\ud800x', '\\ud800x'],
    ['\ufffe\u{1ffff}', '\\ufffe\\u{1ffff}'],
    ['\u2028\u200b\ufeff', '\\u2028\\u200b\\ufeff'],
    ['\u{e0041}', '\\u{e0041}'],
  ])('%j becomes %j', (given, shown) => {
    expect(visible(given)).toBe(shown);
  });

  test('keeps letters of every script', () => {
    const text = 'Grüße, 日本語, العربية, עברית, 😀, C:\\new "quoted"';
    expect(visible(text)).toBe(text);
  });

  test('contains no forbidden characters', () => {
    expect(visible(HOSTILE)).not.toMatch(FORBIDDEN);
    expect(showJson({ [HOSTILE]: HOSTILE })).not.toMatch(FORBIDDEN);
    expect(showCase({ [HOSTILE]: HOSTILE })).not.toMatch(FORBIDDEN);
  });
});

describe('excerpts', () => {
  test('are complete if they fit', () => {
    expect(excerpt('abc', 3)).toBe('abc');
  });

  test('state the length of the text, and never split a character', () => {
    expect(excerpt('abcdef', 3)).toBe('abc… (6 characters in all)');
    expect(excerpt('ab😀def', 3)).toBe('ab… (7 characters in all)');
    expect(excerpt('x'.repeat(5000), 10)).toBe('xxxxxxxxxx… (5,000 characters in all)');
  });

  test('show cases as text', () => {
    expect(showCase({ pageSize: 7, page: 3 })).toBe('pageSize 7, page 3');
  });
});
