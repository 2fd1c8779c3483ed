import { describe, expect, test } from 'vitest';
import { excerptJson, excerptText, NO_MARKS } from '../../../src/report/evidence/excerpt.ts';
import { bodyDetails, gatherEvidence, requestDetails } from '../../../src/report/evidence/exchange-views.ts';
import type { ReportEntry } from '../../../src/report/report-data.ts';
import { entry, page } from '../../support/report/evidence-sample.ts';
import { judged, results, target, violation } from '../../support/report/sample.ts';

const SIZE = { head: 2, line: 100, lines: 30 };

describe('excerpts of bodies', () => {
  const lines = (text: string, marks = NO_MARKS): readonly string[] =>
    excerptJson(text, marks, SIZE, true).lines.map(
      (line) => `${line.marks.length > 0 ? '>' : ' '}${line.text}`,
    );

  test('show the first and last items, and mark the wrong member', () => {
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

  test('show that the marked member is missing', () => {
    expect(lines('{"items":[]}', { ...NO_MARKS, members: new Set(['count']) })).toContain('>  (no count)');
  });

  test('show the wrong item at any position', () => {
    expect(lines('{"items":[1,2,3,4,5,6]}', { ...NO_MARKS, item: 4 })).toContain('>    5,');
  });

  test('keep numbers, duplicate names and spelling unchanged', () => {
    expect(lines('{"n":12345678901234567890,"n":1.50,"e":1e400}').join('')).toContain('12345678901234567890');
    expect(lines('{"n":1,"n":1.50}')).toEqual([' {', '   "n": 1,', '   "n": 1.50', ' }']);
  });

  test('handle brackets, commas and quotes in strings', () => {
    expect(lines(String.raw`["a,]\"}", {"b":[1,2]} ,3]`)).toEqual([
      ' [',
      String.raw`   "a,]\"}",`,
      '   {"b":[1,2]},',
      '   3',
      ' ]',
    ]);
    expect(lines('[]')).toEqual([' []']);
  });

  test('support any nesting depth', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(excerptJson(deep, NO_MARKS, SIZE, true).isCut).toBe(true);
  });

  test('of text that is not JSON are its start', () => {
    expect(excerptText('<html>\n<script>', SIZE).lines.map(({ text }) => text)).toEqual([
      '<html>',
      '<script>',
    ]);
    expect(excerptText('x'.repeat(10_000), SIZE).isCut).toBe(true);
  });
});

describe('facts of list answers', () => {
  test('are read from target and body', () => {
    const facts = requestDetails('/v1/printers?%24count=true&%24pagesize=7&$skip=14');
    expect(facts).toMatchObject({ path: '/v1/printers', requestedSize: 7, skip: 14, isCounted: true });
    const link = '/v1/printers?$count=true&$pagesize=7&%24skip=14#top';
    expect(bodyDetails({ items: [], nextPageLink: link })?.linkedQuery).toBe(facts.query);
    expect(bodyDetails(page(14, 7, { count: 30 }) as never)).toMatchObject({
      items: 7,
      count: 30,
      hasLink: false,
      doubled: 0,
    });
  });

  test('count repeated identifiers of a page', () => {
    const items = [{ id: 'one' }, { id: 'two' }, { id: 'one' }, { id: 3 }, {}, 'four', { id: null }];
    const facts = bodyDetails({ items });
    expect(facts).toMatchObject({ items: 7, doubled: 1 });
    expect(facts?.ids).toHaveLength(4);
    expect(facts?.ids[0]).toBe(facts?.ids[2]);
    expect(new Set(facts?.ids).size).toBe(3);
  });

  test('are null if the body is not a list', () => {
    expect(bodyDetails({ error: 'x' })).toBeNull();
    expect(bodyDetails([1])).toBeNull();
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
    expect(first?.body?.lines.some(({ marks }) => marks.length > 0)).toBe(false);
    expect(second?.body?.lines.filter(({ marks }) => marks.length > 0).map(({ text }) => text)).toEqual([
      '  "nextPageLink": "/v1/printers?$skip=1",',
    ]);
    expect(first?.body?.key).toBe(second?.body?.key);
  });

  const citing = results([
    target([
      judged('link/offset', 'fail', { violations: [violation({ exchanges: [2, 4] })] }),
      judged('list/items', 'fail', { violations: [violation({ exchanges: [4, 9_000] })] }),
    ]),
  ]);
  const pages = (last: unknown): ReportEntry[] => [
    entry(2, '/v1/printers?$skip=10', page(0, 9, { nextPageLink: '/v1/printers?$skip=1', count: 30 })),
    entry(1, '/v1/printers', page(0, 9, { nextPageLink: '/v1/printers?$skip=1', count: 30 })),
    entry(3, '/v1/printers', 'no JSON'),
    entry(4, '/v1/printers', { error: 'x' }, { answer: null }),
    entry(9_000, '/v1/printers', last),
    entry(9_001, '/v1/printers', page(0, 9)),
  ];

  test('reads the bodies of the first exchanges and of cited ones', async () => {
    const views = await gatherEvidence(citing, pages(page(9, 9)));
    expect(views.get('acme-staging')?.find(({ number }) => number === 9_000)?.body?.lines).not.toEqual([]);
    expect(views.get('acme-staging')?.find(({ number }) => number === 9_001)?.body).toBeNull();
  });

  test('asks for no other body, which evidence does not have at hand', async () => {
    const { target: name, exchange } = entry(9_001, '/v1/printers', page(0, 1));
    const answer = {
      ...exchange.answer,
      get body(): Uint8Array {
        throw new Error('the body was not requested');
      },
    } as NonNullable<typeof exchange.answer>;
    const views = await gatherEvidence(citing, [{ target: name, exchange: { ...exchange, answer } }]);
    expect(views.get(name)?.[0]).toMatchObject({ number: 9_001, answer: { status: 200 }, body: null });
  });

  test('gives equal bodies the facts of their own requests', async () => {
    const entries = [1, 2, 3].map((number) => entry(number, `/v1/printers?$skip=${number}`, page(0, 9)));
    const views = await gatherEvidence(results([target([])]), entries);
    expect(views.get('acme-staging')?.map((view) => view.page?.skip)).toEqual([1, 2, 3]);
  });
});
