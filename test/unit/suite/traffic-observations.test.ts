import { describe, expect, it } from 'vitest';
import { observers } from '../../../specs/observations/index.ts';
import type { Header } from '../../../src/core/exchange.ts';
import type { ObservationResult } from '../../../src/core/results.ts';
import type { LoggedExchange } from '../../../src/core/traffic.ts';
import type { JudgeInput } from '../../../src/judge/check.ts';
import { makeObservation, recordedTraffic } from '../../../src/judge/observation.ts';
import type { Page } from '../../../src/provider/page.ts';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';
import { judgeBehind, openMock } from '../../support/judge-mock.ts';

/** What is observed of a run that met these answers. */
function observed(
  id: string,
  answers: readonly (readonly [status: number, headers: readonly Header[]])[],
  url = 'http://127.0.0.1:1',
  pages: readonly Partial<Page>[] = [],
): Promise<ObservationResult> {
  const observer = observers.find(({ observation }) => observation.id === id);
  if (observer === undefined) throw new Error(`nothing looks at ${id}`);
  const log = answers.map(([status, headers], index) => ({
    number: index + 1,
    request: { method: 'GET', target: '/v1/printers', headers: [['Accept', 'application/json']] },
    status,
    answer: { httpVersion: '1.1', headers, excerpt: '', errorCode: null },
    connection: 1,
  })) as unknown as readonly LoggedExchange[];
  const list = { path: '/v1/printers', resource: { name: 'printers' } };
  const input = {
    list,
    secrets: new SecretRegistry(),
    target: { authUrl: url, baseUrl: url, tenant: null, headers: {} },
    tokens: { history: { isIssued: () => true } },
    snapshots: { at: () => ({ answers: () => pages, pages: () => pages, targetOf: () => '/v1/printers' }) },
    requester: () => ({ run: (work: () => unknown) => work() }),
  };
  return makeObservation(observer, input as unknown as JudgeInput, recordedTraffic(log, list.path), true);
}

describe('observe/rate-limit', () => {
  it.each([
    [[[200, []]], 'none met', undefined],
    [[[429, []]], '1 answer of 429', {}],
    [
      [
        [429, []],
        [429, [['Retry-After', '1']]],
        [200, []],
      ],
      '2 answers of 429',
      { 'retry-after': 1 },
    ],
    [
      [[200, [['RateLimit', '"default";r=5']]]],
      'headers that tell of a limit, and no answer of 429',
      { ratelimit: 1 },
    ],
    [
      [[200, [['X-Rate-Limit-Remaining', '5']]]],
      'headers that tell of a limit, and no answer of 429',
      { 'x-rate-limit-remaining': 1 },
    ],
    [
      [
        [
          200,
          [
            ['X-RateLimit-Limit', '5'],
            ['Rate-Limit-Policy', 'x'],
            ['X-Corporate-Limit', '5'],
          ],
        ],
      ],
      'headers that tell of a limit, and no answer of 429',
      { 'x-ratelimit-limit': 1, 'rate-limit-policy': 1 },
    ],
  ] as const)('of %j: %s', async (answers, value, headers) => {
    const seen = await observed('observe/rate-limit', answers);
    expect(seen.value).toBe(value);
    expect(seen.detail['headers']).toEqual(headers);
  });
});

describe('observe/server-errors', () => {
  it('counts answers in words', async () => {
    expect((await observed('observe/server-errors', [[502, []]])).value).toBe('1 answer of 5xx');
    expect(
      (
        await observed('observe/server-errors', [
          [502, []],
          [500, []],
        ])
      ).value,
    ).toBe('2 answers of 5xx');
  });
});

describe('observe/transport', () => {
  it.each([
    ['http://127.0.0.1:8080', false],
    ['http://127.evil.example', true],
  ])('has %s looked at: %s', async (url, attention) => {
    const seen = await observed('observe/transport', [[200, []]], url);
    expect(seen.attention).toBe(attention);
    expect(seen.value.includes('plain http')).toBe(attention);
  });
});

describe('observe/content-type', () => {
  it.each([
    ['application/json; charset=utf-8', false],
    ['application/vnd.acme.v1+json', false],
    ['text/plain', true],
  ])('has %s looked at: %s', async (type, attention) => {
    const seen = await observed('observe/content-type', [[200, [['Content-Type', type]]]]);
    expect(seen).toMatchObject({ value: type, attention });
  });
});

describe('observe/page-size-above-maximum', () => {
  it('leaves out requests with a second page size, which may be the one that counts', async () => {
    const answers = [
      ['?$pagesize=1000', 500],
      ['?$pagesize=1000&$pagesize=1', 1],
      ['?$pagesize=1000&$PageSize=20', 20],
    ].map(([query, itemCount]) => ({
      kind: 'page' as const,
      status: 200,
      target: `/v1/printers${query}`,
      itemCount: Number(itemCount),
    }));
    const seen = await observed('observe/page-size-above-maximum', [], undefined, answers);
    expect(seen.value).toBe('capped at 500');
  });
});

describe('observe/token-error-answer', () => {
  it('reads the error code of a long body', async () => {
    const mock = await openMock({ records: 1 });
    const description = 'The client_secret is wrong. '.repeat(40);
    const body = Buffer.from(JSON.stringify({ error_description: description, error: 'invalid_client' }));
    const result = await judgeBehind(
      mock,
      ({ kind, answer }) => (kind === 'token' && answer.status === 401 ? { ...answer, body } : answer),
      { suite: 'smoke' },
    );
    const { value } = result.observations.find(({ id }) => id === 'observe/token-error-answer') ?? {};
    expect(value).toBe('401 invalid_client');
  });
});
