import { describe, expect, test } from 'vitest';
import { makeTarget } from '../../../src/target/make.ts';
import { doubledPaths } from '../../../src/target/warnings.ts';

function found(authUrl: string, baseUrl: string): readonly string[] {
  const credentials = { clientId: 'a', clientSecret: 'b', scope: 'c' };
  const target = makeTarget({ authUrl, baseUrl, credentials, places: { baseUrl: 'acme.yaml:3' } });
  return doubledPaths(target).map((sentence) => sentence.split(' ')[0] ?? '');
}

const AUTH = 'https://login.example';
const BASE = 'https://api.example/int';

describe('the URLs of a target', () => {
  test.each([
    [AUTH, BASE, []],
    [`${AUTH}/connect/token`, BASE, ['authUrl']],
    [`${AUTH}/idp/connect/token/`, BASE, ['authUrl']],
    [`${AUTH}/connect`, BASE, ['authUrl']],
    [`${AUTH}/reconnect`, BASE, []],
    [AUTH, `${BASE}/v1/printers`, ['baseUrl']],
    [AUTH, `${BASE}/v1`, ['baseUrl']],
    [AUTH, `${BASE}/printers`, []],
  ])('%s and %s', (authUrl, baseUrl, mistakes) => {
    expect(found(authUrl, baseUrl)).toEqual(mistakes);
  });

  test('need no path for a list at the root', () => {
    const credentials = { clientId: 'a', clientSecret: 'b', scope: 'c' };
    const resources = [{ name: 'all', path: '/', itemSchema: 'printer', idField: 'id' }];
    const target = makeTarget({ authUrl: AUTH, baseUrl: 'https://api.example', credentials, resources });
    expect(doubledPaths(target)).toEqual([]);
  });

  test('are corrected with key and location', () => {
    const credentials = { clientId: 'a', clientSecret: 'b', scope: 'c' };
    const places = { baseUrl: 'acme.yaml:3' };
    const target = makeTarget({ authUrl: AUTH, baseUrl: `${BASE}/v1`, credentials, places });
    const [sentence] = doubledPaths(target);
    expect(sentence).toContain('acme.yaml:3');
    expect(sentence).toContain(`write ${BASE}.`);
  });
});
