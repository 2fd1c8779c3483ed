import type { Hostile } from '../hostile.ts';
import { endless, header, lists, onList, onToken, open, raw, status } from '../spoil.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const LIST = '{"items":[]}';

/** Servers whose HTTP is invalid or misleading. */
export const protocol: readonly Hostile[] = [
  { id: 'no-status-line', does: 'answers with a word and no status line', how: raw('hello\r\n\r\n') },
  { id: 'http-0.9', does: 'answers as HTTP/0.9 did, with a page alone', how: raw('<html>hello</html>') },
  { id: 'http-9', does: 'answers in HTTP/9.9', how: onList(raw(`HTTP/9.9 200 OK\r\n\r\n${LIST}`)) },
  {
    id: 'http-2',
    does: 'answers with frames of HTTP/2',
    how: raw(Buffer.from('000012040000000000000300000064', 'hex')),
  },
  {
    id: 'tls-on-plain',
    does: 'answers plain requests with a TLS alert',
    how: raw(Buffer.from('15030300020246', 'hex')),
  },
  {
    id: 'ssh',
    does: 'greets as an SSH server',
    how: () => null,
    greeting: (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  },
  {
    id: 'speaks-first',
    does: 'sends an answer before it was asked',
    how: onList(() => null),
    greeting: (socket) => socket.end(`${OK}Content-Length: 12\r\n\r\n${LIST}`),
  },
  {
    id: 'random-bytes',
    does: 'answers with arbitrary bytes',
    how: raw(Buffer.from(Array.from({ length: 4096 }, (_one, index) => (index * 2_654_435_761) >>> 24))),
  },
  {
    id: 'status-short',
    does: 'answers with a status of two digits',
    how: onList(raw(`HTTP/1.1 20 OK\r\n\r\n${LIST}`)),
  },
  {
    id: 'status-long',
    does: 'answers with a status of five digits',
    how: onList(raw(`HTTP/1.1 20000 OK\r\n\r\n${LIST}`)),
  },
  { id: 'status-999', does: 'answers list calls with status 999', how: onList(status(999)) },
  {
    id: 'status-random',
    does: 'answers list calls with a new status each time',
    how: onList((call) => ({ ...call.answer, status: 200 + ((call.number * 37) % 400) })),
  },
  {
    id: 'status-101',
    does: 'switches to a protocol that nobody asked for',
    how: onList(raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')),
  },
  {
    id: 'status-204',
    does: 'answers list calls with 204 and nothing',
    how: onList(raw('HTTP/1.1 204 No Content\r\n\r\n')),
  },
  {
    id: 'status-304',
    does: 'answers list calls with 304',
    how: onList(raw('HTTP/1.1 304 Not Modified\r\n\r\n')),
  },
  {
    id: 'interim-endless',
    does: 'sends 100 Continue endlessly',
    how: onList(endless('', 'HTTP/1.1 100 Continue\r\n\r\n')),
  },
  { id: 'headers-endless', does: 'sends headers endlessly', how: onList(endless(OK, 'X-More: more\r\n')) },
  {
    id: 'header-endless',
    does: 'sends one header endlessly',
    how: onList(endless(`${OK}X-Long: `, 'a'.repeat(4096))),
  },
  {
    id: 'headers-many',
    does: 'sends 5,000 headers',
    how: onList(raw(`${OK}${'A: b\r\n'.repeat(5000)}Content-Length: 12\r\n\r\n${LIST}`)),
  },
  {
    id: 'header-with-nul',
    does: 'sends a header with a NUL',
    how: onList(raw(`${OK}X-Odd: a\0b\r\nContent-Length: 12\r\n\r\n${LIST}`)),
  },
  {
    id: 'header-without-colon',
    does: 'sends a header without a colon',
    how: onList(raw(`${OK}nothing here\r\nContent-Length: 12\r\n\r\n${LIST}`)),
  },
  {
    id: 'header-space-before-colon',
    does: 'sends a blank before the colon of Content-Length',
    how: onList(raw(`HTTP/1.1 200 OK\r\nContent-Length : 12\r\n\r\n${LIST}`)),
  },
  {
    id: 'length-too-large',
    does: 'promises more bytes than it sends',
    how: lists((call) =>
      raw(Buffer.concat([Buffer.from(`${OK}Content-Length: 999999\r\n\r\n`), call.answer.body]))(call),
    ),
  },
  {
    id: 'length-too-small',
    does: 'promises fewer bytes than it sends',
    how: lists(header('Content-Length', '10')),
  },
  {
    id: 'length-negative',
    does: 'promises a negative number of bytes',
    how: lists(header('Content-Length', '-1')),
  },
  {
    id: 'length-huge',
    does: 'promises more bytes than a number can count',
    how: lists(header('Content-Length', '99999999999999999999999')),
  },
  {
    id: 'length-twice',
    does: 'gives two lengths that differ',
    how: onList(raw(`${OK}Content-Length: 12\r\nContent-Length: 2\r\n\r\n${LIST}`)),
  },
  {
    id: 'length-and-chunked',
    does: 'gives a length and chunks at once',
    how: onList(
      raw(`${OK}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n${LIST}\r\n0\r\n\r\n`),
    ),
  },
  {
    id: 'chunk-garbage',
    does: 'sends a chunk whose size is no number',
    how: onList(raw(`${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n${LIST}\r\n0\r\n\r\n`)),
  },
  {
    id: 'chunk-huge',
    does: 'sends a chunk of 2^68 bytes',
    how: onList(raw(`${OK}Transfer-Encoding: chunked\r\n\r\n100000000000000000\r\n${LIST}`)),
  },
  {
    id: 'chunk-cut',
    does: 'closes the connection before the last chunk',
    how: onList(raw(`${OK}Transfer-Encoding: chunked\r\n\r\nc\r\n${LIST}\r\n`)),
  },
  {
    id: 'chunk-extensions-endless',
    does: 'sends chunk extensions endlessly',
    how: onList(endless(`${OK}Transfer-Encoding: chunked\r\n\r\nc;`, 'a'.repeat(4096))),
  },
  {
    id: 'trailers-endless',
    does: 'sends trailers endlessly',
    how: onList(endless(`${OK}Transfer-Encoding: chunked\r\n\r\nc\r\n${LIST}\r\n0\r\n`, 'X-More: more\r\n')),
  },
  {
    id: 'redirect-list-away',
    does: 'redirects list calls to another origin',
    how: onList((call) => status(307, [['Location', `${call.third}/v1/printers`]])(call)),
  },
  {
    id: 'redirect-token-away',
    does: 'redirects token requests to another origin',
    how: onToken((call) => status(308, [['Location', `${call.third}/connect/token`]])(call)),
  },
  {
    id: 'redirect-302-away',
    does: 'redirects everything to another origin, scheme left out',
    how: (call) => status(302, [['Location', call.third.replace('http:', '')]])(call),
  },
  {
    id: 'redirect-loop',
    does: 'redirects list calls to themselves',
    how: onList((call) => status(301, [['Location', call.own + call.target]])(call)),
  },
  {
    id: 'refresh-away',
    does: 'sends Refresh, Link and Alt-Svc that name another origin, beside a 500',
    how: onList((call) =>
      status(500, [
        ['Refresh', `0;url=${call.third}`],
        ['Link', `<${call.third}>; rel="next preload"`],
        ['Alt-Svc', `h2="${call.third.slice(7)}"`],
      ])(call),
    ),
  },
  {
    id: 'proxy-wanted',
    does: 'asks for proxy credentials',
    how: onList(status(407, [['Proxy-Authenticate', 'Basic realm="x"']])),
  },
  {
    id: 'reason-escapes',
    does: 'puts terminal escapes into the reason phrase',
    how: onList(raw('HTTP/1.1 500 \x1b]0;owned\x07\x1b[2J\r\nContent-Length: 0\r\n\r\n')),
  },
  {
    id: 'head-half-open',
    does: 'answers the first list call with half a head and keeps the connection',
    how: onList((call) => (call.number === 1 ? open('HTTP/1.1 200')(call) : call.answer)),
    stalls: true,
  },
];
