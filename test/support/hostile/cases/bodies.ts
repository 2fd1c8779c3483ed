import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Hostile } from '../hostile.ts';
import {
  body,
  encoded,
  endless,
  header,
  json,
  lists,
  onList,
  onToken,
  raw,
  status,
  tokens,
} from '../spoil.ts';

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
const manyItems = once(() =>
  Buffer.from(
    JSON.stringify({
      items: Array.from({ length: 400_000 }, (_one, id) => ({ id: `p-${id}`, displayName: 'n', agent: 'a' })),
      count: 400_000,
    }),
  ),
);

/** Servers whose bodies are compression bombs or not JSON. */
export const bodies: readonly Hostile[] = [
  {
    id: 'bomb-gzip',
    does: 'answers list calls with 512 MB in half a megabyte of gzip',
    how: onList(encoded('gzip', gzipBomb)),
    bomb: true,
  },
  {
    id: 'bomb-gzip-token',
    does: 'answers token requests with a gzip bomb',
    how: onToken(encoded('gzip', gzipBomb)),
    bomb: true,
  },
  {
    id: 'bomb-gzip-twice',
    does: 'packs a gzip bomb in gzip once more',
    how: onList(encoded('gzip, gzip', gzipBombInGzip)),
    bomb: true,
  },
  {
    id: 'bomb-brotli',
    does: 'answers list calls with 256 MB in a few hundred bytes of brotli',
    how: onList(encoded('br', brotliBomb)),
    bomb: true,
  },
  {
    id: 'bomb-plain',
    does: 'sends a body endlessly',
    how: onList(endless(`${OK}\r\n{"items":[`, '{"id":"a"},'.repeat(6000))),
    bomb: true,
  },
  {
    id: 'bomb-chunks',
    does: 'sends tiny chunks endlessly',
    how: onList(endless(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'.repeat(8000))),
    bomb: true,
  },
  {
    id: 'bomb-items',
    does: 'gives 400,000 records on every page',
    how: lists((call) => ({ ...call.answer, body: manyItems() })),
    bomb: true,
  },
  {
    id: 'bomb-items-tiny',
    does: 'gives a page of millions of numbers',
    how: lists(body(() => `{"items":[${'1,'.repeat(3_000_000)}1]}`)),
    bomb: true,
  },
  {
    id: 'bomb-string',
    does: 'gives an id of 20 MB',
    how: lists(
      json((members) => ({
        ...members,
        items: members.items?.map((item, index) =>
          index === 0 ? { ...item, id: 'x'.repeat(20_000_000) } : item,
        ),
      })),
    ),
    bomb: true,
  },
  {
    id: 'coding-untrue',
    does: 'says gzip and sends plain text',
    how: lists(header('Content-Encoding', 'gzip')),
  },
  {
    id: 'coding-unknown',
    does: 'sends a coding that nobody offered',
    how: lists(header('Content-Encoding', 'zstd')),
  },
  {
    id: 'coding-cut',
    does: 'cuts its gzip short',
    how: lists((call) => encoded('gzip', () => gzipSync(call.answer.body).subarray(0, -20))(call)),
  },
  {
    id: 'coding-corrupt',
    does: 'sends gzip with a wrong checksum',
    how: lists((call) =>
      encoded('gzip', () => {
        const bytes = gzipSync(call.answer.body);
        bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 0xff;
        return bytes;
      })(call),
    ),
  },
  {
    id: 'coding-garbage',
    does: 'says deflate and sends arbitrary bytes',
    how: lists(encoded('deflate', () => Buffer.from('no deflate at all'))),
  },
  {
    id: 'coding-chain',
    does: 'says that it coded its body 200 times',
    how: lists(header('Content-Encoding', Array(200).fill('gzip').join(', '))),
  },
  { id: 'body-empty', does: 'answers list calls with 200 and an empty body', how: lists(body(() => '')) },
  {
    id: 'body-empty-token',
    does: 'answers token requests with 200 and an empty body',
    how: tokens(body(() => '')),
  },
  {
    id: 'body-html',
    does: 'answers list calls with 200 and a page of HTML',
    how: onList(status(200, [['Content-Type', 'text/html']], '<html><script>alert(1)</script>')),
  },
  {
    id: 'body-html-token',
    does: 'answers token requests with 200 and a page of HTML',
    how: onToken(status(200, [['Content-Type', 'text/html']], '<html>')),
  },
  {
    id: 'body-xml',
    does: 'answers list calls with XML that names a file',
    how: onList(
      status(
        200,
        [['Content-Type', 'application/xml']],
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
      ),
    ),
  },
  {
    id: 'body-trailing',
    does: 'lets text follow the list',
    how: lists(body((text) => `${text}\nexception in line 7`)),
  },
  {
    id: 'body-trailing-token',
    does: 'lets a second object follow the token',
    how: tokens(body((text) => text + text)),
  },
  { id: 'body-twice', does: 'sends the list twice in one body', how: lists(body((text) => text + text)) },
  {
    id: 'body-cut',
    does: 'cuts the list in the middle, with a length that fits',
    how: lists(body((text) => text.slice(0, text.length / 2))),
  },
  {
    id: 'body-error-inside',
    does: 'breaks off in the middle of the records with an error',
    how: lists(body((text) => `${text.slice(0, 60)}{"error":"oops"}`)),
  },
  {
    id: 'body-bom',
    does: 'begins its lists with a byte order mark',
    how: lists(body((text) => `\uFEFF${text}`)),
  },
  {
    id: 'body-utf16',
    does: 'sends its lists in UTF-16',
    how: lists(body((text) => Buffer.from(`\uFEFF${text}`, 'utf16le'))),
  },
  {
    id: 'body-latin1',
    does: 'sends names in Latin-1',
    how: lists(body((text) => Buffer.from(text.replaceAll('"displayName":"', '"displayName":"ü'), 'latin1'))),
  },
  {
    id: 'body-overlong',
    does: 'sends overlong UTF-8',
    how: lists(
      body((text) =>
        Buffer.concat([
          Buffer.from(text.slice(0, -1)),
          Buffer.from(',"x":"'),
          Buffer.from([0xc0, 0xaf]),
          Buffer.from('"}'),
        ]),
      ),
    ),
  },
  {
    id: 'body-surrogate',
    does: 'sends half a surrogate pair as UTF-8',
    how: tokens(
      body((text) =>
        Buffer.concat([
          Buffer.from(text.slice(0, -1)),
          Buffer.from(',"x":"'),
          Buffer.from([0xed, 0xa0, 0x80]),
          Buffer.from('"}'),
        ]),
      ),
    ),
  },
  { id: 'body-nul', does: 'ends its lists with a NUL, as C does', how: lists(body((text) => `${text}\0`)) },
  {
    id: 'body-guard',
    does: 'puts a guard against inclusion before its lists',
    how: lists(body((text) => `)]}',\n${text}`)),
  },
  {
    id: 'body-callback',
    does: 'wraps its lists in a callback',
    how: lists(body((text) => `callback(${text})`)),
  },
  {
    id: 'body-single-quotes',
    does: 'quotes with apostrophes',
    how: lists(body((text) => text.replaceAll('"', "'"))),
  },
  { id: 'body-comment', does: 'comments its lists', how: lists(body((text) => `/* page */${text}`)) },
  {
    id: 'body-comma',
    does: 'leaves a comma behind the last record',
    how: lists(body((text) => text.replace(']', ',]'))),
  },
  {
    id: 'deep-arrays',
    does: 'nests 200,000 arrays in a further member',
    how: lists(body((text) => `${text.slice(0, -1)},"x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`)),
  },
  {
    id: 'deep-objects',
    does: 'nests 200,000 objects in every record',
    how: lists(
      body((text) => text.replace('"agent":', `"x":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)},"agent":`)),
    ),
  },
  {
    id: 'deep-unclosed',
    does: 'opens 200,000 arrays and closes none',
    how: onList(status(200, [], '['.repeat(DEEP))),
  },
  {
    id: 'deep-token',
    does: 'nests 200,000 arrays in the token answer',
    how: onToken(body((text) => `${text.slice(0, -1)},"x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`)),
  },
  {
    id: 'raw-list',
    does: 'answers list calls with a body that no head precedes',
    how: onList(raw('{"items":[]}')),
  },
];
