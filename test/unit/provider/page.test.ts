import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { isJsonObject } from '../../../src/core/json-text.ts';
import type { Json } from '../../../src/core/results.ts';
import { identitiesOf, identityOf } from '../../../src/provider/identity.ts';

import { type ItemReading, type ListAnswer, readPage } from '../../../src/provider/page.ts';
import { adoptSchema, membersOf, validatorFor } from '../../../src/provider/schemas.ts';

/** Cases per property; increase for manual runs. */
const RUNS = Number(process.env['PAGE_RUNS'] ?? 2000);

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

function readingWith(schema: string, maxJsonDepth: number, maxRecordBytes: number): ItemReading {
  return {
    validateItem: validatorFor(schema),
    validateEnvelope: validatorFor('list-envelope'),
    idField: 'id',
    itemMembers: membersOf(schema),
    limits: { maxJsonDepth, maxRecordBytes, maxLinkLength: 40 },
  };
}

function read(
  body: Uint8Array,
  schema: string,
  maxDepth = 20,
  maxRecordBytes = 1_000_000,
): ListAnswer | string {
  const answer = { status: 200, statusText: 'OK', httpVersion: '1.1', headers: [], body };
  const exchange = { number: 1, request: { target: '/v1/printers' }, answer } as unknown as Exchange;
  try {
    return readPage(exchange, readingWith(schema, maxDepth, maxRecordBytes));
  } catch (error) {
    return String(error);
  }
}

/** The value of a body from a strict decoder and JSON.parse; undefined if it is not JSON. */
function parsed(body: Uint8Array): Json | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)) as Json;
  } catch {
    return undefined;
  }
}

/** Whether a page was read, with the same facts as JSON.parse, ajv and the hash of identifiers. */
function agreed(body: Uint8Array, schema: string, maxDepth = 20): boolean {
  const page = read(body, schema, maxDepth);
  const value = parsed(body);
  if (typeof page === 'string') return false;
  if (value === undefined) {
    expect(page).toMatchObject({ kind: 'no-envelope', why: expect.stringMatching(/^the body /) });
    return false;
  }
  const list = isJsonObject(value) ? value : {};
  if (page.kind !== 'page') {
    const isDoubled = page.kind === 'no-envelope' && page.why.endsWith('more than once');
    if (!isDoubled) expect(Array.isArray(list['items'])).toBe(false);
    return false;
  }
  const items = list['items'] as readonly Json[];
  expect(page.itemCount).toBe(items.length);
  const count = list['count'] ?? undefined;
  if (typeof count !== 'number' || Number.isFinite(count)) expect(page.count).toEqual(count);
  const isDoubled = page.badItem?.message === 'is given more than once';
  const validate = validatorFor(schema);
  const bad = items.findIndex((item) => validate(item) !== null);
  if (!isDoubled) expect(page.badItem?.index ?? -1).toBe(bad);
  else expect(bad < 0 || bad >= page.badItem.index).toBe(true);
  const ids = items.map((item) => (isJsonObject(item) ? (item['id'] ?? undefined) : undefined));
  identitiesOf(ids).forEach((identity, index) => {
    // Numbers that a double cannot represent are compared as text, which JSON.parse does not keep.
    const isInexact =
      typeof ids[index] === 'number' && (!Number.isSafeInteger(ids[index]) || Object.is(ids[index], -0));
    if (!isInexact) expect(page.identities[index]).toBe(identity);
  });
  return page.badItem === null;
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

/** An item that matches the schemas, with additional members and sometimes an invalid one. */
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
const soundItems = fc
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
  .tuple(fc.oneof(items, soundItems), around, fc.nat(3), blank)
  .map(([written, members, at, space]) => {
    const all: (readonly [string, number, string, string])[] = [...members];
    all.splice(at, 0, ['items', 1, written, space]);
    return `${space}${objectOf(all)}${space}`;
  });

/** Bytes changed, removed, inserted or duplicated. */
const damage = fc.array(
  fc.record({
    // Not fc.double, whose values are nearly all close to 0.
    at: fc.nat(9999).map((part) => part / 10_000),
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

describe('a page', () => {
  it.each(SCHEMAS)('has the facts that a plain parser finds (%s)', (schema) => {
    let sound = 0;
    fc.assert(
      fc.property(body, fc.constantFrom(20, 20, 20, 20, 3, 4, 5, 2), (written, maxDepth) => {
        if (agreed(Buffer.from(written), schema, maxDepth)) sound += 1;
      }),
      { numRuns: RUNS },
    );
    // Otherwise the property would test only broken pages.
    expect(sound).toBeGreaterThan(RUNS / 20);
  });

  it.each(SCHEMAS)('has the same facts for damaged bytes (%s)', (schema) => {
    let sound = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          body,
          soundItems.map((all) => `{"items":${all},"count":5}`),
        ),
        damage,
        (written, blows) => {
          if (agreed(damaged(written, blows), schema)) sound += 1;
        },
      ),
      { numRuns: RUNS },
    );
    expect(sound).toBeGreaterThan(RUNS / 200);
  });

  it('finds duplicate members that a rule reads', () => {
    const usual = '"displayName":"b","agent":"c"';
    for (const [one, path] of [
      [`{"id":"a",${usual},"id":"a"}`, '/id'],
      [`{"id":"a",${usual},"\\u0069d":"b"}`, '/id'],
      [`{"id":"a",${usual},"x":{"y":1,"y":1}}`, null],
      [`{"id":"a",${usual},"agent":"c"}`, '/agent'],
    ] as const) {
      const page = read(Buffer.from(`{"items":[{"id":"z",${usual}},${one}]}`), 'printer');
      if (typeof page === 'string' || page.kind !== 'page') throw new Error('no page was read');
      expect(page.badItem === null ? null : [page.badItem.index, page.badItem.path]).toEqual(
        path === null ? null : [1, path],
      );
    }
  });

  it('distinguishes identifiers that are equal as doubles, also in batches', () => {
    const ids = Array.from({ length: 40 }, (_none, index) => String(9_007_199_254_740_990n + BigInt(index)));
    for (const further of ['', 'x'.repeat(10_000)]) {
      const items = ids.map((id) => `{"id":${id},"further":"${further}"}`).join();
      const page = read(Buffer.from(`{"note":[{"id":7}],"items":[${items}]}`), 'loose');
      if (typeof page === 'string' || page.kind !== 'page') throw new Error('no page was read');
      expect(new Set(page.identities).size).toBe(ids.length);
      expect(page.identities).toEqual(
        BigUint64Array.from(ids, (id) =>
          identityOf(`\u0000${Number(id) > 9_007_199_254_740_991 ? id : Number(id)}`),
        ),
      );
    }
  });

  it('counts the items of large bodies, and finds an invalid one in a later batch', () => {
    const items = Array.from({ length: 5000 }, (_none, id) => ({
      id: `${id}`,
      displayName: 'x'.repeat(100),
      agent: id === 4321 ? null : 'a',
    }));
    const page = read(Buffer.from(JSON.stringify({ items, count: 5000 })), 'printer');
    expect(page).toMatchObject({ itemCount: 5000, count: 5000, badItem: { index: 4321, path: '/agent' } });
  });
});
