import { createHash, timingSafeEqual } from 'node:crypto';
import { refuseToken, type Steps, type TokenRefusal, TokenRefused } from '../pipeline.ts';

/** Seconds for which a token is valid (specification 5.3). */
const TOKEN_VALIDITY_SECONDS = 3600;

function isSameText(first: string, second: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(first), digest(second));
}

function headerText(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}

const form: Steps['form'] = (request) => {
  const contentType = headerText(request.headers['content-type']).split(';')[0]?.trim().toLowerCase();
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
  headers: NO_STORE_HEADERS,
  body: JSON.stringify({ error: refusal.error, error_description: refusal.description }),
});

/** The steps of POST /connect/token (specification 4.1). */
export const tokenSteps = {
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
