import { describe, expect, test } from 'vitest';
import { compareRuns } from '../../src/report/diff/compare.ts';
import { renderDiffMarkdown, renderDiffText } from '../../src/report/diff/render.ts';
import { historyOf } from '../../src/report/history/digest.ts';
import { renderHistory } from '../../src/report/history/page.tsx';
import { FORBIDDEN, hostile, judged, mixed, results, target, violation } from './sample.ts';

const run = (...requirements: ReturnType<typeof judged>[]) => results([target(requirements)]);

describe('comparing two runs', () => {
  test('finds what got worse, better, new and gone', () => {
    const before = run(
      judged('link/offset', 'pass'),
      judged('link/query', 'fail'),
      judged('count/present', 'pass'),
      judged('count/stable', 'skipped'),
    );
    const after = run(
      judged('link/offset', 'fail'),
      judged('link/query', 'pass'),
      judged('count/stable', 'pass'),
    );
    const comparison = compareRuns(before, after);
    expect(comparison.worse.map(({ id }) => id)).toEqual(['link/offset']);
    expect(comparison.better.map(({ id }) => id)).toEqual(['link/query']);
    expect(comparison.new.map(({ id }) => id)).toEqual(['count/stable']);
    expect(comparison.gone.map(({ id }) => id)).toEqual(['count/present']);
    expect(comparison.gotWorse).toBe(true);
  });

  test('takes the same breach with other numbers for the same, and another one for news', () => {
    const failing = (message: string) =>
      run(judged('link/offset', 'fail', { violations: [violation({ message })] }));
    const before = failing('$skip is 20 instead of 21');
    expect(compareRuns(before, failing('$skip is 41 instead of 42')).otherwise).toEqual([]);
    const other = compareRuns(before, failing('$skip is missing'));
    expect(other.otherwise).toHaveLength(1);
    expect(other.gotWorse).toBe(false);
  });

  test('takes a new failure for worse, and a run for its own equal', () => {
    expect(compareRuns(run(), run(judged('link/offset', 'fail'))).gotWorse).toBe(true);
    expect(renderDiffText(compareRuns(mixed(), mixed()))).toContain('nothing changed');
  });

  test('shows hostile text as text', () => {
    const comparison = compareRuns(results([]), hostile());
    expect(renderDiffText(comparison)).not.toMatch(FORBIDDEN);
    expect(renderDiffMarkdown(comparison)).not.toMatch(/<script/u);
  });
});

describe('history', () => {
  test('names what turned back and forth', () => {
    const verdicts = ['pass', 'fail', 'pass', 'pass'] as const;
    const runs = verdicts.map((verdict) => ({ link: 'x', results: run(judged('link/offset', verdict)) }));
    expect(historyOf(runs)[0]?.flaky.map(({ id, turns }) => [id, turns])).toEqual([['link/offset', 2]]);
  });

  test('is a page with a link to each run, and hostile text is text', async () => {
    const page = await renderHistory([
      { link: 'a/report.html', results: hostile() },
      { link: 'b/report.html', results: hostile() },
    ]);
    expect(page).toContain('href="a/report.html"');
    expect(page).not.toMatch(FORBIDDEN);
    expect(page.match(/<script\b/gu)).toHaveLength(1);
  });
});
