import { describe, expect, test } from 'vitest';
import { excerptJson, excerptText, NO_MARKS } from '../../src/report/evidence/excerpt.ts';
import { gatherEvidence } from '../../src/report/evidence/gather.ts';
import { splitElements, splitMembers } from '../../src/report/evidence/json-slices.ts';
import { pageFacts } from '../../src/report/evidence/page-facts.ts';
import { entry, page } from './evidence-sample.ts';
import { judged, results, target, violation } from './sample.ts';

const SIZE = { head: 2, line: 100, lines: 30 };

describe('excerpts of bodies', () => {
  const lines = (text: string, marks = NO_MARKS): readonly string[] =>
    excerptJson(text, marks, SIZE, true).lines.map((line) => `${line.mark ? '>' : ' '}${line.text}`);

  test('show first and last items, and mark the member that offends', () => {
    const marks = { ...NO_MARKS, members: new Set(['nextPageLink']) };
    expect(lines('{"items":[1,2,3,4,5],"nextPageLink":"x","count":5}', marks)).toEqual([
      ' {',
      '   "items": [  (5 in all)',
      '     1,',
      '     2,',
      '     … 2 more …',
      '     5',
      '   ],',
      '>  "nextPageLink": "x",',
      '   "count": 5',
      ' }',
    ]);
  });

  test('say that the offending member is not there', () => {
    expect(lines('{"items":[]}', { ...NO_MARKS, members: new Set(['count']) })).toContain('>  (no count)');
  });

  test('show the offending item wherever it stands', () => {
    expect(lines('{"items":[1,2,3,4,5,6]}', { ...NO_MARKS, item: 4 })).toContain('>    5,');
  });

  test('keep numbers, doubled names and spelling as they were sent', () => {
    expect(lines('{"n":12345678901234567890,"n":1.50,"e":1e400}').join('')).toContain('12345678901234567890');
    expect(splitMembers('{"n":1,"n":1.50}')).toEqual([
      { name: 'n', value: '1' },
      { name: 'n', value: '1.50' },
    ]);
  });

  test('are not fooled by brackets, commas and quotes in strings', () => {
    expect(splitElements(String.raw`["a,]\"}", {"b":[1,2]} ,3]`)).toEqual([
      String.raw`"a,]\"}"`,
      '{"b":[1,2]}',
      '3',
    ]);
    expect(splitElements('[]')).toEqual([]);
  });

  test('take any depth of nesting', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(excerptJson(deep, NO_MARKS, SIZE, true).cut).toBe(true);
  });

  test('of text that is no JSON are its beginning', () => {
    expect(excerptText('<html>\n<script>', SIZE).lines.map(({ text }) => text)).toEqual([
      '<html>',
      '<script>',
    ]);
    expect(excerptText('x'.repeat(10_000), SIZE).cut).toBe(true);
  });
});

describe('facts of list answers', () => {
  test('are read from target and body', () => {
    const facts = pageFacts(
      '/v1/printers?%24count=true&%24pagesize=7&$skip=14',
      page(14, 7, { count: 30 }) as never,
    );
    expect(facts).toMatchObject({
      path: '/v1/printers',
      asked: 7,
      skip: 14,
      counted: true,
      items: 7,
      count: 30,
      linked: false,
      doubled: 0,
    });
  });

  test('are none where the body is no list', () => {
    expect(pageFacts('/v1/printers', { error: 'x' })).toBeNull();
    expect(pageFacts('/v1/printers', [1])).toBeNull();
  });
});

describe('gathered evidence', () => {
  test('marks what a violation cites, and nothing else', async () => {
    const run = results([
      target([judged('link/offset', 'fail', { violations: [violation({ exchanges: [2] })] })]),
    ]);
    const body = page(0, 9, { nextPageLink: '/v1/printers?$skip=1', count: 30 });
    const views = await gatherEvidence(run, [entry(2, '/v1/printers', body), entry(1, '/v1/printers', body)]);
    const [first, second] = views.get('acme-staging') ?? [];
    expect([first?.number, second?.number]).toEqual([1, 2]);
    expect(first?.body?.lines.some(({ mark }) => mark)).toBe(false);
    expect(second?.body?.lines.filter(({ mark }) => mark).map(({ text }) => text)).toEqual([
      '  "nextPageLink": "/v1/printers?$skip=1",',
    ]);
    expect(first?.body?.key).toBe(second?.body?.key);
  });
});
