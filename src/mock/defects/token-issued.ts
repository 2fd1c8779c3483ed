import { amongWorkers, lacks, type RequestTest, rememberRefusals } from '../authorization-changes.ts';
import { defectsWith, having, plain, subtle, wholeSuiteInOrder } from '../catalogue-rows.ts';
import {
  type Change,
  counting,
  everyNth,
  onCallNumbers,
  onceAtATime,
  rewrite,
  withState,
  wrap,
} from '../changes.ts';
import {
  problem,
  type ReceivedRequest,
  refuseToken,
  type Steps,
  TOKEN_PATH,
  textAnswer,
} from '../pipeline.ts';
import { refuseGrants, refuseRequests, setTokenStatus } from '../token-changes.ts';

/** The credentials of a Basic header as form fields; null if there is none. */
function basicIn({ headers }: ReceivedRequest): string | null {
  const header = headers['authorization'];
  if (typeof header !== 'string' || !header.startsWith('Basic ')) return null;
  const [clientId = '', secret = ''] = Buffer.from(header.slice(6), 'base64').toString('utf8').split(':');
  return `client_id=${clientId}&client_secret=${secret}`;
}

/** Gives the answers that issue a token to requests that pass a test the status 201. */
function answerCreated(where: RequestTest): Change {
  return rewrite('tokenAnswer', (answer, _body, request, service) =>
    where(request, service) ? { ...answer, status: 201 } : answer,
  );
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

/** Answers 500 to what would issue a token while another request does, of the same client or of any. */
function refuseWhileBusy(of: 'client' | 'all'): Change {
  return withState(Set<string>, (busy) =>
    wrap('issue', (issue) => async (grant, service) => {
      const key = of === 'all' ? of : grant.client.clientId;
      return onceAtATime(busy, key, {
        refuse: () => refuseToken(500, 'server_error', 'deadlock'),
        work: () => issue(grant, service),
      });
    }),
  );
}

export const issuedDefects = defectsWith({ keywords: ['401'], must: ['token/issued'] })({
  'token-answered-201': having({ keywords: ['201'] })
    .hidden('A token request is answered 201 Created instead of 200.')
    .by(setTokenStatus(201)),
  'token-answered-201-once': having({ keywords: ['201'], ...wholeSuiteInOrder })
    .subtle('The fourth token answer has status 201, and no other one.')
    .by(onCallNumbers((number) => number === 4)(setTokenStatus(201))),
  'token-answered-with-web-page': having({ keywords: ['web page'], ...wholeSuiteInOrder })
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
  'token-status-201-every-fifth': having({ keywords: ['201'], ...wholeSuiteInOrder })
    .subtle('Every fifth token answer has status 201.')
    .by(everyNth(5)(setTokenStatus(201))),
  'token-status-201-second-client': having({ keywords: ['201'], needs: { wholeSuite: true } })
    .subtle('The token answers of the second client have status 201.')
    .by(
      answerCreated(
        ({ body }, { credentials }) => !String(body).includes(`client_id=${credentials.clientId}`),
      ),
    ),
  'token-status-201-at-first': having({ keywords: ['201'], needs: { wholeSuite: true } })
    .subtle('The first token answer to each client has status 201.')
    .by(
      counting((count) =>
        answerCreated(({ body }) => count(/client_id=[^&]*/.exec(String(body))?.[0] ?? '') === 1),
      ),
    ),
  'token-request-refused-every-fifth': having({ keywords: ['400'], ...wholeSuiteInOrder })
    .subtle('Every fifth valid token request of the first client is refused with unauthorized_client.')
    .by(refuseGrants((number) => number % 5 === 0, 400, 'unauthorized_client')),
  'token-request-fails-every-third-time': having({ keywords: ['500'], ...wholeSuiteInOrder })
    .subtle('Every third valid token request of the first client is answered 500.')
    .by(refuseGrants((number) => number % 3 === 0, 500, 'server_error')),
  'token-request-not-found-every-fifth': having({ keywords: ['404'], ...wholeSuiteInOrder })
    .subtle(
      'Every fifth valid token request of the first client is answered 404, by a server without that route.',
    )
    .by(refuseGrants((number) => number % 5 === 0, 404, 'not_found')),
  'token-request-in-conflict-every-fourth': having({ keywords: ['409'], ...wholeSuiteInOrder })
    .hidden('Every fourth valid token request of the first client is answered 409, as by a lock of its row.')
    .by(refuseGrants((number) => number % 4 === 0, 409, 'conflict')),
  'token-requests-at-once-500': having({ keywords: ['500'] })
    .subtle(
      'A token request is answered 500 while another one is in progress, as by a deadlock in a database.',
    )
    .by(refuseWhileBusy('all')),
  'token-requests-of-a-client-at-once-500': having({ keywords: ['500'] })
    .subtle('A valid token request is answered 500 while another one of its client is in progress.')
    .by(refuseWhileBusy('client')),
  'token-request-fails-in-pairs': having({ keywords: ['500'], ...wholeSuiteInOrder })
    .subtle(
      'The third and the fourth of each four valid token requests of the first client are answered 500.',
    )
    .by(refuseGrants((number) => number % 4 === 3 || number % 4 === 0, 500, 'server_error')),
  'token-requests-refused-after-first': having({ keywords: ['400'], ...wholeSuiteInOrder })
    .subtle(
      'The first client obtains one token; each later valid request of it is refused with unauthorized_client.',
    )
    .by(refuseGrants((number) => number > 1, 400, 'unauthorized_client')),
  'token-request-refused-every-second-time': having({ keywords: ['400'] })
    .subtle('Every second valid token request of the first client is answered 400.')
    .by(refuseGrants((number) => number % 2 === 0, 400, 'invalid_request', 'not this time')),
  'token-form-order-fixed': having({ keywords: ['field'] })
    .subtle('A token request whose first field is not grant_type is answered 400.')
    .by(
      rewrite('form', (fields) => {
        const [first] = fields.keys();
        if (first !== 'grant_type' && fields.has('grant_type'))
          refuseToken(400, 'invalid_request', 'grant_type must be first');
        return fields;
      }),
    ),
  'token-accept-demanded': having({ keywords: ['accept', '406'] })
    .subtle('A token request without an Accept header is answered 406.')
    .by(refuseRequests(406, 'invalid_request', 'Accept is required', lacks('accept'))),
  'token-form-compared-undecoded': having({ keywords: ['percent-escape'] })
    .subtle('The grant_type of a token request is compared before its percent-escapes are decoded.')
    .by(
      refuseRequests(400, 'unsupported_grant_type', 'grant_type must be client_credentials', ({ body }) =>
        /grant_type=client%5f/i.test(body.toString('latin1')),
      ),
    ),
  'token-client-compared-undecoded': having({ keywords: ['percent-escape'] })
    .hidden('The client_id of a token request is compared before its percent-escapes are decoded.')
    .by(
      refuseRequests(401, 'invalid_client', 'the client is unknown', ({ body }) =>
        /client_id=[^&]*%/.test(body.toString('latin1')),
      ),
    ),
  'token-client-escape-in-lower-case': having({
    keywords: ['percent-escape'],
    needs: { suite: 'certify' },
  })
    .subtle('A percent-escape in lower case is not decoded in the client_id of a token request.')
    .by(
      refuseRequests(401, 'invalid_client', 'the client is unknown', ({ body }) =>
        /client_id=[^&]*%(?:[a-f][0-9a-f]|[0-9][a-f])/.test(body.toString('latin1')),
      ),
    ),
  'worker-answers-token-201': having({ keywords: ['201'], needs: { order: true } })
    .subtle('Four of eight workers answer a token request with 201.')
    .by(amongWorkers(8, (workerOf) => answerCreated((request) => workerOf(request) >= 4))),
  'token-connection-stays-refused': having({ keywords: ['invalid_client'], ...wholeSuiteInOrder })
    .subtle('After a refused token request, correct ones over the same connection are refused.')
    .by(
      rememberRefusals((isKnown) =>
        refuseRequests(401, 'invalid_client', 'the session has no client', isKnown),
      ),
    ),
});
