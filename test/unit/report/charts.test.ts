import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { listsOf } from '../../../src/report/charts/list-pages.ts';
import { timelineChart } from '../../../src/report/charts/timeline.tsx';
import { traversalChart } from '../../../src/report/charts/traversal.tsx';
import { gatherEvidence } from '../../../src/report/evidence/exchange-views.ts';
import type { ReportEntry } from '../../../src/report/report-data.ts';
import { entry, page } from '../../support/report/evidence-sample.ts';
import { results } from '../../support/report/sample.ts';

const LIST = '/v1/printers';

/** A page of ten records at an offset, with records from `from`, and a link to `next`. */
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

  test('expects no order of an unlinked page', async () => {
    const drawn = await chart([step(1, 0, 0, 10), step(2, 10, 10, 20), step(3, 15, 35, null)]);
    expect(drawn?.rows.map((row) => row[4])).toEqual(['in order', 'in order', 'in order']);
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

  test('marks where a traversal is cut', async () => {
    const cut = await chart([step(1, 0, 0, 10), step(2, 10, 10, 20)]);
    expect(cut?.legend.map(({ shape }) => shape)).toEqual(['square', 'right']);
    expect(cut?.description).toContain('1 traversal is cut');
    const whole = await chart([step(1, 0, 0, 10), step(2, 10, 10, 20), step(3, 20, 20, null)]);
    expect(whole?.description).not.toContain('cut');
  });
});

describe('the timeline', () => {
  const at = Date.UTC(2026, 10, 21, 5, 13, 31);
  const timeline = async (steps: readonly ReportEntry[]) =>
    timelineChart((await gatherEvidence(results([]), steps)).get('acme-staging') ?? [], at);

  test('is drawn only if the provider limited requests, failed, or did not answer', async () => {
    expect(await timeline([step(1, 0, 0, 10), step(2, 10, 10, null)])).toBeNull();
    const repeated = step(2, 10, 10, null);
    const drawn = await timeline([
      step(1, 0, 0, 10),
      { ...repeated, exchange: { ...repeated.exchange, retry: 1 } },
    ]);
    expect(drawn?.rows).toEqual([
      ['2xx', 1],
      ['retry', 1],
    ]);
  });
});
