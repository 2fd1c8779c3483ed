import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { messageOf } from '../core/system-error.ts';
import type { Answer, HostedTarget } from './hosted-target.ts';

/** Environment variable with the socket on which Playwright's runner judges for its workers. */
export const SOCKET = 'ASSAY_SOCKET';

export interface Question {
  readonly target: string;
  readonly requirement: string | null;
  /** Name of the list; null for a requirement that is judged once for each target. */
  readonly list: string | null;
}

/** What a test receives: an answer, or why there is none. */
type Reply = Answer | { readonly error: string };

/** Answers the questions of tests over HTTP on a socket in a folder that only this user can open. */
export async function serveJudging(
  targets: ReadonlyMap<string, HostedTarget>,
  folder: string,
  onAnswer: (answer: Answer, question: Question) => void,
): Promise<{ readonly socket: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const reply = (status: number, body: Reply): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const answer = async (): Promise<Answer> => {
      const question = (await json(request)) as Question;
      const given = await answerTo(question, targets, gone.signal);
      onAnswer(given, question);
      return given;
    };
    answer().then(
      (given) => reply(200, given),
      (error: unknown) => reply(500, { error: messageOf(error) }),
    );
  });
  // A token may take an hour to expire.
  server.requestTimeout = 0;
  const socket =
    process.platform === 'win32' ? `\\\\.\\pipe\\assay-${randomUUID()}` : path.join(folder, 'judge.sock');
  await once(server.listen(socket), 'listening');
  // The runner ends without it.
  server.unref();
  return {
    socket,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answerTo(
  { target, requirement, list }: Question,
  targets: ReadonlyMap<string, HostedTarget>,
  gone: AbortSignal,
): Promise<Answer> {
  const hosted = targets.get(target);
  if (hosted === undefined) throw new Error(`the run has no target ${target}`);
  return requirement === null ? hosted.observe(gone) : hosted.judge(requirement, list, gone);
}

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
