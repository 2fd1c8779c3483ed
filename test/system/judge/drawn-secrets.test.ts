import { expect, it } from 'vitest';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, openMock } from '../../support/judge-mock.ts';

it('full runs of consecutive even seeds draw consecutive wrong secrets for the second client', async () => {
  const otherCredentials = { clientId: 'second', clientSecret: '6543210987654321', scope: 'printers.read' };
  const mock = await openMock({ otherCredentials });
  const secretsOf = async (seed: number): Promise<readonly string[]> => {
    const secrets: string[] = [];
    const note: Behaviour = ({ kind, body, answer }) => {
      const form = new URLSearchParams(body);
      if (kind === 'token' && form.get('client_id') === 'second')
        secrets.push(form.get('client_secret') ?? '');
      return answer;
    };
    await judgeBehind(mock, note, { seed, only: ['token/secret'] });
    return secrets;
  };
  // A secret without letters has an even number of variations.
  expect(await secretsOf(6)).toContain('%');
  expect(await secretsOf(8)).toContain("' or '1'='1");
});
