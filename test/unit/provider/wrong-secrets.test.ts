import { expect, it } from 'vitest';
import { NoAnswer } from '../../../src/provider/sender.ts';
import type { Form } from '../../../src/provider/token-spellings.ts';
import { wrongSecrets } from '../../../src/provider/wrong-secrets.ts';
import type { Session } from '../../../src/run/session.ts';
import { openFront, openMock, targetOf, withTokens } from '../../support/judge-mock.ts';

type Tokens = Session['inputs'][number]['tokens'];

/**
 * Runs work with the token client of a session, and a form whose secret is wrong.
 *
 * @param isClosed whether the connection of a token request with this body is closed without an answer
 */
async function withWrongSecret<Result>(
  work: (tokens: Tokens, form: Form, session: Session) => Promise<Result>,
  isClosed: (body: string) => boolean = () => false,
): Promise<Result> {
  const mock = await openMock({ records: 1 });
  const authUrl = await openFront(mock, ({ answer, body, socket }) => {
    if (!isClosed(body)) return answer;
    socket.destroy();
    return null;
  });
  return withTokens(targetOf(mock, { authUrl, limits: { retries: 0 } }), (tokens, session) => {
    const form = tokens.endpoint
      .validForm()
      .map(([name, value]) => [name, name === 'client_secret' ? `${value}x` : value] as const);
    return work(tokens, form, session);
  });
}

/** Sends four wrong secrets, and some valid requests of other checks after the second one. Resolves to all requests sent. */
function requestsWith(validRequests: number): Promise<number> {
  return withWrongSecret(async (tokens, form, session) => {
    for (let sent = 0; sent < 4; sent++) {
      expect((await tokens.wrong.sendSecret('first', form))?.status).toBe(401);
      if (sent === 1) for (let right = 0; right < validRequests; right++) await tokens.requestUnshared();
    }
    return session.requests;
  });
}

it('a valid request is sent between three wrong secrets and the next, whenever others send one', async () => {
  const [alone, beside] = [await requestsWith(0), await requestsWith(2)];
  expect(beside).toBe(alone + 2);
});

it('a wrong secret that was refused is sent again only as a repeated one', async () => {
  await withWrongSecret(async ({ wrong }, form) => {
    const [different, another] = ['y', 'z'].map((end) =>
      form.map(([name, value]) => [name, name === 'client_secret' ? value + end : value] as const),
    );
    // The valid request before the third one shows that the client was not locked.
    for (const one of [form, different, another]) await wrong.sendSecret('first', one ?? form);
    const left = wrong.secretsLeft('first');
    await wrong.sendSecret('first', form);
    expect(wrong.secretsLeft('first')).toBe(left);
    await wrong.sendSecret('first', form, { isRepeated: true });
    expect(wrong.secretsLeft('first')).toBe(left - 1);
  });
});

it('a wrong secret is not refused if the valid request before it is closed without an answer', async () => {
  let isBlocked = false;
  await withWrongSecret(
    async ({ wrong, endpoint }) => {
      const formWith = (end: string): Form =>
        endpoint
          .validForm()
          .map(([name, value]) => [name, name === 'client_secret' ? value + end : value] as const);
      for (const end of ['x', 'xx']) expect((await wrong.sendSecret('first', formWith(end)))?.status).toBe(0);
      isBlocked = true;
      const left = wrong.secretsLeft('first');
      await expect(wrong.sendSecret('first', formWith('xxx'))).rejects.toThrow(NoAnswer);
      expect(wrong.secretsLeft('first')).toBe(left);
    },
    (body) => isBlocked || /x(?:&|$)/.test(body),
  );
});

it.each(['demo', 'null', '*', '____'])('the right secret is none of the wrong ones: %s', (clientSecret) => {
  const { likely, altered } = wrongSecrets({ clientId: 'demo', clientSecret, scope: 'a' }, 'unrelated');
  const secrets = [...likely, ...Object.values(altered).flat()].map(({ secret }) => secret);
  expect(secrets).not.toContain(clientSecret);
});
