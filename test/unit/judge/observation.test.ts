import { describe, expect, it } from 'vitest';
import type { LoggedExchange } from '../../../src/core/traffic.ts';
import type { JudgeInput } from '../../../src/judge/check.ts';
import {
  makeObservation,
  type ObservationDefinition,
  observation,
  recordedTraffic,
} from '../../../src/judge/observation.ts';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';

const LOG = ['/v1/print', '/v1/printers?$count=true', '/v1/print?$pagesize=1', '/v1/print/', '/v1/PRINT'].map(
  (target, index) => ({ number: index + 1, request: { method: 'GET', target } }) as unknown as LoggedExchange,
);

function benchOf(path: string): JudgeInput {
  const input = { list: { path, resource: { name: path } }, secrets: new SecretRegistry() };
  return { ...input, requester: () => ({ run: (work: () => unknown) => work() }) } as unknown as JudgeInput;
}

const observerOf = (observe: ObservationDefinition['observe']) =>
  observation({
    id: 'observe/content-type',
    clause: [],
    of: '',
    scope: 'list',
    observe,
  });

describe('an observation of a list', () => {
  it.each([
    ['/v1/print', '1 3'],
    ['/v1/printers', '2'],
  ])('uses the calls to %s and of no list with a similar path', async (path, numbers) => {
    const observer = observerOf(({ listExchanges }) => ({
      value: listExchanges.map(({ number }) => number).join(' '),
    }));
    expect(await makeObservation(observer, benchOf(path), recordedTraffic(LOG, path), true)).toMatchObject({
      value: numbers,
    });
  });

  it('takes no list call for a token request because its query ends like the path of one', async () => {
    const sent = [
      { method: 'POST', target: '/auth/connect/token' },
      { method: 'GET', target: '/v1/print?$pagesize=2&x=/connect/token' },
    ].map((request, index) => ({ number: index + 1, request }) as unknown as LoggedExchange);
    const { listExchanges, tokenExchanges } = recordedTraffic(sent, '/v1/print');
    expect(tokenExchanges.map(({ number }) => number)).toEqual([1]);
    expect(listExchanges.map(({ number }) => number)).toEqual([2]);
  });

  it('is valid JSON text for any answer of a provider', async () => {
    const observer = observerOf(() => ({
      value: 'half \ud800',
      detail: { '\udfff': ['\ud800 a pair'] },
    }));
    const { value, detail } = await makeObservation(
      observer,
      benchOf('/v1/print'),
      recordedTraffic(LOG, '/v1/print'),
      true,
    );
    expect(value).toBe('half \ufffd');
    expect(detail).toMatchObject({ '\ufffd': ['\ufffd a pair'] });
  });
});
