/**
 * The baseline of the full suite: the same requests in sequence over node:http; each answer is parsed, and ajv
 * validates lists.
 *
 * Arguments: a JSON file with the requests, and the provider's facts as JSON.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import type { ServerFacts } from '../provider/server.ts';
import { listSchema } from './list-schema.ts';
import type { RecordedRequest } from './requests.ts';

const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
const [file = '', providerJson = ''] = process.argv.slice(2);
const requests = JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedRequest[];
const provider = JSON.parse(providerJson) as ServerFacts;
const { hostname, port } = new URL(provider.url);
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const isList = new Ajv2020({ strict: false }).compile(listSchema);

let lists = 0;
for (const { method, target, headers, body } of requests) {
  const answer = await new Promise<string>((resolve) => {
    const clientRequest = request(
      { agent, hostname, port, method, path: target, headers: headers.flat() },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('end', () => resolve(text));
      },
    );
    // A closed connection counts as an answer.
    clientRequest.on('error', () => resolve('')).end(body ?? undefined);
  });
  if (answer === '') continue;
  if (isList(JSON.parse(answer))) lists++;
}
agent.destroy();
process.stdout.write(`${requests.length} requests, ${lists} lists\n`);
