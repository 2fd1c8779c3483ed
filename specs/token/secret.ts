import { Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { type CheckContext, madeUpText, shareOf } from '../../src/judge/context.ts';
import { errorOf } from '../../src/judge/outcomes.ts';
import {
  expectNoToken,
  type RefusalAnswer,
  refusedTokenRequests,
  sentWithValid,
  WRONG_CREDENTIALS_LIMIT,
} from '../../src/judge/rules/refused-token-requests.ts';
import type { Client } from '../../src/provider/token-history.ts';
import type { WrongSecretRequest } from '../../src/provider/wrong-requests.ts';
import { type WrongSecret, type WrongSecrets, wrongSecrets } from '../../src/provider/wrong-secrets.ts';

/** Wrong secrets that must be sent even if repetitions used up others. */
const MIN_SECRETS = 3;
/** Wrong secrets from which one of them is sent during a valid request. */
const MIN_RACED = 12;

const judgeSecrets = refusedTokenRequests(requestsWithWrongSecret);

export const tokenSecret = requirement({
  id: 'token/secret',
  clause: ['4.1'],
  smoke: true,
  rule: `A token request without client_secret, or with one that does not belong to its client_id, obtains no
      access token.`,
  tested: `Sends the request without client_secret, with an empty one, and with altered ones: other letter case
      or an accent, its beginning or end, something after it, other characters in it, wildcards, SQL, an array, hashes, a wrong
      one by HTTP Basic, in a JSON body or by GET. Full runs draw some by their seed, two or three of them for the second
      provider's client; certify sends as many as probes.wrongCredentials allows, others to that client, and one again
      during a valid request. Looks for an
      access_token in the answer, whatever its status. Sends at most probes.wrongCredentials wrong secrets and correct
      requests in between, so that no lock-out starts, and a valid request at the end, so that no lock-out hides a
      breach. Waits for the end of a short lock-out, and repeats requests without a secret that were refused during it.`,
  breach: 'The answer to such a request contains an access_token, even with an error status.',
  causes: `A client registered as public, whose secret is not checked; a missing secret that equals a missing one
      (null equals null); a comparison of prefixes, of truncated hashes (bcrypt reads 72 bytes), or without letter
      case; a cache of issued tokens keyed by client_id alone.`,
  fix: `Register the client as confidential and require a secret that is not empty. Compare the whole secret, in
      constant time, with the one stored for that client_id, before any cached token is returned.`,
  judge: async (context) => {
    const error = await errorOf(() => judgeSecrets(context));
    if (error !== null && !(error instanceof Undecided && error.cause.kind === 'limit')) throw error;
    context.afterAllChecks(async () => {
      // The wrong secret of another check may be accepted although all of these were refused.
      const answer = context.tokens.wrong.anySecretAccepted;
      if (answer !== null)
        await expectNoToken(context, { description: 'with a client_secret that belongs to nobody', answer });
      if (error !== null) throw error;
    });
  },
});

async function* requestsWithWrongSecret(context: CheckContext): AsyncGenerator<RefusalAnswer> {
  await context.tokens.bearer();
  if (context.options.suite !== 'smoke') context.tokens.knowAlteredSecrets();
  const secrets = secretsFor(context, context.target.credentials);
  const [unrelated] = secrets.likely;
  const planned = plannedSecrets(context, secrets);
  const sent = new Set<WrongSecret>();
  const lost: WrongSecret[] = [];
  let queue = [...planned];
  let areRepeated = context.tokens.wrong.wasLocked;
  for (let wrong = queue.shift(); wrong !== undefined; wrong = queue.shift()) {
    const probed = await sentBy(context, 'first', wrong);
    if (probed === null) {
      lost.push(wrong);
      continue;
    }
    // Those that were refused while the client was locked are sent again first.
    if (context.tokens.wrong.wasLocked && !areRepeated)
      queue = [...planned.filter(isAbsent), ...queue.filter((one) => !isAbsent(one))];
    areRepeated ||= context.tokens.wrong.wasLocked;
    // Any secret may be accepted, not only one that is similar.
    const isSimilar = !isAbsent(wrong) && wrong !== unrelated;
    yield isSimilar ? { ...probed, broader: () => sentBy(context, 'first', unrelated) } : probed;
    sent.add(wrong);
  }
  expectEnough(context, sent.size, lost);
  if (isRaced(context)) {
    const again = await sentBy(context, 'first', unrelated, { isRepeated: true, duringValidOf: 'first' });
    if (again !== null) yield sentWithValid(again);
  }
  yield* requestsOfSecondClient(context, planned);
}

/** Whether a request has no secret. Such requests are not drawn: each run sends them. */
function isAbsent({ secret }: WrongSecret): boolean {
  return secret === null || secret === '';
}

/**
 * Throws Undecided if too few wrong secrets were sent.
 *
 * @param lost those for which nothing was left of what may be sent, after a rate limit, an outage or a lock-out
 */
function expectEnough({ tokens }: CheckContext, sent: number, lost: readonly WrongSecret[]): void {
  if (sent < 2)
    throw new Undecided(WRONG_CREDENTIALS_LIMIT, `${sent} wrong secrets were sent; at least 2 are needed`);
  // token/provider-isolation may have used one up to confirm a breach. The other kinds are drawn: runs take turns.
  const areOnlyDrawn = !lost.some(isAbsent);
  const isExplained =
    lost.length <= tokens.wrong.secretsUndecided('first') || (areOnlyDrawn && tokens.wrong.wasLocked);
  if (lost.length > 0 && (sent < MIN_SECRETS || !isExplained))
    throw new Undecided(
      WRONG_CREDENTIALS_LIMIT,
      `${sent} of ${sent + lost.length} wrong secrets were sent and refused`,
    );
}

/** Wrong secrets of the second client: first those for which the limit of the first one leaves no room. */
async function* requestsOfSecondClient(
  context: CheckContext,
  planned: readonly WrongSecret[],
): AsyncGenerator<RefusalAnswer> {
  const { target, tokens } = context;
  if (target.otherCredentials === null || context.options.suite === 'smoke') return;
  if ((await tokens.secondClientAnswer()).token === null) return;
  const { likely, altered } = secretsFor(context, target.otherCredentials);
  const [unrelated, ...absent] = likely;
  // The first two show most comparisons of some places only.
  const [first, second, ...others] = altered.changed;
  const isPlanned = ({ description }: WrongSecret): boolean =>
    planned.some((one) => one.description === description);
  const { case: inOtherCase, other, continued, rare } = altered;
  const isCertify = context.options.suite === 'certify';
  const further = [...others, ...inOtherCase, ...other, ...continued, ...(isCertify ? rare : [])].toSorted(
    (one, other) => Number(isPlanned(one)) - Number(isPlanned(other)),
  );
  const changed = [first, second].filter((one) => one !== undefined);
  // A client that is registered as public needs no secret.
  const { suite, seed } = context.options;
  const left = suite === 'certify' ? absent : absent.slice(0, 1);
  // token/provider-isolation sends one more in the other runs. Half the seed counts these: even seeds alone would never draw
  // every second one of an even number.
  const ofHalf = { options: { ...context.options, seed: seed >>> 1 } };
  const drawn = suite === 'certify' || seed % 2 === 0 ? shareOf(ofHalf, further, 1) : [];
  for (const wrong of [...left, ...changed, ...drawn]) {
    const probed = await sentBy(context, 'second', wrong);
    if (probed === null) return;
    yield { ...probed, broader: () => sentBy(context, 'second', unrelated) };
  }
}

/** Sends a wrong secret; null if no more may be sent for that client. */
async function sentBy(
  { tokens, target }: CheckContext,
  client: Client,
  { description, secret, field = 'client_secret', isWithoutScope = false, by }: WrongSecret,
  how: WrongSecretRequest = {},
): Promise<RefusalAnswer | null> {
  const credentials = client === 'first' ? target.credentials : target.otherCredentials;
  const left = isWithoutScope ? ['client_secret', 'scope'] : ['client_secret'];
  const rest = tokens.endpoint.validForm(credentials ?? undefined).filter(([name]) => !left.includes(name));
  const form = secret === null ? rest : [...rest, [field, secret] as const];
  const answer = await tokens.wrong.sendSecret(client, form, { by, ...how });
  const of = client === 'first' ? '' : ' of the second provider';
  return answer === null ? null : { description: `${description}${of}`, answer };
}

/** As many wrong secrets as probes.wrongCredentials allows, less those that token/provider-isolation sends. */
function plannedSecrets(context: CheckContext, { likely, altered }: WrongSecrets): readonly WrongSecret[] {
  const { target, tokens, options } = context;
  const limit = tokens.wrong.mostSecrets;
  if (limit === 0)
    throw new Undecided(WRONG_CREDENTIALS_LIMIT, 'no wrong secret was sent; at least 2 are needed');
  const [first, ...absent] = likely;
  if (options.suite === 'smoke') return likely.slice(0, Math.min(3, limit));
  const alike = [altered.case, altered.beginning, altered.continued, altered.changed];
  const others = [first, ...altered.other];
  // The crossed pair of token/provider-isolation is a wrong secret of the same kind as the first.
  const isCrossed = target.otherCredentials !== null;
  const left = isCrossed ? limit - reservedSecrets(context) : limit;
  // Without any other secret, a provider that accepts each of them would pass.
  if (left <= absent.length) return likely.slice(0, Math.max(0, left));
  if (options.suite === 'certify') {
    const kinds = [...alike, others];
    const always = [...absent, ...kinds.flatMap((kind) => kind.slice(0, 1))];
    const further = [...kinds.flatMap((kind) => kind.slice(1)), ...altered.rare];
    // Not all of them fit: runs with consecutive seeds send all.
    const start = ((options.seed >>> 0) * Math.max(1, left - always.length)) % further.length;
    return [...always, ...further.slice(start), ...further.slice(0, start)].slice(0, left);
  }
  // Any of these kinds shows the most likely breach of its kind.
  const drawn = [
    ...altered.beginning.slice(0, 1),
    ...[altered.case, altered.continued].flatMap((kind) => shareOf(context, kind, 1)),
  ];
  if (left > absent.length + drawn.length)
    return [...absent, ...drawn, ...shareOf(context, [...altered.changed, ...others], 1)].slice(0, left);
  return (isCrossed ? [...absent, ...drawn] : [first, ...absent, ...drawn]).slice(0, left);
}

/** Wrong secrets for the requests of token/provider-isolation, and for one that is sent during a valid request. */
function reservedSecrets(context: CheckContext): number {
  if (context.options.suite !== 'certify') return 1;
  return isRaced(context) ? 3 : 2;
}

/** Whether a wrong secret is also sent while a valid request is in progress: only if many may be sent. */
function isRaced({ options, tokens }: CheckContext): boolean {
  return options.suite === 'certify' && tokens.wrong.mostSecrets >= MIN_RACED;
}

function secretsFor(context: CheckContext, credentials: CheckContext['target']['credentials']): WrongSecrets {
  return wrongSecrets(credentials, madeUpText(context, 'secret'));
}
