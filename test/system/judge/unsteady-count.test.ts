import { expect, test } from 'vitest';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

const RECORDS = 1234;

/** A provider whose count is what a function gives for the token of the call. */
function countingWrongly(countFor: (token: string) => number): Behaviour {
  return ({ kind, head, answer }) => {
    const text = answer.body.toString();
    const counted = `"count":${RECORDS}`;
    if (kind !== 'list' || !text.includes(counted)) return answer;
    const token = /^authorization: Bearer (\S+)/imu.exec(head)?.[1] ?? '';
    return { ...answer, body: Buffer.from(text.replace(counted, `"count":${countFor(token)}`)) };
  };
}

test('a count of 0 beside records is no pass where later counts are right', async () => {
  let answers = 0;
  const behaviour = countingWrongly(() => (++answers <= 4 ? 0 : RECORDS));
  const result = await judgeBehind(await openMock({ records: RECORDS }), behaviour);
  expect(requirementOf(result, 'count/stable')).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: 'intermittent', seen: 4 },
  });
});

test('a count that comes back to an earlier value, as with each new token, is no pass', async () => {
  const tokens = new Set<string>();
  const behaviour = countingWrongly((token) => {
    const isFirst = !tokens.has(token);
    tokens.add(token);
    return isFirst ? RECORDS - 3 : RECORDS;
  });
  const result = await judgeBehind(await openMock({ records: RECORDS }), behaviour);
  // Which of the two causes it is depends on the requests that happen to be the first with their token.
  expect(requirementOf(result, 'count/stable')).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: expect.stringMatching(/^(?:changing|intermittent)$/u) },
  });
});
