import { expect, it } from 'vitest';
import { describeSystemError } from '../../../src/core/system-error.ts';
import { failureFrom } from '../../../src/http/failure.ts';

const SITUATION = { origin: 'http://127.0.0.1:1' };

it.each(['EMFILE', 'ENFILE'])('%s is a limit of this machine, not of the provider', (code) => {
  const { code: failureCode, message } = failureFrom(Object.assign(new Error(code), { code }), SITUATION);
  expect(failureCode).toBe('unreachable');
  expect(message).toContain(describeSystemError(Object.assign(new Error(code), { code })));
});

it('a reset before the connection is established is a lost connection, which is repeated', () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  expect(failureFrom(reset, SITUATION).code).toBe('closed');
  expect(failureFrom(reset, { origin: 'https://127.0.0.1:1' }).code).toBe('closed');
});
