import { lists, onList, onSuccess, onToken, status } from '../../support/hostile/hostile-behaviours.ts';
import { failing, misconfigured, type Situations, unavailable } from './situation.ts';

const HTML = '<!doctype html><html><body>Welcome</body></html>';
const JSON_TYPE = [['Content-Type', 'application/json']] as const;
const HTML_TYPE = [['Content-Type', 'text/html']] as const;
/** What a list answers for a tenant that it does not know. */
const UNKNOWN_TENANT = '{"title":"unknown tenant"}';
const oauth = (error: string): string => JSON.stringify({ error });

/** Mistakes in the target file, outages, and breaches that look like one of them. */
export const MISCONFIGURATIONS: Situations = {
  'a wrong client secret': [
    misconfigured('credentials.clientSecret'),
    { target: { credentials: { clientSecret: 'mistyped' } } },
  ],
  'a wrong client secret, smoke': [
    misconfigured('credentials.clientSecret'),
    { target: { credentials: { clientSecret: 'mistyped' } }, options: '--suite smoke' },
  ],
  'a wrong client secret and --allow-inconclusive': [
    misconfigured('credentials.clientSecret'),
    { target: { credentials: { clientSecret: 'mistyped' } }, options: '--allow-inconclusive' },
  ],
  'a wrong client id': [
    misconfigured('credentials.clientSecret'),
    { target: { credentials: { clientId: 'mistyped' } } },
  ],
  'a client that may not use the grant': [
    misconfigured('credentials.clientId'),
    { gateway: onToken(status(400, JSON_TYPE, oauth('unauthorized_client'))) },
  ],
  'a wrong scope': [
    misconfigured('credentials.scope'),
    { gateway: onToken(status(400, JSON_TYPE, oauth('invalid_scope'))) },
  ],
  'two scopes, of which one was not issued': [
    misconfigured('credentials.scope'),
    { target: { credentials: { scope: 'printers.read mistyped' } } },
  ],
  'a token endpoint that refuses without saying why': [
    misconfigured('credentials.clientSecret'),
    { gateway: onToken(status(403)) },
  ],
  'a token endpoint that answers 404': [misconfigured('authUrl'), { gateway: onToken(status(404)) }],
  'a token endpoint that answers with a web page': [
    misconfigured('authUrl'),
    { gateway: onToken(status(200, HTML_TYPE, HTML)) },
  ],
  'a token endpoint that redirects to another host': [
    misconfigured('authUrl'),
    { gateway: onToken(status(301, [['Location', 'https://login.example/connect/token']])) },
  ],
  'a token endpoint that refuses the grant type': [
    failing('token/issued'),
    { gateway: onToken(status(400, JSON_TYPE, oauth('unsupported_grant_type'))) },
  ],
  'a token endpoint that answers 200 with another shape': [
    failing('token/shape'),
    { gateway: onToken(status(200, JSON_TYPE, '{"token":"abcdefgh"}')) },
  ],
  'a token endpoint that gives its tokens with status 400': [
    failing('token/issued'),
    { gateway: onToken(onSuccess(({ answer }) => ({ ...answer, status: 400 }))) },
  ],
  'a token endpoint that takes HTTP Basic alone': [
    failing('token/issued'),
    { mock: { defects: ['token-request-needs-basic'] } },
  ],
  ...Object.fromEntries(
    [500, 502, 503, 504].map((code) => [
      `a token endpoint that answers ${code}`,
      [unavailable, { gateway: onToken(status(code)), target: { limits: { retries: 0 } } }],
    ]),
  ),
  'a list that answers 404 to every call': [misconfigured('baseUrl'), { gateway: onList(status(404)) }],
  ...Object.fromEntries(
    [500, 502, 503, 504].map((code) => [
      `a list that answers ${code} to every call`,
      [unavailable, { gateway: onList(status(code)), target: { limits: { retries: 0 } } }],
    ]),
  ),
  '503 everywhere, smoke': [
    unavailable,
    { gateway: status(503), target: { limits: { retries: 0 } }, options: '--suite smoke' },
  ],
  'a list that demands a tenant, and a target without one': [
    misconfigured('tenant'),
    { mock: { variant: 'tenant-demanded' }, target: { tenant: undefined } },
  ],
  'a list that demands a tenant, and a target without one, smoke': [
    misconfigured('tenant'),
    { mock: { variant: 'tenant-demanded' }, target: { tenant: undefined }, options: '--suite smoke' },
  ],
  'a tenant that the provider does not know': [
    misconfigured('tenant'),
    { mock: { variant: 'tenant-checked' }, target: { tenant: 'refrence' } },
  ],
  'a list that answers 401 to every call of a target without a tenant': [
    misconfigured('tenant'),
    { gateway: onList(status(401)), target: { tenant: undefined } },
  ],
  'a list that refuses every token of a target without a tenant, and says so': [
    failing('authorization/accepted'),
    { mock: { defects: ['authorization-always-refused'] }, target: { tenant: undefined } },
  ],
  'a second client whose secret is refused with 200 and an error': [
    misconfigured('otherCredentials'),
    {
      gateway: onToken((call) =>
        call.answer.status === 200 ? call.answer : status(200, JSON_TYPE, oauth('invalid_client'))(call),
      ),
      target: { otherCredentials: { clientId: 'other', clientSecret: 'mistyped', scope: 'printers.read' } },
    },
  ],
  'a list that answers 404 for an unknown tenant, and says so': [
    misconfigured('tenant'),
    { gateway: onList(status(404, JSON_TYPE, UNKNOWN_TENANT)) },
  ],
  'a list behind a proxy that asks for a password': [
    misconfigured('baseUrl'),
    { gateway: onList(status(401, [['WWW-Authenticate', 'Basic realm="staging"']])) },
  ],
  'a list that asks for a token or a password': [
    failing('authorization/accepted'),
    { gateway: onList(status(401, [['WWW-Authenticate', 'Basic realm="api", Bearer']])) },
  ],
  'a list that answers 401 for an unknown tenant, unlike for an unknown token': [
    misconfigured('tenant'),
    { gateway: lists(status(401, JSON_TYPE, UNKNOWN_TENANT)) },
  ],
  'a list that speaks of a tenant whenever it answers 401': [
    failing('authorization/accepted'),
    { gateway: onList(status(401, JSON_TYPE, UNKNOWN_TENANT)) },
  ],
  'a list that answers 200 with an error for an unknown tenant': [
    misconfigured('tenant'),
    { gateway: lists(status(200, JSON_TYPE, UNKNOWN_TENANT)) },
  ],
  'a list that answers 200 with another error': [
    failing('list/envelope'),
    { gateway: lists(status(200, JSON_TYPE, '{"title":"no printers"}')) },
  ],
  'a list that answers 404 to every call of a target without a tenant': [
    misconfigured('baseUrl'),
    { gateway: onList(status(404)), target: { tenant: undefined } },
  ],
  'a scope that gives no access to the list, said in the challenge': [
    misconfigured('credentials.scope'),
    { gateway: onList(status(403, [['WWW-Authenticate', 'Bearer error="insufficient_scope"']])) },
  ],
  'a scope that gives no access to the list, said in the body': [
    misconfigured('credentials.scope'),
    { gateway: onList(status(403, JSON_TYPE, oauth('insufficient_scope'))) },
  ],
  'a list that answers 403 to every call without saying why, and other paths 404': [
    failing('authorization/accepted'),
    { gateway: onList((call) => (call.answer.status === 404 ? call.answer : status(403)(call))) },
  ],
  'a base URL below which every path is answered 403': [
    misconfigured('baseUrl'),
    { gateway: onList(status(403)) },
  ],
  'a list that answers 400 to every call with a known token, and 401 to others': [
    misconfigured('tenant'),
    { gateway: lists(status(400)) },
  ],
  'a list that answers 400 to every call, and other paths 404': [
    failing('authorization/accepted'),
    { gateway: onList((call) => (call.answer.status === 404 ? call.answer : status(400)(call))) },
  ],
  'a base URL below which every path is answered 400': [
    misconfigured('baseUrl'),
    { gateway: onList(status(400)) },
  ],
  'a base URL below which every path is answered 401 without a token and 400 with any': [
    misconfigured('baseUrl'),
    { gateway: onList((call) => status(/^authorization:/im.test(call.head) ? 400 : 401)(call)) },
  ],
  'a base URL below which every path is answered 400 with a valid token and 401 without one': [
    misconfigured('baseUrl'),
    { gateway: onList((call) => (call.answer.status === 401 ? call.answer : status(400)(call))) },
  ],
  'a server that answers 400 to headers as long as its tokens': [
    failing('authorization/accepted'),
    { mock: { defects: ['token-exceeds-header-limit'] } },
  ],
  'a server that answers 431 to headers as long as its tokens, and a target without a tenant': [
    failing('authorization/accepted'),
    { mock: { defects: ['token-exceeds-node-header-limit'] }, target: { tenant: undefined } },
  ],
  'a base URL below which every path is answered 204': [
    misconfigured('baseUrl'),
    { gateway: onList(status(204)) },
  ],
  'a token endpoint that refuses a mistyped secret with status 200': [
    misconfigured('credentials.clientSecret'),
    { gateway: onToken(status(200, JSON_TYPE, oauth('invalid_client'))) },
  ],
  'a token endpoint that refuses a mistyped scope with status 200, smoke': [
    misconfigured('credentials.scope'),
    { gateway: onToken(status(200, JSON_TYPE, oauth('invalid_scope'))), options: '--suite smoke' },
  ],
  'a web site that answers every path with its page': [
    misconfigured('baseUrl'),
    { gateway: onList(status(200, HTML_TYPE, HTML)) },
  ],
  'a web site that answers every path with its page, smoke': [
    misconfigured('baseUrl'),
    { gateway: onList(status(200, HTML_TYPE, HTML)), options: '--suite smoke' },
  ],
  'a login that every path redirects to': [
    misconfigured('baseUrl'),
    { gateway: onList(status(302, [['Location', '/login']])) },
  ],
  'a default backend that answers every path with ok, smoke': [
    misconfigured('baseUrl'),
    { gateway: onList(status(200, [['Content-Type', 'text/plain']], 'ok')), options: '--suite smoke' },
  ],
  'a list path with a slash at its end, which the provider redirects': [
    misconfigured('resources[0].path'),
    {
      target: { resources: [{ name: 'printers', path: '/v1/printers/', itemSchema: 'printer' }] },
      gateway: onList((call) =>
        call.target.startsWith('/v1/printers/')
          ? status(301, [['Location', '/v1/printers']])(call)
          : call.answer,
      ),
    },
  ],
  'a list path in other letter case than that of the links': [
    misconfigured('resources[0].path'),
    {
      mock: { variant: 'paths-lenient-but-guarded' },
      target: { resources: [{ name: 'printers', path: '/V1/Printers', itemSchema: 'printer' }] },
    },
  ],
  'an API that redirects every path to another folder': [
    misconfigured('baseUrl'),
    {
      gateway: onList((call) => status(301, [['Location', `/new${call.target}`]])(call)),
    },
  ],
  'a list that redirects, and nothing else does': [
    failing('authorization/accepted'),
    {
      gateway: (call) =>
        call.target.startsWith('/v1/printers') ? status(302, [['Location', '/login']])(call) : call.answer,
    },
  ],
  'a list that answers 405 to every call': [misconfigured('baseUrl'), { gateway: onList(status(405)) }],
  'a secret that is refused with invalid_request': [
    misconfigured('credentials.clientSecret'),
    {
      gateway: onToken((call) =>
        call.answer.status === 401
          ? { ...call.answer, status: 400, body: Buffer.from(oauth('invalid_request')) }
          : call.answer,
      ),
      target: { credentials: { clientSecret: 'mistyped' } },
    },
  ],
  'a token endpoint that refuses every request with invalid_request': [
    misconfigured('credentials.clientSecret'),
    { gateway: onToken(status(400, JSON_TYPE, oauth('invalid_request'))) },
  ],
  'a token endpoint that refuses every request with unsupported_grant_type': [
    failing('token/issued'),
    { gateway: onToken(status(400, JSON_TYPE, oauth('unsupported_grant_type'))) },
  ],
  'a list that is a web page, and nothing else is': [
    failing('list/envelope'),
    {
      gateway: (call) =>
        call.target.startsWith('/v1/printers') ? status(200, HTML_TYPE, HTML)(call) : call.answer,
    },
  ],
};
