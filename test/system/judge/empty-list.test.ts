import { expect, it } from 'vitest';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, openMock, withVerdict } from '../../support/judge-mock.ts';

/** Refuses a negative $skip with status 200 and an error in place of a list. */
const withErrorForNegativeSkip: Behaviour = ({ target, answer }) => {
  if (!target.includes('skip=-')) return answer;
  const headers = answer.headers.filter(([name]) => !/^content-length$/i.test(name));
  return { ...answer, status: 200, headers, body: Buffer.from('{"error":"$skip must not be negative"}') };
};

it('an empty list may answer a negative $skip as it likes', async () => {
  const mock = await openMock({ records: 0 });
  // This seed draws the last page of the default size.
  const result = await judgeBehind(mock, withErrorForNegativeSkip, { seed: 7 });
  expect(withVerdict(result, 'fail', 'error')).toEqual([]);
});
