import { requirements } from '../../../specs/catalogue.ts';
import type { MockOptions } from '../../../src/mock/index.ts';
import { type Answer, always } from '../../support/gateway.ts';

const HTML = '<!doctype html><html><body>Welcome</body></html>';
const JSON_TYPE = { 'Content-Type': 'application/json' };
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

/** A provider, a target file and options, with the expected result. */
export interface Situation {
  readonly name: string;
  readonly mock?: MockOptions;
  readonly gateway?: Answer;
  /** Changes of the target file. */
  readonly target?: { readonly [key: string]: unknown };
  readonly options?: readonly string[];
  /** Options of an earlier run whose folder is the baseline. */
  readonly baseline?: readonly string[];
  readonly expected: Expected;
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

const ALL = requirements.length;
const SMOKE = requirements.filter(({ smoke }) => smoke).length;

export const SITUATIONS: readonly Situation[] = [
  { name: 'a conforming provider', expected: { ...conformant, headline: 'Every tested requirement passed' } },
  {
    name: 'a conforming provider, smoke',
    options: ['--suite', 'smoke'],
    expected: { ...conformant, headline: `${SMOKE} of ${ALL} requirements selected` },
  },
  { name: 'a conforming provider, strict', options: ['--strict'], expected: conformant },
  {
    name: 'a conforming provider with --expiry',
    mock: { clockRate: 1800 },
    target: { expiry: { clockRate: 1800 } },
    options: ['--expiry'],
    expected: conformant,
  },
  {
    name: 'a certification with every requirement',
    mock: { clockRate: 600 },
    target: { expiry: { clockRate: 600 } },
    options: ['--suite', 'certify', '--expiry'],
    expected: { ...conformant, headline: `All ${ALL} requirements passed` },
  },
  {
    name: 'a certification that does not wait for a token to expire',
    options: ['--suite', 'certify'],
    expected: {
      status: 2,
      outcome: 'conformant',
      headline: `${ALL - 1} of ${ALL} requirements passed; not tested: token/accepted-until-expiry`,
    },
  },
  {
    name: 'a certification of a list of 3 records',
    mock: SHORT,
    options: ['--suite', 'certify'],
    expected: { status: 2, outcome: 'inconclusive', causes: ['data'] },
  },
  { name: 'a failure', mock: OFFSET, expected: { ...failing('link/offset'), causes: ['blocked'] } },
  {
    name: 'a failure, smoke',
    mock: OFFSET,
    options: ['--suite', 'smoke'],
    expected: { ...failing('link/offset'), causes: ['blocked'] },
  },
  {
    name: 'a failure of a requirement that blocks a selected one',
    mock: OFFSET,
    options: ['--only', 'traversal/followable'],
    expected: { ...failing('link/offset'), causes: ['blocked'] },
  },
  {
    name: 'the same, left out by the user',
    mock: OFFSET,
    options: ['--only', 'traversal/followable', '--skip', 'link/offset'],
    expected: { status: 2, outcome: 'inconclusive', causes: ['blocked'] },
  },
  {
    name: 'a failure and --allow-inconclusive',
    mock: OFFSET,
    options: ['--allow-inconclusive'],
    expected: failing('link/offset'),
  },
  {
    name: 'one selected requirement that passes',
    options: ['--only', 'link/offset'],
    expected: { ...conformant, headline: `1 of ${ALL} requirements selected; it passed` },
  },
  {
    name: 'a waived failure that blocks nothing',
    mock: { defects: ['token-type-lower-case'] },
    target: waivers('token/*'),
    expected: { ...conformant, failed: ['token/type'], headline: '1 failure that a waiver covers' },
  },
  {
    name: 'a waived failure, by a glob with a question mark',
    mock: { defects: ['token-type-lower-case'] },
    target: waivers('token/typ?'),
    expected: { ...conformant, failed: ['token/type'] },
  },
  {
    name: 'a waived failure that blocks others',
    mock: OFFSET,
    target: waivers('link/offset'),
    expected: { status: 2, outcome: 'inconclusive', failed: ['link/offset'], causes: ['blocked'] },
  },
  {
    name: 'a waived failure that blocks others, allowed',
    mock: OFFSET,
    target: waivers('link/offset'),
    options: ['--allow-inconclusive'],
    expected: { status: 0, outcome: 'inconclusive', failed: ['link/offset'] },
  },
  {
    name: 'a waiver that has ended',
    mock: OFFSET,
    target: { waivers: [{ requirement: 'link/offset', reason: 'agreed', until: '2020-01-01' }] },
    expected: failing('link/offset'),
  },
  {
    name: 'a baseline with the same failure',
    mock: OFFSET,
    baseline: [],
    expected: { status: 0, outcome: 'non-conformant', failed: ['link/offset'] },
  },
  {
    name: 'a baseline that knows another requirement alone',
    mock: OFFSET,
    baseline: ['--only', 'token/*'],
    expected: failing('link/offset'),
  },
  {
    name: 'a list of 3 records',
    mock: SHORT,
    expected: { status: 0, outcome: 'inconclusive', causes: ['data'], headline: 'need more records' },
  },
  {
    name: 'a list of 3 records, strict',
    mock: SHORT,
    options: ['--strict'],
    expected: { status: 2, outcome: 'inconclusive', causes: ['data'] },
  },
  {
    name: 'a list of 3 records, smoke',
    mock: SHORT,
    options: ['--suite', 'smoke'],
    expected: {
      status: 0,
      outcome: 'inconclusive',
      causes: ['data'],
      headline: `1 of ${ALL} requirements needs more records`,
    },
  },
  {
    name: 'one requirement that needs more records',
    mock: SHORT,
    options: ['--only', 'page-size/default'],
    expected: { status: 2, outcome: 'inconclusive', causes: ['data'], headline: 'Nothing could be tested' },
  },
  { name: 'an empty list', mock: EMPTY, expected: { status: 2, outcome: 'inconclusive', causes: ['data'] } },
  {
    name: 'an empty list, smoke',
    mock: EMPTY,
    options: ['--suite', 'smoke'],
    expected: { status: 2, outcome: 'inconclusive', causes: ['data'] },
  },
  {
    name: 'an empty list, allowed',
    mock: EMPTY,
    options: ['--allow-inconclusive'],
    expected: { status: 0, outcome: 'inconclusive', causes: ['data'] },
  },
  {
    name: 'data that keeps changing',
    mock: { variant: 'living-swaps', seed: 1 },
    expected: { status: 2, outcome: 'inconclusive' },
  },
  {
    name: 'a limit that ends the run early',
    options: ['--max-requests', '12'],
    expected: { status: 2, outcome: 'inconclusive', causes: ['limit'] },
  },
  {
    name: 'a limit of pages',
    target: { limits: { maxPages: 2 } },
    expected: { status: 2, outcome: 'inconclusive', causes: ['limit'] },
  },
  {
    name: 'every requirement skipped but one that is not configured',
    target: { otherCredentials: undefined },
    options: ['--only', 'token/provider-isolation'],
    expected: { status: 2, outcome: 'inconclusive', causes: [], headline: 'Nothing could be tested' },
  },
  {
    name: 'a wrong client secret',
    target: { credentials: { clientSecret: 'mistyped' } },
    expected: misconfigured('credentials.clientSecret'),
  },
  {
    name: 'a wrong client secret, smoke',
    target: { credentials: { clientSecret: 'mistyped' } },
    options: ['--suite', 'smoke'],
    expected: misconfigured('credentials.clientSecret'),
  },
  {
    name: 'a wrong client secret and --allow-inconclusive',
    target: { credentials: { clientSecret: 'mistyped' } },
    options: ['--allow-inconclusive'],
    expected: misconfigured('credentials.clientSecret'),
  },
  {
    name: 'a wrong client id',
    target: { credentials: { clientId: 'mistyped' } },
    expected: misconfigured('credentials.clientSecret'),
  },
  {
    name: 'a client that may not use the grant',
    gateway: always('token', 400, oauth('unauthorized_client'), JSON_TYPE),
    expected: misconfigured('credentials.clientId'),
  },
  {
    name: 'a wrong scope',
    gateway: always('token', 400, oauth('invalid_scope'), JSON_TYPE),
    expected: misconfigured('credentials.scope'),
  },
  {
    name: 'a token endpoint that refuses without saying why',
    gateway: always('token', 403),
    expected: misconfigured('credentials.clientSecret'),
  },
  {
    name: 'a token endpoint that answers 404',
    gateway: always('token', 404),
    expected: misconfigured('authUrl'),
  },
  {
    name: 'a token endpoint that answers with a web page',
    gateway: always('token', 200, HTML, { 'Content-Type': 'text/html' }),
    expected: misconfigured('authUrl'),
  },
  {
    name: 'a token endpoint that redirects to another host',
    gateway: always('token', 301, '', { Location: 'https://login.example/connect/token' }),
    expected: misconfigured('authUrl'),
  },
  {
    name: 'a token endpoint that refuses the grant type',
    gateway: always('token', 400, oauth('unsupported_grant_type'), JSON_TYPE),
    expected: failing('token/issued'),
  },
  {
    name: 'a token endpoint that answers 200 with another shape',
    gateway: always('token', 200, '{"token":"abcdefgh"}', JSON_TYPE),
    expected: failing('token/shape'),
  },
  {
    name: 'a token endpoint that takes HTTP Basic alone',
    mock: { defects: ['token-request-needs-basic'] },
    expected: failing('token/issued'),
  },
  ...[500, 502, 503, 504].map(
    (status): Situation => ({
      name: `a token endpoint that answers ${status}`,
      gateway: always('token', status),
      target: { limits: { retries: 0 } },
      expected: unavailable,
    }),
  ),
  {
    name: 'a list that answers 404 to every call',
    gateway: always('list', 404),
    expected: misconfigured('baseUrl'),
  },
  ...[500, 502, 503, 504].map(
    (status): Situation => ({
      name: `a list that answers ${status} to every call`,
      gateway: always('list', status),
      target: { limits: { retries: 0 } },
      expected: unavailable,
    }),
  ),
  {
    name: '503 everywhere, smoke',
    gateway: always('both', 503),
    target: { limits: { retries: 0 } },
    options: ['--suite', 'smoke'],
    expected: unavailable,
  },
  {
    name: 'a list that demands a tenant, and a target without one',
    mock: { variant: 'tenant-demanded' },
    target: { tenant: undefined },
    expected: misconfigured('tenant'),
  },
  {
    name: 'a list that demands a tenant, and a target without one, smoke',
    mock: { variant: 'tenant-demanded' },
    target: { tenant: undefined },
    options: ['--suite', 'smoke'],
    expected: misconfigured('tenant'),
  },
  {
    name: 'a tenant that the provider does not know',
    mock: { variant: 'tenant-checked' },
    target: { tenant: 'refrence' },
    expected: misconfigured('tenant'),
  },
  {
    name: 'a list that answers 401 to every call of a target without a tenant',
    gateway: always('list', 401),
    target: { tenant: undefined },
    expected: misconfigured('tenant'),
  },
  {
    name: 'a list that refuses every token of a target without a tenant, and says so',
    mock: { defects: ['authorization-always-refused'] },
    target: { tenant: undefined },
    expected: failing('authorization/accepted'),
  },
  {
    name: 'a list that answers 404 for an unknown tenant, and says so',
    gateway: always('list', 404, '{"title":"unknown tenant"}', JSON_TYPE),
    expected: misconfigured('tenant'),
  },
  {
    name: 'a list that answers 404 to every call of a target without a tenant',
    gateway: always('list', 404),
    target: { tenant: undefined },
    expected: misconfigured('baseUrl'),
  },
  {
    name: 'a scope that gives no access to the list, said in the challenge',
    gateway: always('list', 403, '', { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' }),
    expected: misconfigured('credentials.scope'),
  },
  {
    name: 'a scope that gives no access to the list, said in the body',
    gateway: always('list', 403, oauth('insufficient_scope'), JSON_TYPE),
    expected: misconfigured('credentials.scope'),
  },
  {
    name: 'a list that answers 403 to every call without saying why',
    gateway: always('list', 403),
    expected: failing('authorization/accepted'),
  },
  {
    name: 'a list that answers 400 to every call',
    gateway: always('list', 400),
    expected: failing('authorization/accepted'),
  },
  {
    name: 'a web site that answers every path with its page',
    gateway: always('list', 200, HTML, { 'Content-Type': 'text/html' }),
    expected: misconfigured('baseUrl'),
  },
  {
    name: 'a web site that answers every path with its page, smoke',
    gateway: always('list', 200, HTML, { 'Content-Type': 'text/html' }),
    options: ['--suite', 'smoke'],
    expected: misconfigured('baseUrl'),
  },
  {
    name: 'a list that is a web page, and nothing else is',
    gateway: (request, response) => {
      if (request.url?.startsWith('/v1/printers') !== true) return false;
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(HTML);
      return true;
    },
    expected: failing('list/envelope'),
  },
  {
    name: 'a list that refuses every token',
    mock: { defects: ['authorization-always-refused'] },
    expected: failing('authorization/accepted'),
  },
  {
    name: 'an unreachable host',
    target: { authUrl: 'http://127.0.0.1:9', baseUrl: 'http://127.0.0.1:9', limits: { retries: 0 } },
    expected: unavailable,
  },
  { name: 'https in place of http', target: { https: true }, expected: misconfigured('authUrl') },
  {
    name: 'a token that ends after twenty calls',
    mock: { defects: ['token-ends-after-twenty-calls'] },
    expected: failing('token/accepted-until-expiry'),
  },
  {
    name: 'a provider that revokes tokens when it issues others',
    mock: { variant: 'token-newest-only' },
    expected: conformant,
  },
];
