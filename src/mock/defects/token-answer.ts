import { lacks } from '../authorization-changes.ts';
import { type Difficulty, defectsWith, having, hidden, plain, type Row, subtle } from '../catalogue-rows.ts';
import {
  type Change,
  everyNth,
  onCallNumbers,
  problem,
  type ReceivedRequest,
  refuseToken,
  rewrite,
  type Steps,
  TOKEN_PATH,
  textAnswer,
  wrap,
} from '../pipeline.ts';
import { changeTokenMember, changeTokenText, setTokenMembers, setTokenStatus } from '../token-changes.ts';
import { refuseRequests } from '../token-request-changes.ts';

/** The credentials of a Basic header as form fields; null if there is none. */
function basicIn({ headers }: ReceivedRequest): string | null {
  const header = headers['authorization'];
  if (typeof header !== 'string' || !header.startsWith('Basic ')) return null;
  const [clientId = '', secret = ''] = Buffer.from(header.slice(6), 'base64').toString('utf8').split(':');
  return `client_id=${clientId}&client_secret=${secret}`;
}

/** Refuses a client that has a token in force. */
function refuseHolders(status: number, error: string): Change {
  return wrap('issue', (issue) => {
    const holders = new Map<string, number>();
    return async (grant, service) => {
      const { clientId } = grant.client;
      if ((holders.get(clientId) ?? 0) > service.now()) refuseToken(status, error, 'a token is in force');
      const issued = await issue(grant, service);
      holders.set(clientId, issued.expiresAt);
      return issued;
    };
  });
}

/** Defects that refuse a valid token request. */
export const issuedDefects = defectsWith({ keywords: ['401'], must: ['token/issued'] })({
  'token-answered-201': having({ keywords: ['201'] })
    .hidden('A token request is answered 201 Created instead of 200.')
    .by(setTokenStatus(201)),
  'token-answered-201-once': having({ keywords: ['201'], needs: { wholeSuite: true, order: true } })
    .subtle('The fourth token answer has status 201, and no other one.')
    .by(onCallNumbers((number) => number === 4)(setTokenStatus(201))),
  'token-answered-with-web-page': having({
    keywords: ['web page'],
    needs: { wholeSuite: true, order: true },
  })
    .subtle('Every fifth token answer is a page of HTML with status 200.')
    .by(
      everyNth(5)(rewrite('tokenAnswer', () => textAnswer(200, '<html>Just a moment</html>', 'text/html'))),
    ),
  'token-request-json-only': having({ keywords: ['415'] })
    .plain('The token endpoint accepts a JSON body only and answers a form-encoded request 415.')
    .by(
      wrap('form', (): Steps['form'] => (request) => {
        if (request.headers['content-type']?.includes('json') !== true) {
          refuseToken(415, 'invalid_request', 'the body must be JSON');
        }
        const fields: Record<string, string> = JSON.parse(request.body.toString('utf8'));
        return new Map(Object.entries(fields));
      }),
    ),
  'token-request-form-unsupported': having({ keywords: ['415'] })
    .plain(
      'A framework answers each token request 415, because no form-encoded body is mapped; no OAuth error says so.',
    )
    .by(wrap('token', () => async () => problem(415, 'Unsupported Media Type'))),
  'token-request-plus-literal': having({ keywords: ['%20'] })
    .subtle('A + in the form of a token request is not read as a blank, so that its scope is unknown.')
    .by(
      wrap('form', () => (request) => {
        const text = request.body.toString('utf8').replaceAll('+', '%2B');
        return new Map(new URLSearchParams(text));
      }),
    ),
  'token-request-needs-basic': plain(
    'The token endpoint accepts the credentials in an Authorization header only and answers 401 otherwise.',
  ).by(
    wrap('form', (form) => (request, service) => {
      const credentials = basicIn(request);
      if (credentials === null) refuseToken(401, 'invalid_client', 'Basic authentication is required');
      return new Map([...form(request, service), ...new URLSearchParams(credentials)]);
    }),
  ),
  'token-request-behind-gate': plain(
    'The token endpoint is guarded: every request without an Authorization header is answered 401.',
  ).by(
    wrap('token', (token) => async (request, service) => {
      const credentials = basicIn(request);
      if (credentials === null) return service.steps.unauthorized(request, service);
      const body = Buffer.concat([request.body, Buffer.from(`&${credentials}`)]);
      return token({ ...request, body }, service);
    }),
  ),
  'token-request-needs-charset': having({ keywords: ['415', 'charset'] })
    .subtle('A token request whose Content-Type names no character encoding is answered 415.')
    .by(
      refuseRequests(
        415,
        'unsupported_media_type',
        'no charset',
        ({ headers }) => headers['content-type']?.includes('charset') !== true,
      ),
    ),
  'token-request-needs-tenant': having({ keywords: ['403', 'tenant'] })
    .hidden('A token request without a Tenant header is answered 403.')
    .by(refuseRequests(403, 'access_denied', 'the Tenant header is missing', lacks('tenant'))),
  'token-request-redirected': having({ keywords: ['307'] })
    .plain('The token request is redirected with 307 to another path, which issues the token.')
    .by(
      wrap('receive', (receive) => (request, service) => {
        if (request.path === '/oauth2/token') return receive({ ...request, path: TOKEN_PATH }, service);
        if (request.path !== TOKEN_PATH) return receive(request, service);
        return Promise.resolve({ status: 307, headers: { Location: '/oauth2/token' }, body: '' });
      }),
    ),
  'token-several-scopes-refused': having({ keywords: ['400'] })
    .plain('A token request for more than one scope is answered 400, although both are granted.')
    .by(
      wrap('grantScope', (grantScope) => (client, requested, service) => {
        if (requested?.includes(' ') === true) refuseToken(400, 'invalid_scope', 'one scope at a time');
        return grantScope(client, requested, service);
      }),
    ),
  'token-refused-while-one-in-force': having({ keywords: ['400'] })
    .subtle(
      'A token request is answered 400 invalid_request while an earlier token of the client is in force.',
    )
    .by(refuseHolders(400, 'invalid_request')),
  'token-credentials-work-once': subtle(
    'A token request is answered 401 invalid_client after the client has obtained a token.',
  ).by(refuseHolders(401, 'invalid_client')),
});

function changeScope(change: (granted: string) => unknown): Change {
  return changeTokenMember('scope', (granted) => change(String(granted)));
}

/** Replaces the blanks between the scopes. */
function separateScopes(separator: string): Change {
  return changeScope((granted) => granted.replaceAll(' ', separator));
}

const ofExpiresIn = having({ keywords: ['expires_in'], may: ['token/validity'] });
const ofScope = having({ keywords: ['scope'], may: ['token/scope'] });
const ofType = having({ keywords: ['token_type'], may: ['token/type'] });

const shape = defectsWith({ keywords: ['access_token'], must: ['token/shape'] })({
  'expires-in-text': ofExpiresIn
    .plain('expires_in is a string of digits instead of a number.')
    .by(changeTokenMember('expires_in', String)),
  'expires-in-fraction': ofExpiresIn
    .hidden('expires_in is the fraction 3599.75 instead of an integer.')
    .by(changeTokenMember('expires_in', (seconds) => Number(seconds) - 0.25)),
  'expires-in-missing': ofExpiresIn
    .plain('expires_in is missing.')
    .by(setTokenMembers({ expires_in: undefined })),
  'expires-in-null': ofExpiresIn.plain('expires_in is null.').by(setTokenMembers({ expires_in: null })),
  'scope-array': ofScope
    .plain('scope is an array of strings instead of one string.')
    .by(changeScope((granted) => granted.split(' '))),
  'scope-missing': ofScope
    .plain('scope is missing because it equals the requested scope.')
    .by(setTokenMembers({ scope: undefined })),
  'token-type-missing': ofType.plain('token_type is missing.').by(setTokenMembers({ token_type: undefined })),
  'token-type-list': ofType
    .hidden('token_type is an array holding Bearer.')
    .by(changeTokenMember('token_type', (type) => [type])),
  'token-member-camel-case': plain('The token is in a member accessToken instead of access_token.').by(
    rewrite('tokenBody', ({ access_token: accessToken, ...rest }) => ({ accessToken, ...rest })),
  ),
  'token-empty': plain('access_token is an empty string.').by(setTokenMembers({ access_token: '' })),
  'scope-twice': having({ keywords: ['scope more than once'] })
    .subtle('scope is given twice, with different values.')
    .by(changeTokenText((json) => json.replace('{', '{"scope":"other",'))),
  'token-answer-array': having({ keywords: ['object'] })
    .plain('The token answer is an array around the object.')
    .by(changeTokenText((json) => `[${json}]`)),
  'token-answer-nested': plain(
    'The token answer is wrapped in a member data, so there is no top-level access_token.',
  ).by(changeTokenText((json) => `{"data":${json}}`)),
  'token-answer-form': having({ keywords: ['json'] })
    .plain('The token answer is form-encoded text instead of JSON.')
    .by(changeTokenText(formText)),
  'token-answer-trailing': having({ keywords: ['json'] })
    .hidden('The token answer is JSON followed by further text, which is not valid JSON.')
    .by(changeTokenText((json) => `${json};`)),
});

const types = defectsWith({ keywords: ['token_type'], must: ['token/type'] })({
  'token-type-lower-case': having({ keywords: ['token_type', 'bearer'] })
    .plain('token_type is bearer in lower case instead of Bearer.')
    .by(setTokenMembers({ token_type: 'bearer' })),
  'token-type-other': having({ keywords: ['token_type', 'jwt'] })
    .plain('token_type is JWT instead of Bearer.')
    .by(setTokenMembers({ token_type: 'JWT' })),
  'token-type-space': hidden('token_type is Bearer with a trailing space.').by(
    setTokenMembers({ token_type: 'Bearer ' }),
  ),
});

/** An expires_in that is not 3600; `words` complete a sentence about it. */
function wrongValidity(difficulty: Difficulty, value: number, words: string): Row {
  return having({ keywords: ['expires_in', String(value)] })
    [difficulty](`expires_in ${words}, instead of 3600.`)
    .by(setTokenMembers({ expires_in: value }));
}

const validities = defectsWith({ keywords: ['expires_in'], must: ['token/validity'] })({
  'expires-in-milliseconds': wrongValidity('plain', 3_600_000, 'counts milliseconds, 3600000'),
  'expires-in-minutes': wrongValidity('plain', 60, 'counts minutes, 60'),
  'expires-in-two-hours': wrongValidity('plain', 7200, 'claims two hours, 7200'),
  'expires-in-3599': wrongValidity('subtle', 3599, 'is one second too low on a fresh token, 3599'),
  'expires-in-zero': wrongValidity('plain', 0, 'is 0'),
  'expires-in-moment': hidden('expires_in is the time of expiry in seconds since 1970 instead of 3600.').by(
    rewrite('tokenBody', (answer, { expiresAt }) => ({
      ...answer,
      expires_in: Math.floor(expiresAt / 1000),
    })),
  ),
});

const scopes = defectsWith({ keywords: ['scope'], must: ['token/scope'] })({
  'scope-two-spaces': subtle('The granted scopes are separated by two spaces.').by(separateScopes('  ')),
  'scope-space-behind': subtle('The granted scopes have a trailing space.').by(
    changeScope((granted) => `${granted} `),
  ),
  'scope-space-in-front': subtle('The granted scopes have a leading space.').by(
    changeScope((granted) => ` ${granted}`),
  ),
  'scope-commas': hidden('The granted scopes are separated by commas.').by(separateScopes(',')),
  'scope-tab': hidden('The granted scopes are separated by a tab.').by(separateScopes('\t')),
  'scope-lines': hidden('The granted scopes are separated by line ends.').by(separateScopes('\n')),
  'scope-quoted': hidden('The granted scopes are in quotation marks.').by(
    changeScope((granted) => `"${granted}"`),
  ),
  'scope-json-text': hidden('The granted scopes are a JSON array in a string.').by(
    changeScope((granted) => JSON.stringify(granted.split(' '))),
  ),
  'scope-backslash': hidden('The granted scopes contain a backslash.').by(
    changeScope((granted) => granted.replaceAll('.', '\\')),
  ),
  'scope-beyond-ascii': hidden('The granted scopes contain a non-ASCII letter.').by(
    changeScope((granted) => granted.replaceAll('a', 'ä')),
  ),
  'scope-empty': hidden('The granted scopes are missing: scope is an empty string.').by(
    setTokenMembers({ scope: '' }),
  ),
});

/** Defects of the token answer. */
export const tokenAnswerDefects = [...shape, ...types, ...validities, ...scopes];

// Another defect may have made it invalid JSON already.
function formText(json: string): string {
  try {
    const members = Object.entries(JSON.parse(json) as { readonly [name: string]: unknown });
    return new URLSearchParams(
      members.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
  } catch {
    return json;
  }
}
