import { servers } from '../hostile.ts';
import { bytes, endless, header, lists, onList, onToken, open, raw, status } from '../hostile-behaviours.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const LIST = '{"items":[]}';

/** Servers whose HTTP is invalid or misleading. */
export const protocol = [
  ...servers({
    'sends an answer before it was asked': {
      how: onList(() => null),
      greeting: (socket) => socket.end(`${OK}Content-Length: 12\r\n\r\n${LIST}`),
    },
    'answers list calls with a new status each time': onList((call) => ({
      ...call.answer,
      status: 200 + ((call.number * 37) % 400),
    })),
    'sends 100 Continue endlessly': onList(endless('', 'HTTP/1.1 100 Continue\r\n\r\n')),
    'redirects list calls to themselves': onList((call) =>
      status(301, [['Location', call.own + call.target]])(call),
    ),
    'answers the first list call with half a head and keeps the connection': {
      how: onList((call) => (call.number === 1 ? open('HTTP/1.1 200')(call) : call.answer)),
      stalls: true,
    },
  }),
  ...servers(
    {
      'answers with a word and no status line': raw('hello\r\n\r\n'),
      'answers as HTTP/0.9 did, with a page alone': raw('<html>hello</html>'),
      'answers in HTTP/9.9': onList(raw(`HTTP/9.9 200 OK\r\n\r\n${LIST}`)),
      'answers with frames of HTTP/2': raw(Buffer.from('000012040000000000000300000064', 'hex')),
      'answers plain requests with a TLS alert': raw(Buffer.from('15030300020246', 'hex')),
      'greets as an SSH server': {
        how: () => null,
        greeting: (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      },
      'answers with arbitrary bytes': raw(
        Buffer.from(Array.from({ length: 4096 }, (_one, index) => (index * 2_654_435_761) >>> 24)),
      ),
      'answers with a status of two digits': onList(raw(`HTTP/1.1 20 OK\r\n\r\n${LIST}`)),
      'answers with a status of five digits': onList(raw(`HTTP/1.1 20000 OK\r\n\r\n${LIST}`)),
      'answers list calls with status 999': onList(status(999)),
      'switches to a protocol that nobody asked for': onList(
        raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
      ),
      'answers list calls with 204 and nothing': onList(raw('HTTP/1.1 204 No Content\r\n\r\n')),
      'answers list calls with 304': onList(raw('HTTP/1.1 304 Not Modified\r\n\r\n')),
      'sends headers endlessly': onList(endless(OK, 'X-More: more\r\n')),
      'sends one header endlessly': onList(endless(`${OK}X-Long: `, 'a'.repeat(4096))),
      'sends 5,000 headers': onList(raw(`${OK}${'A: b\r\n'.repeat(5000)}Content-Length: 12\r\n\r\n${LIST}`)),
      'sends a header with a NUL': onList(raw(`${OK}X-Odd: a\0b\r\nContent-Length: 12\r\n\r\n${LIST}`)),
      'sends a header without a colon': onList(raw(`${OK}nothing here\r\nContent-Length: 12\r\n\r\n${LIST}`)),
      'sends a blank before the colon of Content-Length': onList(
        raw(`HTTP/1.1 200 OK\r\nContent-Length : 12\r\n\r\n${LIST}`),
      ),
      'promises more bytes than it sends': lists(
        raw((call) => bytes(`${OK}Content-Length: 999999\r\n\r\n`, call.answer.body)),
      ),
      'promises fewer bytes than it sends': lists(header('Content-Length', '10')),
      'promises a negative number of bytes': lists(header('Content-Length', '-1')),
      'promises more bytes than a number can count': lists(
        header('Content-Length', '99999999999999999999999'),
      ),
      'gives two lengths that differ': onList(
        raw(`${OK}Content-Length: 12\r\nContent-Length: 2\r\n\r\n${LIST}`),
      ),
      'gives a length and chunks at once': onList(
        raw(`${OK}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n${LIST}\r\n0\r\n\r\n`),
      ),
      'sends a chunk whose size is no number': onList(
        raw(`${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n${LIST}\r\n0\r\n\r\n`),
      ),
      'sends a chunk of 2^68 bytes': onList(
        raw(`${OK}Transfer-Encoding: chunked\r\n\r\n100000000000000000\r\n${LIST}`),
      ),
      'closes the connection before the last chunk': onList(
        raw(`${OK}Transfer-Encoding: chunked\r\n\r\nc\r\n${LIST}\r\n`),
      ),
      'sends chunk extensions endlessly': onList(
        endless(`${OK}Transfer-Encoding: chunked\r\n\r\nc;`, 'a'.repeat(4096)),
      ),
      'sends trailers endlessly': onList(
        endless(`${OK}Transfer-Encoding: chunked\r\n\r\nc\r\n${LIST}\r\n0\r\n`, 'X-More: more\r\n'),
      ),
      'redirects list calls to another origin': onList((call) =>
        status(307, [['Location', `${call.third}/v1/printers`]])(call),
      ),
      'redirects token requests to another origin': onToken((call) =>
        status(308, [['Location', `${call.third}/connect/token`]])(call),
      ),
      'redirects everything to another origin, scheme left out': (call) =>
        status(302, [['Location', call.third.replace('http:', '')]])(call),
      'sends Refresh, Link and Alt-Svc that name another origin, beside a 500': onList((call) =>
        status(500, [
          ['Refresh', `0;url=${call.third}`],
          ['Link', `<${call.third}>; rel="next preload"`],
          ['Alt-Svc', `h2="${call.third.slice(7)}"`],
        ])(call),
      ),
      'asks for proxy credentials': onList(status(407, [['Proxy-Authenticate', 'Basic realm="x"']])),
      'puts terminal escapes into the reason phrase': onList(
        raw('HTTP/1.1 500 \x1b]0;owned\x07\x1b[2J\r\nContent-Length: 0\r\n\r\n'),
      ),
    },
    { steady: true },
  ),
];
