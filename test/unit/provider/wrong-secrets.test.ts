import { expect, it } from 'vitest';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { Session } from '../../../src/run/session.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';

/** Sends four wrong secrets, and some valid requests of other checks after the second one. Resolves to all requests sent. */
async function requestsWith(validRequests: number): Promise<number> {
  const mock = await openMock({ records: 1 });
  const session = new Session({
    target: targetOf(mock),
    options: runOptions(),
    redactor: new Redactor(),
    signal: null,
    environment: {},
  });
  try {
    const { tokens } = session.inputs[0] as (typeof session.inputs)[0];
    const form = tokens.endpoint
      .validForm()
      .map(([name, value]) => [name, name === 'client_secret' ? `${value}x` : value] as const);
    for (let sent = 0; sent < 4; sent++) {
      expect((await tokens.wrong.sendSecret('first', form))?.status).toBe(401);
      if (sent === 1) for (let right = 0; right < validRequests; right++) await tokens.requestUnshared();
    }
    return session.requests;
  } finally {
    await session.close();
  }
}

it('a valid request is sent between three wrong secrets and the next, whenever others send one', async () => {
  const [alone, beside] = [await requestsWith(0), await requestsWith(2)];
  expect(beside).toBe(alone + 2);
});
