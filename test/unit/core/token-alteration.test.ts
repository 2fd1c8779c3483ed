import { describe, expect, it } from 'vitest';
import { alterationAt, lastPartOf, opaquePlaces } from '../../../src/core/token-alteration.ts';

describe('alterationAt', () => {
  it('alters a character that carries information', () => {
    // The last character of 16 bytes in base64 carries two bits, which these two letters share.
    expect(alterationAt('AAECAwQFBgcICQoLDA0ODB', 21)).toMatchObject({ index: 20 });
    expect(alterationAt('...', 1)).toBeNull();
  });

  // A provider may issue a token of a megabyte: none of these may take quadratic time.
  it.each([
    ['one letter', 'a'],
    ['no letter', '!'],
    ['padding', 'ab='],
    ['parts', 'ab.'],
  ])('alters a token of 600,000 characters (%s)', (_what, piece) => {
    const token = piece.repeat(600_000 / piece.length);
    const altered = alterationAt(token, opaquePlaces(`${token}x`)[1]);
    expect(altered === null).toBe(piece.length === 1);
  });
});

describe('lastPartOf', () => {
  it.each([
    ['eyJhIjoxfQ.c2lnbmF0dXJlIG9mIGl0', '.', 11],
    ['eyJh:1tXyZ0:c2lnbmF0dXJlIG9mIGl0', ':', 12],
    ['eyJhIjoxfQ.c2lnbmF0--JlIG9mIGl0', '.', 11],
    ['12|abcdefghijklmnopqrstuvwxyz0123456789', '|', 3],
    [`eyJhIjoxfQ==--${'0a'.repeat(20)}`, '--', 14],
  ])('finds what may be a signature in %s', (token, separator, start) => {
    expect(lastPartOf(token)).toEqual({ separator, start });
  });

  it.each([
    'abcdefghijklmnopqrstuvwxyz',
    'abcdefghijklmnop.short',
    'abc--defghijklmnopqrstuvwxyz',
    '.abcdefghijklmnopqrst',
  ])('finds none in %s', (token) => {
    expect(lastPartOf(token)).toBeNull();
  });
});
