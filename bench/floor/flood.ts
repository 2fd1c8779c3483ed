/**
 * Requests the first page of a provider 2,000 times, four requests at a time, and reads the bodies. Argument:
 * the provider's facts as JSON.
 */
import { Agent, request } from 'node:http';
import type { ServerFacts } from '../provider/server.ts';

const CALLS = 2000;
const provider = JSON.parse(process.argv[2] ?? '') as Omit<ServerFacts, 'token'>;
const { hostname, port } = new URL(provider.url);
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ agent, hostname, port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')));
    })
      .on('error', reject)
      .end(body);
  });
}

const { clientId, clientSecret, scope, tenant } = provider;
const form = new URLSearchParams({
  grant_type: 'client_credentials',
  scope,
  client_id: clientId,
  client_secret: clientSecret,
}).toString();
const issued = JSON.parse(
  await send('POST', '/connect/token', { 'Content-Type': 'application/x-www-form-urlencoded' }, form),
) as { readonly access_token: string };
const headers = { Authorization: `Bearer ${issued.access_token}`, Tenant: tenant };
let remaining = CALLS;
await Promise.all(
  [1, 2, 3, 4].map(async () => {
    while (remaining-- > 0) {
      const body = await send('GET', '/v1/printers?$count=true', headers);
      if (!body.includes('nextPageLink')) throw new Error('the provider returned no page');
    }
  }),
);
agent.destroy();
