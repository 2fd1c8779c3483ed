/**
 * A minimal traversal: a loop over node:http that follows the links and finds the link in each body without
 * parsing it.
 *
 * Arguments: the first address, the value of the Authorization header, the tenant.
 */
import { Agent, get } from 'node:http';

const [first = '', authorization = '', tenant = ''] = process.argv.slice(2);
const { origin } = new URL(first);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const headers = { Authorization: authorization, Tenant: tenant, Accept: 'application/json' };

function read(target: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    get({ agent, hostname, port, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    }).on('error', reject);
  });
}

const LINK = Buffer.from('"nextPageLink":"');
let pages = 0;
for (let target: string | null = first.slice(origin.length); target !== null; pages++) {
  const body = await read(target);
  const at = body.lastIndexOf(LINK);
  target = at < 0 ? null : body.toString('latin1', at + LINK.length, body.indexOf(0x22, at + LINK.length));
}
agent.destroy();
process.stdout.write(`${pages}\n`);
