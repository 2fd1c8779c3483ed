import { prose } from '../../src/core/prose.ts';
import { Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import {
  obtainsNoToken,
  type RefusalAnswer,
  refusedTokenRequests,
  WRONG_CREDENTIALS_LIMIT,
} from '../../src/judge/refused-token-requests.ts';
import { type WrongSecret, wrongSecrets } from '../../src/provider/wrong-secrets.ts';

/** Wrong secrets that must be sent even if repetitions used up others. */
const MIN_SECRETS = 3;

export const tokenSecret = requirement({
  id: 'token/secret',
  clause: ['4.1'],
  smoke: true,
  rule: prose`A token request without client_secret, or with one that does not belong to its client_id, obtains no
      access token.`,
  needs: null,
  tested: prose`Sends the request without client_secret, with an empty one, and with altered ones. Looks for an
      access_token in the answer, whatever its status. Sends at most probes.wrongCredentials wrong secrets and correct
      requests in between, so that no lock-out starts, and a correct request at the end, so that no lock-out hides a
      breach.`,
  breach: 'The answer to such a request contains an access_token, even with an error status.',
  causes: prose`A client registered as public, whose secret is not checked; a missing secret that equals a missing one
      (null equals null); a comparison of prefixes, of truncated hashes (bcrypt reads 72 bytes), or without letter
      case; a cache of issued tokens keyed by client_id alone.`,
  fix: prose`Register the client as confidential and require a secret that is not empty. Compare the whole secret, in
      constant time, with the one stored for that client_id, before any cached token is returned.`,
  judge: refusedTokenRequests({ oracle: obtainsNoToken, probes: requestsWithWrongSecret }),
});

async function* requestsWithWrongSecret(context: CheckContext): AsyncGenerator<RefusalAnswer> {
  const { tokens } = context;
  await tokens.bearer();
  const planned = plannedSecrets(context);
  let sent = 0;
  for (const { asked, secret } of planned) {
    const rest = tokens.rightForm().filter(([name]) => name !== 'client_secret');
    const form = secret === null ? rest : [...rest, ['client_secret', secret] as const];
    const answer = await tokens.wrongSecret('own', form);
    if (answer === null) break;
    yield { asked, answer };
    sent++;
  }
  if (sent < 2)
    throw new Undecided(WRONG_CREDENTIALS_LIMIT, `${sent} wrong secrets were sent; at least 2 are needed`);
  // token/provider-isolation may have used one up to confirm a breach. A repetition after an outage counts as sent.
  const enough = sent >= MIN_SECRETS && sent + tokens.wrongSecretsRepeated('own') >= planned.length;
  if (sent < planned.length && !enough)
    throw new Undecided(
      WRONG_CREDENTIALS_LIMIT,
      `${sent} of ${planned.length} wrong secrets were sent and refused`,
    );
}

/** As many wrong secrets as probes.wrongCredentials allows, less the one that token/provider-isolation sends. */
function plannedSecrets({ target, options, random }: CheckContext): readonly WrongSecret[] {
  const limit = target.probes.wrongCredentials;
  if (limit === 0)
    throw new Undecided(WRONG_CREDENTIALS_LIMIT, 'no wrong secret was sent; at least 2 are needed');
  const unrelated = `${random('secret').toString(36)}${random('secret again').toString(36)}`;
  const secrets = wrongSecrets(target.credentials.clientSecret, unrelated);
  if (options.suite === 'smoke') return secrets.slice(0, Math.min(3, limit));
  if (target.otherCredentials === null) return secrets.slice(0, limit);
  // The crossed pair of token/provider-isolation is a wrong secret of the same kind as the first.
  const [first, ...others] = secrets;
  const ordered = limit < secrets.length + 1 && first !== undefined ? [...others, first] : secrets;
  return ordered.slice(0, limit - 1);
}
