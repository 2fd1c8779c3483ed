import type { Arbitrary } from 'fast-check';
import { requirement } from '../../src/judge/check.ts';
import { type CheckContext, type Property, shareOf } from '../../src/judge/context.ts';
import { orNull } from '../../src/judge/outcomes.ts';
import { type RefusalAnswer, refusedDrawnRequests } from '../../src/judge/rules/refused-token-requests.ts';
import type { Repetition } from '../../src/provider/token-endpoint.ts';
import type { Form } from '../../src/provider/token-spellings.ts';

/** Grant types of other specifications and products, which this one does not know, and near misses. */
const FURTHER_GRANTS = [
  'implicit',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'client_credentials password',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'client-credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
  'null',
  'urn:ietf:params:oauth:grant-type:saml2-bearer',
  'client',
  'code',
  'none',
  'clientCredentials',
  'my_client_credentials',
  'urn:openid:params:grant-type:ciba',
];

/** Values that few token endpoints take for the correct one; only `certify` sends them. */
const RARE_GRANTS = [
  'urn:ietf:params:oauth:grant-type:client_credentials',
  // The number of an enumeration, and patterns of SQL in either direction.
  '2',
  'client%',
  'clientXcredentials',
  'client_credentials\0x',
];

/** Parameters of requests with other grant types, by grant type without the prefix that its kind shares. */
const PARAMETERS_OF_GRANTS: Readonly<Record<string, Form>> = {
  password: [
    ['username', 'assay'],
    ['password', 'assay'],
  ],
  authorization_code: [['code', 'assay']],
  refresh_token: [['refresh_token', 'assay']],
  'jwt-bearer': [['assertion', 'assay']],
  'saml2-bearer': [['assertion', 'assay']],
  device_code: [['device_code', 'assay']],
  ciba: [['auth_req_id', 'assay']],
  'token-exchange': [
    ['subject_token', 'assay'],
    ['subject_token_type', 'urn:ietf:params:oauth:token-type:access_token'],
  ],
};

export const tokenGrantType = requirement({
  id: 'token/grant-type',
  clause: ['4.1'],
  rule: `A token request without grant_type, or with another grant type, obtains no access token. Other letter
      case, or white space around the correct value, is only observed.`,
  tested: `Sends the request with correct credentials, but without grant_type, with an empty one, with other grant
      types (password, authorization_code, refresh_token), and with the correct value shortened or extended. Other
      grant types come without the parameters of their specification, or, as the seed decides, with them. Full runs
      draw a further one by their seed, and send some of these for the second provider's client; certify sends all of
      these, rare ones, and a random value. One of them is sent twice (certify: six, two of them around a valid
      request). Looks for an access_token in the answer,
      whatever its status.`,
  breach: 'The answer to such a request contains an access_token.',
  causes: `A hand-written token handler that never reads grant_type; a route that serves one grant type and
      assumes the parameter; client_credentials as the default for a missing parameter.`,
  fix: `Read grant_type first and compare it with client_credentials exactly. Answer everything else with 400 and
      unsupported_grant_type or invalid_request.`,
  judge: refusedDrawnRequests(wrongGrantTypes, requestWith),
});

interface WrongGrant {
  /** The value of grant_type; null leaves it out. */
  readonly grantType: string | null;
  /** Whether the request carries what the specification of that grant demands. */
  readonly isComplete: boolean;
}

function wrongGrantTypes(context: CheckContext): Property<WrongGrant> {
  return {
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
      ...shareOf(context, FURTHER_GRANTS, 1, RARE_GRANTS),
    ].flatMap((grantType) => grantsOf(context, grantType)),
    runs: context.options.suite === 'certify' ? 1 : 0,
    arbitrary: (fastCheck): Arbitrary<WrongGrant> =>
      fastCheck
        .string({ minLength: 1, maxLength: 24 })
        .filter((text) => text.trim().toLowerCase() !== 'client_credentials')
        .map((grantType) => ({ grantType, isComplete: false })),
  };
}

/** Requests with that grant type: in `certify` with its parameters and without, in `full` one of the two by the seed. */
function grantsOf({ options, random }: CheckContext, grantType: string | null): readonly WrongGrant[] {
  const isDrawn = random(`parameters of ${grantType}`) % 2 === 1;
  const forms = options.suite === 'certify' ? [false, true] : [isDrawn];
  const hasParameters = parametersOfGrant(grantType).length > 0;
  return (hasParameters ? forms : [false]).map((isComplete) => ({ grantType, isComplete }));
}

async function requestWith(
  context: CheckContext,
  { grantType, isComplete }: WrongGrant,
  repetition: Repetition | null,
): Promise<RefusalAnswer> {
  const { tokens, target } = context;
  const isOfSecondClient = await isSentBySecondClient(context, grantType);
  const form = tokens.endpoint.validForm((isOfSecondClient ? target.otherCredentials : null) ?? undefined);
  const rest = form.filter(([name]) => name !== 'grant_type');
  const given: Form = grantType === null ? [] : [['grant_type', grantType]];
  const further = isComplete ? parametersOfGrant(grantType) : [];
  const answer = await tokens.endpoint.askToBeRefused([...given, ...rest, ...further], repetition);
  const whose = isOfSecondClient ? "of the second provider's client " : '';
  const names = further.map(([name]) => ` and ${name}`).join('');
  const how = grantType === null ? 'without grant_type' : `with grant_type ${JSON.stringify(grantType)}`;
  return { description: `${whose}${how}${names}`, answer };
}

/** The further parameters of a grant: a token endpoint may serve it only if they are there, or only if they are not. */
function parametersOfGrant(grantType: string | null): Form {
  const name = grantType?.split(':').at(-1) ?? '';
  return Object.hasOwn(PARAMETERS_OF_GRANTS, name) ? (PARAMETERS_OF_GRANTS[name] ?? []) : [];
}

/** Whether the second client sends the request: some of them, others in other runs. */
async function isSentBySecondClient(
  { tokens, target, random }: CheckContext,
  grantType: string | null,
): Promise<boolean> {
  if (target.otherCredentials === null || random(`client of grant type ${grantType}`) % 4 > 0) return false;
  const answer = await orNull(tokens.secondClientAnswer());
  return answer !== null && answer.token !== null;
}
