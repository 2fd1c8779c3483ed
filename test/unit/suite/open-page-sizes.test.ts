import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { judgeBehind, openMock, withVerdict } from '../../support/judge-mock.ts';

test('a provider that gives shorter pages for a $pagesize above 500 and repeats it in links fails nothing', async () => {
  const mock = await openMock({ variant: 'above-maximum-100' });
  const result = await judgeBehind(mock, ({ target, answer }) => {
    const asked = /[?&]\$pagesize=(\d+)(?:&|$)/.exec(target)?.[1] ?? '';
    if (Number(asked) <= 500) return answer;
    const body = answer.body.toString('utf8').replace(/(\$pagesize=)\d+/, `$1${asked}`);
    return { ...answer, body: Buffer.from(body) };
  });
  expect(withVerdict(result, 'fail', 'error')).toEqual([]);
});
