import { describe, expect, test } from 'vitest';
import { compareRuns, renderDiffMarkdown, renderDiffText } from '../../../src/report/diff.ts';
import { historyOf, renderHistory } from '../../../src/report/history/history-page.tsx';
import {
  FORBIDDEN,
  hostile,
  judged,
  mixed,
  results,
  target,
  violation,
} from '../../support/report/sample.ts';

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

  test('ignores numbers when it compares breaches, and reports different ones', () => {
    const failing = (message: string) =>
      run(judged('link/offset', 'fail', { violations: [violation({ message })] }));
    const before = failing('$skip is 20 instead of 21');
    expect(compareRuns(before, failing('$skip is 41 instead of 42')).otherwise).toEqual([]);
    const other = compareRuns(before, failing('$skip is missing'));
    expect(other.otherwise).toHaveLength(1);
    expect(other.gotWorse).toBe(false);
  });

  test('counts a new failure as worse, and finds no change between a run and itself', () => {
    expect(compareRuns(run(), run(judged('link/offset', 'fail'))).gotWorse).toBe(true);
    expect(renderDiffText(compareRuns(mixed(), mixed()))).toContain('nothing changed');
  });

  test('counts a requirement skipped in one run as neither worse nor gone', () => {
    const full = run(judged('link/offset', 'fail'), judged('link/query', 'pass'));
    const smoke = run(judged('link/offset', 'skipped'), judged('link/query', 'pass'));
    const fewer = renderDiffText(compareRuns(full, smoke));
    expect(fewer).toContain('fail before, skipped now');
    expect(fewer).not.toContain('no longer: ');
    const more = compareRuns(smoke, full);
    expect(more.gotWorse).toBe(false);
    expect(renderDiffText(more)).toContain('0 requirements worse, 0 better, 1 new (1 of them failing)');
  });

  test.each(['inconclusive', 'error'] as const)(
    'does not report a failure as better that is %s in the later run',
    (verdict) => {
      const failed = run(judged('link/offset', 'fail'));
      const open = run(judged('link/offset', verdict));
      expect(compareRuns(failed, open)).toMatchObject({
        better: [],
        gone: [{ id: 'link/offset', before: 'fail', after: verdict, goneMessages: [] }],
        gotWorse: false,
      });
      expect(compareRuns(failed, run(judged('link/offset', 'pass'))).better).toMatchObject([
        { goneMessages: [expect.any(String)] },
      ]);
    },
  );

  test('counts a newly waived failure as not better, and one with an expired waiver as worse', () => {
    const waiver = { requirement: 'link/offset', reason: 'agreed', until: '2027-03-31', active: true };
    const [open, waived] = [
      run(judged('link/offset', 'fail')),
      run(judged('link/offset', 'fail', { waiver })),
    ];
    expect(compareRuns(open, waived)).toMatchObject({ better: [], worse: [], gotWorse: false });
    expect(renderDiffText(compareRuns(open, waived))).toContain(
      'link/offset (printers), acme-staging: fail before, waived now',
    );
    expect(compareRuns(waived, open).worse).toHaveLength(1);
    expect(compareRuns(run(judged('link/offset', 'pass')), waived).worse).toHaveLength(1);
  });

  test('shows that a run tested only a part of the requirements', () => {
    const all = run(judged('link/offset', 'pass'), judged('link/query', 'pass'));
    const unselected = judged('link/query', 'skipped', { cause: { kind: 'unselected' } });
    const [passed, failed] = [
      run(judged('link/offset', 'pass'), unselected),
      run(judged('link/offset', 'fail'), unselected),
    ];
    expect(compareRuns(all, passed)).toMatchObject({
      before: { outcome: 'conformant', shownOutcome: 'conformant' },
      after: { outcome: 'conformant', shownOutcome: 'passed in part, 1 of 2 requirements selected' },
    });
    const comparison = compareRuns(passed, failed);
    for (const text of [renderDiffText(comparison), renderDiffMarkdown(comparison)]) {
      expect(text).toContain('passed in part, 1 of 2 requirements selected');
      expect(text).toContain('non-conformant, 1 of 2 requirements selected');
    }
  });

  test('lists other differences between the runs', () => {
    const one = (name: string, url: string) =>
      target([judged('link/offset', 'pass')], { name, authUrl: url, baseUrl: url });
    const acme = one('acme', 'https://acme.example');
    const notes = (before: readonly (typeof acme)[], after: readonly (typeof acme)[], more: object = {}) =>
      compareRuns(results(before), results(after, more)).notes;
    expect(notes([acme], [acme])).toEqual([]);
    expect(notes([one('m', 'http://127.0.0.1:1')], [one('m', 'http://127.0.0.1:2')])).toEqual([]);
    expect(notes([acme], [one('other', 'https://other.example')])).toEqual([
      'different target: acme (https://acme.example) before, other (https://other.example) now',
    ]);
    expect(notes([acme], [one('acme', 'https://acme.example:8443')])).toHaveLength(1);
    expect(notes([acme, one('gone', 'https://x')], [acme, one('new', 'https://y')])).toEqual([
      'gone is judged in the earlier run only',
      'new is judged in the later run only',
    ]);
    const comparison = compareRuns(results([acme]), results([acme], { suite: 'smoke', seed: 7 }));
    expect(comparison.notes).toEqual([
      'different suite: full before, smoke now',
      'different seed: 42 before, 7 now',
    ]);
    for (const text of [renderDiffText(comparison), renderDiffMarkdown(comparison)])
      for (const note of comparison.notes) expect(text).toContain(note);
  });

  test('shows hostile text as text', () => {
    const comparison = compareRuns(results([]), hostile());
    expect(renderDiffText(comparison)).not.toMatch(FORBIDDEN);
    expect(renderDiffMarkdown(comparison)).not.toMatch(/<script/u);
  });
});

describe('history', () => {
  test('lists flaky requirements', () => {
    const verdicts = ['pass', 'fail', 'pass', 'pass'] as const;
    const runs = verdicts.map((verdict) => ({ link: 'x', results: run(judged('link/offset', verdict)) }));
    expect(historyOf(runs)[0]?.flaky.map(({ id, changes }) => [id, changes])).toEqual([['link/offset', 2]]);
  });

  test('marks a run that is incomplete', () => {
    const whole = run(judged('link/offset', 'inconclusive'));
    const stopped = { ...whole, run: { ...whole.run, complete: false } };
    const runs = [whole, stopped].map((one) => ({ link: 'x', results: one }));
    expect(historyOf(runs)[0]?.points.map(({ outcome }) => outcome.words)).toEqual([
      'inconclusive',
      'inconclusive, incomplete',
    ]);
  });

  test('shows the date of each run, newest first', () => {
    const runs = ['2026-11-20T05:13:31.042Z', '2026-11-21T06:00:00.000Z'].map((startedAt, index) => ({
      link: `${index}/report.html`,
      results: results([target([judged('link/offset', 'pass')])], { startedAt }),
    }));
    const page = renderHistory(runs);
    expect(page.match(/<time [^>]*>[^<]*/gu)?.map((time) => time.split('>')[1])).toEqual([
      '2026-11-21 06:00',
      '2026-11-20 05:13',
    ]);
  });

  test('is a page with a link to each run, and escapes hostile text', async () => {
    const page = await renderHistory([
      { link: 'a/report.html', results: hostile() },
      { link: 'b/report.html', results: hostile() },
    ]);
    expect(page).toContain('href="a/report.html"');
    expect(page).not.toMatch(FORBIDDEN);
    expect(page.match(/<script\b/gu)).toHaveLength(1);
  });
});
