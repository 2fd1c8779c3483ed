import { describe, expect, test } from 'vitest';
import { listsOf } from '../../../src/report/charts/list-pages.ts';
import { traversalChart } from '../../../src/report/charts/traversal.tsx';
import { gatherEvidence } from '../../../src/report/evidence/exchange-views.ts';
import type { ReportEntry } from '../../../src/report/report-data.ts';
import { entry, page } from '../../support/report/evidence-sample.ts';
import { results } from '../../support/report/sample.ts';

const LIST = '/v1/printers';

/** A page of ten records that says where it begins, of records from `from` on, and links to `next`. */
function step(number: number, skip: number, from: number, next: number | null): ReportEntry {
  const query = (at: number): string => `${LIST}?$count=true&$pagesize=10&$skip=${at}`;
  const link = next === null ? {} : { nextPageLink: query(next) };
  return entry(number, query(skip), page(from, 10, { count: 30, ...link }));
}

async function chart(steps: readonly ReportEntry[]) {
  const views = await gatherEvidence(results([]), steps);
  return traversalChart(listsOf(views.get('acme-staging') ?? []).get(LIST) ?? []);
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

  test('does not expect order of a page that no link leads to', async () => {
    const drawn = await chart([step(1, 0, 0, 10), step(2, 10, 10, 20), step(3, 15, 35, null)]);
    expect(drawn?.rows.map((row) => row[4])).toEqual(['in order', 'in order', 'in order']);
  });
});
