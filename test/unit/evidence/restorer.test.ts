import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { Restorer, tokenFactsOf } from '../../../src/evidence/secret-facts.ts';

it('a stand-in with letters beyond ASCII is UTF-8 in a body', () => {
  const restorer = new Restorer();
  const standIn = restorer.learn(tokenFactsOf('Tök0123456789abcdéf', 'token-1'));
  const answer = {
    status: 200,
    statusText: '',
    httpVersion: '1.1',
    headers: [],
    body: Buffer.from('{"access_token":"[token-1]","name":"é"}'),
    bodyBytesOnWire: 0,
  };
  const restored = restorer.answer({ answer } as unknown as Exchange);
  expect(Buffer.from(restored?.body ?? []).toString()).toBe(`{"access_token":"${standIn}","name":"é"}`);
});
