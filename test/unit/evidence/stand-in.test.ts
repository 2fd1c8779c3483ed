import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBearerToken } from '../../../src/core/bearer-token.ts';
import { jwtOf } from '../../../src/core/jwt.ts';
import { Restorer, tokenFactsOf } from '../../../src/evidence/secret-facts.ts';
import { alteredTokens, tokensAlteredAtEnds } from '../../../src/provider/altered-tokens.ts';
import { controlCharacterCode } from '../../../src/provider/token-answer.ts';

const RANDOM = 'assay0random';

/** How copies of a token are made, as curl commands of a report show it. */
function shellsOf(token: string): readonly string[] {
  const jwt = jwtOf(token);
  const atEnds = jwt === null ? [] : tokensAlteredAtEnds(jwt, token);
  return [...alteredTokens(token, RANDOM), ...atEnds].map(({ how, shell }) => `${how}: ${shell}`);
}

function standInOf(token: string): string {
  return new Restorer().learn(tokenFactsOf(token, 'token-1'));
}

const ALPHABETS = {
  hexadecimal: '0123456789abcdef',
  base32: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
} as const;

/** As random as tokens are. */
function texts(alphabet: string, length: { readonly minLength: number; readonly maxLength: number }) {
  return fc.noBias(fc.string({ unit: fc.constantFrom(...alphabet), ...length }));
}

function expectSameAlterations(tokens: fc.Arbitrary<string>): void {
  fc.assert(
    fc.property(tokens, (token) => {
      // The prefix of others is not recorded: it would reveal too much of them.
      fc.pre(tokenFactsOf(token, 'token-1').token?.lead !== '');
      expect(shellsOf(standInOf(token))).toEqual(shellsOf(token));
    }),
    { numRuns: 500 },
  );
}

describe('the stand-in of a token in a replay', () => {
  it.each(Object.entries(ALPHABETS))('is altered as the token is: %s', (_name, alphabet) => {
    expectSameAlterations(texts(alphabet, { minLength: 20, maxLength: 90 }));
  });

  it.each([
    ['.', 43],
    [':', 27],
    ['|', 40],
    ['--', 64],
  ])('is altered as a token of two parts with %s', (separator, length) => {
    const first = texts(ALPHABETS.base64url, { minLength: 5, maxLength: 60 });
    const last = texts(ALPHABETS.hexadecimal, { minLength: length, maxLength: length });
    expectSameAlterations(fc.tuple(first, last).map((parts) => parts.join(separator)));
  });
});

const SIGNED = `${['{"alg":"HS256"}', '{"sub":"a"}'].map((part) => Buffer.from(part).toString('base64url')).join('.')}.`;

it.each(['Tok0123456789abc\ndefgh', 'Bearer Tok0123456789abcdefgh', `${SIGNED}Tok0123456789abcdefgh\r`])(
  'keeps in %j what no bearer token has',
  (token) => {
    const standIn = standInOf(token);
    expect(isBearerToken(standIn)).toBe(isBearerToken(token));
    expect(controlCharacterCode(standIn)).toBe(controlCharacterCode(token));
    expect(jwtOf(standIn) === null).toBe(jwtOf(token) === null);
  },
);
