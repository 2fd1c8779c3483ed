import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/core/exchange.ts';
import type { Json } from '../../src/core/results.ts';
import { isWide } from '../../src/provider/exact-number.ts';
import { identitiesOf, identityOf } from '../../src/provider/identity.ts';
import { shapeOf } from '../../src/provider/item-shape.ts';
import { type ItemReading, type ListAnswer, readPage } from '../../src/provider/page.ts';
import { plainList } from '../../src/provider/plain-list.ts';
import { adoptSchema, membersOf, schemaShape, validatorFor } from '../../src/provider/schemas.ts';

/** Cases of each property; more by hand. */
const RUNS = Number(process.env['PLAIN_LIST_RUNS'] ?? 4000);

const OWN: { readonly [name: string]: Json } = {
  own: {
    type: 'object',
    required: ['id', 'tags'],
    properties: {
      id: { type: ['integer', 'string'] },
      displayName: { type: ['string', 'null'], minLength: 1, description: 'A name.' },
      tags: { type: 'array', items: { type: ['string', 'number', 'object'], required: ['k'] } },
      place: { type: 'object', required: ['floor'], properties: { floor: { type: 'number' }, größe: true } },
      on: { type: 'boolean' },
    },
  },
  loose: { required: ['id'] },
};
for (const [name, schema] of Object.entries(OWN)) adoptSchema(name, schema);
const SCHEMAS = ['printer', ...Object.keys(OWN)];

function readingWith(schema: string, maxDepth: number, shaped: boolean): ItemReading {
  return {
    validateItem: validatorFor(schema),
    validateEnvelope: validatorFor('list-envelope'),
    itemShape: shaped ? schemaShape(schema) : null,
    idField: 'id',
    itemMembers: membersOf(schema),
    maxDepth,
    maxRecordBytes: 1_000_000,
    longestLink: 40,
  };
}

function answerOf(body: Uint8Array): object {
  return { status: 200, statusText: 'OK', httpVersion: '1.1', headers: [], body };
}

function read(body: Uint8Array, schema: string, maxDepth: number, shaped: boolean): ListAnswer | string {
  const answer = answerOf(body);
  const exchange = { number: 1, request: { target: '/v1/printers' }, answer } as unknown as Exchange;
  try {
    return readPage(exchange, readingWith(schema, maxDepth, shaped));
  } catch (error) {
    return String(error);
  }
}

function isPlain(body: Uint8Array, schema: string, maxDepth = 20): boolean {
  const shape = schemaShape(schema);
  return shape !== null && plainList(body, { shape, idField: 'id', maxDepth, mostItems: 20_000 }) !== null;
}

/** Whether the short way knows the page; that both ways tell the same of it is asserted. */
function agreed(body: Uint8Array, schema: string, maxDepth = 20): boolean {
  const [short, long] = [read(body, schema, maxDepth, true), read(body, schema, maxDepth, false)];
  if (!isDeepStrictEqual(short, long)) expect(short).toEqual(long);
  expect(isDeepStrictEqual(short, long)).toBe(true);
  return isPlain(body, schema, maxDepth);
}

const blank = fc.constantFrom('', '', '', '', ' ', '\n  ', '\t', '\r\n');
const number = fc.constantFrom(
  ...['0', '-0', '7', '-12', '1.5', '1.0', '1e2', '1E400', '-1e-400', '123456789012345678', '1e', '01', '.5'],
  ...['1.', '9007199254740993', '9'.repeat(310), '-', '+1'],
);
const escaped = fc.constantFrom(
  ...[
    '"\\u0041"',
    '"\\ud800"',
    '"\\n"',
    '"\\/"',
    '"\\x"',
    '"\\u12"',
    '"a\\"b"',
    '"\\\\"',
    '"tab\there"',
    '"\\',
  ],
);
const text = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z0-9 -]{0,12}$/).map((one) => JSON.stringify(one)) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }).map((one) => JSON.stringify(one)) },
  { weight: 1, arbitrary: escaped },
);
const name = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('id', 'displayName', 'agent', 'tags', 'place', 'on', 'floor', 'größe', 'k'),
  },
  { weight: 2, arbitrary: fc.constantFrom('x', 'y', '10', '2', '__proto__', 'constructor', '', 'items') },
);
const literalOf = (one: string, spelling: number): string =>
  spelling > 0 ? JSON.stringify(one) : `"${[...one].map(unicode).join('')}"`;
const unicode = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    { weight: 6, arbitrary: text },
    { weight: 2, arbitrary: fc.integer().map(String) },
    { weight: 1, arbitrary: number },
    { weight: 2, arbitrary: fc.constantFrom('true', 'false', 'null', 'nul', 'True', '') },
    { weight: 2, arbitrary: tie('array') },
    { weight: 2, arbitrary: tie('object') },
  ),
  array: fc
    .tuple(fc.array(tie('value'), { maxLength: 3 }), blank)
    .map(([values, space]) => `[${space}${values.join(`${space},`)}${space}]`),
  object: fc.array(fc.tuple(name, fc.nat(30), tie('value'), blank), { maxLength: 4 }).map(objectOf),
}));

function objectOf(members: readonly (readonly [string, number, string, string])[]): string {
  const written = members.map(
    ([key, spelling, one, space]) => `${space}${literalOf(key, spelling)}${space}:${space}${one}${space}`,
  );
  return `{${written.join(',')}}`;
}

const identifier = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.oneof(fc.integer().map(String), number, fc.constantFrom('null', 'true', '[]', '{"a":1}', '1.5')),
);

/** An item that matches the schemas, with further members and sometimes one that is odd. */
const item = fc
  .tuple(
    fc.tuple(identifier, text, text, blank),
    fc.array(fc.tuple(name, fc.nat(30), value, blank), { maxLength: 3 }),
    fc.nat(5),
    fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  )
  .map(([[id, displayName, agent, space], further, turn, fit]) => {
    const usual = [
      ['id', 1, id, space],
      ['displayName', 1, displayName, space],
      ['agent', 1, agent, space],
      ['tags', 1, '["a",1.5,{"k":0}]', space],
    ] as const;
    const distinct = further.filter(
      ([key], index) =>
        !usual.some(([used]) => used === key) && further.findIndex(([other]) => other === key) === index,
    );
    const members = fit
      ? [...usual, ...distinct.map(([key, , one, gap]) => [key, 1, one, gap] as const)]
      : [...usual, ...further];
    return objectOf([...members.slice(turn), ...members.slice(0, turn)]);
  });

const items = fc
  .array(fc.oneof({ weight: 20, arbitrary: item }, { weight: 1, arbitrary: value }), { maxLength: 6 })
  .chain((written) => blank.map((space) => `[${space}${written.join(`${space},${space}`)}${space}]`));
const sound = fc
  .array(
    fc.record({
      id: fc.stringMatching(/^[a-z0-9-]{1,8}$/),
      displayName: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      agent: fc.stringMatching(/^[ -~]{0,12}$/),
      tags: fc.array(fc.constantFrom<Json>('a', 1, 2.5, { k: 1 }), { maxLength: 2 }),
      place: fc.constantFrom<Json>({ floor: 3 }, { floor: -1.5, größe: { a: [], b: null } }),
    }),
    { maxLength: 5 },
  )
  .chain((all) => fc.constantFrom(JSON.stringify(all), JSON.stringify(all, null, 2)));
const around = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom('count', 'x', 'nextPageLink'), fc.nat(30), value, blank),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ['count', 1, '12', ' '] as const,
        ['count', 1, '9007199254740993', ''] as const,
        ['nextPageLink', 1, '"/v1/printers?$skip=5"', ''] as const,
        ['nextPageLink', 1, `"${'a'.repeat(60)}"`, ''] as const,
        ['nextPageLink', 1, 'null', ''] as const,
        ['items', 0, '[]', ''] as const,
        ['items', 1, '[{"id":"other"}]', ''] as const,
      ),
    },
  ),
  { maxLength: 3 },
);
const body = fc
  .tuple(fc.oneof(items, sound), around, fc.nat(3), blank)
  .map(([written, members, at, space]) => {
    const all: (readonly [string, number, string, string])[] = [...members];
    all.splice(at, 0, ['items', 1, written, space]);
    return `${space}${objectOf(all)}${space}`;
  });

/** Bytes turned, left out, put in or given twice. */
const damage = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    how: fc.constantFrom('turn', 'drop', 'put', 'again', 'cut'),
    byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[],:0-eu \u0000\u001fé'))),
    length: fc.integer({ min: 1, max: 40 }),
  }),
  { minLength: 1, maxLength: 2 },
);

function damaged(
  written: string,
  blows: typeof damage extends fc.Arbitrary<infer Blows> ? Blows : never,
): Buffer {
  let bytes = Buffer.from(written);
  for (const { at, how, byte, length } of blows) {
    const place = Math.floor(at * bytes.length);
    const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
    if (how === 'turn') bytes = Buffer.concat([before, Buffer.of(byte), after.subarray(1)]);
    if (how === 'drop') bytes = Buffer.concat([before, after.subarray(length)]);
    if (how === 'put') bytes = Buffer.concat([before, Buffer.of(byte), after]);
    if (how === 'again') bytes = Buffer.concat([before, after.subarray(0, length), after]);
    if (how === 'cut') bytes = Buffer.from(before);
  }
  return bytes;
}

describe('a page that is read in one pass', () => {
  it.each(SCHEMAS)('tells the same as one that is parsed, or nothing (%s)', (schema) => {
    let known = 0;
    fc.assert(
      fc.property(body, fc.constantFrom(20, 20, 20, 20, 3, 4, 5, 2), (written, maxDepth) => {
        if (agreed(Buffer.from(written), schema, maxDepth)) known += 1;
      }),
      { numRuns: RUNS },
    );
    // Else the property would be one of the long way alone.
    expect(known).toBeGreaterThan(RUNS / 20);
  });

  it.each(SCHEMAS)('tells the same, or nothing, of damaged bytes (%s)', (schema) => {
    let known = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          body,
          sound.map((all) => `{"items":${all},"count":5}`),
        ),
        damage,
        (written, blows) => {
          if (agreed(damaged(written, blows), schema)) known += 1;
        },
      ),
      { numRuns: RUNS },
    );
    expect(known).toBeGreaterThan(RUNS / 60);
  });

  it('knows what real lists hold', () => {
    const usual = '{"id":"a","displayName":"b","agent":"c"';
    for (const one of [
      usual,
      `${usual},"note":"a \\"quoted\\" line\\nÄ \\ud83d\\ude00"`,
      `${usual},"größe":1.5e3,"on":true,"none":null,"tags":["x",["y"],{}]`,
      `${usual},"place":{"floor":3,"room":{"no":"1"}},"colours":[{"c":1},{"c":2,"m":3}]`,
      '{"agent" : "c" ,\n "displayName":"b", "id":"\\u00e4"',
    ]) {
      const written = `{"items":[${one}},${one.replace('"a"', '"ä"')}}],"count":2,"@odata.context":{"a":[1]}}`;
      expect(agreed(Buffer.from(written), 'printer'), one).toBe(true);
    }
    expect(agreed(Buffer.from('{"count":0,"items":[]}'), 'printer')).toBe(true);
    expect(
      agreed(Buffer.from('{"items":[{"id":3,"tags":[]},{"id":12345678901234567,"tags":[]}]}'), 'own'),
    ).toBe(true);
  });

  it('leaves to the long way what is not certain', () => {
    const usual = '"displayName":"b","agent":"c"';
    for (const one of [
      `{"id":"a",${usual},"id":"a"}`,
      `{"id":"a",${usual},"\\u0069d":"b"}`,
      `{"id":"a",${usual},"x":{"y":1,"y":1}}`,
      `{"id":"a",${usual},"x":[{"y":1,"\\u0079":1}]}`,
      `{"id":"a",${usual},"x":01}`,
      `{"id":"a",${usual},"x":${'['.repeat(18)}${']'.repeat(18)}}`,
      `{"id":1,${usual}}`,
      `{${usual}}`,
      `{"id":"a\tb",${usual}}`,
      `{"id":"a",${usual}},`,
      `{"id":"a";${usual}}`,
      `{"id" "a",${usual}}`,
      `{"id":"a",${usual}};{"id":"b",${usual}}`,
      `{"id":"a",${usual},"x":[1;2]}`,
      '[]',
      'null',
    ])
      expect(agreed(Buffer.from(`{"items":[${one}]}`), 'printer'), one).toBe(false);
    for (const whole of [
      '[]',
      '{"a":1}',
      '{"items":{}}',
      '\ufeff{"items":[]}',
      '{"\\u0069tems":[]}',
      '{"items":1]}',
      '{"a":1;"items":[]}',
      '{"a";1,"items":[]}',
      '',
    ])
      expect(agreed(Buffer.from(whole), 'printer'), whole).toBe(false);
    expect(agreed(Buffer.from([...Buffer.from('{"items":[],"x":"'), 0xc3, 0x22, 0x7d]), 'printer')).toBe(
      false,
    );
    for (const id of ['1e400', '1.5', '1.0', 'true'])
      expect(agreed(Buffer.from(`{"items":[{"id":${id},"tags":[]}]}`), 'own'), id).toBe(false);
    expect(agreed(Buffer.from('{"items":[{"id":null},{"id":1.5}]}'), 'loose')).toBe(true);
  });

  it('tells identifiers apart that a double takes for one, in each way of reading', () => {
    const ids = Array.from({ length: 40 }, (_none, index) => String(9_007_199_254_740_990n + BigInt(index)));
    const items = ids.map((id) => `{"id":${id}}`).join();
    const body = Buffer.from(`{"note":[{"id":7}],"items":[${items}]}`);
    const shaped = [true, false].map((short) => read(body, 'loose', 20, short));
    // Piece by piece, as large bodies are read.
    const pieces = readPage(
      { number: 1, request: { target: '' }, answer: answerOf(body) } as unknown as Exchange,
      { ...readingWith('loose', 20, false), maxRecordBytes: 100 },
    );
    for (const page of [...shaped, pieces]) {
      if (typeof page === 'string' || page.kind !== 'page') throw new Error('no page was read');
      expect(new Set(page.identities).size).toBe(ids.length);
      expect(page.identities).toEqual(
        BigUint64Array.from(ids, (id) =>
          identityOf(`\u0000${Number(id) > 9_007_199_254_740_991 ? id : Number(id)}`),
        ),
      );
    }
  });

  it('gives identifiers the same identity', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.double())), (ids) => {
        // What a double does not hold is told by its digits, which a double has not.
        const told = ids.map((id) => (typeof id === 'number' && isWide(id) ? 0 : id));
        const written = `{"items":${JSON.stringify(told.map((id) => ({ id })))}}`;
        const shape = shapeOf(OWN['loose'] ?? null);
        if (shape === null) throw new Error('a shape stands for this schema');
        const list = plainList(Buffer.from(written), { shape, idField: 'id', maxDepth: 9, mostItems: 999 });
        expect(list?.identities).toEqual(identitiesOf(JSON.parse(JSON.stringify(told)) as Json[]));
      }),
    );
  });
});

describe('the shape of a schema', () => {
  it('stands for types, required members and members of members', () => {
    expect(shapeOf({ type: ['object', 'null'], required: ['id'] })).toMatchObject({ required: ['id'] });
    expect(
      shapeOf({ properties: { a: { items: { properties: { b: { type: 'string' } } } } } }),
    ).not.toBeNull();
  });

  it.each([
    false,
    1,
    { type: 'text' },
    { type: [] },
    { enum: ['a'] },
    { pattern: 'a' },
    { format: 'uri' },
    { minLength: 2 },
    { additionalProperties: false },
    { properties: { a: { maxLength: 3 } } },
    { properties: { a: { items: { const: 1 } } } },
    { properties: { a: false } },
    { required: ['toString'] },
    { properties: JSON.parse('{"__proto__":{"type":"string"}}') as Json },
    { required: Array.from({ length: 32 }, (_none, index) => `m${index}`) },
    { allOf: [true] },
    { $ref: '#' },
    { 'x-unknown': 1 },
  ] as readonly Json[])('is none for %j', (schema) => {
    expect(shapeOf(schema)).toBeNull();
  });
});
