import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { Answer } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, judgeMock, openMock, requirementOf } from '../../support/judge-mock.ts';

const html: Answer = {
  status: 200,
  reason: 'OK',
  headers: [['Content-Type', 'text/html']],
  body: Buffer.from('<html>'),
};

const busy: Answer = { ...html, status: 400, reason: 'Bad Request' };

test.each([
  ['a gateway answers', html],
  ['the provider refuses', busy],
])(
  'token/provider-isolation passes if %s only the first token request of the second client',
  async (_how, answered) => {
    const mock = await openMock();
    const { clientId } = mock.otherCredentials;
    let replaced = 0;
    const result = await judgeBehind(mock, ({ answer }) => answer, {
      only: ['token/provider-isolation'],
      intercept: ({ kind, body }) => {
        if (kind !== 'token' || replaced > 0 || !body.toString().includes(encodeURIComponent(clientId)))
          return null;
        replaced++;
        return answered;
      },
    });
    expect(replaced).toBe(1);
    expect(requirementOf(result, 'token/provider-isolation').verdict).toBe('pass');
  },
);

test('curl lines of calls of the second client read its token', async () => {
  const result = await judgeMock({ defects: ['second-client-own-links-absolute'] });
  const [violation] = requirementOf(result, 'link/relative').violations;
  expect(violation?.curl).toContain('"Authorization: Bearer $OTHER_TOKEN"');
});

test.each([
  ['second-with-first-secret', 42],
  ['first-with-second-secret', 43],
])(
  'certify finds isolation-%s with seed %i if each client is granted its own scope only',
  async (direction, seed) => {
    const [credentials, otherCredentials] = ['one', 'two'].map((name) => ({
      clientId: name,
      clientSecret: `the-secret-of-client-${name}`,
      scope: `printers.${name}`,
    }));
    const defects = [`isolation-${direction}`];
    const result = await judgeMock(
      { defects, ...(credentials && { credentials }), ...(otherCredentials && { otherCredentials }) },
      { suite: 'certify', seed, only: ['token/provider-isolation'] },
    );
    expect(requirementOf(result, 'token/provider-isolation').verdict).toBe('fail');
  },
);
