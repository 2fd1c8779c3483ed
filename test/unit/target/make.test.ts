import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, makeTarget, originsOf } from '../../../src/target/make.ts';
import { secretsOf } from '../../../src/target/target.ts';

describe('makeTarget', () => {
  const credentials = { clientId: 'a', clientSecret: 'b', scope: 'c' };

  it('adds defaults, keeps given values, and freezes', () => {
    const target = makeTarget({
      authUrl: 'http://127.0.0.1:1/',
      baseUrl: 'http://127.0.0.1:2/x//',
      credentials,
      limits: { retries: 0 },
      expiry: { clockRate: 9 },
    });
    expect(target).toMatchObject({ name: '127.0.0.1:2', baseUrl: 'http://127.0.0.1:2/x' });
    expect(target.limits).toEqual({ ...DEFAULT_LIMITS, retries: 0 });
    expect(target.expiry).toEqual({ toleranceSeconds: 300, clockRate: 9 });
    expect(Object.isFrozen(target.credentials)).toBe(true);
    expect(Object.isFrozen(credentials)).toBe(false);
    expect(originsOf(target)).toEqual(['http://127.0.0.1:1', 'http://127.0.0.1:2']);
  });

  it('lists what follows a scheme in a secret header, and the values of cookies', () => {
    const headers = {
      'X-Gateway-Key': 'ApiKey 0123456789abcdef',
      Cookie: 'session=fedcba9876543210; theme=dark',
      'X-Plain-Key': '0123456789',
    };
    const target = makeTarget({ authUrl: 'http://a', baseUrl: 'http://a', credentials, headers });
    const found = new Set(secretsOf(target).map(({ secret, label }) => `${label} ${secret}`));
    expect(found).toContain('header-x-gateway-key 0123456789abcdef');
    expect(found).toContain('header-cookie fedcba9876543210');
    expect([...found].filter((one) => one.startsWith('header-x-plain-key'))).toHaveLength(1);
    expect([...found].some((one) => one.endsWith(' dark'))).toBe(false);
  });

  it('lists its secrets', () => {
    const target = makeTarget({
      authUrl: 'http://a',
      baseUrl: 'http://a',
      credentials,
      otherCredentials: { clientId: 'o', clientSecret: 'p', scope: 'q' },
      expiredToken: 'e',
      headers: { 'X-Api-Key': 'k', Accept: 'x' },
    });
    expect(secretsOf(target)).toEqual([
      { secret: 'b', label: 'client-secret', clientId: 'a' },
      { secret: 'p', label: 'other-client-secret', clientId: 'o' },
      { secret: 'e', label: 'expired-token', clientId: null },
      { secret: 'k', label: 'header-x-api-key', clientId: null },
    ]);
    expect(originsOf(target)).toEqual(['http://a']);
  });
});
