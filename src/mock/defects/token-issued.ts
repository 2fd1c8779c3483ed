import { TOKEN_PATH } from '../conforming/gate.ts';
import { refuseToken } from '../conforming/token.ts';
import { type Defect, type DefectDraft, defectsWith } from '../defect.ts';
import { type Change, type ReceivedRequest, type Steps, wrap } from '../pipeline.ts';

/** The credentials of a Basic header as form fields; null if there is none. */
function basicIn({ headers }: ReceivedRequest): string | null {
  const header = headers['authorization'];
  if (typeof header !== 'string' || !header.startsWith('Basic ')) return null;
  const [clientId = '', secret = ''] = Buffer.from(header.slice(6), 'base64').toString('utf8').split(':');
  return `client_id=${clientId}&client_secret=${secret}`;
}

const refuseForm: Change = wrap('form', (): Steps['form'] => (request) => {
  if (request.headers['content-type']?.includes('json') !== true) {
    refuseToken(415, 'invalid_request', 'the body must be JSON');
  }
  const fields: Record<string, string> = JSON.parse(request.body.toString('utf8'));
  return new Map(Object.entries(fields));
});

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

const ofIssuing = { must: ['token/issued'] } satisfies Partial<DefectDraft>;

/** Defects that refuse a valid token request. */
export const issuedDefects: readonly Defect[] = defectsWith(ofIssuing, {
  'token-answered-201': {
    sentence: 'A token request is answered 201 Created instead of 200.',
    keywords: ['201'],
    difficulty: 'hidden',
    apply: wrap('tokenAnswer', (tokenAnswer) => (...given) => ({ ...tokenAnswer(...given), status: 201 })),
  },
  'token-request-json-only': {
    sentence: 'The token endpoint accepts a JSON body only and answers a form-encoded request 415.',
    keywords: ['415'],
    difficulty: 'plain',
    apply: refuseForm,
  },
  'token-request-plus-literal': {
    sentence: 'A + in the form of a token request is not read as a blank, so that its scope is unknown.',
    keywords: ['%20'],
    difficulty: 'subtle',
    apply: wrap('form', () => (request) => {
      const text = request.body.toString('utf8').replaceAll('+', '%2B');
      return new Map(new URLSearchParams(text));
    }),
  },
  'token-request-needs-basic': {
    sentence:
      'The token endpoint accepts the credentials in an Authorization header only and answers 401 otherwise.',
    keywords: ['401'],
    difficulty: 'plain',
    apply: wrap('form', (form) => (request, service) => {
      const credentials = basicIn(request);
      if (credentials === null) refuseToken(401, 'invalid_client', 'Basic authentication is required');
      return new Map([...form(request, service), ...new URLSearchParams(credentials)]);
    }),
  },
  'token-request-behind-gate': {
    sentence: 'The token endpoint is guarded: every request without an Authorization header is answered 401.',
    keywords: ['401'],
    difficulty: 'plain',
    apply: wrap('token', (token) => async (request, service) => {
      const credentials = basicIn(request);
      if (credentials === null) return service.steps.unauthorized(request, service);
      const body = Buffer.concat([request.body, Buffer.from(`&${credentials}`)]);
      return token({ ...request, body }, service);
    }),
  },
  'token-request-redirected': {
    sentence: 'The token request is redirected with 307 to another path, which issues the token.',
    keywords: ['307'],
    difficulty: 'plain',
    apply: wrap('receive', (receive) => (request, service) => {
      if (request.path === '/oauth2/token') return receive({ ...request, path: TOKEN_PATH }, service);
      if (request.path !== TOKEN_PATH) return receive(request, service);
      return Promise.resolve({ status: 307, headers: { Location: '/oauth2/token' }, body: '' });
    }),
  },
  'token-several-scopes-refused': {
    sentence: 'A token request for more than one scope is answered 400, although both are granted.',
    keywords: ['400'],
    difficulty: 'plain',
    apply: wrap('grantScope', (grantScope) => (client, requested, service) => {
      if (requested?.includes(' ') === true) refuseToken(400, 'invalid_scope', 'one scope at a time');
      return grantScope(client, requested, service);
    }),
  },
  'token-refused-while-one-in-force': {
    sentence:
      'A token request is answered 400 invalid_request while an earlier token of the client is in force.',
    keywords: ['400'],
    apply: refuseHolders(400, 'invalid_request'),
  },
  'token-credentials-work-once': {
    sentence: 'A token request is answered 401 invalid_client after the client has obtained a token.',
    keywords: ['401'],
    apply: refuseHolders(401, 'invalid_client'),
  },
});
