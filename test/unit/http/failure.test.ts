import { expect, it } from 'vitest';
import { describeSystemError } from '../../../src/core/system-error.ts';
import { failureFrom } from '../../../src/http/failure.ts';

const SITUATION = {
  origin: 'http://127.0.0.1:1',
  proxy: null,
  connected: false,
  reached: false,
  answered: false,
  maxHeaderBytes: 1000,
};

it.each(['EMFILE', 'ENFILE'])('%s is a limit of this machine, not of the provider', (code) => {
  const { code: failureCode, message } = failureFrom(Object.assign(new Error(code), { code }), SITUATION);
  expect(failureCode).toBe('unreachable');
  expect(message).toContain(describeSystemError(Object.assign(new Error(code), { code })));
});
