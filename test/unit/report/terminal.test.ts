import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { catalogue, observations, requirements } from '../../../specs/catalogue.ts';
import type { TargetResult } from '../../../src/core/results.ts';
import { renderTerminal, type TerminalOptions } from '../../../src/report/terminal.ts';
import { many } from '../../support/report/many-sample.ts';
import {
  FORBIDDEN,
  hostile,
  judged,
  mixed,
  observed,
  results,
  target,
  violation,
} from '../../support/report/sample.ts';

const subject = observations.find(({ id }) => id === 'observe/tenant-unknown')?.of ?? '';

const plain: TerminalOptions = { colour: false, width: 100, folder: 'reports/x/report.html', catalogue };

describe('the terminal report', () => {
  const lines = renderTerminal(mixed(), plain).split('\n');
  const at = (text: string): number => lines.findIndex((line) => line.includes(text));

  test('begins with the outcome and the failures', () => {
    expect(lines[0]).toBe('NON-CONFORMANT');
    expect(at('Failed (2)')).toBe(4);
    expect(at('✗ link/query')).toBeLessThan(at('Could not be carried out (1)'));
    expect(at('Could not be carried out (1)')).toBeLessThan(at('Inconclusive (2)'));
    expect(at('Inconclusive (2)')).toBeLessThan(at('Waived failures (1)'));
    expect(at('Waived failures (1)')).toBeLessThan(at('1 passed'));
  });

  test('shows the actual and expected value, the rule and the smallest case of a failure', () => {
    const failure = lines.slice(at('✗ link/offset')).join('\n');
    expect(failure).toContain('clause 2.3');
    expect(failure).toContain('after 3 pages of 7, $skip is 20 instead of 21');
    expect(failure).toMatch(/expected\s+21/u);
    expect(failure).toMatch(/actual\s+20/u);
    expect(failure).toContain(requirements.find(({ id }) => id === 'link/offset')?.rule);
    expect(failure).toMatch(/smallest case\s+pageSize 7, page 3/u);
    expect(failure).toMatch(/evidence\s+exchanges 17, 18/u);
  });

  test('shows the reason of a call without an answer, also if others were lost for other reasons', () => {
    const cause = { kind: 'unavailable', status: null } as const;
    const lost = (reason: string) => judged('link/offset', 'inconclusive', { cause, reason });
    const shown = renderTerminal(results([target([lost('lost: GET /a'), lost('lost: GET /b')])]), plain);
    expect(shown).toContain('lost: GET /a (the first of 2 reasons');
  });

  test('prints the curl command on a separate line, complete at any width', () => {
    for (const width of [20, 40, 100]) {
      const found = renderTerminal(mixed(), { ...plain, width })
        .split('\n')
        .filter((line) => line.trim() === violation().curl);
      expect(found).toHaveLength(2);
    }
    expect(lines).toContain('The curl commands read TOKEN from your shell.');
  });

  test('shows the subject of an observation, and groups equal ones', () => {
    const run = results([
      target([judged('token/validity', 'fail')], {
        records: { printers: 1 },
        observations: [observed({ id: 'observe/tenant-unknown', value: '1 record', attention: true })],
      }),
    ]);
    const shown = renderTerminal(run, { ...plain, width: 200 });
    expect(shown).toContain(`  observe/tenant-unknown: 1 record\n    ${subject}`);
    expect(shown).toContain('1 record of printers; 88 requests');
    expect(shown).toContain('token/validity  clauses 2.1, 5.3 and 8\n');
    const own = target([], { observations: [observed({ id: 'acme/own', value: 'odd', attention: true })] });
    expect(renderTerminal(results([own]), plain)).toContain('  acme/own: odd\n\nTarget');
    const many = results(
      Array.from(
        { length: 30 },
        (_none, index) => ({ ...run.targets[0], name: `t${index}` }) as TargetResult,
      ),
    );
    expect(renderTerminal(many, { ...plain, width: 200 })).toContain(
      `observe/tenant-unknown: 1 record (30 times)\n    ${subject.slice(0, 20)}`,
    );
  });

  test('names the list of an observation where there are several', () => {
    const notes = ['printers', 'users'].map((resource) =>
      observed({ id: 'observe/tenant-unknown', resource, value: '1 record', attention: true }),
    );
    const run = results([target([], { records: { printers: 1, users: 1 }, observations: notes })]);
    const shown = renderTerminal(run, plain);
    for (const list of ['printers', 'users'])
      expect(shown).toContain(`  ${list}: observe/tenant-unknown: 1 record`);
  });

  test('lists exchanges in order, the most relevant ones included', () => {
    const proof = violation({ exchanges: [157, 156] });
    const run = results([target([judged('link/offset', 'fail', { violations: [proof] })])]);
    expect(renderTerminal(run, plain)).toMatch(/evidence\s+exchanges 156, 157/u);
  });

  test('prints a shared reason once', () => {
    expect(lines.filter((line) => line.includes('needs more than 500 records'))).toHaveLength(1);
    expect(lines).toContain('    page-size/default, page-size/maximum');
  });

  test('separates waived failures, and ignores expired waivers', () => {
    const waived = lines.slice(at('Waived failures'), at('Skipped')).join('\n');
    expect(waived).toContain('page-size/filled');
    expect(waived).toContain('agreed, ticket 4711 (until 2027-03-31)');
    expect(lines.slice(at('✗ link/query'), at('✗ link/offset')).join('\n')).toContain(
      'expired after 2025-01-01',
    );
  });

  test('ends with counts, traffic, the path of the report and the seed', () => {
    expect(lines[at('2 failed')]?.trim()).toBe(
      '2 failed, 1 waived, 1 could not be carried out, 2 inconclusive, 1 passed, 1 skipped',
    );
    expect(lines.join(' ')).toContain('88 requests (2 of them repeated), 1.2 MB received');
    expect(lines.slice(-3)).toEqual(['Report: reports/x/report.html', 'Suite full, seed 42', '']);
  });

  test('shows only observations that need attention', () => {
    expect(at('observe/transport: plain http')).toBeGreaterThan(0);
    expect(at('observe/page-size-above-maximum')).toBe(-1);
  });

  test('wraps everything except curl commands and paths', () => {
    for (const width of [40, 72, 120]) {
      const wide = renderTerminal(mixed(), { ...plain, width })
        .split('\n')
        .filter((line) => stringWidth(line) > width && !line.includes('curl'));
      expect(wide).toEqual([]);
    }
  });

  test('counts many blanks in a row, which take long to wrap', () => {
    const failed = judged('token/scope', 'fail');
    const violations = failed.violations.map((one) => ({ ...one, message: `a${' '.repeat(3990)}b` }));
    const shown = renderTerminal(results([target([{ ...failed, violations }])]), plain);
    expect(shown).toContain('[3990 blanks]');
  });

  test('uses colours only on request, with the same text', () => {
    const coloured = renderTerminal(mixed(), { ...plain, colour: true });
    expect(coloured).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured)).toBe(renderTerminal(mixed(), plain));
    expect(renderTerminal(mixed(), plain)).not.toContain('\u001b');
  });

  test('escapes hostile text', () => {
    const shown = renderTerminal(hostile(), plain);
    expect(shown).not.toMatch(FORBIDDEN);
    expect(shown).toContain('\\u001b[2J');
  });

  test('shows targets and resources if there are several', () => {
    const two = results([
      target([judged('link/offset', 'fail'), judged('link/offset', 'pass', { resource: 'units' })]),
      target([judged('count/present', 'pass')], { name: 'other' }),
    ]);
    const shown = renderTerminal(two, plain);
    expect(shown).toContain('✗ acme-staging: link/offset (printers)');
    expect(shown).toContain('Targets');
    expect(shown).toMatch(/other {2}https:\/\/api\.acme\.example {2}conformant/u);
  });

  test('states that a run is incomplete, and what was omitted', () => {
    const part = [judged('count/present', 'pass'), judged('count/stable', 'skipped')];
    const shown = renderTerminal(results([target(part)], { complete: false }), plain);
    expect(shown).toContain('The run is incomplete: it was interrupted, or a shard is missing.');
    expect(shown).toContain('not tested: count/stable');
  });

  test('shows three breaches of a requirement and counts the rest', () => {
    const breaches = [1, 2, 3, 4, 5].map((page) => violation({ message: `breach ${page}` }));
    const shown = renderTerminal(
      results([target([judged('link/offset', 'fail', { violations: breaches })])]),
      plain,
    );
    expect(shown).toContain('breach 3');
    expect(shown).not.toContain('breach 4');
    expect(shown).toContain('2 further violations in the report');
  });

  test('lists the targets that need attention, counts the others, and stays short', () => {
    const shown = renderTerminal(many(), plain);
    expect(shown).toContain('✗ vendor-33: link/offset');
    expect(shown).toContain('vendor-07  https://api.acme.example  error');
    expect(shown).not.toContain('vendor-05');
    expect(shown).toContain('and 35 conformant');
    expect(shown).toContain('observe/transport: plain http (4 times)');
    expect(shown).toContain('assay report RUN --target NAME shows one target in full.');
    const bad = Array.from({ length: 1000 }, (_none, index) =>
      target(
        [
          judged('link/offset', 'fail'),
          judged('count/present', 'inconclusive', {
            reason: `reason ${index}`,
            cause: { kind: 'data', needs: `thing ${index}`, records: 1 },
          }),
        ],
        { name: `bad-${index}` },
      ),
    );
    const bounded = renderTerminal(results(bad), plain);
    expect(bounded.split('\n').length).toBeLessThan(400);
    expect(bounded).toContain('988 further failures in results.json');
    expect(bounded).toContain('and 976 further reasons in results.json');
    expect(bounded).toContain('and 976 non-conformant');
  });

  test('shows a few targets in full', () => {
    const few = Array.from({ length: 24 }, (_none, index) =>
      target([judged('count/present', 'inconclusive', { reason: `reason ${index}`, cause: null })], {
        name: `t-${index}`,
      }),
    );
    const shown = renderTerminal(results(few), plain);
    for (let index = 0; index < few.length; index++) {
      expect(shown).toContain(`reason ${index}\n`);
      expect(shown).toContain(`t-${index}  https://api.acme.example  inconclusive`);
    }
    expect(shown).not.toContain('--target NAME');
  });
});
