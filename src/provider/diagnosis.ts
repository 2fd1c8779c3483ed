import type { Cause, OpenVerdict } from '../core/cause.ts';
import { type Exchange, type HttpAnswer, headerOf } from '../core/exchange.ts';
import { CUT } from '../evidence/redaction/secret-forms.ts';
import { proxyVariable } from '../http/proxy.ts';
import { basePathOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';
import {
  answered,
  asksForPassword,
  isAboutScope,
  isAboutTenant,
  isHtml,
  MAX_WORDING_BYTES,
  oauthError,
  readText,
  wordingOf,
} from './refusal-wording.ts';

/**
 * Distinguishes a misconfiguration or an outage from a breach, alike in `assay run` and `assay doctor`. A
 * sentence says what failed, where the wrong value is likely to be, and which mistakes are common.
 */
export interface Diagnosis {
  readonly cause: Cause;
  readonly verdict: OpenVerdict;
  /** One sentence or more, without a full stop at the end. */
  readonly sentence: string;
}

export type Endpoint = 'token' | 'list';

/** OAuth errors that concern the client or its scope (RFC 6749, 5.2); some give invalid_request for a wrong secret, too. */
const CREDENTIAL_ERRORS = new Map([
  ['invalid_client', 'credentials.clientSecret'],
  ['invalid_request', 'credentials.clientSecret'],
  ['unauthorized_client', 'credentials.clientId'],
  ['invalid_scope', 'credentials.scope'],
]);

/** Whether an OAuth error concerns the client or its scope, and not the request. */
export function isErrorOfClient(error: string | null): boolean {
  return error !== null && CREDENTIAL_ERRORS.has(error);
}

const UNSUPPORTED_MEDIA_TYPE = 415;

/** Statuses of a path that the provider does not have, or not for this method. */
const STATUSES_OF_A_WRONG_PATH = [404, 405, 410];

/**
 * Why the token request with the configured credentials was refused; null if the answer is a breach: success of
 * another shape that gives no error of the client, or an error that concerns the request itself.
 */
export function tokenRefusal(exchange: Exchange, target: Target): Diagnosis | null {
  const { answer } = exchange;
  if (answer === null) return null;
  const where = answered(exchange);
  const common = commonDiagnosis('token', where, answer, target);
  if (common !== null) return common;
  const [status, error] = [answer.status, oauthError(answer)];
  if (status >= 200 && status < 300 && !isErrorOfClient(error)) return null;
  if (doubledPath('token', target) !== null) return wrongUrl('token', where, target);
  // The provider does not support the request that the specification describes.
  if (status === UNSUPPORTED_MEDIA_TYPE || error === 'unsupported_grant_type') return null;
  const said = error === null ? where : `${where} (${error})`;
  if (error === 'invalid_scope')
    return configuration(
      'credentials.scope',
      `${said}. Check ${keyWithPlace(target, 'credentials.scope')}: a scope that was not issued to this client, ` +
        'or scopes that are not separated by spaces',
    );
  if (STATUSES_OF_A_WRONG_PATH.includes(status)) return wrongUrl('token', said, target);
  const isAboutClient = status === 401 || error === 'invalid_client' || error === 'unauthorized_client';
  return configuration(
    CREDENTIAL_ERRORS.get(error ?? '') ?? 'credentials.clientSecret',
    `${said}. Check ${keyWithPlace(target, 'credentials.clientId')} and ${keyWithPlace(target, 'credentials.clientSecret')}: ` +
      `a mistyped client id or secret, an expired secret, ${isAboutClient ? '' : `a scope in ${keyWithPlace(target, 'credentials.scope')} that the client has no right to, `}` +
      `credentials of another environment than ${keyWithPlace(target, 'authUrl')}, or an IP address that the provider blocks`,
  );
}

/** Why a token request was refused, if one with the credentials of the second provider is answered with a token. */
export function credentialsDiagnosis(exchange: Exchange, target: Target): Diagnosis {
  const error = exchange.answer === null ? null : oauthError(exchange.answer);
  return configuration(
    'credentials.clientSecret',
    `${answered(exchange)}${error === null ? '' : ` (${error})`}, and such a ` +
      `request with otherCredentials obtains a token. Check ${keyWithPlace(target, 'credentials.clientId')}, ` +
      `${keyWithPlace(target, 'credentials.clientSecret')} and ${keyWithPlace(target, 'credentials.scope')}`,
  );
}

/** Why every call of a list was refused although its token was just issued; null if the answer is a breach. */
export function listRefusal(exchange: Exchange, target: Target): Diagnosis | null {
  const { answer, request } = exchange;
  if (answer === null) return null;
  const where = answered(exchange);
  const common = commonDiagnosis('list', where, answer, target);
  if (common !== null) return common;
  if (isAboutScope(answer))
    return configuration(
      'credentials.scope',
      `${where} with insufficient_scope. Check ${keyWithPlace(target, 'credentials.scope')}: the token was issued, ` +
        'and its scope gives no access to this list',
    );
  if (answer.status === 401 && asksForPassword(answer))
    return configuration(
      'baseUrl',
      `${where} and asks for a user name and a password (WWW-Authenticate), not for a token. Check ${keyWithPlace(target, 'baseUrl')}: ` +
        'it leads to another site, or to a proxy in front of the API',
    );
  if (isTenantRefusal(answer, target)) return wrongTenant(where, target);
  return STATUSES_OF_A_WRONG_PATH.includes(answer.status)
    ? wrongUrl('list', where, target, request.target)
    : null;
}

/**
 * Why all calls with a valid token are refused, if a call with an unknown token is refused differently: with 401 instead of
 * 403 or 400, or without a mention of the tenant. Then the provider knows the valid token. Null if the answers do not show this.
 */
export function missingAccess(refused: Exchange, unknown: Exchange, target: Target): Diagnosis | null {
  const { answer } = refused;
  if (answer === null || unknown.answer?.status !== 401) return null;
  const where = answered(refused);
  if (answer.status === 401) {
    const mentionsTenant = isAboutTenant(answer) && !isAboutTenant(unknown.answer);
    return target.tenant !== null && mentionsTenant ? wrongTenant(where, target) : null;
  }
  if (!STATUSES_OF_A_MISSING_HEADER.includes(answer.status)) return null;
  const places =
    target.tenant === null
      ? keyWithPlace(target, 'credentials.scope')
      : `${keyWithPlace(target, 'tenant')} and ${keyWithPlace(target, 'credentials.scope')}`;
  return configuration(
    target.tenant === null ? 'credentials.scope' : 'tenant',
    `${where}, and 401 with a token that was never issued: ` +
      `the provider knows the token and gives it no access to this list. Check ${places}, the rights of the client, ` +
      `and whether it belongs to the environment of ${keyWithPlace(target, 'baseUrl')}`,
  );
}

/** Why a list call is answered 200 with an error that mentions the tenant, or with such a Location; null for any other answer. */
export function tenantDiagnosis(exchange: Exchange, target: Target): Diagnosis | null {
  const { answer } = exchange;
  const location = answer === null ? null : headerOf(answer.headers, 'location');
  if (/tenant/iu.test(location ?? '')) return wrongTenant(answered(exchange), target);
  if (answer?.status !== 200 || !isAboutTenant(answer)) return null;
  const text = readText(answer);
  // An array may hold records, so the answer may be no error.
  if (text.length > MAX_WORDING_BYTES || text.includes('[') || !/^\s*\{/.test(text)) return null;
  return wrongTenant(`${answered(exchange)} and gives no list`, target);
}

/**
 * Why a list call and one of a path that does not exist were answered alike: with a web page, the same body or the same
 * redirect. Null if they were not.
 */
export function sameAnswerDiagnosis(list: Exchange, unknown: Exchange, target: Target): Diagnosis | null {
  if (list.answer === null || unknown.answer === null) return null;
  if (essenceOf(list, list.answer, target) !== essenceOf(unknown, unknown.answer, target)) return null;
  const common = commonDiagnosis('list', answered(list), list.answer, target);
  if (common?.cause.kind === 'configuration') return common;
  const how = isHtml(list.answer) ? ' with a web page' : '';
  const said = `${answered(list)}${how}, and so was ${unknown.request.target}, which does not exist`;
  const diagnosis = wrongUrl('list', said, target, list.request.target);
  if (list.answer.status !== 403) return diagnosis;
  const gateway = 'a gateway in front of the API blocks this IP address, or requires a key (headers)';
  return withAlternative(diagnosis, gateway);
}

/** What an answer is about, the same for all web pages of a site and for redirects that only repeat the path. */
function essenceOf({ request }: Exchange, answer: HttpAnswer, { baseUrl }: Target): string {
  if (answer.status === 200 && isHtml(answer)) return 'web page';
  const path = request.target.slice(basePathOf(baseUrl).length);
  const location = headerOf(answer.headers, 'location')?.replace(path, '') ?? null;
  return JSON.stringify([answer.status, location, location === null ? readText(answer) : '']);
}

/** Statuses of a call without a required header. 404 is not one of them: it may also mean a wrong URL. */
const STATUSES_OF_A_MISSING_HEADER = [400, 401, 403, 412, 422, 428];

/**
 * Whether a refusal mentions the tenant, or may be due to a missing Tenant header. A call without that header is not the call
 * of clause 4.2, so its refusal is no breach, unless it mentions the token. Refusing a wrong tenant is no breach either.
 */
function isTenantRefusal(answer: HttpAnswer, { tenant }: Target): boolean {
  const { status } = answer;
  if (status < 400 || status >= 500) return false;
  // A 401 of a call with a tenant may name the tenant of the token.
  if (tenant !== null) return status !== 401 && isAboutTenant(answer);
  if (isAboutTenant(answer)) return true;
  return STATUSES_OF_A_MISSING_HEADER.includes(status) && !wordingOf(answer).includes('invalid_token');
}

function wrongTenant(where: string, target: Target): Diagnosis {
  if (target.tenant === null)
    return configuration(
      'tenant',
      `${where}, and the target file has no tenant, so that no call has the Tenant header of clause 4.2. ` +
        'Add tenant to the target file; if the provider has no tenants, any value works',
    );
  return configuration(
    'tenant',
    `${where}, and the answer mentions a tenant. Check ${keyWithPlace(target, 'tenant')}: a mistyped tenant, ` +
      `or one of another environment than ${keyWithPlace(target, 'baseUrl')}`,
  );
}

/** Diagnoses of both endpoints: an outage, a proxy, a redirect to another address, and, for tokens, a web page. */
function commonDiagnosis(
  endpoint: Endpoint,
  where: string,
  answer: HttpAnswer,
  target: Target,
): Diagnosis | null {
  const { status } = answer;
  if (status === 407) return proxyDiagnosis(where, endpoint, target);
  if (status >= 500)
    return {
      cause: { kind: 'unavailable', status },
      verdict: 'error',
      sentence:
        `${where}. The provider, or a gateway before it, is not available: ` +
        `check ${keyWithPlace(target, keyOf(endpoint))}, and run again when it answers`,
    };
  if (status >= 300 && status < 400) {
    const location = headerOf(answer.headers, 'location') ?? '';
    const spelled = endpoint === 'list' ? spellingDiagnosis(location, target) : null;
    if (spelled !== null) return spelled;
    const to = location === '' ? '' : ` with Location: ${location.replace(/(?<=^.{200}).+$/su, CUT)}`;
    if (endpoint === 'token' || leavesOrigin(location, target[keyOf(endpoint)]))
      return configuration(
        keyOf(endpoint),
        `${where}${to}. Check ${keyWithPlace(target, keyOf(endpoint))}. Common mistakes: http in place of https; another ` +
          'host name; a path that leads to a web site',
      );
  }
  if (endpoint !== 'token' || !isHtml(answer)) return null;
  const diagnosis = wrongUrl(endpoint, `${where} with a web page`, target);
  if (status !== 401 && status !== 403) return diagnosis;
  const secret = keyWithPlace(target, 'credentials.clientSecret');
  return withAlternative(diagnosis, `${secret} or this IP address is refused with that page`);
}

function withAlternative(diagnosis: Diagnosis, other: string): Diagnosis {
  return { ...diagnosis, sentence: `${diagnosis.sentence}; or ${other}` };
}

/** The path of the one list that the specification names (4.2). */
const SPECIFIED_PATH = '/v1/printers';

/**
 * Why a redirect or a link leads to the path of a list in other letter case, or with other slashes, as lenient servers allow.
 * Null for any other path, and where the target file has the path of the specification.
 */
export function spellingDiagnosis(
  reference: string,
  target: Pick<Target, 'baseUrl' | 'places' | 'resources'>,
): Diagnosis | null {
  const base = new URL(target.baseUrl);
  if (!URL.canParse(reference, base.origin)) return null;
  const { origin, pathname } = new URL(reference, base.origin);
  if (origin !== base.origin) return null;
  const basePath = basePathOf(target.baseUrl);
  const misspelled = (key: string): Diagnosis =>
    configuration(
      key,
      `the provider spells the path of the list ${pathname}. Check ${keyWithPlace(target, key)}: letter case, and slashes at its end`,
    );
  for (const [index, { path }] of target.resources.entries()) {
    const isOfBase = areAlike(pathname, basePath + path);
    if (isOfBase && pathname.endsWith(path)) return misspelled('baseUrl');
    if ((isOfBase || areAlike(pathname, path)) && path !== SPECIFIED_PATH)
      return misspelled(`resources[${index}].path`);
  }
  return null;
}

/** Whether two paths differ, but only in letter case and slashes. */
function areAlike(one: string, other: string): boolean {
  const simplified = (path: string): string =>
    path
      .toLowerCase()
      .replaceAll(/\/{2,}/gu, '/')
      .replace(/\/$/u, '');
  return one !== other && simplified(one) === simplified(other);
}

/** @param listTarget the request target of the list call */
function wrongUrl(endpoint: Endpoint, said: string, target: Target, listTarget = ''): Diagnosis {
  const key = keyOf(endpoint);
  const listPath = listTarget.split('?', 1)[0] ?? '';
  const index = Math.max(
    0,
    target.resources.findIndex(({ path }) => listPath === basePathOf(target.baseUrl) + path),
  );
  const twice = doubledPath(endpoint, target);
  const rule =
    endpoint === 'token'
      ? 'Assay adds /connect/token to it'
      : `Assay adds the path of the list to it (${target.resources[index]?.path}), ` +
        `so check ${keyWithPlace(target, `resources[${index}].path`)} as well`;
  const mistakes =
    twice === null
      ? 'a missing or extra path, another host, or another environment'
      : `it ends in ${twice} already, so the path is there twice`;
  const tenant =
    endpoint === 'token'
      ? ''
      : target.tenant === null
        ? '; the provider may also demand a tenant, which the target file does not have'
        : `; or ${keyWithPlace(target, 'tenant')} is a tenant that the provider does not know`;
  return configuration(key, `${said}. Check ${keyWithPlace(target, key)}: ${mistakes}; ${rule}${tenant}`);
}

/** A path at the end of a URL of the target file that Assay adds itself; null if there is none. */
function doubledPath(endpoint: Endpoint, target: Target): string | null {
  const added = endpoint === 'token' ? ['/connect/token'] : target.resources.map(({ path }) => path);
  return added.find((path) => basePathOf(target[keyOf(endpoint)]).endsWith(path)) ?? null;
}

export function proxyDiagnosis(said: string, endpoint: Endpoint, target: Target): Diagnosis {
  return configuration(
    proxyVariable(new URL(target[keyOf(endpoint)])),
    `${said}. Check the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY: the proxy's address, ` +
      'its user name and password, and hosts that need no proxy',
  );
}

/** The diagnosis of a wrong value in the target: the run ends with an error that names its key. */
export function configuration(key: string, sentence: string): Diagnosis {
  return { cause: { kind: 'configuration', key }, verdict: 'error', sentence };
}

/** A key of the target with the source of its value: `authUrl (acme.yaml:2)`. */
export function keyWithPlace({ places }: Pick<Target, 'places'>, key: string): string {
  const place = places[key];
  return place === undefined ? key : `${key} (${place})`;
}

export function keyOf(endpoint: Endpoint): 'authUrl' | 'baseUrl' {
  return endpoint === 'token' ? 'authUrl' : 'baseUrl';
}

function leavesOrigin(location: string, base: string): boolean {
  return URL.canParse(location, base) && new URL(location, base).origin !== new URL(base).origin;
}
