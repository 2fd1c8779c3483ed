import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeIsolation } from '../../src/judge/refused-tokens.ts';
import { probing } from '../../src/judge/tokens.ts';

export const tokenProviderIsolation = requirement({
  id: 'token/provider-isolation',
  clause: ['1', '5.4', '8'],
  smoke: false,
  rule: prose`The client_id of one provider together with the client_secret of another yields no access token, in
      both directions.`,
  needs: "a second provider's credentials in the target file (otherCredentials)",
  tested: prose`Proves that both pairs of credentials work, then sends each client_id with the other's secret and
      looks for an access_token in the answer.`,
  breach: 'A crossed pair is given an access_token.',
  causes: prose`The secret looked up on its own (is it any client's?) and not together with its client_id; one
      secret shared by all integrations of an environment; secrets that differ only past the length that is
      compared.`,
  fix: prose`Fetch the client by its client_id and compare the secret with that client's own; issue a
      secret of its own to every provider.`,
  judge: probing(judgeIsolation),
});
