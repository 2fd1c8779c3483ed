import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { servers } from '../hostile.ts';
import {
  body,
  bytes,
  encoded,
  endless,
  header,
  lists,
  onList,
  onToken,
  raw,
  records,
  status,
  tokens,
} from '../hostile-behaviours.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const DEEP = 200_000;

function once(make: () => Buffer): () => Buffer {
  let made: Buffer | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** 512 MB of blanks, compressed to half a megabyte: gzip members may be concatenated. */
const gzipBomb = once(() => Buffer.concat(Array<Buffer>(32).fill(gzipSync(Buffer.alloc(16_777_216, 0x20)))));
const gzipBombInGzip = once(() => gzipSync(gzipBomb()));
const brotliBomb = once(() =>
  brotliCompressSync(Buffer.alloc(268_435_456, 0x20), { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
);

/** Servers whose bodies are compression bombs or not JSON. */
export const bodies = [
  ...servers(
    {
      'answers list calls with 512 MB in half a megabyte of gzip': onList(encoded('gzip', gzipBomb)),
      'answers token requests with a gzip bomb': onToken(encoded('gzip', gzipBomb)),
      'packs a gzip bomb in gzip once more': onList(encoded('gzip, gzip', gzipBombInGzip)),
      'answers list calls with 256 MB in a few hundred bytes of brotli': onList(encoded('br', brotliBomb)),
      'sends a body endlessly': onList(endless(`${OK}\r\n{"items":[`, '{"id":"a"},'.repeat(6000))),
      'sends tiny chunks endlessly': onList(
        endless(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'.repeat(8000)),
      ),
      'gives a page of millions of numbers': lists(body(() => `{"items":[${'1,'.repeat(3_000_000)}1]}`)),
      'gives an id of 20 MB': records((item, index) =>
        index === 0 ? { ...item, id: 'x'.repeat(20_000_000) } : item,
      ),
    },
    { bomb: 34 },
  ),
  ...servers(
    {
      'says gzip and sends plain text': lists(header('Content-Encoding', 'gzip')),
      'sends a coding that nobody offered': lists(header('Content-Encoding', 'zstd')),
      'cuts its gzip short': lists(encoded('gzip', (body) => gzipSync(body).subarray(0, -20))),
      'sends gzip with a wrong checksum': lists(
        encoded('gzip', (body) => {
          const packed = gzipSync(body);
          packed[packed.length - 6] = (packed[packed.length - 6] ?? 0) ^ 0xff;
          return packed;
        }),
      ),
      'says deflate and sends arbitrary bytes': lists(
        encoded('deflate', () => Buffer.from('no deflate at all')),
      ),
      'says that it coded its body 200 times': lists(
        header('Content-Encoding', Array(200).fill('gzip').join(', ')),
      ),
      'answers list calls with 200 and an empty body': lists(body(() => '')),
      'answers token requests with 200 and an empty body': tokens(body(() => '')),
      'answers list calls with 200 and a page of HTML': onList(
        status(200, [['Content-Type', 'text/html']], '<html><script>alert(1)</script>'),
      ),
      'answers token requests with 200 and a page of HTML': onToken(
        status(200, [['Content-Type', 'text/html']], '<html>'),
      ),
      'answers list calls with XML that names a file': onList(
        status(
          200,
          [['Content-Type', 'application/xml']],
          '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        ),
      ),
      'lets text follow the list': lists(body((text) => `${text}\nexception in line 7`)),
      'lets a second object follow the token': tokens(body((text) => text + text)),
      'sends the list twice in one body': lists(body((text) => text + text)),
      'cuts the list in the middle, with a length that fits': lists(
        body((text) => text.slice(0, text.length / 2)),
      ),
      'breaks off in the middle of the records with an error': lists(
        body((text) => `${text.slice(0, 60)}{"error":"oops"}`),
      ),
      'begins its lists with a byte order mark': lists(body((text) => `\uFEFF${text}`)),
      'sends its lists in UTF-16': lists(body((text) => Buffer.from(`\uFEFF${text}`, 'utf16le'))),
      'sends names in Latin-1': lists(
        body((text) => Buffer.from(text.replaceAll('"displayName":"', '"displayName":"ü'), 'latin1')),
      ),
      'sends overlong UTF-8': lists(
        body((text) => bytes(text.slice(0, -1), ',"x":"', Buffer.from([0xc0, 0xaf]), '"}')),
      ),
      'sends half a surrogate pair as UTF-8': tokens(
        body((text) => bytes(text.slice(0, -1), ',"x":"', Buffer.from([0xed, 0xa0, 0x80]), '"}')),
      ),
      'ends its lists with a NUL, as C does': lists(body((text) => `${text}\0`)),
      'puts a guard against inclusion before its lists': lists(body((text) => `)]}',\n${text}`)),
      'wraps its lists in a callback': lists(body((text) => `callback(${text})`)),
      'quotes with apostrophes': lists(body((text) => text.replaceAll('"', "'"))),
      'comments its lists': lists(body((text) => `/* page */${text}`)),
      'leaves a comma behind the last record': lists(body((text) => text.replace(']', ',]'))),
      'nests 200,000 arrays in a further member': lists(
        body((text) => `${text.slice(0, -1)},"x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`),
      ),
      'nests 200,000 objects in every record': lists(
        body((text) => text.replace('"agent":', `"x":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)},"agent":`)),
      ),
      'opens 200,000 arrays and closes none': onList(status(200, [], '['.repeat(DEEP))),
      'nests 200,000 arrays in the token answer': onToken(
        body((text) => `${text.slice(0, -1)},"x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`),
      ),
      'answers list calls with a body that no head precedes': onList(raw('{"items":[]}')),
    },
    { steady: true },
  ),
];
