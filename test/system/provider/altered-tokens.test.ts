import { execFileSync } from 'node:child_process';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { alteredTokens } from '../../../src/provider/altered-tokens.ts';
import { furtherTokenProbes } from '../../../src/provider/token-probes.ts';

const OWNER = { clientId: 'provider-1', clientSecret: 'a-secret-of-the-client', scope: 'read' };

/** Without those that are made in the same way as an earlier one, which are not sent either. */
function allAltered(token: string) {
  const { further, rare } = furtherTokenProbes(token, OWNER);
  const all = [...alteredTokens(token, 'random'), ...further, ...rare];
  return all.filter((one, index) => all.findIndex(({ how }) => how === one.how) === index);
}

describe('altered tokens', () => {
  it('are never the token itself, and differ from each other', async () => {
    const jwt = await new SignJWT({ sub: 'provider' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode('a key that nobody else knows'));
    for (const token of [
      jwt,
      'Qm9yZWQtb3BhcXVlLXRva2Vu_0123456789abcdefXYZ',
      '0123456789abcdef0123456789abcdef',
    ]) {
      const made = allAltered(token)
        .map(({ token }) => token)
        .filter((text) => text !== '');
      expect(made).not.toContain(token);
      expect(new Set(made).size).toBe(made.length);
    }
  });

  it('keep the alphabet of an opaque token, and its case where case says nothing', () => {
    const token = '0123456789abcdef0123456789abcdef';
    const altered = allAltered(token).filter(({ how }) => how.startsWith('altered'));
    expect(altered).toHaveLength(3);
    for (const { token: made } of altered) expect(made).toMatch(/^[0-9a-f]{32}$/);
    expect(alteredTokens(token, 'random').map(({ how }) => how)).not.toContain(
      'with its letters in the other case',
    );
  });

  it('never alter spare bits of the last character, which decoders ignore', async () => {
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode('a key that nobody else knows'));
    for (const [token, before] of [
      [jwt, 2],
      ['Qm9yZWQtb3BhcXVlLXRva2Vu_0123456789abcdefXYZ==', 1],
      ['mzxw6ytboi3dsojxgq2tgmbrge4tgmzr', 1],
      // Two spare bits: m and p, the first two letters, begin with the same three bits as o, the last one.
      ['mpxw6ytboi3dsojxgq2tgmbrge4tgmzrmo', 2],
    ] as const) {
      const places = allAltered(token)
        .filter(({ how }) => how.startsWith('altered'))
        .map(({ token: made }) => [...made].findLastIndex((letter, place) => letter !== token[place]));
      expect(places).toHaveLength(3);
      expect(Math.max(...places)).toBe(token.replace(/=+$/, '').length - before);
    }
  });

  it('change the decoded bytes, at any place of the altered character', () => {
    // The middle of each is the last character of a part, whose spare bits decoders ignore.
    for (const token of [
      'Qm9yZWQtb3BhcXVlLXRvaw.Qm9yZWQtb3BhcXVlLXRv',
      'QUJDREVGR0g.QUJDREVGR0g',
      'AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAB',
    ]) {
      const bytes = (text: string): readonly string[] =>
        text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
      const altered = allAltered(token).filter(({ how }) => how.startsWith('altered'));
      expect(altered).toHaveLength(3);
      for (const { token: made } of altered) expect(bytes(made)).not.toEqual(bytes(token));
    }
  });

  it('are made again by their shell expressions', async () => {
    const jwt = await new SignJWT({ sub: 'provider', exp: 1_800_000_000 })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(new TextEncoder().encode('a key that nobody else knows'));
    for (const token of [jwt, 'Qm9yZWQtb3BhcXVlLXRva2Vu_0123456789abcdefXYZ']) {
      for (const { how, shell, token: altered } of allAltered(token)) {
        if (altered === '') continue;
        const made = execFileSync('bash', ['-c', `printf %s "${shell}"`], {
          env: { ...process.env, TOKEN: token, CLIENT_SECRET: OWNER.clientSecret },
        }).toString();
        expect(made.replaceAll("'", ''), how).toBe(altered);
      }
    }
  });
});
