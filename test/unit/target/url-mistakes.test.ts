import { describe, expect, test } from 'vitest';
import { makeTarget } from '../../../src/target/make.ts';
import { urlMistakes } from '../../../src/target/warnings.ts';

function found(authUrl: string, baseUrl: string): readonly string[] {
  const credentials = { clientId: 'a', clientSecret: 'b', scope: 'c' };
  const target = makeTarget({ authUrl, baseUrl, credentials, places: { baseUrl: 'acme.yaml:3' } });
  return urlMistakes(target).map(({ kind, key }) => `${kind} ${key}`);
}

const AUTH = 'https://login.example';
const BASE = 'https://api.example/int';

describe('the URLs of a target', () => {
  test.each([
    [AUTH, BASE, []],
    [`${AUTH}/connect/token`, BASE, ['doubled-path authUrl']],
    [`${AUTH}/idp/connect/token/`, BASE, ['doubled-path authUrl']],
    [`${AUTH}/connect`, BASE, ['doubled-path authUrl']],
    [`${AUTH}/reconnect`, BASE, []],
    [AUTH, `${BASE}/v1/printers`, ['doubled-path baseUrl']],
    [AUTH, `${BASE}/v1`, ['doubled-path baseUrl']],
    [AUTH, `${BASE}/printers`, []],
    ['http://login.example', BASE, ['http authUrl']],
    [AUTH, 'http://api.example', ['http baseUrl']],
    ['http://127.0.0.1:1', 'http://localhost:1', []],
  ])('%s and %s', (authUrl, baseUrl, mistakes) => {
    expect(found(authUrl, baseUrl)).toEqual(mistakes);
  });

  test('are corrected with key and location', () => {
    const credentials = { clientId: 'a', clientSecret: 'b', scope: 'c' };
    const places = { baseUrl: 'acme.yaml:3' };
    const target = makeTarget({ authUrl: AUTH, baseUrl: `${BASE}/v1`, credentials, places });
    const [mistake] = urlMistakes(target);
    expect(mistake?.sentence).toContain('acme.yaml:3');
    expect(mistake?.sentence).toContain(`write ${BASE}.`);
  });
});
