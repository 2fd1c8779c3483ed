import { servers } from '../hostile.ts';
import { body, lists, onList, tokens } from '../hostile-behaviours.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** A text of approximately this many bytes. */
function filled(bytes: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0, index = 0; length < bytes; index += 1) {
    const next = piece(index);
    pieces.push(next);
    length += next.length + 1;
  }
  return pieces.join(',');
}

function once(make: () => string | Buffer): () => Buffer {
  let made: Buffer | null = null;
  return () => {
    if (made === null) {
      const whole = make();
      made = typeof whole === 'string' ? Buffer.from(whole) : whole;
    }
    return made;
  };
}

const records = once(
  () =>
    `{"items":[${filled(50_000_000, (index) => `{"id":"r${index}","displayName":"n","agent":"a"}`)}],"count":1}`,
);
const record = once(
  () => `{"items":[{"id":"a",${filled(30_000_000, (index) => `"m${index}":${index}`)}}],"count":1}`,
);

const controls = once(() => '\x01'.repeat(60_000_000));
const quotes = once(() => '\\"'.repeat(15_000_000));
const noText = once(() => Buffer.alloc(60_000_000, 0xff));

/** Servers whose bodies are within the limit but take many times the memory when parsed. */
export const large = [
  ...servers(
    {
      'gives 50 MB of records on every page': lists(body(records)),
      'answers list calls with 60 MB of control characters': lists(body(controls)),
      'answers list calls with 60 MB that are no text': lists(body(noText)),
      'puts 40 MB beside its tokens': tokens(
        body((text) => `${text.slice(0, -1)},"x":"${'a'.repeat(40_000_000)}"}`),
      ),
    },
    { bomb: 64 },
  ),
  ...servers(
    {
      'gives one record with millions of members': lists(body(record)),
      'answers list calls with 30 MB of escaped quotation marks': lists(body(quotes)),
      'puts just under a megabyte of empty arrays beside its tokens': tokens(
        body((text) => `${text.slice(0, -1)},"x":[${filled(1_040_000, () => '[]')}]}`),
      ),
      'repeats the token 20 MB long': onList((call) => {
        const token = /^authorization: bearer (.*)$/im.exec(call.head)?.[1] ?? 'none';
        return {
          ...call.answer,
          body: Buffer.from(`["${filled(20_000_000, () => token).replaceAll(',', '","')}"]`),
        };
      }),
      'sends 4 MB at once, and then a byte at a time endlessly': {
        how: onList(({ socket, every }) => {
          socket.write(`${OK}\r\n{"items":["${'a'.repeat(4_000_000)}`);
          every(5, () => socket.write('a'));
          return null;
        }),
        stalls: true,
      },
    },
    { bomb: 34 },
  ),
];
