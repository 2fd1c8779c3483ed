import { request as httpRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

/** The answer of a conforming provider. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** A received request. */
interface Received {
  readonly kind: 'token' | 'list';
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The unchanged head of the request. */
  readonly head: string;
  readonly body: string;
}

/** A received request with the correct answer. */
export interface Call extends Received {
  readonly answer: Answer;
  readonly socket: Socket;
  /** Origin of the provider. */
  readonly own: string;
  /** Origin of a third party that must never receive a request. */
  readonly third: string;
  /** Number of the call among those of the same kind, from 1. */
  readonly number: number;
  /** Calls a function repeatedly until the connection is closed. */
  every(milliseconds: number, step: () => void): void;
}

/** The reaction of a server to a call: another answer, raw bytes, or null if it handles the socket itself. */
export type Behaviour = (call: Call) => Answer | Buffer | null;

/** Changes of a request, or an answer to it, before it is forwarded. */
export interface Interception {
  /** Changes path and query. */
  readonly rewrite?: (target: string) => string;
  /** Returns an answer at once; null if the request is forwarded. */
  readonly intercept?: (request: Received) => Answer | null;
}

/** A server in front of a conforming provider that alters its answers. */
export interface Front {
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts a front server for the provider at `behind`. */
export async function startFront(
  parts: Interception & {
    readonly behind: string;
    readonly behaviour: Behaviour;
    readonly third?: string;
    /** Called with each new connection before anything is read. */
    readonly greeting?: (socket: Socket) => void;
  },
): Promise<Front> {
  const { third = 'http://127.0.0.1:9', rewrite = (target) => target } = parts;
  const sockets = new Set<Socket>();
  const numbers = { token: 0, list: 0 };
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    parts.greeting?.(socket);
    onRequests(socket, async (method, target, head, body) => {
      const kind = target.includes('/connect/token') ? 'token' : 'list';
      const early = parts.intercept?.({ kind, method, target, head, body }) ?? null;
      if (early !== null) {
        socket.write(written(early));
        return;
      }
      const answer = await forward(parts.behind, { method, target: rewrite(target), head, body });
      numbers[kind] += 1;
      const every = (milliseconds: number, step: () => void): void => {
        const timer = setInterval(() => {
          if (socket.destroyed) clearInterval(timer);
          else step();
        }, milliseconds);
        timers.add(timer);
        socket.on('close', () => clearInterval(timer));
      };
      const given = { kind, method, target, head, body, answer, socket, own, third } as const;
      const said = parts.behaviour({ ...given, number: numbers[kind], every });
      if (said === null || socket.destroyed) return;
      socket.write(Buffer.isBuffer(said) ? said : written(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: own,
    close: () => {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** An answer as bytes, with a correct Content-Length unless the answer has its own. */
export function written(answer: Answer): Buffer {
  const own = answer.headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const headers = own
    ? answer.headers
    : [...answer.headers, ['Content-Length', String(answer.body.length)] as const];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `HTTP/1.1 ${answer.status} ${answer.reason}\r\n${lines}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), answer.body]);
}

function onRequests(
  socket: Socket,
  answer: (method: string, target: string, head: string, body: string) => Promise<void>,
): void {
  let bytes = '';
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.toString('latin1');
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = bytes.slice(0, end);
      const length = Number(/^content-length:\s*(\d+)/im.exec(head)?.[1] ?? 0);
      if (bytes.length < end + 4 + length) return;
      const body = bytes.slice(end + 4, end + 4 + length);
      bytes = bytes.slice(end + 4 + length);
      const [method = '', target = ''] = head.split(' ', 2);
      answer(method, target, head, body).catch(() => socket.destroy());
    }
  });
}

function forward(
  behind: string,
  asked: { readonly method: string; readonly target: string; readonly head: string; readonly body: string },
): Promise<Answer> {
  const headers = asked.head
    .split('\r\n')
    .slice(1)
    .map((line) => /^([^:]+):\s*(.*)$/.exec(line)?.slice(1) ?? [])
    .filter(([name = '']) => !/^(host|connection|accept-encoding|)$/i.test(name));
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(behind);
    const sent = httpRequest({
      host: hostname,
      port,
      method: asked.method,
      path: asked.target,
      headers: ['Host', new URL(behind).host, 'Connection', 'close', ...headers.flat()],
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          headers: Object.entries(response.headers)
            .filter(([name]) => !/^(connection|content-length|transfer-encoding|keep-alive)$/.test(name))
            .map(([name, value]) => [name, String(value)] as const),
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.end(Buffer.from(asked.body, 'latin1'));
  });
}
