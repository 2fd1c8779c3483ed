import { expect, test } from 'vitest';
import { judgeBehind, openMock } from '../../support/judge-mock.ts';

test('headers.Accept of a target takes the place of the usual Accept header', async () => {
  const sent = new Set<string>();
  await judgeBehind(await openMock(), ({ answer }) => answer, {
    suite: 'smoke',
    target: { headers: { accept: 'application/vnd.acme+json' } },
    intercept: ({ kind, head }) => {
      if (kind === 'list') sent.add((head.match(/^accept: .*$/gim) ?? []).join());
      return null;
    },
  });
  expect([...sent]).toEqual(['accept: application/vnd.acme+json']);
});
