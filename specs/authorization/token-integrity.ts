import { jwtOf } from '../../src/core/jwt.ts';
import { requirement } from '../../src/judge/check.ts';
import { type CheckContext, madeUpText, shareOf } from '../../src/judge/context.ts';
import { expectProbesRefused, linkedPages } from '../../src/judge/probes/list-refusals.ts';
import { type ListProbe, refusedTokenUses, withQuery } from '../../src/judge/rules/refused-list-calls.ts';
import { type AlteredToken, alteredTokens, punctuatedTokens } from '../../src/provider/altered-tokens.ts';
import { type CallOptions, OVER_KEPT_CONNECTION } from '../../src/provider/sender.ts';
import { furtherTokenProbes, likelyForgeries } from '../../src/provider/token-probes.ts';

/** Altered tokens that a full run draws: more altered JWTs are always sent. */
const FURTHER_TOKENS = { jwt: 1, opaque: 2 };

const judgeAlteredTokens = refusedTokenUses(callsWithAlteredTokens);

export const authorizationTokenIntegrity = requirement({
  id: 'authorization/token-integrity',
  clause: ['5.1'],
  rule: `A token that the provider did not issue is refused: a random one, and the issued one shortened,
      extended, or changed in any part that carries information (for a JWT: header, payload, signature, and the
      algorithm set to none).`,
  leastRecords: 1,
  tested: `Sends a random token, the word Bearer without a token, and variants of the issued token:
      shortened (a JWT also by its third part), extended (behind a comma or a semicolon; a JWT by a fourth part, an opaque one by a character
      such as ~), or with a changed character at the start, in the middle and near the end. An opaque token of several parts is
      changed in its last part, which may be a signature, and sent without it, with an empty one and with its beginning. For a JWT also
      three parts that are not JSON, an edited header or payload with the old signature, no signature, alg
      none and None, a key of Assay that the header carries, and by the algorithm an empty HMAC key, the client_secret as
      the key, or a signature of zeros. Full runs draw some
      further forgeries by their seed, certify sends all: a JWT signed with a key
      from a tutorial, an unknown kid or none, a header or a payload that is not JSON;
      words such as null, an empty header, and in place of an opaque token a made-up JWT or a UUID. Spare bits at the end of a base64url part are left unchanged,
      because they carry no information. The calls go in turn to the bare list, to the list with drawn
      parameters, with and without $count, and to a later page. One is repeated at the end, over the
      connection of the token requests; in certify twice, and also during the same call with a valid token, after the scheme bearer in
      lower case, without a Tenant header, and with a slash at the end of the path. Certify also alters a token of the second
      provider's client.`,
  breach: 'A changed or invented token obtains records.',
  causes: `A JWT that is decoded but never verified (jwt.decode in place of jwt.verify, ValidateIssuerSigningKey
      or signature validation switched off behind a gateway); the algorithm taken from the header of the token; an
      opaque token compared without letter case, by prefix, or in a column that truncates or folds it; a stub that
      accepts any string.`,
  fix: `Verify the signature with a fixed algorithm and the key of the issuer before any claim is read, in the
      service itself and not only in front of it. Compare opaque tokens as a whole and by their exact characters.`,
  judge: (context) => {
    context.afterAllChecks(() => expectProbesRefused(context));
    return judgeAlteredTokens(context);
  },
});

async function callsWithAlteredTokens(context: CheckContext, token: string): Promise<readonly ListProbe[]> {
  const { tokens, secrets, target, options } = context;
  const label = tokens.labelOf(token);
  const unrelated = madeUpText(context, 'token');
  // A token of few characters may become one that was issued.
  const issued = new Set(tokens.history.answersToValidRequests().map((answer) => answer.token));
  const { further, rare } = furtherTokenProbes(token, target.credentials);
  const altered = [
    ...alteredTokens(token, unrelated),
    ...likelyForgeries(token, target.credentials),
    ...shareOf(context, further, FURTHER_TOKENS[jwtOf(token) === null ? 'opaque' : 'jwt'], rare),
    ...shareOf(context, punctuatedTokens(token), 1),
  ].filter(({ token, how }, index, all) => {
    const isRepeated = all.slice(0, index).some((one) => one.how === how);
    return !issued.has(token) && !isRepeated;
  });
  const linked = await linkedPages(context);
  const probes = altered.map((one, index) => {
    if (one.isSecret) secrets.add(one.token, `${label} ${one.how}`, one.shell);
    // Each run pairs tokens and queries differently.
    const probe: ListProbe = {
      key: one.how,
      description: `with a token ${one.how}`,
      call: { authorization: one.authorization },
      madeUpToken: one.token,
      mayListBeOpen: true,
    };
    return withQuery(context, index + (options.seed >>> 0), probe, linked);
  });
  return [
    ...probes,
    ...(await callsWithTokensOfSecondClient(context, unrelated)),
    ...probes.slice(0, 1).flatMap((probe) => repeated(probe, options.suite === 'certify' ? 3 : 1)),
    ...(options.suite === 'certify'
      ? altered.slice(0, 1).flatMap((one) => unusualCalls(one, context.list.path))
      : []),
  ];
}

/** Calls with altered tokens of the second client, only in certify: a provider may keep its keys apart. */
async function callsWithTokensOfSecondClient(
  { tokens, secrets, target, options }: CheckContext,
  unrelated: string,
): Promise<readonly ListProbe[]> {
  if (target.otherCredentials === null || options.suite !== 'certify') return [];
  const { token } = await tokens.secondClientAnswer();
  if (token === null) return [];
  const label = tokens.labelOf(token);
  return alteredTokens(token, unrelated)
    .filter(({ isSecret }) => isSecret)
    .map((one) => {
      secrets.add(one.token, `${label} ${one.how}`, one.shell);
      const description = `with a token of the second provider ${one.how}`;
      const call = { authorization: one.authorization };
      return { key: description, description, call, madeUpToken: one.token, mayListBeOpen: true };
    });
}

/**
 * A call that is repeated over the connection of the token requests: a provider may remember the refused token as one that
 * it knows, or the connection as one of a client.
 */
function repeated(probe: ListProbe, times: number): readonly ListProbe[] {
  const again = {
    ...probe,
    description: `${probe.description}, which was refused before, over the connection of the token requests,`,
    call: { ...probe.call, ...OVER_KEPT_CONNECTION },
  };
  return Array.from({ length: times }, (_, index) => {
    const key = `${probe.key} again ${index + 1}`;
    // The third one is for servers that keep in one place who calls.
    if (index < 2) return { ...again, key };
    const description = `${probe.description}, during the same call with a valid token,`;
    return { ...probe, key, description, isDuringSame: true };
  });
}

/**
 * Calls with a token after the scheme in lower case, without a Tenant header, and with a slash at the end of the path: a provider
 * may use other code for these.
 */
function unusualCalls({ how, token, authorization }: AlteredToken, path: string): readonly ListProbe[] {
  const usual = { madeUpToken: token, mayListBeOpen: true };
  const withToken = `with a token ${how}`;
  const described = (description: string, call: CallOptions): ListProbe => ({
    ...usual,
    key: description,
    description,
    call,
  });
  return [
    described(`${withToken}, after the scheme bearer in lower case`, { authorization: `bearer ${token}` }),
    described(`${withToken} and without a Tenant header`, { authorization, omittedHeaders: ['tenant'] }),
    described(`of ${path}/ ${withToken}`, { authorization, target: `${path}/` }),
  ];
}
