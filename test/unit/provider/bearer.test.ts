import { expect, it } from 'vitest';
import { Blocked } from '../../../src/core/undecided.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { Session } from '../../../src/run/session.ts';
import { openFront, openMock, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';

/**
 * What a check gets that asks for the token while Assay waits, after a gateway answered the first request 502.
 *
 * @param body of the answer to the second request; that of the mock if left out
 */
async function bearerDuringStart(body?: string) {
  const mock = await openMock({ records: 1 });
  const authUrl = await openFront(mock, ({ answer, number }) => {
    if (number === 1) return { ...answer, status: 502, body: Buffer.from('') };
    return body === undefined ? answer : { ...answer, body: Buffer.from(body) };
  });
  let asked: Promise<unknown> = Promise.resolve(null);
  const session: Session = new Session({
    target: targetOf(mock, { authUrl, limits: { retries: 0 } }),
    options: runOptions({ suite: 'smoke' }),
    redactor: new Redactor(),
    signal: null,
    environment: {},
    clock: {
      now: () => Date.now(),
      sleep: async () => {
        asked = session.inputs[0]?.tokens.bearer().catch((error: unknown) => error) ?? asked;
      },
    },
  });
  try {
    const first = await session.inputs[0]?.tokens.firstAnswer();
    return { bearer: await asked, token: first?.token };
  } finally {
    await session.close();
  }
}

it('a token is asked for while the token endpoint starts: the answer that Assay waits for counts', async () => {
  const { bearer, token } = await bearerDuringStart();
  expect(token).toBeTypeOf('string');
  expect(bearer).toBe(token);
});

it('an endpoint that starts, and then gives no token, is blamed for its last answer', async () => {
  const { bearer } = await bearerDuringStart('{}');
  expect(bearer).toBeInstanceOf(Blocked);
  expect((bearer as Blocked).requirement).toBe('token/shape');
});
