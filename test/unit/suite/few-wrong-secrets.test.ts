import { expect, it } from 'vitest';
import type { Answer, Behaviour } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

/** Gives a client its last token again for any client_secret that is not empty. */
function remembersClient(clientId: string): Behaviour {
  let given: Answer | null = null;
  return ({ kind, body, answer }) => {
    const form = new URLSearchParams(body);
    if (kind !== 'token' || form.get('client_id') !== clientId || !form.get('client_secret')) return answer;
    if (answer.status === 200) given = answer;
    return given ?? answer;
  };
}

it.each([
  ['full', 2, false],
  ['full', 3, true],
  ['certify', 2, false],
  ['certify', 4, true],
] as const)(
  'token/secret fails for a client of which any secret is accepted, in %s with %i wrong secrets (second client: %s)',
  async (suite, wrongCredentials, hasSecondClient) => {
    const mock = await openMock({ records: 1 });
    const parts = hasSecondClient ? {} : { otherCredentials: null };
    const only = hasSecondClient ? ['token/secret', 'token/provider-isolation'] : ['token/secret'];
    const target = { probes: { wrongCredentials }, ...parts };
    const result = await judgeBehind(mock, remembersClient(mock.credentials.clientId), {
      suite,
      only,
      target,
    });
    expect(requirementOf(result, 'token/secret').verdict).toBe('fail');
  },
);
