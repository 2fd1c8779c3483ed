import { describe, expect, test } from 'vitest';
import { listsOf } from '../../../src/report/charts/series.ts';
import { traversal } from '../../../src/report/charts/traversal.ts';
import type { ReportEntry } from '../../../src/report/data.ts';
import { gatherEvidence } from '../../../src/report/evidence/gather.ts';
import { entry, page } from '../../support/report/evidence-sample.ts';
import { results } from '../../support/report/sample.ts';

const LIST = '/v1/printers';

/** A page of ten records that says where it begins, of records from `from` on, and links to `next`. */
function step(number: number, skip: number, from: number, next: number | null): ReportEntry {
  const query = (at: number): string => `${LIST}?$count=true&$pagesize=10&$skip=${at}`;
  const link = next === null ? {} : { nextPageLink: query(next) };
  return entry(number, query(skip), page(from, 10, { count: 30, ...link }));
}

async function picture(steps: readonly ReportEntry[]) {
  const views = await gatherEvidence(results([]), steps);
  return traversal(listsOf(views.get('acme-staging') ?? []).get(LIST) ?? []);
}

describe('the picture of walks', () => {
  test('says of a walk in order that every page begins where the one before it ends', async () => {
    const drawn = await picture([step(1, 0, 0, 10), step(2, 10, 10, 20), step(3, 20, 20, null)]);
    expect(drawn?.words).toContain('Every page begins where the one before it ends.');
    expect(drawn?.rows.map(([, , , , how]) => how)).toEqual(['in order', 'in order', 'in order']);
  });

  test('shows pages that begin inside the one before them, although no record is met twice', async () => {
    const drawn = await picture([step(1, 0, 0, 1), step(2, 1, 10, 2), step(3, 2, 20, null)]);
    expect(drawn?.words).toContain('2 of 3 tiles are not in order');
    expect(drawn?.rows).toEqual([
      ['10', 2, 1, 11, 'begins inside the page before', 0],
      ['10', 3, 2, 12, 'begins inside the page before', 0],
      ['10', 1, 0, 10, 'in order', 0],
    ]);
  });

  test('holds nothing against a page that no link leads to', async () => {
    const drawn = await picture([step(1, 0, 0, 10), step(2, 10, 10, 20), step(3, 15, 35, null)]);
    expect(drawn?.words).toContain('Every page begins where');
  });
});
