import type { Arbitrary } from 'fast-check';
import type { Cause } from '../core/cause.ts';
import { isUuid, swapCase } from '../core/letter-case.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import type { Form } from '../provider/token-client.ts';
import { alteredSecrets } from '../target/altered-secrets.ts';
import type { CheckContext } from './context.ts';
import { expectDecision, expectNoToken, givesToken } from './tokens.ts';

const PROBE_LIMIT: Cause = { kind: 'limit', limit: 'probes.wrongCredentials' };

/** Wrong secrets, the most telling first, that have to be tried although others were used up by repetitions. */
const MOST_TELLING = 3;

/** Grant types of other specifications, which this one does not know. */
const EXTENSION_GRANTS = [
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:grant-type:device_code',
];

/** token/grant-type: no other grant type obtains a token (4.1). */
export async function judgeGrantType(context: CheckContext): Promise<void> {
  const { tokens, property } = context;
  await tokens.bearer();
  await property<string | null>(
    {
      sample: 'grant-type',
      atRest: false,
      examples: [
        null,
        '',
        'password',
        'authorization_code',
        'refresh_token',
        'client_credential',
        'client_credentials2',
      ],
      runs: context.options.suite === 'certify' ? 10 : 0,
      arbitrary: (fastCheck): Arbitrary<string | null> =>
        fastCheck.oneof(
          fastCheck.constantFrom('implicit', 'code', ...EXTENSION_GRANTS),
          fastCheck
            .string({ minLength: 1, maxLength: 24 })
            .filter((text) => text.trim().toLowerCase() !== 'client_credentials'),
        ),
    },
    async (_view, grantType) => {
      const rest = tokens.rightForm().filter(([name]) => name !== 'grant_type');
      const form: Form = grantType === null ? rest : [['grant_type', grantType], ...rest];
      const asked =
        grantType === null ? 'without grant_type' : `with grant_type ${JSON.stringify(grantType)}`;
      await expectNoToken(context, await tokens.ask(form), asked);
    },
  );
}

/** token/secret: no other client_secret obtains a token (4.1). */
export async function judgeSecret(context: CheckContext): Promise<void> {
  const { tokens, target, options } = context;
  await tokens.bearer();
  if (target.probes.wrongCredentials === 0) {
    throw new Undecided(PROBE_LIMIT, 'no wrong secret was sent; at least 2 are needed');
  }
  const reserved = target.otherCredentials === null || options.suite === 'smoke' ? 0 : 1;
  const allowed = target.probes.wrongCredentials - reserved;
  const planned = wrongSecrets(context).slice(0, options.suite === 'smoke' ? Math.min(3, allowed) : allowed);
  let tried = 0;
  for (const wrong of planned) {
    const rest = tokens.rightForm().filter(([name]) => name !== 'client_secret');
    const answer = await tokens.wrongSecret(
      'own',
      wrong.secret === null ? rest : [...rest, ['client_secret', wrong.secret]],
    );
    if (answer === null) break;
    await expectNoToken(context, answer, wrong.asked);
    tried++;
  }
  if (tried < 2) throw new Undecided(PROBE_LIMIT, `${tried} wrong secrets were sent; at least 2 are needed`);
  // Where a breach of token/provider-isolation took one to be confirmed. What was repeated after an outage counts as sent.
  const enough = tried >= MOST_TELLING && tried + tokens.wrongSecretsRepeated('own') >= planned.length;
  if (tried < planned.length && !enough)
    throw new Undecided(PROBE_LIMIT, `${tried} of ${planned.length} wrong secrets were sent and refused`);
}

/** token/client: no other client_id obtains a token (4.1). */
export async function judgeClient(context: CheckContext): Promise<void> {
  const { tokens, target, options } = context;
  await tokens.bearer();
  const { clientId, clientSecret } = target.credentials;
  const swapped = swapCase(clientId);
  const cases: (readonly [asked: string, id: string | null, secret: string | null])[] = [
    ['without client_id', null, clientSecret],
    ['with an empty client_id', '', clientSecret],
    [
      'with a client_id that was never issued',
      `${context.random('client').toString(36)}${context.random('client again').toString(36)}`,
      clientSecret,
    ],
    ['with an empty client_id and an empty client_secret', '', ''],
  ];
  if (swapped !== clientId && !isUuid(clientId))
    cases.push(['with the client_id in other letter case', swapped, clientSecret]);
  cases.push(['with the client_id followed by one more character', `${clientId}x`, clientSecret]);
  if (clientId.length > 1)
    cases.push(['with the client_id shortened by its last character', clientId.slice(0, -1), clientSecret]);
  if (options.suite === 'certify') {
    cases.push(['without client_id and client_secret', null, null]);
    cases.push([
      'with a client_id that was never issued and an empty client_secret',
      `${context.random('client').toString(36)}${context.random('client again').toString(36)}`,
      '',
    ]);
  }
  for (const [asked, id, secret] of cases) {
    const form: (readonly [string, string])[] = tokens
      .rightForm()
      .filter(([name]) => name === 'grant_type' || name === 'scope');
    if (id !== null) form.push(['client_id', id]);
    if (secret !== null) form.push(['client_secret', secret]);
    await expectNoToken(context, await tokens.ask(form), asked);
  }
}

/** token/provider-isolation: the secret of one provider obtains no token for another (1, 5.4, 8). */
export async function judgeIsolation(context: CheckContext): Promise<void> {
  const { tokens, target } = context;
  const { credentials, otherCredentials } = target;
  if (otherCredentials === null)
    throw new Undecided(
      { kind: 'unconfigured', key: 'otherCredentials' },
      "a second provider's client_id and client_secret",
    );
  await tokens.bearer();
  const other = await tokens.other();
  expectDecision(tokens, other);
  if (other.token === null) {
    throw new Undecided(
      { kind: 'configuration', key: 'otherCredentials' },
      `the token request with the second provider's own credentials was answered ${other.status}`,
    );
  }
  const pairs = [
    {
      client: 'own',
      id: credentials,
      secret: otherCredentials,
      asked: "with this provider's client_id and the second provider's client_secret",
    },
    {
      client: 'other',
      id: otherCredentials,
      secret: credentials,
      asked: "with the second provider's client_id and this provider's client_secret",
    },
  ] as const;
  for (const { client, id, secret, asked } of pairs) {
    const answer = await tokens.wrongSecret(
      client,
      tokens.rightForm({ ...id, clientSecret: secret.clientSecret }),
    );
    if (answer === null) throw new Undecided(PROBE_LIMIT, 'one request for each provider is needed');
    if (givesToken(answer) && (await anySecretWorks(context, client))) {
      throw new Blocked('token/secret', 'any secret obtains a token, not only the second provider’s');
    }
    await expectNoToken(context, answer, asked);
  }
}

interface WrongSecret {
  readonly asked: string;
  /** Null where the field is left out. */
  readonly secret: string | null;
}

// Each stands for a way of comparing secrets that has been met: not at all, not where absent or empty, by
// letters only, by a prefix in either direction. The most telling come first, since limits may cut the list.
function wrongSecrets(context: CheckContext): readonly WrongSecret[] {
  const { target } = context;
  const secret = target.credentials.clientSecret;
  const random = `${context.random('secret').toString(36)}${context.random('secret again').toString(36)}`
    .padEnd(secret.length, 'x')
    .slice(0, Math.max(8, secret.length));
  const wrong: WrongSecret[] = [
    { asked: 'with a client_secret that is not the client’s', secret: random },
    { asked: 'without client_secret', secret: null },
    { asked: 'with an empty client_secret', secret: '' },
    ...alteredSecrets(secret),
  ];
  // The swapped pair of token/provider-isolation is one more wrong secret of the same kind as the first.
  const isolated =
    target.otherCredentials !== null &&
    context.options.suite !== 'smoke' &&
    target.probes.wrongCredentials < wrong.length + 1;
  return isolated ? [...wrong.slice(1), wrong[0] as WrongSecret] : wrong;
}

async function anySecretWorks(context: CheckContext, client: 'own' | 'other'): Promise<boolean> {
  const credentials = client === 'own' ? context.target.credentials : context.target.otherCredentials;
  if (credentials === null) return false;
  const answer = await context.tokens.wrongSecret(
    client,
    context.tokens.rightForm({ ...credentials, clientSecret: 'not-a-secret-of-anybody' }),
  );
  return answer !== null && givesToken(answer);
}
