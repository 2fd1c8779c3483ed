import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { getOrMake } from '../../core/maps.ts';
import { variant, variantsOf } from '../catalogue-rows.ts';
import { answerRequests, type Change, rewrite, withState, wrap } from '../changes.ts';
import { type Answer, type ReceivedRequest, TOKEN_PATH, textAnswer, withHeaders } from '../pipeline.ts';

function compress(name: string, encode: (body: Uint8Array) => Uint8Array): Change {
  return rewrite('respond', (answer, _given, request) => {
    const offered = request.headers['accept-encoding']?.toString() ?? '';
    if (!offered.includes(name) || answer.body.length === 0) return answer;
    const headers = { 'Content-Encoding': name, Vary: 'Accept-Encoding' };
    return { ...withHeaders(answer, headers), body: encode(Buffer.from(answer.body)) };
  });
}

const gzip = compress('gzip', (body) => gzipSync(body, { level: 1 }));

function addHeaders(headers: Answer['headers']): Change {
  return rewrite('respond', (answer) => withHeaders(answer, headers));
}

/** Sends the body in chunks, with pauses of `pauseMs` between them. */
function chunked(count: number, pauseMs: number): Change {
  const write = async (answer: Answer, response: ServerResponse): Promise<void> => {
    response.writeHead(answer.status, { ...answer.headers });
    const body = Buffer.from(answer.body);
    const size = Math.max(1, Math.ceil(body.length / count));
    for (let start = 0; start < body.length; start += size) {
      response.write(body.subarray(start, start + size));
      if (pauseMs > 0) await wait(pauseMs);
    }
    response.end();
  };
  return wrap('deliver', () => (answer, response) => {
    write(answer, response).catch(() => response.destroy());
  });
}

const http10: Change = wrap('deliver', () => (answer, response) => {
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // No Content-Length: the end of the connection is the end of the body.
  response.socket?.write(`HTTP/1.0 ${answer.status} Whatever\r\n${lines.join('')}\r\n`);
  response.socket?.end(Buffer.from(answer.body));
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
  return wrap('deliver', (deliver) => {
    const turns = new WeakMap<Socket, Promise<void>>();
    const waiting: (() => void)[] = [];
    let free = atATime;
    const release = (): void => {
      free += 1;
      waiting.shift()?.();
    };
    const nextTurn = (socket: Socket): Promise<void> =>
      new Promise((resolve) => {
        const begin = (): void => {
          free -= 1;
          if (socket.closed) release();
          else socket.once('close', release);
          resolve();
        };
        if (free > 0) begin();
        else waiting.push(begin);
      });
    return (answer, response, request, service) => {
      const { socket } = response;
      if (socket === null) return;
      const turn = getOrMake(turns, socket, () => nextTurn(socket));
      void turn.then(() => deliver(answer, response, request, service));
    };
  });
}

/** Serves at most some open connections, idle ones included. The requests of a further one go to `refuse`. */
function limitConnections(most: number, refuse: (response: ServerResponse) => void): Change {
  return wrap('deliver', (deliver) => {
    const open = new Set<Socket>();
    return (answer, response, request, service) => {
      const { socket } = response;
      if (socket === null) return;
      if (!open.has(socket) && open.size >= most) return refuse(response);
      if (!open.has(socket)) socket.once('close', () => open.delete(socket));
      open.add(socket);
      deliver(answer, response, request, service);
    };
  });
}

/** Answers the requests of these numbers with a status that asks to retry. */
function answerBusy(status: number, numbers: readonly number[], retryAfter?: () => string): Change {
  return answerRequests(({ number }) => {
    if (!numbers.includes(number)) return undefined;
    return { status, headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter() }, body: '' };
  });
}

function answerBusyEvery(nth: number): Change {
  return answerRequests(({ number }) =>
    number % nth === 0 ? { status: 502, headers: {}, body: '' } : undefined,
  );
}

function numbersBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const OUTAGE = numbersBetween(60, 110);

function cutConnections(
  how: 'destroy' | 'resetAndDestroy',
  where: (request: ReceivedRequest, answer: Answer) => boolean,
): Change {
  return wrap('deliver', (deliver) => (answer, response, request, service) => {
    if (where(request, answer)) response.socket?.[how]();
    else deliver(answer, response, request, service);
  });
}

/** Answers requests that are more than some within a second with a status. */
function limitPerSecond(
  status: number,
  most: number,
  isLimited: (path: string) => boolean,
  headers: Readonly<Record<string, string>> = { 'Retry-After': '1' },
): Change {
  return withState(Array<number>, (recent) =>
    answerRequests(({ path }) => {
      if (!isLimited(path)) return undefined;
      const now = performance.now();
      while (recent[0] !== undefined && recent[0] <= now - 1000) recent.shift();
      if (recent.length >= most) return { status, headers, body: '' };
      recent.push(now);
      return undefined;
    }),
  );
}

/** Unusual but conforming ways to send answers. */
export const transportVariants = variantsOf({
  gzip: variant('Answers are compressed with gzip.').by(gzip),
  brotli: variant('Answers are compressed with Brotli.').by(
    compress('br', (body) => {
      return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    }),
  ),
  deflate: variant('Answers are compressed with deflate.').by(
    compress('deflate', (body) => deflateSync(body, { level: 1 })),
  ),
  chunked: variant('Answers come in 16 chunks.').by(chunked(16, 0)),
  'chunked-gzip': variant('Answers are compressed with gzip and come in chunks that split characters.').by(
    gzip,
    chunked(7, 0),
  ),
  dripping: variant('Answers come in three pieces, 3 milliseconds apart.').by(chunked(3, 3)),
  'http-1.0': variant('Answers are HTTP/1.0 and end with the connection.').by(http10),
  'connection-close': variant(
    'Every connection is closed after one answer, as the Connection header announces.',
  ).by(addHeaders({ Connection: 'close' })),
  'interim-answers': variant('Interim answers 102 and 103 come before the answer.').by(
    wrap('deliver', (deliver) => (answer, response, request, service) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      deliver(answer, response, request, service);
    }),
  ),
  'idle-connections-closed': variant(
    'A kept-alive connection that is idle for 4 milliseconds is closed without notice.',
  ).by(closeWhenIdle(4)),
  'one-connection-at-a-time': variant(
    'One connection is served at a time; all others wait until the client closes it.',
  ).by(serveConnections(1)),
  'two-connections-at-a-time': variant(
    'Two connections are served at a time; all others wait until the client closes one of them.',
  ).by(serveConnections(2)),
  'connections-dropped-beyond-two': variant(
    'A third connection is closed without an answer while two others are open.',
  ).by(limitConnections(2, (response) => response.socket?.destroy())),
  'connections-503-beyond-three': variant(
    'The requests of a fourth connection are answered 503 while three others are open.',
  ).by(limitConnections(3, (response) => response.writeHead(503, { Connection: 'close' }).end())),
  'slow-first-byte': variant('The first byte of an answer takes 15 milliseconds.', {
    options: { latencyMs: 15 },
  }).by(),
  'uneven-latency': variant('Answers overtake each other: some take 10 milliseconds and some take none.').by(
    rewrite('respond', async (answer, _given, request) => {
      await wait(request.number % 3 === 0 ? 10 : 0);
      return answer;
    }),
  ),
  'many-headers': variant('Answers carry many headers, cookies among them.').by(
    addHeaders({
      'Set-Cookie': 'affinity=abc; Path=/; HttpOnly',
      ETag: 'W/"1"',
      'X-Powered-By': 'something',
      'X-Long': 'x'.repeat(4000),
      'Strict-Transport-Security': 'max-age=31536000',
    }),
  ),
  'busy-with-retry-after': variant('The 40th request is answered 429 with Retry-After: 1.').by(
    answerBusy(429, [40], () => '1'),
  ),
  'busy-without-retry-after': variant(
    'The 7th and the 29th request are answered 429 without Retry-After.',
  ).by(answerBusy(429, [7, 29])),
  'busy-retry-date': variant('The 12th request is answered 429 with a Retry-After date in the past.').by(
    answerBusy(429, [12], () => new Date(Date.now() - 60_000).toUTCString()),
  ),
  'token-limit-400': variant(
    'More than ten token requests in a second are answered 400 with Retry-After: 1.',
  ).by(limitPerSecond(400, 10, (path) => path === TOKEN_PATH)),
  'list-limit-403': variant(
    'More than thirty list calls in a second are answered 403 with Retry-After: 1.',
  ).by(limitPerSecond(403, 30, (path) => path !== TOKEN_PATH)),
  'list-limit-403-unsaid': variant(
    'More than sixty list calls in a second are answered 403, and no header says why.',
  ).by(limitPerSecond(403, 60, (path) => path !== TOKEN_PATH, {})),
  'refusals-with-retry-after': variant('Every answer of status 400 or above carries Retry-After: 1.').by(
    rewrite('respond', (answer) =>
      answer.status < 400 ? answer : withHeaders(answer, { 'Retry-After': '1' }),
    ),
  ),
  'unavailable-once': variant('The 15th request is answered 503 with Retry-After: 0.').by(
    answerBusy(503, [15], () => '0'),
  ),
  'token-busy-at-first': variant('The very first request is answered 429 without Retry-After.').by(
    answerBusy(429, [1]),
  ),
  'odd-page-sizes-dropped': variant(
    'A firewall closes the connection of a request with a $pagesize of more than nine digits.',
  ).by(cutConnections('destroy', ({ query }) => /pagesize=\d{10}/.test(query))),
  'token-refusals-dropped': variant(
    'A firewall closes the connection in place of every refusal of a token request.',
  ).by(cutConnections('destroy', ({ path }, { status }) => path === TOKEN_PATH && status >= 400)),
  'wrong-secrets-reset': variant(
    'A firewall resets the connection of a token request with wrong credentials.',
  ).by(cutConnections('resetAndDestroy', ({ path }, { status }) => path === TOKEN_PATH && status === 401)),
  'outage-502': variant('A gateway answers 502 to all requests from the 60th to the 110th.').by(
    answerBusy(502, OUTAGE),
  ),
  'outage-502-early': variant('A gateway answers 502 to all requests from the 25th to the 115th.').by(
    answerBusy(502, numbersBetween(25, 115)),
  ),
  'server-of-two-down': variant(
    'Of two servers that answer in turn one is down: the gateway answers 502 to every second request.',
  ).by(answerBusyEvery(2)),
  'server-of-three-down': variant(
    'Of three servers that answer in turn one is down: the gateway answers 502 to every third request.',
  ).by(answerBusyEvery(3)),
  'gateway-502-every-twelfth': variant('A gateway answers 502 to every twelfth request.').by(
    answerBusyEvery(12),
  ),
  'gateway-502-every-twentieth': variant('A gateway answers 502 to every twentieth request.').by(
    answerBusyEvery(20),
  ),
  'outage-page': variant(
    'All requests from the 60th to the 110th are answered with a web page and status 200.',
  ).by(
    answerRequests(({ number }) =>
      OUTAGE.includes(number) ? textAnswer(200, '<html>Maintenance</html>', 'text/html') : undefined,
    ),
  ),
  'outage-reset': variant('The connections of all requests from the 60th to the 110th are reset.').by(
    cutConnections('resetAndDestroy', ({ number }) => OUTAGE.includes(number)),
  ),
});
