import { describe, expect, test } from 'vitest';
import { requirements } from '../../../specs/catalogue.ts';
import { summaryOf } from '../../../src/report/wording/summary.ts';
import { FORBIDDEN, hostile, judged, mixed, results, target, waived } from '../../support/report/sample.ts';

type Rows = Parameters<typeof target>[0];

/** The lines of a run by title. */
function lines(rows: Rows, run = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(summaryOf(results([target(rows)], run)));
}

const everything = requirements.map(({ id }) => judged(id, 'pass'));

describe('the summary of a run', () => {
  test('has at most five lines', () => {
    for (const run of [mixed(), hostile(), waived('2027-01-01'), results([]), results([target([])])])
      expect(summaryOf(run).length).toBeLessThanOrEqual(5);
  });

  test('states that there is nothing to fix if every requirement passed', () => {
    const summary = lines(everything);
    expect(Object.keys(summary)).toEqual(['Conforms', 'Next']);
    expect(summary['Next']).toMatch(/^Nothing to fix/u);
  });

  test('names the shards, of which one may be missing, if a run without open verdicts is incomplete', () => {
    expect(lines(everything, { complete: false })['Next']).toContain('shards');
  });

  test('names the failure that blocks most verdicts as the first to fix', () => {
    const blocked = { cause: { kind: 'blocked', by: 'link/offset', resource: 'printers' } } as const;
    const summary = lines([
      judged('token/issued', 'pass'),
      judged('list/items', 'fail'),
      judged('link/offset', 'fail'),
      judged('traversal/terminates', 'inconclusive', blocked),
      judged('traversal/followable', 'inconclusive', blocked),
    ]);
    expect(Object.keys(summary)).toEqual(['Conforms', 'Does not conform', 'Not tested', 'Next']);
    expect(summary['Does not conform']).toContain('(list/items)');
    expect(summary['Next']).toMatch(/^Fix link\/offset first.* 2 verdicts/u);
  });

  test.each([
    ['was not selected', { kind: 'unselected', by: '--only' }],
    ['needs an option', { kind: 'unconfigured', key: '--expiry' }],
  ] as const)('says that an area conforms in part if a requirement %s', (_why, cause) => {
    const summary = lines([
      judged('token/issued', 'pass'),
      judged('token/secret', 'skipped', { cause }),
      judged('list/items', 'pass'),
    ]);
    expect(summary['Conforms']).toBe('Obtaining tokens (in part) and the content of lists.');
  });

  test('counts verdicts, not requirements, if a requirement has several', () => {
    const passed = judged('link/offset', 'pass');
    const summary = lines([passed, { ...passed, resource: 'agents' }, judged('link/query', 'fail')]);
    expect(summary['Conforms']).toContain('2 of 3 verdicts');
  });

  test('does not list an area with an open or waived verdict as working', () => {
    const waiver = { requirement: 'page-size/filled', reason: 'agreed', until: '2027-03-31', active: true };
    const summary = lines([
      judged('token/issued', 'pass'),
      judged('page-size/default', 'pass'),
      judged('page-size/filled', 'fail', { waiver }),
      judged('count/present', 'pass'),
      judged('count/stable', 'inconclusive'),
    ]);
    expect(summary['Conforms']).toBe('Obtaining tokens.');
    expect(summary['Does not conform']).toContain('page-size/filled');
    expect(summary['Not tested']).toContain('(in part)');
  });

  test('states how to resolve an error', () => {
    const cause = { kind: 'configuration', key: 'credentials.clientSecret' } as const;
    expect(lines([judged('token/issued', 'error', { cause })])['Next']).toContain('credentials.clientSecret');
  });

  test('states how to test skipped requirements', () => {
    const cause = { kind: 'unconfigured', key: '--expiry' } as const;
    const summary = lines([
      ...everything.slice(1),
      judged('token/accepted-until-expiry', 'skipped', { cause }),
    ]);
    expect(summary['Next']).toContain('--expiry');
  });

  test('contains no text that could forge lines', () => {
    for (const [, text] of summaryOf(hostile())) expect(text).not.toMatch(FORBIDDEN);
  });
});
