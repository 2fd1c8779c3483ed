import { describe, expect, test } from 'vitest';
import type { RequirementResult, Results } from '../../src/core/results.ts';
import { withoutEvidence } from '../../src/report/data.ts';
import { renderHtml } from '../../src/report/formats/html.tsx';
import { renderMarkdown } from '../../src/report/formats/markdown.ts';
import { renderTerminal } from '../../src/report/formats/terminal.ts';
import { headline } from '../../src/report/headline.ts';
import { judged, results, target, violation } from './sample.ts';

const passed = judged('token/issued', 'pass');

function waived(id: string): RequirementResult {
  const waiver = { requirement: id, reason: 'agreed', until: '2027-03-31', active: true };
  return judged(id, 'fail', { waiver });
}

function follows(id: string, cause: string): RequirementResult {
  return judged(id, 'inconclusive', { reason: `follows from ${cause}: $skip is 1` });
}

const one = (...requirements: readonly RequirementResult[]): Results => results([target(requirements)]);

describe('the headline', () => {
  test('tells waived failures and what was left unjudged', () => {
    expect(headline(one(passed, waived('link/offset'), waived('token/scope')))).toBe(
      'Everything that was judged keeps the specification, but for 2 failures that a waiver covers.',
    );
    expect(
      headline(one(waived('link/offset'), waived('token/scope'), follows('list/items', 'link/offset'))),
    ).toBe('2 failures, all waived; 1 requirement could not be judged.');
    const stopped = { ...one(passed, waived('link/offset')), outcome: 'inconclusive' as const };
    expect(headline(stopped)).toBe('1 failure, waived; not everything could be judged.');
  });

  test('tells what was met of requirements that the run leaves out', () => {
    const left = [follows('list/items', 'link/offset'), follows('link/query', 'link/offset')];
    expect(
      headline({ ...one(passed, ...left, judged('link/offset', 'skipped')), outcome: 'inconclusive' }),
    ).toBe('What breaks link/offset was met, which this run does not judge; not everything could be judged.');
    expect(headline({ ...one(passed, ...left), outcome: 'inconclusive' })).toMatch(
      /^Nothing was found broken/u,
    );
  });

  test('blames the failure from which the rest follows, and none where there are others', () => {
    const broken = judged('authorization/required', 'fail');
    const left = [follows('list/items', 'link/offset'), follows('link/query', 'link/offset')];
    expect(headline(one(broken, ...left, judged('link/offset', 'fail')))).toBe(
      '2 requirements are broken; the proof is below. 2 requirements could not be judged because of link/offset.',
    );
    expect(headline(one(judged('link/offset', 'fail'), ...left))).toMatch(
      / 2 requirements could not be judged because of it\.$/u,
    );
    expect(headline(one(broken, ...left, waived('link/offset')))).toBe(
      '1 requirement is broken (1 more failure is waived); the proof is below. ' +
        '2 requirements could not be judged because of link/offset, which is waived.',
    );
    const own = judged('page-size/default', 'inconclusive', { reason: 'it needs 500 records' });
    expect(headline(one(judged('link/offset', 'fail'), ...left, own))).toMatch(/could not be judged\.$/u);
    expect(headline(one(judged('link/offset', 'inconclusive'), broken, ...left))).toMatch(/judged\.$/u);
  });

  test('says that nothing was judged where that is so', () => {
    const skipped = [judged('token/issued', 'skipped'), judged('link/offset', 'skipped')];
    expect(headline(one(...skipped))).toBe('Nothing was judged: all 2 requirements were skipped.');
    expect(headline(one(judged('link/offset', 'skipped')))).toBe(
      'Nothing was judged: the only requirement was skipped.',
    );
    const open = judged('token/shape', 'inconclusive');
    expect(headline(one(...skipped, open))).toBe('Nothing was found broken, for nothing could be judged.');
    expect(headline(one(passed, open))).toBe('Nothing was found broken, but not everything could be judged.');
    expect(headline(one())).toBe('Nothing was judged.');
  });

  test('counts waived failures apart in every report', async () => {
    const run = one(judged('authorization/required', 'fail'), waived('link/offset'), waived('token/scope'));
    const terminal = renderTerminal(run, { colour: false, width: 100, folder: null });
    expect(terminal).toContain('    1 failed, 2 waived\n');
    expect(renderMarkdown(run)).toContain('| 1 failed, 2 waived |');
    const page = await renderHtml(withoutEvidence(run));
    expect(page).toContain('<li class="waived"><span aria-hidden="true">✗</span> 2 waived</li>');
    for (const text of [terminal, renderMarkdown(run).replaceAll('\\', ''), page])
      expect(text).toContain(headline(run));
  });

  test('tells the shell variables of the curl lines that are shown, and of no others', async () => {
    const curl = 'curl "client_secret=$CLIENT_SECRET"';
    const hidden = { ...waived('token/scope'), violations: [violation({ curl })] };
    const run = one(judged('link/offset', 'fail'), hidden);
    const terminal = renderTerminal(run, { colour: false, width: 100, folder: null });
    expect(terminal).toContain('The curl line reads TOKEN from your shell.');
    const page = await renderHtml(withoutEvidence(run));
    expect(page.indexOf('The curl line reads TOKEN from')).toBeLessThan(page.indexOf('id="waived"'));
    expect(page.indexOf('The curl line reads CLIENT_SECRET from')).toBeGreaterThan(
      page.indexOf('id="waived"'),
    );
  });
});
