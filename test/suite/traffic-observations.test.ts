import { describe, expect, it } from 'vitest';
import { trafficObservers } from '../../specs/observations/traffic.ts';
import type { Header } from '../../src/core/exchange.ts';
import type { ObservationResult } from '../../src/core/results.ts';
import type { LoggedExchange } from '../../src/core/traffic.ts';
import type { Bench } from '../../src/judge/judge.ts';
import { look } from '../../src/judge/observe.ts';
import { Secrets } from '../../src/provider/secrets.ts';

/** What is told of a run that met these answers. */
function told(
  id: string,
  answers: readonly (readonly [status: number, headers: readonly Header[]])[],
  url = 'http://127.0.0.1:1',
): Promise<ObservationResult> {
  const observer = trafficObservers.find(({ observation }) => observation.id === id);
  if (observer === undefined) throw new Error(`nothing looks at ${id}`);
  const log = answers.map(([status, headers], index) => ({
    number: index + 1,
    request: { method: 'GET', target: '/v1/printers', headers: [] },
    status,
    answer: { httpVersion: '1.1', headers, excerpt: '' },
    connection: 1,
  })) as unknown as readonly LoggedExchange[];
  const list = { path: '/v1/printers', resource: { name: 'printers' } };
  const bench = { list, secrets: new Secrets(), target: { authUrl: url, baseUrl: url }, askedBy: () => ({}) };
  return look(observer, bench as unknown as Bench, { log, asking: true });
}

describe('observe/transport', () => {
  it.each([
    ['http://127.0.0.1:8080', false],
    ['http://127.evil.example', true],
  ])('has %s looked at: %s', async (url, attention) => {
    const seen = await told('observe/transport', [[200, []]], url);
    expect(seen.attention).toBe(attention);
    expect(seen.value.includes('plain http')).toBe(attention);
  });
});
