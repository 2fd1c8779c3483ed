import type { Hostile } from '../hostile.ts';
import { dripping, half, onList, onSuccess, onToken, open, raw } from '../spoil.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Servers that do not complete an answer. */
export const connections: readonly Hostile[] = [
  { id: 'silent', does: 'accepts every request and says nothing', how: () => null, stalls: true },
  {
    id: 'silent-list',
    does: 'issues tokens and never answers a list call',
    how: onList(() => null),
    stalls: true,
  },
  {
    id: 'silent-now-and-then',
    does: 'does not answer every third list call',
    how: onList((call) => (call.number % 3 === 0 ? null : call.answer)),
    stalls: true,
  },
  {
    id: 'silent-after-status',
    does: 'falls silent after the status line',
    how: open('HTTP/1.1 200 OK\r\n'),
    stalls: true,
  },
  {
    id: 'silent-after-head',
    does: 'falls silent after the head',
    how: onList(open(`${OK}Content-Length: 99\r\n\r\n`)),
    stalls: true,
  },
  {
    id: 'silent-in-body',
    does: 'falls silent in the middle of the body',
    how: onList(open((call) => half(call, 0.8))),
    stalls: true,
  },
  {
    id: 'silent-without-length',
    does: 'sends a body without a length and keeps the connection open',
    how: onList(open(`${OK}\r\n{"items":[]}`)),
    stalls: true,
  },
  {
    id: 'drip-head',
    does: 'sends its head a byte at a time endlessly',
    how: dripping(`${OK}X-Slow: `, 'a'),
    stalls: true,
  },
  {
    id: 'drip-body',
    does: 'sends its body a byte at a time endlessly',
    how: onList(dripping(`${OK}\r\n{"items":["`, 'a')),
    stalls: true,
  },
  {
    id: 'drip-chunks',
    does: 'sends a chunk of one byte at a time endlessly',
    how: onToken(dripping(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n')),
    stalls: true,
  },
  {
    id: 'drip-interim',
    does: 'announces its answer with 103 and never gives it',
    how: onList(open('HTTP/1.1 103 Early Hints\r\n\r\n')),
    stalls: true,
  },
  {
    id: 'close-at-once',
    does: 'closes each connection as it is made',
    how: () => null,
    greeting: (socket) => socket.destroy(),
  },
  {
    id: 'reset-at-once',
    does: 'resets each connection as it is made',
    how: () => null,
    greeting: (socket) => socket.resetAndDestroy(),
  },
  {
    id: 'close-unanswered',
    does: 'closes the connection of a list call without an answer',
    how: onList(raw('')),
  },
  {
    id: 'reset-unanswered',
    does: 'resets the connection of a list call',
    how: onList(({ socket }) => {
      socket.resetAndDestroy();
      return null;
    }),
  },
  {
    id: 'close-in-body',
    does: 'closes the connection in the middle of the body',
    how: onList(onSuccess(raw((call) => half(call)))),
  },
  {
    id: 'close-in-head',
    does: 'closes the connection in the middle of the head',
    how: onList(raw((call) => half(call, 0.02))),
  },
  {
    id: 'reset-in-body',
    does: 'resets the connection in the middle of the body',
    how: onList(
      onSuccess((call) => {
        call.socket.write(half(call), () => call.socket.resetAndDestroy());
        return null;
      }),
    ),
  },
  {
    id: 'close-every-other',
    does: 'closes the connection instead of every second answer',
    how: (call) => {
      if (call.number % 2 === 1) return call.answer;
      call.socket.end();
      return null;
    },
  },
];
