import { describe, expect, test } from 'vitest';
import { conform, token } from '../../../../src/index.ts';
import { ABOUT, resultOf } from '../../../support/custom-checks.ts';
import { openFront, openMock, targetOf } from '../../../support/judge-mock.ts';

describe('a check of the token', () => {
  test('runs once per target, and again with a new token if it finds a breach', async () => {
    const tokens = new Set<unknown>();
    const named = token('x/named', ABOUT, async ({ answer, jwt, expect: hold }) => {
      tokens.add(((await answer()).json as { access_token?: string }).access_token);
      hold((await jwt())?.payload['made-up'] !== undefined, 'made-up is missing');
    });
    expect(await resultOf(named)).toMatchObject({
      resource: null,
      verdict: 'fail',
      violations: [{ message: 'made-up is missing' }],
    });
    expect(tokens.size).toBe(2);
  });

  test('cannot send more wrong secrets than the target file allows', async () => {
    const guess = token('x/guess', ABOUT, async ({ ask, expect: hold }) => {
      for (const client_secret of ['a', 'b', 'c']) {
        const { status } = await ask({ client_secret });
        hold(status !== 200, 'a wrong secret obtains a token');
      }
    });
    expect(await resultOf(guess)).toMatchObject({ verdict: 'pass', cases: 3 });
    expect(await resultOf(guess, { target: { probes: { wrongCredentials: 2 } } })).toMatchObject({
      verdict: 'inconclusive',
    });
  });

  test('does not fail for an answer to a wrong secret that is given once', async () => {
    const mock = await openMock({ records: 1 });
    let asked = 0;
    const authUrl = await openFront(mock, ({ answer, body }) => {
      if (!body.endsWith('client_secret=second-guess')) return answer;
      return ++asked === 1 ? { ...answer, status: 400 } : answer;
    });
    const guesses = token('x/guesses', ABOUT, async ({ ask, expect: hold }) => {
      const answers = [];
      for (const guess of ['first-guess', 'second-guess']) answers.push(await ask({ client_secret: guess }));
      for (const { status } of answers) hold(status === 401, `status ${status}`);
    });
    const { targets } = await conform(targetOf(mock, { authUrl }), { checks: [guesses], only: ['x/*'] });
    const result = targets[0]?.requirements.find(({ id }) => id === 'x/guesses');
    expect(result).toMatchObject({ verdict: 'inconclusive', cause: { kind: 'intermittent' } });
  });

  test('changes, adds and omits fields', async () => {
    const fields = token('x/fields', ABOUT, async ({ ask, expect: hold }) => {
      hold((await ask({ extra: 'a' })).status === 200, 'an extra field');
      hold((await ask({ scope: null })).status === 400, 'no scope');
      hold((await ask({ grant_type: 'password' })).status === 400, 'another grant');
      // JavaScript allows it, as for a variable of the environment that is not set.
      const unset = { client_secret: undefined } as unknown as { client_secret: string };
      hold((await ask(unset)).status === 200, 'a field without a value is left as it is');
    });
    expect(await resultOf(fields)).toMatchObject({ verdict: 'pass', cases: 4 });
  });
});
