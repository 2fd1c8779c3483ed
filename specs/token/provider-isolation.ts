import { Blocked, Undecided, unavailable } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { expectDecision } from '../../src/judge/probes/token-variations.ts';
import {
  givesToken,
  type RefusalAnswer,
  refusedTokenRequests,
  sentAgain,
  sentWithValid,
  WRONG_CREDENTIALS_LIMIT,
} from '../../src/judge/rules/refused-token-requests.ts';
import type { TokenAnswer } from '../../src/provider/token-answer.ts';

export const tokenProviderIsolation = requirement({
  id: 'token/provider-isolation',
  clause: ['1', '5.4', '8'],
  rule: `The client_id of one provider with the client_secret of another obtains no access token, in both
      directions.`,
  needs: "a second provider's credentials in the target file (otherCredentials)",
  tested: `Checks that both pairs of credentials work, then sends each client_id with the other client_secret and the
      scope of one provider, which the seed decides. Certify sends the pairs again with the scope of the other one, or one of
      them without a scope if both have the same, each while a valid request of the client that owns the secret is in progress;
      every second full run repeats the second pair. Looks for an access_token in the answer.`,
  breach: 'A crossed pair obtains an access_token.',
  causes: `The secret looked up on its own (does any client have it?) and not together with its client_id; one
      secret shared by all integrations of an environment; secrets that differ only beyond the length that is
      compared; a pair that is remembered as checked when it was refused, or a connection that stays authenticated.`,
  fix: `Fetch the client by its client_id and compare the secret with that of this client. Issue a separate
      secret to each provider.`,
  judge: refusedTokenRequests(crossedPairs),
});

type Credentials = CheckContext['target']['credentials'];

async function* crossedPairs(context: CheckContext): AsyncGenerator<RefusalAnswer> {
  const { tokens, target, options } = context;
  const { credentials: first, otherCredentials: second } = target;
  if (second === null)
    throw new Undecided(
      { kind: 'unconfigured', key: 'otherCredentials' },
      "a second provider's client_id and client_secret",
    );
  if (first.clientSecret === second.clientSecret)
    throw new Undecided(
      { kind: 'configuration', key: 'otherCredentials' },
      'both clients have the same client_secret, so a crossed pair is a valid one: configure a client with another secret',
    );
  await tokens.bearer();
  await expectTokenOfSecondClient(context);
  // One request has the scope of its client, the other that of its secret; the seed decides which.
  const isEven = options.seed % 2 === 0;
  const [{ scope }, other] = isEven ? [first, second] : [second, first];
  const pairs = [
    ['first', first, second, "with this provider's client_id and the second provider's client_secret"],
    ['second', second, first, "with the second provider's client_id and this provider's client_secret"],
  ] as const;
  for (const [client, credentials, { clientSecret }, description] of pairs) {
    const send = (secret: string, of: Credentials): Promise<TokenAnswer | null> =>
      tokens.wrong.sendSecret(client, tokens.endpoint.validForm({ ...of, clientSecret: secret }));
    const answer = await send(clientSecret, { ...credentials, scope });
    if (answer === null)
      throw new Undecided(WRONG_CREDENTIALS_LIMIT, 'one request for each provider is needed');
    const unrelated = givesToken(answer) ? await send('not-a-secret-of-anybody', credentials) : null;
    if (unrelated !== null && givesToken(unrelated)) tokens.wrong.anySecretAccepted ??= unrelated;
    if (tokens.wrong.anySecretAccepted !== null)
      throw new Blocked('token/secret', "any secret obtains a token, not only the second provider's");
    yield { description, answer };
  }
  for (const [client, credentials, { clientSecret }, description] of pairs) {
    // In full, the limit leaves no room for the first client, and token/secret takes turns with this request.
    const isDrawn = options.suite === 'full' && client === 'second' && options.seed % 2 !== 0;
    if (options.suite !== 'certify' && !isDrawn) continue;
    // A scope that the provider does not grant to the client may be all that it refuses the pair for.
    const isCertify = options.suite === 'certify';
    const ofPair = { ...credentials, clientSecret, scope: isCertify ? other.scope : scope };
    const isLeftOut = isCertify && client === 'first' && first.scope === second.scope;
    const form = tokens.endpoint.validForm(ofPair).filter(([name]) => !isLeftOut || name !== 'scope');
    const owner = client === 'first' ? 'second' : 'first';
    const answer = await tokens.wrong.sendSecret(client, form, {
      isRepeated: true,
      ...(isCertify ? { duringValidOf: owner } : {}),
    });
    if (answer !== null) yield (isCertify ? sentWithValid : sentAgain)({ description, answer });
  }
}

/** Throws Undecided if the second provider's own credentials obtain no token. */
async function expectTokenOfSecondClient({ tokens }: CheckContext): Promise<void> {
  const answer = await tokens.secondClientAnswer();
  expectDecision(tokens, answer);
  if (answer.token !== null) return;
  const { status } = answer;
  const refused = `the token request with the second provider's own credentials was answered ${status}`;
  if (status > 200 && status < 300) throw new Blocked('token/issued', refused);
  // The address may be blocked after the wrong requests of other checks.
  const control = status >= 500 ? null : await tokens.requestUnshared();
  if (control?.status === 200) {
    // The first one may have met another request at the same time.
    if ((await tokens.requestAnother('second')).token !== null) return;
    throw new Undecided({ kind: 'configuration', key: 'otherCredentials' }, refused);
  }
  throw unavailable(
    status,
    control === null ? refused : `${refused}, and that of the first provider ${control.status}`,
  );
}
