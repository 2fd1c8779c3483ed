import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange, Header } from '../../../src/core/exchange.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { readTokenAnswer, tokenGivenBy } from '../../../src/provider/token-answer.ts';
import { longCookiesOf, maskTokenAnswer } from '../../../src/provider/token-mask.ts';
import { makeTarget } from '../../../src/target/make.ts';

const MAX_DEPTH = 100;
const target = makeTarget({
  name: 'acme',
  authUrl: 'https://login.example',
  baseUrl: 'https://api.example',
  credentials: {
    clientId: 'id',
    clientSecret: 'a-client-secret',
    scope: 'api://5f1c2a90-77/read printers.read',
  },
});

function exchange(
  body: string | Uint8Array,
  {
    method = 'POST',
    path = '/connect/token',
    headers = [],
  }: { readonly method?: string; readonly path?: string; readonly headers?: readonly Header[] } = {},
): Exchange {
  return {
    number: 1,
    request: { method, origin: 'https://login.example', target: path, headers: [], body: null },
    answer: {
      status: 200,
      statusText: 'OK',
      httpVersion: '1.1',
      headers,
      body: Buffer.from(body),
      bodyBytesOnWire: 1,
    },
    failure: null,
    startedAt: 0,
    firstByteMs: 1,
    durationMs: 2,
    connection: 1,
    retry: 0,
  };
}

function bodyOf({ answer }: Exchange): string {
  return Buffer.from(answer?.body ?? []).toString('latin1');
}

function masked(body: string | Uint8Array): string {
  return bodyOf(maskTokenAnswer(exchange(body), target));
}

const TOKEN = 'Zk3vQ9-live_token.0123456789';
const STARS = '*'.repeat(TOKEN.length);

describe('an answer of the token endpoint', () => {
  it.each([
    ['the token that the client uses', `{"access_token":"${TOKEN}"}`, `{"access_token":"${TOKEN}"}`],
    [
      'structure, types and lengths',
      `{ "jwt":"${TOKEN}", "n":[null,true,1.50]}`,
      `{ "jwt":"${STARS}", "n":[null,true,1.50]}`,
    ],
    [
      'names, and not those as long as a token',
      `{"accessToken":{"${TOKEN}":1}}`,
      `{"accessToken":{"${STARS}":1}}`,
    ],
    [
      'the digits of expires_in alone',
      '{"expires_in":1234567890123456789,"pin":1234567890123456789}',
      '{"expires_in":1234567890123456789,"pin":1111111111111111111}',
    ],
    [
      'a lifetime that is a string, and no other string of expires_in',
      `{"expires_in":"3600","pin":"3601"}`,
      `{"expires_in":"3600","pin":"****"}`,
    ],
    [
      'no value of a name that is far from its colon',
      `{"scope":"read","id_token"${' '.repeat(99)}:"${TOKEN}","scopes":[1]}`,
      `{"scope":"read","id_token"${' '.repeat(99)}:"${STARS}","scopes":[1]}`,
    ],
    ['no text for a lifetime', `{"expires_in":"one hour 3600"}`, `{"expires_in":"*************"}`],
    [
      'errors, and no token in them',
      `{"error":"invalid_client","error_description":"no ${TOKEN} here"}`,
      `{"error":"invalid_client","error_description":"no ${STARS} here"}`,
    ],
    [
      'scopes, asked for and joined by whatever',
      '{"scope":"printers.read,api://5f1c2a90-77/read"}',
      '{"scope":"printers.read,api://5f1c2a90-77/read"}',
    ],
    [
      'no value where two readers may differ',
      '{"scope":"first","scope":"second"}',
      '{"scope":"*****","scope":"******"}',
    ],
    [
      'a value that is given twice alike',
      '{"token_type":"Bearer","token_type":"Bearer","scope":"first","scope":"second"}',
      '{"token_type":"Bearer","token_type":"Bearer","scope":"*****","scope":"******"}',
    ],
    [
      'values that another doubled name leaves unambiguous',
      '{"note":1,"note":2,"token_type":"Bearer","scope":"a b"}',
      '{"note":1,"note":2,"token_type":"Bearer","scope":"a b"}',
    ],
    [
      'what is broken as broken as it was',
      `{"token_type":"Bearer","id_token":"${TOKEN}`,
      `{"token_type":"Bearer","id_token":"${STARS}`,
    ],
    [
      'the token of a text that checks try',
      `access_token=${TOKEN}&jwt=${TOKEN}`,
      `access_token=${TOKEN}&***=${STARS}`,
    ],
    [
      'the words of an error page',
      '<html><title>502 Bad Gateway</title>',
      '<html><title>502 Bad Gateway</title>',
    ],
  ])('keeps %s', (_what, body, expected) => {
    expect(masked(body)).toBe(expected);
  });

  it('stays invalid UTF-8 if it was', () => {
    expect(masked(Buffer.from(`"\xe9${TOKEN}"`, 'latin1'))).toBe(`"\xff${STARS}"`);
    expect(masked(Buffer.from(`"${TOKEN}"`, 'utf16le'))).not.toMatch(/[A-Za-z0-9]/);
  });

  it('keeps a long cookie that comes with a token, to be redacted', () => {
    const headers: readonly Header[] = [
      ['Set-Cookie', `JSESSIONID=${TOKEN}; Path=/; Comment=${TOKEN}`],
      ['Set-Cookie', 'sid=short; Path=/'],
    ];
    const given = maskTokenAnswer(exchange(`{"access_token":"${TOKEN}x"}`, { headers }), target);
    expect(longCookiesOf(given)).toEqual([TOKEN]);
    expect(given.answer?.headers.map(([, value]) => value)).toEqual([
      `JSESSIONID=${TOKEN}; Path=/; ${'*'.repeat('Comment='.length)}${STARS}`,
      '***=*****; Path=/',
    ]);
    expect(longCookiesOf(maskTokenAnswer(exchange('{}', { headers }), target))).toEqual([]);
  });

  it('reveals no opaque value of a header, and no cookie', () => {
    const headers: readonly Header[] = [
      ['Cache-Control', 'no-store, max-age=31536000'],
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Set-Cookie', 'sid=short; Path=/; HttpOnly'],
      ['Server', `nginx ${TOKEN}`],
      ['Location', `https://a.example/login#access_token=${TOKEN}`],
    ];
    expect(maskTokenAnswer(exchange('', { headers }), target).answer?.headers).toEqual([
      ['Cache-Control', 'no-store, max-age=31536000'],
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Set-Cookie', '***=*****; Path=/; HttpOnly'],
      ['Server', `nginx ${STARS}`],
      ['Location', `https://a.example/login#${'*'.repeat('access_token='.length)}${STARS}`],
    ]);
  });

  it.each([
    ['an address', 'https://127.0.0.1:36347/connect/token', 'https://127.0.0.1:36347/connect/token'],
    [
      'a host with digits',
      'https://login-eu1.acme2024.example:8443/x',
      'https://login-eu1.acme2024.example:8443/x',
    ],
    ['a user', 'https://acme:pass@login.example/x', 'https://*********@login.example/x'],
    [
      'a token in a path',
      `https://login.example/${TOKEN}`,
      `https://login.example${'*'.repeat(TOKEN.length + 1)}`,
    ],
    [
      'a token in a query',
      `https://login.example/?code=${TOKEN}`,
      `https://login.example/?${'*'.repeat(TOKEN.length + 5)}`,
    ],
    ['a token in a host', `https://${TOKEN.replace('.', '')}.example/`, `https://${STARS.slice(1)}.example/`],
    ['a relative reference', '/login', '/login'],
  ])('shows where it redirects to, and no credential in it: %s', (_what, location, shown) => {
    const [header] =
      maskTokenAnswer(exchange('', { headers: [['Location', location]] }), target).answer?.headers ?? [];
    expect(header).toEqual(['Location', shown]);
  });

  it('is masked at any path, and a list is not', () => {
    const list = exchange(`{"items":[{"id":"${TOKEN}"}]}`, { method: 'GET', path: '/v1/printers' });
    expect(maskTokenAnswer(list, target)).toBe(list);
    const elsewhere = exchange('{"refresh_token":"abcdefgh"}', { path: '/login/token' });
    expect(bodyOf(maskTokenAnswer(elsewhere, target))).not.toContain('abcdefgh');
  });

  it('returns the same token to the client, and removes it everywhere', () => {
    const token = fc.oneof(
      fc.string({ unit: 'binary', minLength: 6, maxLength: 80 }),
      fc.array(fc.nat(0xffff), { minLength: 6, maxLength: 20 }).map((units) => String.fromCharCode(...units)),
    );
    const others = fc.dictionary(fc.string({ maxLength: 30 }), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 20,
    });
    fc.assert(
      fc.property(token, others, fc.boolean(), (given, more, isEscaped) => {
        const literal = isEscaped
          ? `"${[...Array(given.length).keys()].map((at) => `\\u${given.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
          : JSON.stringify(given);
        const { access_token: _own, ...decoys } = more as { access_token?: unknown };
        const rest = JSON.stringify({ a: { access_token: 'decoy-0123456' }, ...decoys }).slice(1);
        const raw = exchange(`{"access\\u005ftoken":${literal},${rest}`);
        const seen = maskTokenAnswer(raw, target);
        expect(readTokenAnswer(seen, MAX_DEPTH).token).toBe(given);
        expect(maskTokenAnswer(seen, target)).toEqual(seen);
        const redactor = new Redactor();
        redactor.addToken(tokenGivenBy(seen, MAX_DEPTH) ?? '');
        const recorded = Buffer.from(redactor.redactExchange(seen).answer?.body ?? []).toString();
        expect((JSON.parse(recorded) as { access_token: string }).access_token).toBe('[token-1]');
      }),
      { numRuns: 1000 },
    );
  });
});
