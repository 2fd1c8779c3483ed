import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type Answer,
  MAX_PAGE_SIZE,
  type Page,
  type Parameter,
  problem,
  Refused,
  refuseToken,
  type Steps,
  TOKEN_PATH,
  type TokenRefusal,
  TokenRefused,
  valuesOf,
} from './pipeline.ts';
import { recordOf, saltOf } from './records.ts';

/** Seconds for which a token is valid (specification 5.3). */
const TOKEN_VALIDITY_SECONDS = 3600;

function isSameText(first: string, second: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(first), digest(second));
}

const form: Steps['form'] = (request) => {
  const given = [request.headers['content-type']].flat().join(',');
  const contentType = given.split(';')[0]?.trim().toLowerCase();
  if (contentType !== 'application/x-www-form-urlencoded') {
    refuseToken(400, 'invalid_request', 'the body must be form-encoded');
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(request.body.toString('utf8'))) {
    if (fields.has(name)) refuseToken(400, 'invalid_request', `${name} is given more than once`);
    fields.set(name, value);
  }
  return fields;
};

const grantScope: Steps['grantScope'] = (client, scope) => {
  const requested = (scope ?? '').split(' ').filter((one) => one !== '');
  if (requested.length === 0) refuseToken(400, 'invalid_scope', 'scope is required');
  const issued = new Set(client.scope.split(' '));
  const isForeign = requested.some((one) => !issued.has(one));
  if (isForeign) refuseToken(400, 'invalid_scope', 'a requested scope is not granted to this client');
  return requested.join(' ');
};

const grant: Steps['grant'] = (fields, service) => {
  const { steps } = service;
  const grantType = fields.get('grant_type');
  if (!steps.grantTypeAccepted(grantType, service)) {
    if (grantType === undefined) refuseToken(400, 'invalid_request', 'grant_type is required');
    refuseToken(400, 'unsupported_grant_type', 'grant_type must be client_credentials');
  }
  const client = steps.findClient(fields.get('client_id'), service);
  if (client === undefined || !steps.secretAccepted(client, fields.get('client_secret'), service)) {
    refuseToken(401, 'invalid_client', 'the client is unknown or its secret is wrong');
  }
  return { client, scope: steps.grantScope(client, fields.get('scope'), service) };
};

const issue: Steps['issue'] = async (granted, service) => {
  const issuedAt = service.now();
  const expiresAt = issuedAt + service.steps.lifetime(granted, service) * 1000;
  const session = { clientId: granted.client.clientId, scope: granted.scope, expiresAt };
  return { token: await service.tokenFormat.mint(session, issuedAt), expiresAt };
};

const NO_STORE_HEADERS = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
};

const tokenRefusal = (refusal: TokenRefusal) => ({
  status: refusal.status,
  headers: refusal.status === 405 ? { ...NO_STORE_HEADERS, Allow: 'POST' } : NO_STORE_HEADERS,
  body: JSON.stringify({ error: refusal.error, error_description: refusal.description }),
});

/** The steps of POST /connect/token (specification 4.1). */
const tokenSteps = {
  token: async (request, service) => {
    const { steps } = service;
    try {
      if (request.method !== 'POST') refuseToken(405, 'invalid_request', 'a token is asked for by POST');
      const granted = steps.grant(steps.form(request, service), service);
      const issued = await steps.issue(granted, service);
      return steps.tokenAnswer(steps.tokenBody(issued, granted, service), request, service);
    } catch (error) {
      if (error instanceof TokenRefused) return steps.tokenRefusal(error.refusal, request, service);
      throw error;
    }
  },
  form,
  grantTypeAccepted: (grantType) => grantType === 'client_credentials',
  findClient: (clientId, service) => service.clients.find((client) => client.clientId === clientId),
  secretAccepted: (client, secret) => secret !== undefined && isSameText(secret, client.clientSecret),
  grantScope,
  grant,
  lifetime: () => TOKEN_VALIDITY_SECONDS,
  issue,
  tokenBody: (issued, granted) => ({
    access_token: issued.token,
    expires_in: TOKEN_VALIDITY_SECONDS,
    token_type: 'Bearer',
    scope: granted.scope,
  }),
  tokenAnswer: (body) => ({ status: 200, headers: NO_STORE_HEADERS, body: JSON.stringify(body) }),
  tokenRefusal,
} satisfies Partial<Steps>;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function parseParameter(pair: string): Parameter {
  const equals = pair.indexOf('=');
  const rawName = equals < 0 ? pair : pair.slice(0, equals);
  return { rawName, name: decode(rawName), value: equals < 0 ? '' : decode(pair.slice(equals + 1)) };
}

/** The value of a parameter; throws Refused if it is given more than once. */
function singleValue(page: Page, name: string): string | undefined {
  const values = valuesOf(page, name);
  if (values.length > 1) throw new Refused(problem(400, `${name} is given more than once`));
  return values[0];
}

/** A whole number without sign, or undefined. Above 2^53 it is not exact; no bound here needs that. */
function parseWholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

const list: Steps['list'] = (request, resource, service) => {
  const { steps } = service;
  const page: Page = {
    request,
    resource,
    parameters: steps.parameters(request, service),
    counting: false,
    pageSize: 0,
    skip: 0,
    total: 0,
    positions: [],
  };
  page.counting = steps.counting(page, service);
  page.pageSize = steps.pageSize(page, service);
  page.skip = steps.skip(page, service);
  page.total = steps.total(page, service);
  page.positions = steps.positions(page, service);
  const items = page.positions.map((position) =>
    steps.item(steps.recordAt(position, page, service), page, service),
  );
  const parts = { items, nextPageLink: steps.link(page, service), count: steps.count(page, service) };
  const body = steps.serialise(steps.envelope(parts, page, service), page, service);
  return steps.pageAnswer(body, page, service);
};

/** The steps of GET {base_url}/v1/printers and of the paging rules (specification 4.2 and 4.3). */
const listSteps = {
  list,
  parameters: (request) =>
    request.query
      .split('&')
      .filter((pair) => pair !== '')
      .map(parseParameter),
  counting: (page) => singleValue(page, '$count')?.toLowerCase() === 'true',
  pageSize: (page) => {
    const text = singleValue(page, '$pagesize');
    if (text === undefined) return MAX_PAGE_SIZE;
    const size = parseWholeNumber(text);
    if (size === undefined || size === 0) {
      throw new Refused(problem(400, '$pagesize must be a whole number from 1'));
    }
    return Math.min(size, MAX_PAGE_SIZE);
  },
  skip: (page) => {
    const text = singleValue(page, '$skip');
    if (text === undefined) return 0;
    const skip = parseWholeNumber(text);
    if (skip === undefined) throw new Refused(problem(400, '$skip must be a whole number from 0'));
    return Math.min(skip, Number.MAX_SAFE_INTEGER);
  },
  total: (page) => page.resource.records,
  positions: (page) => {
    const length = Math.max(0, Math.min(page.pageSize, page.total - page.skip));
    return Array.from({ length }, (_, index) => page.skip + index);
  },
  recordAt: (position) => position,
  item: (record, page, service) => recordOf(record, saltOf(service.seed, page.resource.path)),
  endOffset: (page) => page.skip + page.positions.length,
  more: (page, service) => page.counting && service.steps.endOffset(page, service) < page.total,
  count: (page) => (page.counting ? page.total : undefined),
  linkPath: (page) => page.resource.path,
  linkParameters: (page, service) => [
    ['$count', 'true'],
    ['$pagesize', String(page.pageSize)],
    ['$skip', String(service.steps.endOffset(page, service))],
  ],
  linkQuery: (parameters) => parameters.map(([name, value]) => `${name}=${value}`).join('&'),
  link: (page, service) => {
    const { steps } = service;
    if (!steps.more(page, service)) return undefined;
    const query = steps.linkQuery(steps.linkParameters(page, service), service);
    return query === '' ? steps.linkPath(page, service) : `${steps.linkPath(page, service)}?${query}`;
  },
  // JSON.stringify leaves out undefined members.
  envelope: ({ items, nextPageLink, count }) => ({ items, nextPageLink, count }),
  serialise: (envelope) => JSON.stringify(envelope),
  pageAnswer: (body) => ({
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body,
  }),
} satisfies Partial<Steps>;

/** The steps from the request to the list: authorization first, then routing. */
const gateSteps = {
  receive: async (request, service) => {
    const { steps } = service;
    if (request.path === TOKEN_PATH) return steps.token(request, service);
    // Authorization comes first, so that a caller without a token cannot find out which paths exist.
    if (steps.guarded(request, service) && !(await steps.authorize(request, service))) {
      return steps.unauthorized(request, service);
    }
    const resource = steps.route(request, service);
    if (resource === undefined) return problem(404, 'there is nothing at this path');
    if (request.method !== 'GET') return problem(405, 'only GET is served here', { Allow: 'GET' });
    return steps.list(request, resource, service);
  },
  guarded: () => true,
  bearer: (request) => {
    const header = request.headers['authorization'];
    if (typeof header !== 'string') return undefined;
    return /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header)?.[1];
  },
  resolve: (token, service) => service.tokenFormat.resolve(token),
  current: (session, _token, service) => service.now() < session.expiresAt,
  authorize: async (request, service) => {
    const { steps } = service;
    const token = steps.bearer(request, service);
    if (token === undefined) return false;
    const session = await steps.resolve(token, service);
    return session !== undefined && steps.current(session, token, service);
  },
  unauthorized: (request) => {
    // RFC 6750 section 3.1: no error code for a request that carried no credentials at all.
    const challenge =
      request.headers['authorization'] === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
    return problem(401, 'a valid access token is required', { 'WWW-Authenticate': challenge });
  },
  route: (request, service) =>
    service.resources.find((resource) => service.basePath + resource.path === request.path),
} satisfies Partial<Steps>;

// Without Content-Length, Node.js sends every answer in chunks, which takes longer.
function lengthOf({ status, headers, body }: Answer): Readonly<Record<string, number>> {
  if (status === 204 || status === 304 || 'Content-Length' in headers) return {};
  return { 'Content-Length': Buffer.byteLength(body) };
}

/** The provider that conforms to every requirement. */
export const conformingSteps: Steps = {
  ...tokenSteps,
  ...gateSteps,
  ...listSteps,
  respond: (answer) => answer,
  deliver: (answer, response) => {
    response.writeHead(answer.status, { ...answer.headers, ...lengthOf(answer) });
    response.end(answer.body);
  },
};
