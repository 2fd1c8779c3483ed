import { describe, expect, it } from 'vitest';
import type { ObservationResult, TargetResult } from '../../src/core/results.ts';
import { judgeMock, withVerdict } from '../support/judge-mock.ts';

function observationOf(result: TargetResult, id: string): ObservationResult {
  const found = result.observations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} was not observed`);
  return found;
}

describe('what the specification leaves open', () => {
  it('is told of the reference provider without attention', async () => {
    const result = await judgeMock({});
    const values = Object.fromEntries(result.observations.map(({ id, value }) => [id, value]));
    expect(values).toMatchObject({
      'observe/unauthorized-answer': '401 with WWW-Authenticate',
      'observe/token-cache-headers': 'no-store',
      'observe/token-reuse': 'a new token each time',
      'observe/granted-scope': 'as requested',
      'observe/page-size-above-maximum': 'capped at 500',
      'observe/count-without-enabling': 'no count',
      'observe/null-members': 'none',
      'observe/order': 'the same order each time',
      'observe/server-errors': 'none met',
    });
    expect(values['observe/token-format']).toMatch(/^JWT \(/);
    expect(result.observations.filter(({ attention }) => attention).map(({ id }) => id)).toEqual([]);
  });

  it.each([
    ['unauthorized-403', 'observe/unauthorized-answer', /^403/, true],
    ['unauthorized-500', 'observe/server-errors', /5xx$/, true],
    ['token-cacheable', 'observe/token-cache-headers', /./, true],
    ['tokens-opaque', 'observe/token-format', /^opaque$/, false],
    ['token-reused-counting-down', 'observe/token-reuse', /handed out again/, false],
    ['token-scope-narrowed', 'observe/granted-scope', /^not granted: /, false],
    ['above-maximum-400', 'observe/page-size-above-maximum', /^refused with 400$/, false],
    ['invalid-size-502', 'observe/page-size-invalid', /502/, true],
    ['count-always', 'observe/count-without-enabling', /given all the same/, false],
    ['link-null-at-end', 'observe/null-members', /nextPageLink given as null/, true],
    ['content-type-text', 'observe/content-type', /text\/plain/, true],
    ['envelope-further-members', 'observe/further-members', /\w/, false],
    ['gzip', 'observe/compression', /gzip/, false],
    ['connection-close', 'observe/transport', /a connection for each request/, false],
  ] as const)('shows %s, and fails nothing', async (variant, id, value, attention) => {
    const result = await judgeMock({ variant });
    expect(observationOf(result, id).value).toMatch(value);
    expect(observationOf(result, id).attention).toBe(attention);
    expect(withVerdict(result, 'fail', 'error')).toEqual([]);
  });
});
