import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { listsOf, traversalChart } from '../../../src/report/charts/traversal.tsx';
import { gatherEvidence } from '../../../src/report/evidence/exchange-views.ts';
import type { ReportEntry } from '../../../src/report/report-data.ts';
import { entry, page } from '../../support/report/evidence-sample.ts';
import { results } from '../../support/report/sample.ts';

const LIST = '/v1/printers';

/** A page of ten records at an offset, with records from `from`, and a link to `next`. */
function step(number: number, skip: number, from: number, next: number | null, count = 30): ReportEntry {
  const query = (at: number): string => `${LIST}?$count=true&$pagesize=10&$skip=${at}`;
  const link = next === null ? {} : { nextPageLink: query(next) };
  return entry(number, query(skip), page(from, 10, { count, ...link }));
}

async function chart(steps: readonly ReportEntry[]) {
  const views = await gatherEvidence(results([]), steps);
  const all = views.get('acme-staging') ?? [];
  return traversalChart(listsOf(all).get(LIST) ?? [], all);
}

describe('the traversal chart', () => {
  test('shows a traversal in order', async () => {
    const drawn = await chart([step(1, 0, 0, 10), step(2, 10, 10, 20), step(3, 20, 20, null)]);
    expect(drawn?.rows.map((row) => row[4])).toEqual(['in order', 'in order', 'in order']);
  });

  test('shows pages that begin inside the previous one, although no record repeats', async () => {
    const drawn = await chart([step(1, 0, 0, 1), step(2, 1, 10, 2), step(3, 2, 20, null)]);
    expect(drawn?.rows).toEqual([
      [10, 2, 1, 11, 'begins inside the previous page', 0],
      [10, 3, 2, 12, 'begins inside the previous page', 0],
      [10, 1, 0, 10, 'in order', 0],
    ]);
  });

  test('draws those that are not in order and those that reach furthest', async () => {
    const sizes = Array.from({ length: 14 }, (_none, index) => index + 1);
    const ofSize = (size: number): readonly ReportEntry[] => {
      const query = (skip: number): string => `${LIST}?$count=true&$pagesize=${size}&$skip=${skip}`;
      // The second page of size 1 repeats the first one.
      const skip = size === 1 ? 0 : size;
      return [
        entry(
          2 * size,
          query(0).replace('&$skip=0', ''),
          page(0, size, { count: 30, nextPageLink: query(size) }),
        ),
        entry(2 * size + 1, query(size), page(skip, size, { count: 30, nextPageLink: query(2 * size) })),
      ];
    };
    const drawn = await chart(sizes.flatMap(ofSize));
    expect([...new Set(drawn?.rows.map(([size]) => size))]).toEqual([
      1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    ]);
  });

  test('leaves out pages that were requested by parameters', async () => {
    const drawn = await chart([
      step(1, 0, 0, 10),
      step(2, 5, 5, 15),
      step(3, 10, 10, 20),
      step(4, 15, 15, 25),
      step(5, 20, 20, null),
    ]);
    expect(drawn?.rows.map(([, page, from, , state]) => [page, from, state])).toEqual([
      [1, 0, 'in order'],
      [2, 10, 'in order'],
      [3, 20, 'in order'],
    ]);
  });

  test('follows a link that spells its parameter names encoded', async () => {
    const encoded = (number: number, skip: number, next: number | null): ReportEntry => {
      const query = (at: number): string => `${LIST}?%24count=true&%24pagesize=10&%24skip=${at}`;
      const link = next === null ? {} : { nextPageLink: query(next) };
      return entry(number, query(skip), page(skip, 10, { count: 20, ...link }));
    };
    expect((await chart([encoded(1, 0, 10), encoded(2, 10, null)]))?.rows).toHaveLength(2);
  });

  test('shows empty pages behind the end of the list', async () => {
    const empty = entry(
      3,
      `${LIST}?$count=true&$pagesize=10&$skip=20`,
      page(20, 0, { count: 20, nextPageLink: `${LIST}?$count=true&$pagesize=10&$skip=30` }),
    );
    const drawn = await chart([step(1, 0, 0, 10, 20), step(2, 10, 10, 20, 20), empty]);
    expect(drawn?.rows[0]).toEqual([10, 3, 20, 20, 'no records', 0]);
  });

  test('ends with the first page that repeats a request', async () => {
    const steps = [step(1, 0, 0, 10), step(2, 10, 10, 0), step(3, 0, 0, 10), step(4, 10, 10, 0)];
    const drawn = await chart(steps);
    expect(drawn?.rows.map(([, page, from, , state]) => [page, from, state])).toEqual([
      [3, 0, 'repeats records'],
      [1, 0, 'in order'],
      [2, 10, 'in order'],
    ]);
    expect(drawn?.description).not.toContain('cut');
  });

  test('shows of several traversals with one page size the one that is not in order', async () => {
    const good = [step(1, 0, 0, 10), step(2, 10, 10, 20), step(3, 20, 20, null)];
    const bad = [step(4, 0, 0, 10), step(5, 10, 5, 20)];
    const drawn = await chart([...good, ...bad]);
    expect(drawn?.rows[0]?.[4]).toBe('repeats records');
  });

  test('shows failures in the failure colour', async () => {
    const gap = await chart([step(1, 0, 0, 10), step(2, 10, 10, 25), step(3, 25, 25, null)]);
    const repeat = await chart([step(1, 0, 0, 10), step(2, 10, 5, 20), step(3, 20, 20, null)]);
    const overlap = await chart([step(1, 0, 0, 1), step(2, 1, 10, 2), step(3, 2, 20, null)]);
    const tones = [gap, repeat, overlap].map((drawn) => drawn?.legend.map(({ tone }) => tone));
    expect(tones).toEqual([
      ['good', 'bad'],
      ['good', 'bad'],
      ['good', 'bad'],
    ]);
  });

  test('shows the missing records after a last page without a link', async () => {
    const drawn = await chart([step(1, 0, 0, 10), step(2, 10, 10, null)]);
    expect(drawn?.rows[0]).toEqual([10, 2, 20, 30, 'records left out', 0]);
  });

  test('marks the end of the list', async () => {
    const drawn = await chart([step(1, 0, 0, 10), step(2, 10, 10, null)]);
    const svg = drawn === null ? '' : renderToString(drawn.drawing);
    expect(svg).toContain('<line class="end" x1="100%"');
    expect(drawn?.description).toContain('30 records');
  });

  test('does not call the last record seen the end of the list if nothing gives a count', async () => {
    const uncounted = (number: number, skip: number, next: number | null): ReportEntry => {
      const query = (at: number): string => `${LIST}?$count=true&$pagesize=10&$skip=${at}`;
      return entry(number, query(skip), page(skip, 10, next === null ? {} : { nextPageLink: query(next) }));
    };
    const drawn = await chart([uncounted(1, 0, 10), uncounted(2, 10, null)]);
    expect(drawn?.description).not.toContain('end of the list');
  });

  test('marks a traversal whose next link was not followed, and one whose next link gives no page', async () => {
    const shapes = (drawn: Awaited<ReturnType<typeof chart>>) =>
      drawn?.legend.map(({ shape, tone }) => `${shape} ${tone}`);
    const steps = [step(1, 0, 0, 10), step(2, 10, 10, 20)];
    expect(shapes(await chart(steps))).toEqual(['square good', 'right neutral']);
    const notFound = entry(3, `${LIST}?$count=true&$pagesize=10&$skip=20`, { error: 'not found' });
    expect(shapes(await chart([...steps, notFound]))).toEqual(['square good', 'right bad']);
    expect(shapes(await chart([...steps, step(3, 20, 20, null)]))).toEqual(['square good']);
  });

  test('begins no traversal with a page that a link leads to', async () => {
    const cursor = (number: number, query: string, from: number, next: number | null): ReportEntry => {
      const link = { nextPageLink: `${LIST}?$count=true&$pagesize=10&$skiptoken=${next}` };
      return entry(
        number,
        `${LIST}?$count=true&$pagesize=10${query}`,
        page(from, 10, { count: 30, ...(next === null ? {} : link) }),
      );
    };
    const drawn = await chart([
      cursor(1, '', 0, 10),
      cursor(2, '&$skiptoken=10', 10, 20),
      cursor(3, '&$skiptoken=20', 20, null),
    ]);
    expect(drawn?.rows.map(([, , from, to, state]) => [from, to, state])).toEqual([
      [0, 10, 'in order'],
      [10, 20, 'in order'],
      [20, 30, 'in order'],
    ]);
  });
});
