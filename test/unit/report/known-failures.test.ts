import type { Log } from 'sarif';
import { expect, it } from 'vitest';
import { comparedWith } from '../../../src/cli/shared/baseline.ts';
import { renderAnnotations } from '../../../src/report/annotations.ts';
import { renderJunit } from '../../../src/report/formats/junit.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { renderSarif } from '../../../src/report/formats/sarif.ts';
import { dataOf, judged, results, target, violation } from '../../support/report/sample.ts';

const known = violation({ message: 'the link has no $skip' });
const fresh = violation({ message: 'the answer has no items' });

const earlier = results([
  target([
    judged('link/offset', 'fail', { violations: [known] }),
    judged('link/query', 'fail', { violations: [known] }),
  ]),
]);
const { results: run } = comparedWith(
  results([
    target([
      judged('link/offset', 'fail', { violations: [known] }),
      judged('link/query', 'fail', { violations: [known, fresh] }),
    ]),
  ]),
  earlier,
);

it('a baseline marks the breaches that it accepts', () => {
  const marks = run.targets[0]?.requirements.map(({ violations }) => violations.map((one) => one.known));
  expect(marks).toEqual([[true], [true, undefined]]);
});

it('a run without some breach in its baseline has no mark of an earlier comparison', () => {
  const { results: again } = comparedWith(run, results([target([])]));
  expect(again.targets[0]?.requirements.flatMap(({ violations }) => violations)).toEqual([
    known,
    known,
    fresh,
  ]);
});

it('JUnit shows a requirement as skipped only if all of its breaches are known', () => {
  const junit = renderJunit(dataOf(run));
  expect(junit).toMatch(/<testsuite [^>]*tests="2" failures="1" errors="0" skipped="1"/u);
  expect(junit).toMatch(/name="link\/offset[^>]*>\s*<skipped /u);
  expect(junit).toMatch(/name="link\/query[^>]*>\s*<failure /u);
});

it('SARIF has the state of every breach in a comparison, and none without one', () => {
  const states = (of: typeof run) =>
    (JSON.parse(renderSarif(dataOf(of))) as Log).runs[0]?.results?.map((one) => one.baselineState);
  expect(states(run)).toEqual(['unchanged', 'unchanged', 'new']);
  expect(states(earlier)).toEqual([undefined, undefined]);
});

it('SARIF does not call a waived failure new that the baseline has', () => {
  const waiver = { requirement: 'link/offset', reason: 'agreed', until: '2099-01-01', active: true };
  const waived = results([target([judged('link/offset', 'fail', { violations: [known, fresh], waiver })])]);
  for (const baseline of [earlier, waived]) {
    const log = JSON.parse(renderSarif(dataOf(comparedWith(waived, baseline).results))) as Log;
    const states = log.runs[0]?.results?.map((one) => one.baselineState);
    expect(states).toEqual(['unchanged', baseline === waived ? 'unchanged' : 'new']);
  }
});

it('the Markdown summary lists known failures apart', () => {
  const markdown = renderMarkdown(dataOf(run));
  expect(markdown).toContain('### Failed (1)');
  expect(markdown).toContain('### Known failures (1)');
});

it('GitHub shows an error for a known failure that no longer occurs, because the run fails', () => {
  const passed = results([target([judged('link/offset', 'pass'), judged('link/query', 'pass')])]);
  const compared = comparedWith(passed, earlier);
  expect(renderAnnotations(compared.results, compared.remaining)).toMatch(
    /^::error title=[^\n]*link\/offset/u,
  );
});

it('GitHub shows a warning for a certification with a known failure, because it exits with 2', () => {
  const targets = [target([judged('link/offset', 'fail', { violations: [known] })])];
  const compared = comparedWith(results(targets, { suite: 'certify' }), earlier);
  expect(compared.conclusion).toBe('inconclusive');
  expect(renderAnnotations(compared.results, compared.remaining)).toMatch(/^::warning title=/u);
});
