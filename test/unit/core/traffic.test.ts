import { describe, expect, it } from 'vitest';
import { type LoggedExchange, trafficOf } from '../../../src/core/traffic.ts';

/** An exchange answered at a certain second. */
function answered(second: number, status: number): LoggedExchange {
  return {
    number: 1,
    request: { method: 'GET', origin: 'https://a.example', target: '/', headers: [], body: null },
    status,
    failure: null,
    answer: null,
    bytes: 0,
    startedAt: second * 1000,
    durationMs: 1,
    connection: 1,
    retry: 0,
  };
}

describe('the accepted rate', () => {
  it('is absent without a 429', () => {
    expect(trafficOf([answered(0, 200)])).not.toHaveProperty('acceptedRate');
  });

  it('is 10% below the rate at which the provider limits requests', () => {
    const twentyInTenSeconds = Array.from({ length: 50 }, (_, index) =>
      answered(index / 5, index % 50 < 20 ? 200 : 429),
    );
    expect(trafficOf(twentyInTenSeconds).acceptedRate).toBe(1.8);
  });

  it('is never zero', () => {
    expect(trafficOf([answered(0, 429)]).acceptedRate).toBe(0.1);
  });
});

describe('the time from which on a provider can be called again', () => {
  const throttled = (seconds: string): LoggedExchange => ({
    ...answered(10, 429),
    answer: { httpVersion: '1.1', headers: [['Retry-After', seconds]], excerpt: '', errorCode: null },
  });

  it('is the end of the longest wait', () => {
    const { retryAt } = trafficOf([throttled('3600'), throttled('86400'), throttled('5')]);
    expect(retryAt).toBe(new Date(10_001 + 86_400_000).toISOString());
  });

  it.each(['5', 'soon', '99999999999999'])('is absent for Retry-After: %s', (seconds) => {
    expect(trafficOf([throttled(seconds)])).not.toHaveProperty('retryAt');
  });
});
