import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Answer } from './hosted-target.ts';
import { type Question, type Reply, SOCKET } from './judging-server.ts';

/** Asks Playwright's runner to judge; it holds the sessions of the targets. */
export async function askRunner(question: Question): Promise<Answer> {
  const socketPath = process.env[SOCKET];
  if (socketPath === undefined) throw new Error('the global setup of Assay has not run');
  const reply = await new Promise<Reply>((resolve, reject) => {
    request({ socketPath, method: 'POST', path: '/', agent: false }, (response) =>
      json(response).then((body) => resolve(body as Reply), reject),
    )
      .on('error', reject)
      .end(JSON.stringify(question));
  });
  if ('error' in reply) throw new Error(reply.error);
  return reply;
}
