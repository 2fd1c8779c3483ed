import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeSecret } from '../../src/judge/refused-tokens.ts';
import { probing } from '../../src/judge/tokens.ts';

export const tokenSecret = requirement({
  id: 'token/secret',
  clause: ['4.1'],
  smoke: true,
  rule: prose`A token request with no client_secret, or with one that does not belong to its client_id, yields no
      access token.`,
  needs: null,
  tested: prose`Sends the request with the secret left out, empty, and altered, and looks for an access_token in
      the answer, whatever its status. Keeps to probes.wrongCredentials, with right requests between wrong ones, so
      that no lock-out is provoked, and after them, so that none hides a breach.`,
  breach: 'An answer to such a request holds an access_token, even one with an error status.',
  causes: prose`A client registered as public, so that no secret is checked; an absent secret compared with an
      absent one (null equals null) and found equal; a comparison of prefixes, of hashes cut short (bcrypt reads 72
      bytes), or without letter case; a cache of issued tokens keyed by client_id alone.`,
  fix: prose`Register the client as confidential, require a secret that is not empty, and compare the
      whole of it, in constant time, with the one stored for that client_id, before any cached token is handed
      out.`,
  judge: probing(judgeSecret),
});
