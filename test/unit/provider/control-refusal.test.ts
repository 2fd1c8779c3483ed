import { expect, it } from 'vitest';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { Session } from '../../../src/run/session.ts';
import { openFront, openMock, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';

const REFUSED = {
  status: 401,
  reason: 'Unauthorized',
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from('{"error":"invalid_client"}'),
} as const;

it('a refused valid request is answered although a request that controls it is not', async () => {
  const mock = await openMock({ records: 1 });
  const authUrl = await openFront(mock, ({ answer, number, socket }) => {
    if (number === 1) return answer;
    if (number !== 4) return REFUSED;
    socket.destroy();
    return null;
  });
  const session = new Session({
    target: targetOf(mock, { authUrl, limits: { retries: 0 } }),
    options: runOptions(),
    redactor: new Redactor(),
    signal: null,
    environment: {},
  });
  try {
    const [{ tokens } = { tokens: null }] = session.inputs;
    await tokens?.firstAnswer();
    expect((await tokens?.requestAnother())?.status).toBe(401);
  } finally {
    await session.close();
  }
});
