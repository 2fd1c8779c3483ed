import { execFileSync } from 'node:child_process';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { forgeriesOf } from '../../../src/judge/forgeries.ts';

describe('forged tokens', () => {
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
      const forged = forgeriesOf(token, 'random').map((forgery) => forgery.token);
      expect(forged).not.toContain(token);
      expect(new Set(forged).size).toBe(forged.length);
    }
  });

  it('keep the alphabet of an opaque token, and its case where case says nothing', () => {
    const token = '0123456789abcdef0123456789abcdef';
    const altered = forgeriesOf(token, 'random').filter(({ how }) => how.startsWith('altered'));
    expect(altered).toHaveLength(3);
    for (const { token: forged } of altered) expect(forged).toMatch(/^[0-9a-f]{32}$/);
    expect(forgeriesOf(token, 'random').map(({ how }) => how)).not.toContain(
      'with its letters in the other case',
    );
  });

  it('never alter the last character of base64, whose spare bits decoders ignore, but one near it', async () => {
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode('a key that nobody else knows'));
    for (const token of [jwt, 'Qm9yZWQtb3BhcXVlLXRva2Vu_0123456789abcdefXYZ==']) {
      const places = forgeriesOf(token, 'random')
        .filter(({ how }) => how.startsWith('altered'))
        .map(({ token: forged }) => [...forged].findLastIndex((letter, place) => letter !== token[place]));
      expect(places).toHaveLength(3);
      expect(Math.max(...places)).toBe(token.replace(/=+$/, '').length - 2);
    }
  });

  it('change the bytes that their part stands for, wherever the altered character stands', () => {
    // The middle of each is the last character of a part, whose spare bits decoders ignore.
    for (const token of [
      'Qm9yZWQtb3BhcXVlLXRvaw.Qm9yZWQtb3BhcXVlLXRv',
      'QUJDREVGR0g.QUJDREVGR0g',
      'AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAB',
    ]) {
      const bytes = (text: string): readonly string[] =>
        text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
      const altered = forgeriesOf(token, 'random').filter(({ how }) => how.startsWith('altered'));
      expect(altered).toHaveLength(3);
      for (const { token: forged } of altered) expect(bytes(forged)).not.toEqual(bytes(token));
    }
  });

  it('are made again by their shell expressions', async () => {
    const jwt = await new SignJWT({ sub: 'provider', exp: 1_800_000_000 })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(new TextEncoder().encode('a key that nobody else knows'));
    for (const token of [jwt, 'Qm9yZWQtb3BhcXVlLXRva2Vu_0123456789abcdefXYZ']) {
      const forgeries = forgeriesOf(token, 'random').filter((one) => one.token !== '');
      const script = forgeries.map(({ shell }) => `printf '%s\\n' "${shell}"`).join('\n');
      const made = execFileSync('bash', ['-c', script], {
        env: { ...process.env, TOKEN: token },
        encoding: 'utf8',
      });
      expect(made.replaceAll("'", '').trimEnd().split('\n')).toEqual(forgeries.map((one) => one.token));
    }
  });
});
