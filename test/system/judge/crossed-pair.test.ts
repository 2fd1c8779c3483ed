import { expect, it } from 'vitest';
import type { Answer, Behaviour } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

it('token/provider-isolation fails for a crossed pair whose token the list answers with 403', async () => {
  const mock = await openMock({ records: 30 });
  const { credentials, otherCredentials } = mock;
  let ofOther: Answer | null = null;
  let tokenOfOther = '';
  const ownerOfSecretGetsToken: Behaviour = ({ kind, body, head, answer }) => {
    if (kind === 'list')
      return tokenOfOther !== '' && head.includes(tokenOfOther)
        ? { ...answer, status: 403, body: Buffer.from('{}') }
        : answer;
    const form = new URLSearchParams(body);
    if (form.get('client_secret') !== otherCredentials.clientSecret) return answer;
    if (form.get('client_id') === credentials.clientId && ofOther !== null) return ofOther;
    if (answer.status !== 200) return answer;
    ofOther ??= answer;
    tokenOfOther = String(JSON.parse(ofOther.body.toString())['access_token']);
    return ofOther;
  };
  const result = await judgeBehind(mock, ownerOfSecretGetsToken);
  expect(requirementOf(result, 'token/provider-isolation').verdict).toBe('fail');
});
