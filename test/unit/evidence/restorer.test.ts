import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { Restorer, tokenFactsOf } from '../../../src/evidence/secret-facts.ts';

it.each(['Tök0123456789abcdéf', 'Tok0123456789ab\ncdef', 'Tok0123456789ab"cdef'])(
  'the stand-in of %j is part of a body as JSON in UTF-8',
  (token) => {
    const restorer = new Restorer();
    const standIn = restorer.learn(tokenFactsOf(token, 'token-1'));
    const answer = {
      status: 200,
      statusText: '',
      httpVersion: '1.1',
      headers: [],
      body: Buffer.from('{"access_token":"[token-1]","name":"é"}'),
      bodyBytesOnWire: 0,
    };
    const restored = restorer.answer({ answer } as unknown as Exchange);
    const body: unknown = JSON.parse(Buffer.from(restored?.body ?? []).toString());
    expect(body).toEqual({ access_token: standIn, name: 'é' });
  },
);
