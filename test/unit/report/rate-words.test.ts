import { expect, it } from 'vitest';
import type { Traffic } from '../../../src/core/results.ts';
import { rateWords } from '../../../src/report/wording/phrases.ts';
import { judged, target } from '../../support/report/sample.ts';

const throttled = judged('link/offset', 'inconclusive', { cause: { kind: 'unavailable', status: 429 } });
const words = (traffic: Partial<Traffic>): string | null => {
  const result = target([throttled]);
  return rateWords({ ...result, traffic: { ...result.traffic, acceptedRate: 10.8, ...traffic } });
};

it('proposes a rate, or a time to rerun at if the provider asks for a long wait', () => {
  expect(words({})).toContain('--rate 10.8');
  const later = words({ retryAt: '2027-03-31T12:00:01.000Z' });
  expect(later).toContain('2027-03-31 12:01 UTC');
  expect(later).not.toContain('--rate');
});
