import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { EvidenceError } from '../../../src/evidence/line.ts';
import { Pseudonymizer } from '../../../src/provider/pseudonymizer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { unusedTarget } from '../../support/unused-target.ts';

it('reads each list with its own idField, also if the path of one begins that of another', () => {
  const resources = [
    { name: 'printers', path: '/v1/printers', idField: 'id', itemSchema: '' },
    { name: 'archive', path: '/v1/printers-archive', idField: 'key', itemSchema: '' },
  ];
  const target = { ...unusedTarget, evidence: 'digest', resources } as const;
  const body = Buffer.from(JSON.stringify({ items: [{ key: 'first-key' }, { key: 'second-key' }] }));
  const exchange = {
    request: { target: '/v1/printers-archive?$count=true' },
    answer: { status: 200, body },
  } as unknown as Exchange;
  const answer = new Pseudonymizer(target).apply(exchange).answer?.body ?? body;
  const { items } = JSON.parse(Buffer.from(answer).toString('utf8')) as { items: { key: string }[] };
  expect(items[0]?.key).not.toBe(items[1]?.key);
});

it.each([
  [{ properties: { format: true, pattern: { type: 'string' } } }, true],
  [{ examples: [{ format: 'A4' }], default: { maxLength: 3 } }, true],
  [{ properties: { sizes: { uniqueItems: false } } }, true],
  [{ properties: { default: { format: 'date' } } }, false],
  [{ anyOf: [{ $ref: '#/$defs/examples' }], $defs: { examples: { pattern: '^a' } } }, false],
])('reads only the keywords of a schema: %j', (schema, isUsable) => {
  const itemSchema = path.join(temporaryFolder('pseudonyms'), 'item.json');
  writeFileSync(itemSchema, JSON.stringify(schema));
  const resources = [{ name: 'printers', path: '/v1/printers', idField: 'id', itemSchema }];
  const made = () => new Pseudonymizer({ ...unusedTarget, evidence: 'digest', resources });
  if (isUsable) expect(made).not.toThrow();
  else expect(made).toThrow(EvidenceError);
});

it('a digest keeps what a schema lists, and gives a value of the same type in place of others', () => {
  const itemSchema = path.join(temporaryFolder('pseudonyms'), 'item.json');
  writeFileSync(
    itemSchema,
    JSON.stringify({ properties: { level: { enum: [0, 2, 'x'] }, size: { const: 7 } } }),
  );
  const resources = [{ name: 'printers', path: '/v1/printers', idField: 'id', itemSchema }];
  const values = [2, 3, 'x', 'y', 7, 1.5];
  const exchange = {
    request: { target: '/v1/printers' },
    answer: { status: 200, body: Buffer.from(JSON.stringify({ items: [{ values }] })) },
  } as unknown as Exchange;
  const { answer } = new Pseudonymizer({ ...unusedTarget, evidence: 'digest', resources }).apply(exchange);
  const { items } = JSON.parse(Buffer.from(answer?.body ?? []).toString('utf8'));
  expect(items[0].values).toEqual([2, 1, 'x', 'xx', 7, 0.5]);
});

it.each(['05', '1.2.3', '1e', '-'])('a digest of invalid JSON stays invalid: %s', (written) => {
  const exchange = {
    request: { target: '/v1/printers' },
    answer: { status: 200, body: Buffer.from(`{"items":[{"level":${written}}]}`) },
  } as unknown as Exchange;
  const { answer } = new Pseudonymizer({ ...unusedTarget, evidence: 'digest' }).apply(exchange);
  expect(() => JSON.parse(Buffer.from(answer?.body ?? []).toString('utf8'))).toThrow(SyntaxError);
});

/** What a list with records of these identifiers makes of a refusal. */
function refusalAfter(
  identifiers: readonly string[],
  refusal: string,
  { evidence = 'pseudonymous', status = 401 }: { evidence?: 'pseudonymous' | 'digest'; status?: number } = {},
): string {
  const pseudonymizer = new Pseudonymizer({ ...unusedTarget, evidence });
  const bodyOf = (status: number, body: string): string => {
    const request = { method: 'GET', target: '/v1/printers' };
    const exchange = { request, answer: { status, body: Buffer.from(body) } } as unknown as Exchange;
    return Buffer.from(pseudonymizer.apply(exchange).answer?.body ?? []).toString();
  };
  const list = { items: identifiers.map((id) => ({ id })) };
  const { items }: typeof list = JSON.parse(bodyOf(200, JSON.stringify(list)));
  return items.reduce((text, { id }) => text.replaceAll(id, '<pseudonym>'), bodyOf(status, refusal));
}

it('a refusal names a record by its pseudonym, also in an outermost text of JSON', () => {
  const identifier = 'record-0123456789';
  expect(refusalAfter([identifier], `no access to ${identifier}`)).toContain('<pseudonym>');
  expect(refusalAfter([identifier], `{"error":"no access to ${identifier}"}`)).toBe(
    '{"error":"no access to <pseudonym>"}',
  );
});

it.each(['pseudonymous', 'digest'] as const)(
  'a %s refusal names a record in an inner text of JSON',
  (evidence) => {
    const identifier = 'record-0123456789';
    const refusal = JSON.stringify({ error: { message: `no access to ${identifier}` } });
    const made = refusalAfter([identifier], refusal, { evidence });
    expect(made).toContain('<pseudonym>');
    expect(made).not.toContain('no access');
  },
);

it('a refusal with a word that equals an identifier names no record', () => {
  for (const refusal of ['no printer', '{"error":"no printer"}'])
    expect(refusalAfter(['printer'], refusal)).not.toContain('<pseudonym>');
});

it.each([
  [['record-0123456789', 'record-9876543210'], 2],
  [['prn-01', 'prn-02', 'prn-03', 'prn-04', 'prn-05'], 5],
  // Fewer short ones may be ordinary words.
  [['prn-01', 'prn-02', 'prn-03', 'prn-04'], 0],
])('a refusal names each of several records: %j', (identifiers, named) => {
  const text = `no access to ${identifiers.join(', ')}`;
  for (const refusal of [text, JSON.stringify({ error: text }), JSON.stringify({ error: { text } })])
    expect(refusalAfter(identifiers, refusal).split('<pseudonym>')).toHaveLength(named + 1);
});

it('a refusal with status 200 names records, too', () => {
  const made = refusalAfter(['record-0123456789'], '{"error":"no access to record-0123456789"}', {
    status: 200,
  });
  expect(made).toContain('<pseudonym>');
  expect(made).not.toContain('no access');
});

it('the pseudonym of an identifier with a digit has one, since a refusal names a record by such a text only', () => {
  const body = Buffer.from(
    JSON.stringify({ items: Array.from({ length: 200 }, (_none, at) => ({ id: `rec${at}` })) }),
  );
  const exchange = {
    request: { target: '/v1/printers?$count=true' },
    answer: { status: 200, body },
  } as unknown as Exchange;
  const answer =
    new Pseudonymizer({ ...unusedTarget, evidence: 'pseudonymous' }).apply(exchange).answer?.body ?? body;
  const { items } = JSON.parse(Buffer.from(answer).toString('utf8')) as { items: { id: string }[] };
  expect(items).toHaveLength(200);
  expect(items.filter(({ id }) => !/\d/.test(id))).toEqual([]);
});
