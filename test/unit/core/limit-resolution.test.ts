import { expect, it } from 'vitest';
import { LIMITS_WITHOUT_KEY } from '../../../src/core/cause.ts';
import { resolution } from '../../../src/core/cause-sentences.ts';

const of = (limit: string): string => resolution({ kind: 'limit', limit }) ?? '';

it('says which limit of the target file to raise, and which to lower', () => {
  expect(of('maxRequests')).toMatch(/^Raise limits\.maxRequests /);
  expect(of('probes.wrongCredentials')).toMatch(/^Raise probes\.wrongCredentials /);
  expect(of('expiry.clockRate')).toMatch(/^Lower expiry\.clockRate /);
});

it.each(Object.values(LIMITS_WITHOUT_KEY))('names no key for %s, which has none', (limit) => {
  expect(of(limit)).not.toContain(limit);
  expect(of(limit)).toMatch(/^Fix /);
});

it('sends nobody to assay doctor for a custom check, which it does not run', () => {
  expect(resolution({ kind: 'configuration', key: 'tenant' })).toContain('assay doctor');
  expect(resolution({ kind: 'configuration', key: 'checks' })).not.toContain('assay doctor');
});
