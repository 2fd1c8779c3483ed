import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requirements } from '../../../specs/catalogue.ts';
import { makeTarget } from '../../../src/target/make.ts';
import type { Target } from '../../../src/target/target.ts';
import { judgeTarget, requirementOf, withVerdict } from '../../support/judge-mock.ts';

const AUDIENCE = 'urn:printers';
const CLIENTS = [
  {
    clientId: 'Provider-One',
    clientSecret: 'Aq3-first-secret-of-the-third-party-test',
    scope: 'printers.read',
  },
  {
    clientId: 'Provider-Two',
    clientSecret: 'Bw9-other-secret-of-the-third-party-test',
    scope: 'printers.read',
  },
] as const;

const ids: readonly string[] = requirements
  .map(({ id }) => id)
  .filter((id) => /^(token|authorization)\//.test(id));

describe('a token endpoint of a third-party library', () => {
  const server = createServer();
  let target: Target;
  let weak = false;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const authority = new Provider(origin, {
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'one' }] },
      clients: CLIENTS.map(({ clientId, clientSecret }) => ({
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
        scope: 'printers.read',
      })),
      scopes: ['printers.read'],
      routes: { token: '/connect/token', jwks: '/jwks' },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => AUDIENCE,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: 'printers.read',
            audience: AUDIENCE,
            accessTokenTTL: 3600,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    });
    const keys = createRemoteJWKSet(new URL(`${origin}/jwks`));
    const answer = authority.callback();
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/v1/printers') === true) {
        list(request, response).catch(() => response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end());
      } else answer(request, response);
    });

    async function list(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const url = new URL(request.url ?? '/', origin);
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (!(weak && url.searchParams.has('$skip')))
        await jwtVerify(token, keys, { issuer: origin, audience: AUDIENCE });
      if (url.pathname !== '/v1/printers') return void response.writeHead(404).end();
      const total = 40;
      const size = Math.min(500, Number(url.searchParams.get('$pagesize') ?? 500));
      const skip = Number(url.searchParams.get('$skip') ?? 0);
      const items = Array.from({ length: Math.max(0, Math.min(size, total - skip)) }, (_none, index) => ({
        id: `printer-${skip + index}`,
        displayName: `Printer ${skip + index}`,
        agent: 'agent-1',
      }));
      const counted = url.searchParams.get('$count') === 'true';
      const more = counted && skip + size < total;
      const envelope = {
        items,
        ...(counted ? { count: total } : {}),
        ...(more ? { nextPageLink: `/v1/printers?$count=true&$pagesize=${size}&$skip=${skip + size}` } : {}),
      };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(envelope));
    }

    target = makeTarget({
      name: 'third-party',
      authUrl: origin,
      baseUrl: origin,
      credentials: CLIENTS[0],
      otherCredentials: CLIENTS[1],
      limits: { requestsPerSecond: 10_000 },
    });
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('passes every token and authorization check that does not wait an hour', async () => {
    const result = await judgeTarget(target, { only: ids });
    const waiting = ['token/accepted-until-expiry', 'token/refused-after-expiry'];
    const bad = result.requirements.filter(
      ({ id, verdict }) => ids.includes(id) && !waiting.includes(id) && verdict !== 'pass',
    );
    expect(bad.map(({ id, verdict, reason }) => `${verdict} ${id}: ${reason}`)).toEqual([]);
    expect(withVerdict(result, 'pass')).toHaveLength(ids.length - 2);
  });

  it('is failed when the list behind it forgets the token on linked pages', async () => {
    weak = true;
    const result = await judgeTarget(target, { only: ids });
    weak = false;
    expect(requirementOf(result, 'authorization/required-on-every-page').verdict).toBe('fail');
    expect(withVerdict(result, 'fail')).not.toContain('token/issued');
  });
});
