import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeClient } from '../../src/judge/refused-tokens.ts';
import { probing } from '../../src/judge/tokens.ts';

export const tokenClient = requirement({
  id: 'token/client',
  clause: ['4.1'],
  smoke: false,
  rule: 'A token request with no client_id, or with one that was never issued, yields no access token.',
  needs: null,
  tested: prose`Sends the request with client_id left out, empty, and replaced by identifiers that nobody was given,
      and looks for an access_token in the answer, whatever its status.`,
  breach: 'An answer to such a request holds an access_token.',
  causes: prose`A look-up that falls back to a default client; client_id compared without letter case or matched by
      prefix; an unknown client treated like a public one; empty client_id and empty secret accepted together.`,
  fix: prose`Look the client up by its exact client_id, refuse where nothing is found, and give no client
      without a secret a token.`,
  judge: probing(judgeClient),
});
