import { describe, expect, it } from 'vitest';
import type { Exchange, Failure, FailureCode } from '../../../src/core/exchange.ts';
import { listRefusal, sameAnswerDiagnosis, tenantDiagnosis } from '../../../src/provider/diagnosis.ts';
import { failureDiagnosis } from '../../../src/provider/failure-diagnosis.ts';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';
import { makeTarget } from '../../../src/target/make.ts';

const parts = {
  name: 'acme',
  authUrl: 'http://login.example',
  baseUrl: 'http://api.example',
  credentials: { clientId: 'id', clientSecret: 'a-client-secret', scope: 'printers.read' },
};
const target = makeTarget(parts);

function diagnosis(
  failure: Failure,
  { hasAnswered = false, of = target, path = '/v1/printers?$skip=5' } = {},
) {
  const request = { method: 'GET', origin: 'http://api.example', target: path, headers: [], body: null };
  return failureDiagnosis(failure, { request, retry: 3 }, of, hasAnswered);
}

const failureOf = (code: FailureCode, status?: number): Failure => ({
  code,
  message: 'it failed',
  ...(status === undefined ? {} : { status }),
});

describe('a request without an answer', () => {
  it.each([
    'closed',
    'truncated',
    'malformed',
    'refused',
    'answer-timeout',
    'unresolved',
    'tls',
    'proxy',
  ] as const)('is no mistake of the target file if the provider answered others (%s)', (code) => {
    const { cause, verdict, sentence } = diagnosis(failureOf(code), { hasAnswered: true });
    expect([cause, verdict]).toEqual([{ kind: 'unavailable', status: null }, 'inconclusive']);
    expect(sentence).toContain('GET /v1/printers?$skip=5 got no complete answer in any of 4 attempts');
    expect(sentence).not.toContain('baseUrl');
  });

  it('may be one of a wrong URL if the provider answered nothing', () => {
    expect(diagnosis(failureOf('closed')).sentence).toContain('baseUrl: it may need https');
    expect(diagnosis(failureOf('unresolved')).cause).toEqual({ kind: 'configuration', key: 'baseUrl' });
  });

  it('shows no long query', () => {
    const { sentence } = diagnosis(failureOf('closed'), {
      hasAnswered: true,
      path: `/v1?${'x'.repeat(300)}`,
    });
    expect(sentence).toContain('GET /v1 got');
  });
});

describe('a request that was not sent since earlier ones were refused', () => {
  it.each([429, 503])('has the status %i, and blames no URL', (status) => {
    const { cause, sentence } = diagnosis(failureOf('retry-later', status), { hasAnswered: true });
    expect(cause).toEqual({ kind: 'unavailable', status });
    expect(sentence).not.toContain('baseUrl');
  });

  it('names the URL if nothing was answered', () => {
    expect(diagnosis(failureOf('retry-later')).sentence).toContain('baseUrl');
  });
});

describe('a client certificate', () => {
  it.each([
    ['is missing', null],
    ['is refused', 'client.pem'],
  ])('that %s is named', (_what, cert) => {
    const of = makeTarget({ ...parts, tls: { cert, key: cert } });
    const { cause, sentence } = diagnosis(failureOf('client-certificate'), { of });
    expect(cause).toEqual({ kind: 'configuration', key: 'tls.cert' });
    expect(sentence).toContain('tls.key');
  });
});

it('names tls.ca for a certificate of an unknown authority', () => {
  expect(diagnosis(failureOf('untrusted')).cause).toEqual({ kind: 'configuration', key: 'tls.ca' });
});

it('names the path of the list that is answered 404', () => {
  const list = (name: string, path: string) => ({ name, path, itemSchema: 'printer', idField: 'id' });
  const resources = [list('old', '/units'), list('units', '/v1/units')];
  const of = makeTarget({ ...parts, resources });
  const request = {
    method: 'GET',
    origin: 'http://api.example',
    target: '/v1/units?$count=true',
    headers: [],
    body: null,
  };
  const answer = {
    status: 404,
    statusText: '',
    httpVersion: '1.1',
    headers: [],
    body: new Uint8Array(),
    bodyBytesOnWire: 0,
  };
  const times = { startedAt: 0, firstByteMs: 1, durationMs: 1, connection: 1, retry: 0 };
  const refusal = listRefusal({ number: 1, request, answer, failure: null, ...times }, of);
  expect(refusal?.sentence).toContain('(/v1/units), so check resources[1].path');
});

describe('a list call that is redirected', () => {
  const redirected = (location: string) =>
    tenantDiagnosis(
      {
        request: {
          method: 'GET',
          origin: 'http://api.example',
          target: '/v1/printers',
          headers: [],
          body: null,
        },
        answer: { status: 302, statusText: '', headers: [['Location', location]], body: new Uint8Array() },
      } as unknown as Exchange,
      makeTarget({ ...parts, tenant: 'acme' }),
    );

  it('is a mistake of the target file if it leads to a page of tenants, and only then', () => {
    expect(redirected('/choose-tenant')?.cause).toEqual({ kind: 'configuration', key: 'tenant' });
    expect(redirected('/v2/printers')).toBeNull();
  });
});

it('says where a site redirects every path to, if it is another one', () => {
  const redirected = (path: string) =>
    ({
      request: { method: 'GET', origin: target.baseUrl, target: path, headers: [], body: null },
      answer: { status: 301, headers: [['Location', `https://api.example${path}`]], body: new Uint8Array() },
    }) as unknown as Exchange;
  const diagnosed = sameAnswerDiagnosis(redirected('/v1/printers'), redirected('/unknown'), target);
  expect(diagnosed?.cause).toEqual({ kind: 'configuration', key: 'baseUrl' });
  expect(diagnosed?.sentence).toContain('https://api.example/v1/printers');
});

it('a cut Location shows no part of a token', () => {
  const token = `secret${'0123456789'.repeat(30)}`;
  const request = { method: 'GET', origin: target.baseUrl, target: '/v1/printers', headers: [], body: null };
  const headers = [['Location', `https://login.example/?token=${token}`]];
  const answer = { status: 302, headers, body: new Uint8Array() };
  const sentence = listRefusal({ request, answer } as unknown as Exchange, target)?.sentence ?? '';
  const secrets = new SecretRegistry();
  secrets.addToken(token);
  expect(sentence).toContain('Location');
  expect(secrets.redactWords(sentence)).not.toContain(token.slice(0, 12));
});
