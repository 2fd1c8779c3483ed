import { expect, test } from 'vitest';
import { judgeMock } from '../../support/judge-mock.ts';

test.each([
  ['maxRequests', 3],
  ['maxTotalBytes', 3000],
  ['maxTokenBytes', 10],
  ['maxBodyBytes', 1000],
  ['maxHeaders', 1],
  ['maxHeaderBytes', 100],
])('a run that limits.%s stops names it as the cause', async (limit, value) => {
  const { requirements } = await judgeMock({}, { suite: 'smoke', target: { limits: { [limit]: value } } });
  const limits = requirements.map(({ cause }) => (cause?.kind === 'limit' ? cause.limit : null));
  expect(new Set(limits.filter((one) => one !== null))).toEqual(new Set([limit]));
});
