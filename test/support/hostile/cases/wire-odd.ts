import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { type Behaviour, written } from '../altering-proxy.ts';
import { servers } from '../hostile.ts';
import {
  bytes,
  encoded,
  endless,
  half,
  header,
  lists,
  onList,
  onToken,
  raw,
  status,
} from '../hostile-behaviours.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const FORGED = '{"items":[{"id":"forged","displayName":"n","agent":"a"}],"count":1}';
const FORGED_ANSWER = `${OK}Content-Length: ${FORGED.length}\r\n\r\n${FORGED}`;

/** A complete answer followed by an unsolicited one. */
function followedBy(extra: string): Behaviour {
  return onList((call) => bytes(written(call.answer), extra));
}

/** Servers with unusual HTTP that some clients misread. */
export const oddities = [
  ...servers({
    'sends a forged answer behind each answer, for the next request': followedBy(FORGED_ANSWER),
    'sends half a forged answer behind each answer, which the next one completes': followedBy(
      `${OK}Content-Length: 100000\r\nX-Swallow: `,
    ),
    'sends a forged answer when the connection has come to rest, for the next request': onList((call) => {
      call.socket.write(written(call.answer));
      setTimeout(() => call.socket.write(FORGED_ANSWER), 15);
      return null;
    }),
    'sends half a head behind the last chunk of each answer': onList((call) =>
      bytes(
        `${OK}Transfer-Encoding: chunked\r\n\r\n${call.answer.body.length.toString(16)}\r\n`,
        call.answer.body,
        '\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nX-Swallow: ',
      ),
    ),
    'gives 204 a body that reads like the next answer': onList(() =>
      bytes(`HTTP/1.1 204 No Content\r\n\r\n${FORGED_ANSWER}`),
    ),
    'gives 304 a length and a body that reads like the next answer': onList(() =>
      bytes(`HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n${FORGED_ANSWER}`),
    ),
    'refuses token requests as soon as their head is there, and hangs up': {
      how: (call) => call.answer,
      greeting: (socket) => {
        socket.once('data', (chunk: Buffer) => {
          if (chunk.toString('latin1').startsWith('POST'))
            socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        });
      },
    },
    'resets the connection before the last byte of each list': onList((call) => {
      const bytes = written(call.answer);
      call.socket.write(bytes.subarray(0, -1), () => call.socket.resetAndDestroy());
      return null;
    }),
    'sends the token back in a trailer, and a wrong list': onList((call) => {
      const token = /^authorization: (.*)$/im.exec(call.head)?.[1] ?? 'none';
      return bytes(
        `${OK}Transfer-Encoding: chunked\r\nTrailer: X-Echo\r\n\r\n2\r\n{}\r\n0\r\nX-Echo: ${token}\r\nContent-Length: 7\r\n\r\n`,
      );
    }),
  }),
  ...servers(
    {
      'answers list calls with 205 and a body': onList(status(205, [], FORGED)),
      'answers list calls with part of the list as 206': onList((call) => ({
        ...call.answer,
        status: 206,
        reason: 'Partial Content',
      })),
      'answers list calls with status 000': onList(
        raw('HTTP/1.1 000 Nothing\r\nContent-Length: 2\r\n\r\n{}'),
      ),
      'sends twenty 103 before each answer, and 102 behind it': {
        how: onList((call) =>
          bytes(
            'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(20),
            half(call, 0.5),
            'HTTP/1.1 102 Processing\r\n\r\n',
          ),
        ),
        stalls: true,
      },
      'gives an interim answer a body': onList((call) =>
        bytes('HTTP/1.1 103 Early Hints\r\nContent-Length: 12\r\n\r\n{"items":[]}', written(call.answer)),
      ),
      'puts 4 MB of extensions into each chunk': onList((call) =>
        bytes(
          `${OK}Transfer-Encoding: chunked\r\n\r\n${call.answer.body.length.toString(16)};x="${'a'.repeat(4_000_000)}"\r\n`,
          call.answer.body,
          '\r\n0\r\n\r\n',
        ),
      ),
      'says chunked twice and does it once': onList((call) =>
        bytes(
          `${OK}Transfer-Encoding: chunked, chunked\r\n\r\n${call.answer.body.length.toString(16)}\r\n`,
          call.answer.body,
          '\r\n0\r\n\r\n',
        ),
      ),
      'sends a transfer coding that nobody knows': {
        how: onList((call) => bytes(`${OK}Transfer-Encoding: rot13\r\n\r\n`, call.answer.body)),
        stalls: true,
      },
      'sends chunks in an answer of HTTP/1.0, cut off': onList(
        raw(`HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"items":[`),
      ),
      'answers in HTTP/1.0 without a length and closes in the middle of the list': onList(
        ({ answer, socket }) => {
          socket.end(bytes('HTTP/1.0 200 OK\r\n\r\n', answer.body.subarray(0, answer.body.length / 2)));
          return null;
        },
      ),
      'folds the head of its answers so that the length stands on two lines': onList((call) =>
        bytes(
          `HTTP/1.1 200 OK\r\nContent-Length:\r\n ${call.answer.body.length}\r\nX-A: b\r\n\tContent-Length: 3\r\n\r\n`,
          call.answer.body.subarray(0, -5),
          'xxxxx',
        ),
      ),
      'ends the lines of its head with LF alone, and one of them with CR alone': {
        how: onList((call) => bytes('HTTP/1.1 200 OK\nX-A: b\rContent-Length: 2\n\n', call.answer.body)),
        stalls: true,
      },
      'lists two lengths in one header': lists(header('Content-Length', '5, 7')),
      'writes its length with a plus': lists(
        header('Content-Length', (call) => `+${call.answer.body.length}`),
      ),
      'writes its length in hexadecimal': lists(
        header('Content-Length', (call) => `0x${call.answer.body.length.toString(16)}`),
      ),
      'sets 2,000 cookies with each answer': onList((call) => ({
        ...call.answer,
        headers: [
          ...call.answer.headers,
          ...Array.from({ length: 2000 }, (_none, index) => ['Set-Cookie', `c${index}=1; Path=/`] as const),
        ],
      })),
      'sends 60 KB of headers with each answer, and no list': onList((call) => ({
        ...call.answer,
        status: 500,
        headers: Array.from({ length: 60 }, (_none, index) => [`X-${index}`, 'w'.repeat(1000)] as const),
        body: Buffer.from('no'),
      })),
      'says brotli and sends gzip': lists(encoded('br', (body) => gzipSync(body))),
      'names its two codings in the wrong order': lists(
        encoded('br, gzip', (body) => brotliCompressSync(gzipSync(body))),
      ),
      'says gzip twice and packs once': lists(encoded('gzip, gzip', (body) => gzipSync(body))),
      'cuts its bare deflate short': lists(
        encoded('deflate', (body) => deflateRawSync(body).subarray(0, -9)),
      ),
      'hides a forged list behind the gzip of half a list': lists(
        encoded('gzip', (body) => bytes(gzipSync(body.subarray(0, 20)), FORGED)),
      ),
      'sends an endless Keep-Alive header on token requests': onToken(
        endless(`${OK}Keep-Alive: `, 'timeout=1, '.repeat(500)),
      ),
      'upgrades list calls to h2c with frames behind it': onList(
        raw(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
        ),
      ),
    },
    { steady: true },
  ),
];
