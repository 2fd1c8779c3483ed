import { servers } from '../hostile.ts';
import { dripping, half, onList, onSuccess, onToken, open, raw } from '../hostile-behaviours.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Servers that do not complete an answer. */
export const connections = [
  ...servers(
    {
      'accepts every request and says nothing': () => null,
      'issues tokens and never answers a list call': onList(() => null),
      'does not answer every third list call': onList((call) => (call.number % 3 === 0 ? null : call.answer)),
      'falls silent after the status line': open('HTTP/1.1 200 OK\r\n'),
      'falls silent after the head': onList(open(`${OK}Content-Length: 99\r\n\r\n`)),
      'falls silent in the middle of the body': onList(open((call) => half(call, 0.8))),
      'sends a body without a length and keeps the connection open': onList(open(`${OK}\r\n{"items":[]}`)),
      'sends its head a byte at a time endlessly': dripping(`${OK}X-Slow: `, 'a'),
      'sends its body a byte at a time endlessly': onList(dripping(`${OK}\r\n{"items":["`, 'a')),
      'sends a chunk of one byte at a time endlessly': onToken(
        dripping(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
      ),
      'announces its answer with 103 and never gives it': onList(open('HTTP/1.1 103 Early Hints\r\n\r\n')),
    },
    { stalls: true },
  ),
  ...servers({
    'closes each connection as it is made': { how: () => null, greeting: (socket) => socket.destroy() },
    'resets each connection as it is made': {
      how: () => null,
      greeting: (socket) => socket.resetAndDestroy(),
    },
    'closes the connection of a list call without an answer': onList(raw('')),
    'resets the connection of a list call': onList(({ socket }) => {
      socket.resetAndDestroy();
      return null;
    }),
    'closes the connection in the middle of the body': onList(onSuccess(raw((call) => half(call)))),
    'closes the connection in the middle of the head': onList(raw((call) => half(call, 0.02))),
    'resets the connection in the middle of the body': onList(
      onSuccess((call) => {
        call.socket.write(half(call), () => call.socket.resetAndDestroy());
        return null;
      }),
    ),
    'closes the connection instead of every second answer': (call) => {
      if (call.number % 2 === 1) return call.answer;
      call.socket.end();
      return null;
    },
  }),
];
