import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/core/exchange.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';
import { TokenEndpoint } from '../../../src/provider/token-endpoint.ts';
import { TokenHistory } from '../../../src/provider/token-history.ts';
import { USUAL_ON_NEW_CONNECTION } from '../../../src/provider/token-spellings.ts';
import { unusedTarget as target } from '../../support/unused-target.ts';

/** A token endpoint whose requests all fail when `failAll` is called, and the requests that it has sent. */
function failingEndpoint() {
  const sent: HttpRequest[] = [];
  let fail: (() => void)[] = [];
  const endpoint = new TokenEndpoint({
    target,
    options: { seed: 0 },
    sender: {
      send: (request) => {
        sent.push(request);
        return new Promise((_resolve, reject) => fail.push(() => reject(new Error('lost'))));
      },
    },
    secrets: new SecretRegistry(new Redactor()),
    history: new TokenHistory(target),
    beforeOther: async () => undefined,
  });
  const failAll = async (): Promise<void> => {
    await setImmediate();
    const pending = fail;
    fail = [];
    for (const one of pending) one();
    await setImmediate();
  };
  return { endpoint, sent, failAll };
}

it('requests over the kept connection take turns, also after one that fails', async () => {
  const { endpoint, sent, failAll } = failingEndpoint();
  const failed: string[] = [];
  const ask = (name: string): void => {
    endpoint.sendValid(endpoint.validForm()).catch(() => failed.push(name));
  };
  ask('first');
  ask('second');
  await failAll();
  expect(sent).toHaveLength(2);
  expect(failed).toEqual(['first']);
  await failAll();
  expect(failed).toEqual(['first', 'second']);
});

it('a request over a connection of its own does not wait for the others', async () => {
  const { endpoint, sent, failAll } = failingEndpoint();
  const asked = [
    endpoint.sendValid(endpoint.validForm()),
    endpoint.sendValid(endpoint.validForm(), USUAL_ON_NEW_CONNECTION),
  ].map((answer) => answer.catch(() => null));
  await setImmediate();
  expect(sent).toHaveLength(2);
  await failAll();
  expect(await Promise.all(asked)).toEqual([null, null]);
});

it('a request that lacks a field takes the kept connection, and the other one when it is repeated', async () => {
  const { endpoint, sent, failAll } = failingEndpoint();
  const form = endpoint.validForm();
  for (const left of ['grant_type', 'client_id', 'client_secret'])
    for (const isRepeated of [false, true]) {
      // Of different lengths, so that complete requests would alternate.
      const padded = [
        ...form.filter(([name]) => name !== left),
        ['padding', 'x'.repeat(sent.length)] as const,
      ];
      const asked = endpoint.ask(padded, {}, { isRepeated }).catch(() => null);
      await failAll();
      await asked;
      expect(sent.at(-1)?.headers.some(([name]) => name === 'Connection')).toBe(isRepeated);
    }
});
