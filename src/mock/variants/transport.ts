import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { TOKEN_PATH } from '../conforming/gate.ts';
import { type Answer, type Change, composeChanges, unchanged, wrap } from '../pipeline.ts';
import { type Variant, variantsOf } from '../variant.ts';

function compress(name: string, encode: (body: Uint8Array) => Uint8Array): Change {
  return wrap('respond', (respond) => async (answer, request, service) => {
    const before = await respond(answer, request, service);
    const offered = request.headers['accept-encoding']?.toString() ?? '';
    if (!offered.includes(name) || before.body.length === 0) return before;
    return {
      status: before.status,
      headers: { ...before.headers, 'Content-Encoding': name, Vary: 'Accept-Encoding' },
      body: encode(Buffer.from(before.body)),
    };
  });
}

function withHeaders(headers: Readonly<Record<string, string>>): Change {
  return wrap('respond', (respond) => async (answer, request, service) => {
    const before = await respond(answer, request, service);
    return { ...before, headers: { ...before.headers, ...headers } };
  });
}

function pieces(answer: Answer, count: number): readonly Uint8Array[] {
  const body = Buffer.from(answer.body);
  const size = Math.max(1, Math.ceil(body.length / count));
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) => {
    return body.subarray(index * size, (index + 1) * size);
  });
}

/** Sends the body in chunks, with pauses of `pauseMs` between them. */
function chunked(count: number, pauseMs: number): Change {
  const write = async (answer: Answer, response: ServerResponse): Promise<void> => {
    response.writeHead(answer.status, { ...answer.headers });
    for (const piece of pieces(answer, count)) {
      response.write(piece);
      if (pauseMs > 0) await wait(pauseMs);
    }
    response.end();
  };
  return wrap('deliver', () => (answer, response) => {
    write(answer, response).catch(() => response.destroy());
  });
}

/** Whether an answer with this status can have a body. */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

const http10: Change = wrap('deliver', () => (answer, response) => {
  const body = hasBody(answer.status) ? Buffer.from(answer.body) : Buffer.alloc(0);
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // No Content-Length: the end of the connection is the end of the body.
  response.socket?.write(`HTTP/1.0 ${answer.status} Whatever\r\n${lines.join('')}\r\n`);
  response.socket?.end(body);
});

/** Closes a kept-alive connection that has been idle for `idleMs`, without notice. */
function closeWhenIdle(idleMs: number): Change {
  return (steps) => {
    const lastRequest = new WeakMap<object, number>();
    return {
      ...steps,
      receive: (request, service) => {
        lastRequest.set(request.connection, request.number);
        return steps.receive(request, service);
      },
      deliver: (answer, response, request, service) => {
        // After `finish` the response has no socket any more.
        const socket = response.socket;
        response.once('finish', () => {
          setTimeout(() => {
            if (lastRequest.get(request.connection) === request.number) socket?.destroy();
          }, idleMs).unref();
        });
        steps.deliver(answer, response, request, service);
      },
    };
  };
}

/** Serves at most some connections at a time. Further ones wait until one of them is closed, by the client or when it is idle. */
function serveConnections(atATime: number): Change {
  return (steps) => {
    const turns = new WeakMap<object, Promise<unknown>>();
    const served = Array.from({ length: atATime }, () => Promise.resolve<unknown>(null));
    let connections = 0;
    return {
      ...steps,
      deliver: (answer, response, request, service) => {
        const { socket } = response;
        if (socket === null) return;
        let turn = turns.get(socket);
        if (turn === undefined) {
          const place = connections++ % atATime;
          turn = served[place] ?? Promise.resolve();
          turns.set(socket, turn);
          served[place] = turn.then(() => (socket.closed ? null : once(socket, 'close')));
        }
        void turn.then(() => steps.deliver(answer, response, request, service));
      },
    };
  };
}

/** Serves at most some open connections, idle ones included. The requests of a further one go to `refuse`. */
function limitConnections(most: number, refuse: (response: ServerResponse) => void): Change {
  return (steps) => {
    const open = new Set<Socket>();
    return {
      ...steps,
      deliver: (answer, response, request, service) => {
        const { socket } = response;
        if (socket === null) return;
        if (!open.has(socket) && open.size >= most) return refuse(response);
        if (!open.has(socket)) {
          open.add(socket);
          socket.once('close', () => open.delete(socket));
        }
        steps.deliver(answer, response, request, service);
      },
    };
  };
}

/** Answers some requests with a status that asks to retry; `due` selects them by number. */
function answerBusy(
  status: number,
  due: (number: number) => boolean,
  headers: () => Readonly<Record<string, string>>,
): Change {
  return wrap('receive', (receive) => async (request, service) => {
    if (!due(request.number)) return receive(request, service);
    return { status, headers: headers(), body: '' };
  });
}

/** Answers requests that are more than some within a second with a status. */
function limitPerSecond(
  status: number,
  most: number,
  isLimited: (path: string) => boolean,
  headers: Readonly<Record<string, string>> = { 'Retry-After': '1' },
): Change {
  return wrap('receive', (receive) => {
    let recent: readonly number[] = [];
    return async (request, service) => {
      if (!isLimited(request.path)) return receive(request, service);
      const now = performance.now();
      recent = recent.filter((at) => at > now - 1000);
      if (recent.length >= most) return { status, headers, body: '' };
      recent = [...recent, now];
      return receive(request, service);
    };
  });
}

/** Unusual but conforming ways to send answers. */
export const transportVariants: readonly Variant[] = variantsOf({
  gzip: {
    sentence: 'Answers are compressed with gzip.',
    apply: compress('gzip', (body) => gzipSync(body, { level: 1 })),
  },
  brotli: {
    sentence: 'Answers are compressed with Brotli.',
    apply: compress('br', (body) => {
      return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    }),
  },
  deflate: {
    sentence: 'Answers are compressed with deflate.',
    apply: compress('deflate', (body) => deflateSync(body, { level: 1 })),
  },
  chunked: { sentence: 'Answers come in 16 chunks.', apply: chunked(16, 0) },
  'chunked-gzip': {
    sentence: 'Answers are compressed with gzip and come in chunks that split characters.',
    apply: composeChanges(
      compress('gzip', (body) => gzipSync(body, { level: 1 })),
      chunked(7, 0),
    ),
  },
  dripping: { sentence: 'Answers come in three pieces, 3 milliseconds apart.', apply: chunked(3, 3) },
  'http-1.0': { sentence: 'Answers are HTTP/1.0 and end with the connection.', apply: http10 },
  'connection-close': {
    sentence: 'Every connection is closed after one answer, as the Connection header announces.',
    apply: withHeaders({ Connection: 'close' }),
  },
  'interim-answers': {
    sentence: 'Interim answers 102 and 103 come before the answer.',
    apply: wrap('deliver', (deliver) => (answer, response, request, service) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      deliver(answer, response, request, service);
    }),
  },
  'idle-connections-closed': {
    sentence: 'A kept-alive connection that is idle for 4 milliseconds is closed without notice.',
    apply: closeWhenIdle(4),
  },
  'one-connection-at-a-time': {
    sentence: 'One connection is served at a time; all others wait until the client closes it.',
    apply: serveConnections(1),
  },
  'two-connections-at-a-time': {
    sentence: 'Two connections are served at a time; all others wait until the client closes one of them.',
    apply: serveConnections(2),
  },
  'connections-dropped-beyond-two': {
    sentence: 'A third connection is closed without an answer while two others are open.',
    apply: limitConnections(2, (response) => response.socket?.destroy()),
  },
  'connections-503-beyond-three': {
    sentence: 'The requests of a fourth connection are answered 503 while three others are open.',
    apply: limitConnections(3, (response) => response.writeHead(503, { Connection: 'close' }).end()),
  },
  'slow-first-byte': {
    sentence: 'The first byte of an answer takes 15 milliseconds.',
    options: { latencyMs: 15 },
    apply: unchanged,
  },
  'uneven-latency': {
    sentence: 'Answers overtake each other: some take 10 milliseconds and some take none.',
    apply: wrap('respond', (respond) => async (answer, request, service) => {
      await wait(request.number % 3 === 0 ? 10 : 0);
      return respond(answer, request, service);
    }),
  },
  'many-headers': {
    sentence: 'Answers carry many headers, cookies among them.',
    apply: withHeaders({
      'Set-Cookie': 'affinity=abc; Path=/; HttpOnly',
      ETag: 'W/"1"',
      'X-Powered-By': 'something',
      'X-Long': 'x'.repeat(4000),
      'Strict-Transport-Security': 'max-age=31536000',
    }),
  },
  'busy-with-retry-after': {
    sentence: 'The 40th request is answered 429 with Retry-After: 1.',
    apply: answerBusy(
      429,
      (number) => number === 40,
      () => ({ 'Retry-After': '1' }),
    ),
  },
  'busy-without-retry-after': {
    sentence: 'The 7th and the 29th request are answered 429 without Retry-After.',
    apply: answerBusy(
      429,
      (number) => number === 7 || number === 29,
      () => ({}),
    ),
  },
  'busy-retry-date': {
    sentence: 'The 12th request is answered 429 with a Retry-After date in the past.',
    apply: answerBusy(
      429,
      (number) => number === 12,
      () => ({ 'Retry-After': new Date(Date.now() - 60_000).toUTCString() }),
    ),
  },
  'token-limit-400': {
    sentence: 'More than ten token requests in a second are answered 400 with Retry-After: 1.',
    apply: limitPerSecond(400, 10, (path) => path === TOKEN_PATH),
  },
  'list-limit-403': {
    sentence: 'More than thirty list calls in a second are answered 403 with Retry-After: 1.',
    apply: limitPerSecond(403, 30, (path) => path !== TOKEN_PATH),
  },
  'list-limit-403-unsaid': {
    sentence: 'More than sixty list calls in a second are answered 403, and no header says why.',
    apply: limitPerSecond(403, 60, (path) => path !== TOKEN_PATH, {}),
  },
  'unavailable-once': {
    sentence: 'The 15th request is answered 503 with Retry-After: 0.',
    apply: answerBusy(
      503,
      (number) => number === 15,
      () => ({ 'Retry-After': '0' }),
    ),
  },
  'token-busy-at-first': {
    sentence: 'The very first request is answered 429 without Retry-After.',
    apply: answerBusy(
      429,
      (number) => number === 1,
      () => ({}),
    ),
  },
  'odd-page-sizes-dropped': {
    sentence: 'A firewall closes the connection of a request with a $pagesize of more than nine digits.',
    apply: wrap('deliver', (deliver) => (answer, response, request, service) => {
      if (/pagesize=\d{10}/.test(request.query)) response.socket?.destroy();
      else deliver(answer, response, request, service);
    }),
  },
  'token-refusals-dropped': {
    sentence: 'A firewall closes the connection in place of every refusal of a token request.',
    apply: wrap('deliver', (deliver) => (answer, response, request, service) => {
      if (request.method === 'POST' && answer.status >= 400) response.socket?.destroy();
      else deliver(answer, response, request, service);
    }),
  },
  'wrong-secrets-reset': {
    sentence: 'A firewall resets the connection of a token request with wrong credentials.',
    apply: wrap('deliver', (deliver) => (answer, response, request, service) => {
      if (request.method === 'POST' && answer.status === 401) response.socket?.resetAndDestroy();
      else deliver(answer, response, request, service);
    }),
  },
  'outage-502': {
    sentence: 'A gateway answers 502 to all requests from the 60th to the 110th.',
    apply: answerBusy(502, isDuringOutage, () => ({})),
  },
  'outage-502-early': {
    sentence: 'A gateway answers 502 to all requests from the 25th to the 115th.',
    apply: answerBusy(
      502,
      (number) => number >= 25 && number <= 115,
      () => ({}),
    ),
  },
  'outage-reset': {
    sentence: 'The connections of all requests from the 60th to the 110th are reset.',
    apply: wrap('deliver', (deliver) => (answer, response, request, service) => {
      if (isDuringOutage(request.number)) response.socket?.resetAndDestroy();
      else deliver(answer, response, request, service);
    }),
  },
});

function isDuringOutage(number: number): boolean {
  return number >= 60 && number <= 110;
}
