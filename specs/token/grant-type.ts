import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeGrantType } from '../../src/judge/refused-tokens.ts';
import { probing } from '../../src/judge/tokens.ts';

export const tokenGrantType = requirement({
  id: 'token/grant-type',
  clause: ['4.1'],
  smoke: false,
  rule: prose`A token request whose grant_type is missing, or names another grant, yields no access token. Another
      letter case, or white space around the right value, is only observed.`,
  needs: null,
  tested: prose`Sends the request with grant_type left out, empty, set to other grants (password, authorization_code,
      refresh_token) and to the right word cut short or lengthened, with right credentials; for certify also to words
      drawn from the run's seed. It looks for an access_token in the answer, whatever its status.`,
  breach: 'An answer to such a request holds an access_token.',
  causes: prose`A hand-written token handler that never reads grant_type; a route that serves one grant only and
      takes the parameter for granted; a default of client_credentials where the parameter is absent.`,
  fix: prose`Read grant_type first, compare it with client_credentials exactly, and answer anything else,
      or nothing, with 400 and unsupported_grant_type or invalid_request.`,
  judge: probing(judgeGrantType),
});
