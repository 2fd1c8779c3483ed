import { requirements } from '../../../specs/catalogue.ts';
import type { MockOptions } from '../../../src/mock/index.ts';
import type { Behaviour } from '../../support/hostile/front.ts';
import { onList, onToken, status } from '../../support/hostile/spoil.ts';

const HTML = '<!doctype html><html><body>Welcome</body></html>';
const JSON_TYPE = [['Content-Type', 'application/json']] as const;
const HTML_TYPE = [['Content-Type', 'text/html']] as const;
const oauth = (error: string): string => JSON.stringify({ error });

/** What is expected of a run. */
export interface Expected {
  readonly status: number;
  readonly outcome: 'conformant' | 'non-conformant' | 'inconclusive' | 'error';
  /** A part of the headline. */
  readonly headline?: string;
  /** All failed requirements; none by default. */
  readonly failed?: readonly string[];
  /** Kinds of causes except `unselected` and `unconfigured`; not checked by default. */
  readonly causes?: readonly string[];
  /** The key of a `configuration` cause. */
  readonly key?: string;
}

/** A provider, a target file and options. */
export interface Situation {
  readonly mock?: MockOptions;
  readonly gateway?: Behaviour;
  /** Changes of the target file. */
  readonly target?: { readonly [key: string]: unknown };
  readonly options?: string;
  /** Options of an earlier run whose folder is the baseline. */
  readonly baseline?: string;
}

const conformant: Expected = { status: 0, outcome: 'conformant', causes: [] };
const failing = (...failed: string[]): Expected => ({ status: 1, outcome: 'non-conformant', failed });
const misconfigured = (key: string): Expected => ({
  status: 3,
  outcome: 'error',
  causes: ['configuration'],
  key,
});
const unavailable: Expected = { status: 3, outcome: 'error', causes: ['unavailable'] };
const waivers = (requirement: string): NonNullable<Situation['target']> => ({
  waivers: [{ requirement, reason: 'agreed', until: '2099-12-31' }],
});
const OFFSET = { defects: ['skip-in-pages'] };
const EMPTY = { records: 0 };
const SHORT = { records: 3 };
// Slow enough for a busy machine to finish the other checks before their token must be renewed.
const SLOW = { clockRate: 360 };

const ALL = requirements.length;
const SMOKE = requirements.filter(({ smoke }) => smoke).length;

export const SITUATIONS: { readonly [name: string]: readonly [Expected, Situation?] } = {
  'a conforming provider': [{ ...conformant, headline: 'Every tested requirement passed' }],
  'a conforming provider, smoke': [
    { ...conformant, headline: `${SMOKE} of ${ALL} requirements selected` },
    { options: '--suite smoke' },
  ],
  'a conforming provider, strict': [conformant, { options: '--strict' }],
  'a conforming provider with --expiry': [
    conformant,
    { mock: SLOW, target: { expiry: SLOW }, options: '--expiry' },
  ],
  'a certification with every requirement': [
    { ...conformant, headline: `All ${ALL} requirements passed` },
    { mock: SLOW, target: { expiry: SLOW }, options: '--suite certify --expiry' },
  ],
  'a certification that does not wait for a token to expire': [
    {
      status: 2,
      outcome: 'conformant',
      headline: `${ALL - 1} of ${ALL} requirements passed; not tested: token/accepted-until-expiry`,
    },
    { options: '--suite certify' },
  ],
  'a certification of a list of 3 records': [
    { status: 2, outcome: 'inconclusive', causes: ['data'] },
    { mock: SHORT, options: '--suite certify' },
  ],
  'a failure': [{ ...failing('link/offset'), causes: ['blocked'] }, { mock: OFFSET }],
  'a failure, smoke': [
    { ...failing('link/offset'), causes: ['blocked'] },
    { mock: OFFSET, options: '--suite smoke' },
  ],
  'a failure of a requirement that blocks a selected one': [
    { ...failing('link/offset'), causes: ['blocked'] },
    { mock: OFFSET, options: '--only traversal/followable' },
  ],
  'the same, left out by the user': [
    { status: 2, outcome: 'inconclusive', causes: ['blocked'] },
    { mock: OFFSET, options: '--only traversal/followable --skip link/offset' },
  ],
  'a failure and --allow-inconclusive': [
    failing('link/offset'),
    { mock: OFFSET, options: '--allow-inconclusive' },
  ],
  'one selected requirement that passes': [
    { ...conformant, headline: `1 of ${ALL} requirements selected; it passed` },
    { options: '--only link/offset' },
  ],
  'a waived failure that blocks nothing': [
    { ...conformant, failed: ['token/type'], headline: '1 failure that a waiver covers' },
    { mock: { defects: ['token-type-lower-case'] }, target: waivers('token/*') },
  ],
  'a waived failure, by a glob with a question mark': [
    { ...conformant, failed: ['token/type'] },
    { mock: { defects: ['token-type-lower-case'] }, target: waivers('token/typ?') },
  ],
  'a waived failure that blocks others': [
    { status: 2, outcome: 'inconclusive', failed: ['link/offset'], causes: ['blocked'] },
    { mock: OFFSET, target: waivers('link/offset') },
  ],
  'a waived failure that blocks others, allowed': [
    { status: 0, outcome: 'inconclusive', failed: ['link/offset'] },
    { mock: OFFSET, target: waivers('link/offset'), options: '--allow-inconclusive' },
  ],
  'a waiver that has ended': [
    failing('link/offset'),
    {
      mock: OFFSET,
      target: { waivers: [{ requirement: 'link/offset', reason: 'agreed', until: '2020-01-01' }] },
    },
  ],
  'a baseline with the same failure': [
    { status: 0, outcome: 'non-conformant', failed: ['link/offset'] },
    { mock: OFFSET, baseline: '' },
  ],
  'a baseline that knows another requirement alone': [
    failing('link/offset'),
    { mock: OFFSET, baseline: '--only token/*' },
  ],
  'a list of 3 records': [
    { status: 0, outcome: 'inconclusive', causes: ['data'], headline: 'need more records' },
    { mock: SHORT },
  ],
  'a list of 3 records, strict': [
    { status: 2, outcome: 'inconclusive', causes: ['data'] },
    { mock: SHORT, options: '--strict' },
  ],
  'a list of 3 records, smoke': [
    {
      status: 0,
      outcome: 'inconclusive',
      causes: ['data'],
      headline: `1 of ${ALL} requirements needs more records`,
    },
    { mock: SHORT, options: '--suite smoke' },
  ],
  'one requirement that needs more records': [
    { status: 2, outcome: 'inconclusive', causes: ['data'], headline: 'Nothing could be tested' },
    { mock: SHORT, options: '--only page-size/default' },
  ],
  'an empty list': [{ status: 2, outcome: 'inconclusive', causes: ['data'] }, { mock: EMPTY }],
  'an empty list, smoke': [
    { status: 2, outcome: 'inconclusive', causes: ['data'] },
    { mock: EMPTY, options: '--suite smoke' },
  ],
  'an empty list, allowed': [
    { status: 0, outcome: 'inconclusive', causes: ['data'] },
    { mock: EMPTY, options: '--allow-inconclusive' },
  ],
  'data that keeps changing': [
    { status: 2, outcome: 'inconclusive' },
    { mock: { variant: 'living-swaps', seed: 1 } },
  ],
  'a limit that ends the run early': [
    { status: 2, outcome: 'inconclusive', causes: ['limit'] },
    { options: '--max-requests 12' },
  ],
  'a limit of pages': [
    { status: 2, outcome: 'inconclusive', causes: ['limit'] },
    { target: { limits: { maxPages: 2 } } },
  ],
  'every requirement skipped but one that is not configured': [
    { status: 2, outcome: 'inconclusive', causes: [], headline: 'Nothing could be tested' },
    { target: { otherCredentials: undefined }, options: '--only token/provider-isolation' },
  ],
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
  'a list that answers 404 for an unknown tenant, and says so': [
    misconfigured('tenant'),
    { gateway: onList(status(404, JSON_TYPE, '{"title":"unknown tenant"}')) },
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
  'a list that answers 403 to every call without saying why': [
    failing('authorization/accepted'),
    { gateway: onList(status(403)) },
  ],
  'a list that answers 400 to every call': [
    failing('authorization/accepted'),
    { gateway: onList(status(400)) },
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
    failing('token/issued'),
    { gateway: onToken(status(400, JSON_TYPE, oauth('invalid_request'))) },
  ],
  'a list that is a web page, and nothing else is': [
    failing('list/envelope'),
    {
      gateway: (call) =>
        call.target.startsWith('/v1/printers') ? status(200, HTML_TYPE, HTML)(call) : call.answer,
    },
  ],
  'a list that refuses every token': [
    failing('authorization/accepted'),
    { mock: { defects: ['authorization-always-refused'] } },
  ],
  'an unreachable host': [
    unavailable,
    { target: { authUrl: 'http://127.0.0.1:9', baseUrl: 'http://127.0.0.1:9', limits: { retries: 0 } } },
  ],
  'https in place of http': [misconfigured('authUrl'), { target: { https: true } }],
  'a token that ends after twenty calls': [
    failing('token/accepted-until-expiry'),
    { mock: { defects: ['token-ends-after-twenty-calls'] } },
  ],
  'a provider that revokes tokens when it issues others': [
    conformant,
    { mock: { variant: 'token-newest-only' } },
  ],
};
