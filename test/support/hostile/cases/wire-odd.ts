import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { written } from '../front.ts';
import type { Hostile } from '../hostile.ts';
import { encoded, endless, half, header, lists, onList, onToken, raw, status } from '../spoil.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const FORGED = '{"items":[{"id":"forged","displayName":"n","agent":"a"}],"count":1}';

/** A complete answer followed by an unsolicited one. */
function followedBy(extra: string): Hostile['how'] {
  return onList((call) => Buffer.concat([written(call.answer), Buffer.from(extra)]));
}

/** Servers with unusual HTTP that some clients misread. */
export const oddities: readonly Hostile[] = [
  {
    id: 'answer-twice',
    does: 'sends a forged answer behind each answer, for the next request',
    how: followedBy(`${OK}Content-Length: ${FORGED.length}\r\n\r\n${FORGED}`),
  },
  {
    id: 'answer-twice-half',
    does: 'sends half a forged answer behind each answer, which the next one completes',
    how: followedBy(`${OK}Content-Length: 100000\r\nX-Swallow: `),
  },
  {
    id: 'answer-late',
    does: 'sends a forged answer when the connection has come to rest, for the next request',
    how: onList((call) => {
      call.socket.write(written(call.answer));
      setTimeout(() => call.socket.write(`${OK}Content-Length: ${FORGED.length}\r\n\r\n${FORGED}`), 15);
      return null;
    }),
  },
  {
    id: 'answer-behind-chunks',
    does: 'sends half a head behind the last chunk of each answer',
    how: onList((call) =>
      Buffer.concat([
        Buffer.from(`${OK}Transfer-Encoding: chunked\r\n\r\n${call.answer.body.length.toString(16)}\r\n`),
        call.answer.body,
        Buffer.from('\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nX-Swallow: '),
      ]),
    ),
  },
  {
    id: 'answer-behind-204',
    does: 'gives 204 a body that reads like the next answer',
    how: onList(() =>
      Buffer.from(`HTTP/1.1 204 No Content\r\n\r\n${OK}Content-Length: ${FORGED.length}\r\n\r\n${FORGED}`),
    ),
  },
  {
    id: 'answer-behind-304',
    does: 'gives 304 a length and a body that reads like the next answer',
    how: onList(() =>
      Buffer.from(
        `HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n${OK}Content-Length: ${FORGED.length}\r\n\r\n${FORGED}`,
      ),
    ),
  },
  {
    id: 'status-205-body',
    does: 'answers list calls with 205 and a body',
    how: onList(status(205, [], FORGED)),
  },
  {
    id: 'status-206',
    does: 'answers list calls with part of the list as 206',
    how: onList((call) => ({ ...call.answer, status: 206, reason: 'Partial Content' })),
  },
  {
    id: 'status-000',
    does: 'answers list calls with status 000',
    how: onList(raw('HTTP/1.1 000 Nothing\r\nContent-Length: 2\r\n\r\n{}')),
  },
  {
    id: 'interim-in-bursts',
    does: 'sends twenty 103 before each answer, and 102 behind it',
    how: onList((call) =>
      Buffer.concat([
        Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(20)),
        half(call, 0.5),
        Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'),
      ]),
    ),
    stalls: true,
  },
  {
    id: 'interim-with-body',
    does: 'gives an interim answer a body',
    how: onList((call) =>
      Buffer.concat([
        Buffer.from(`HTTP/1.1 103 Early Hints\r\nContent-Length: 12\r\n\r\n{"items":[]}`),
        written(call.answer),
      ]),
    ),
  },
  {
    id: 'chunk-extensions-large',
    does: 'puts 4 MB of extensions into each chunk',
    how: onList((call) =>
      Buffer.concat([
        Buffer.from(
          `${OK}Transfer-Encoding: chunked\r\n\r\n${call.answer.body.length.toString(16)};x="${'a'.repeat(4_000_000)}"\r\n`,
        ),
        call.answer.body,
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
    ),
  },
  {
    id: 'chunked-twice',
    does: 'says chunked twice and does it once',
    how: onList((call) =>
      Buffer.concat([
        Buffer.from(
          `${OK}Transfer-Encoding: chunked, chunked\r\n\r\n${call.answer.body.length.toString(16)}\r\n`,
        ),
        call.answer.body,
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
    ),
  },
  {
    id: 'transfer-unknown',
    does: 'sends a transfer coding that nobody knows',
    how: onList((call) =>
      Buffer.concat([Buffer.from(`${OK}Transfer-Encoding: rot13\r\n\r\n`), call.answer.body]),
    ),
    stalls: true,
  },
  {
    id: 'transfer-on-1.0',
    does: 'sends chunks in an answer of HTTP/1.0, cut off',
    how: onList(raw(`HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"items":[`)),
  },
  {
    id: 'http-1.0-cut',
    does: 'answers in HTTP/1.0 without a length and closes in the middle of the list',
    how: onList(({ answer, socket }) => {
      socket.end(
        Buffer.concat([
          Buffer.from('HTTP/1.0 200 OK\r\n\r\n'),
          answer.body.subarray(0, answer.body.length / 2),
        ]),
      );
      return null;
    }),
  },
  {
    id: 'head-folded',
    does: 'folds the head of its answers so that the length stands on two lines',
    how: onList((call) =>
      Buffer.concat([
        Buffer.from(
          `HTTP/1.1 200 OK\r\nContent-Length:\r\n ${call.answer.body.length}\r\nX-A: b\r\n\tContent-Length: 3\r\n\r\n`,
        ),
        call.answer.body.subarray(0, -5),
        Buffer.from('xxxxx'),
      ]),
    ),
  },
  {
    id: 'head-bare-feeds',
    does: 'ends the lines of its head with LF alone, and one of them with CR alone',
    how: onList((call) =>
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\nX-A: b\rContent-Length: 2\n\n`), call.answer.body]),
    ),
    stalls: true,
  },
  {
    id: 'length-listed',
    does: 'lists two lengths in one header',
    how: lists(header('Content-Length', '5, 7')),
  },
  {
    id: 'length-signed',
    does: 'writes its length with a plus',
    how: lists(header('Content-Length', (call) => `+${call.answer.body.length}`)),
  },
  {
    id: 'length-hex',
    does: 'writes its length in hexadecimal',
    how: lists(header('Content-Length', (call) => `0x${call.answer.body.length.toString(16)}`)),
  },
  {
    id: 'cookies-by-the-thousand',
    does: 'sets 2,000 cookies with each answer',
    how: onList((call) => ({
      ...call.answer,
      headers: [
        ...call.answer.headers,
        ...Array.from({ length: 2000 }, (_none, index) => ['Set-Cookie', `c${index}=1; Path=/`] as const),
      ],
    })),
  },
  {
    id: 'headers-wide',
    does: 'sends 60 KB of headers with each answer, and no list',
    how: onList((call) => ({
      ...call.answer,
      status: 500,
      headers: Array.from({ length: 60 }, (_none, index) => [`X-${index}`, 'w'.repeat(1000)] as const),
      body: Buffer.from('no'),
    })),
  },
  {
    id: 'coding-br-bogus',
    does: 'says brotli and sends gzip',
    how: lists((call) => encoded('br', () => gzipSync(call.answer.body))(call)),
  },
  {
    id: 'coding-order-wrong',
    does: 'names its two codings in the wrong order',
    how: lists((call) => encoded('br, gzip', () => brotliCompressSync(gzipSync(call.answer.body)))(call)),
  },
  {
    id: 'coding-twice-once-done',
    does: 'says gzip twice and packs once',
    how: lists((call) => encoded('gzip, gzip', () => gzipSync(call.answer.body))(call)),
  },
  {
    id: 'coding-raw-deflate-cut',
    does: 'cuts its bare deflate short',
    how: lists((call) => encoded('deflate', () => deflateRawSync(call.answer.body).subarray(0, -9))(call)),
  },
  {
    id: 'coding-gzip-behind',
    does: 'hides a forged list behind the gzip of half a list',
    how: lists((call) =>
      encoded('gzip', () => Buffer.concat([gzipSync(call.answer.body.subarray(0, 20)), Buffer.from(FORGED)]))(
        call,
      ),
    ),
  },
  {
    id: 'before-the-body',
    does: 'refuses token requests as soon as their head is there, and hangs up',
    how: (call) => call.answer,
    greeting: (socket) => {
      socket.once('data', (chunk: Buffer) => {
        if (chunk.toString('latin1').startsWith('POST'))
          socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      });
    },
  },
  {
    id: 'reset-before-last-byte',
    does: 'resets the connection before the last byte of each list',
    how: onList((call) => {
      const bytes = written(call.answer);
      call.socket.write(bytes.subarray(0, -1), () => call.socket.resetAndDestroy());
      return null;
    }),
  },
  {
    id: 'trailers-with-secrets',
    does: 'sends the token back in a trailer, and a wrong list',
    how: onList((call) => {
      const token = /^authorization: (.*)$/im.exec(call.head)?.[1] ?? 'none';
      return Buffer.from(
        `${OK}Transfer-Encoding: chunked\r\nTrailer: X-Echo\r\n\r\n2\r\n{}\r\n0\r\nX-Echo: ${token}\r\nContent-Length: 7\r\n\r\n`,
      );
    }),
  },
  {
    id: 'connection-header-endless',
    does: 'sends an endless Keep-Alive header on token requests',
    how: onToken(endless(`${OK}Keep-Alive: `, 'timeout=1, '.repeat(500))),
  },
  {
    id: 'upgrade-h2c',
    does: 'upgrades list calls to h2c with frames behind it',
    how: onList(
      raw(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
      ),
    ),
  },
];
