import { describe, expect, it } from 'vitest';
import { compareWithBaseline } from '../../src/cli/baseline.ts';
import { uncertified } from '../../src/cli/certify.ts';
import type { Results } from '../../src/core/results.ts';
import { type MockOptions, startMock } from '../../src/mock/index.ts';
import { conform } from '../../src/run/conform.ts';
import { waiverWarnings } from '../../src/target/warnings.ts';
import { targetOf } from '../support/judge-mock.ts';
import { runOptions } from '../support/run-options.ts';

async function run(options: MockOptions, suite: 'smoke' | 'full' = 'full'): Promise<Results> {
  const mock = await startMock(options);
  try {
    return await conform([targetOf(mock)], runOptions({ suite }));
  } finally {
    await mock.close();
  }
}

describe('a baseline', () => {
  it('accepts exactly the failures that it has, and says which are new and which are gone', async () => {
    const [one, both, none] = [
      await run({ defects: ['count-of-page'] }),
      await run({ defects: ['count-of-page', 'expires-in-two-hours'] }),
      await run({ records: 900 }),
    ];
    expect(compareWithBaseline(one, one)).toMatchObject({ fresh: [], stale: [], outcome: 'conformant' });
    const more = compareWithBaseline(both, one);
    expect(more.accepted.length).toBeGreaterThan(0);
    expect(more.fresh.map(({ requirement }) => requirement)).toEqual(['token/validity']);
    expect(more).toMatchObject({ stale: [], outcome: 'non-conformant' });
    const fewer = compareWithBaseline(none, one);
    expect(fewer.accepted).toEqual([]);
    expect(new Set(fewer.stale.map(({ target }) => target))).toEqual(new Set(['mock']));
    expect(fewer.stale.length).toBeGreaterThan(0);
  });

  it('knows a failure again when the list has grown', async () => {
    const before = await run({ defects: ['expires-in-two-hours'], records: 700 });
    const after = await run({ defects: ['expires-in-two-hours'], records: 800 });
    expect(compareWithBaseline(after, before)).toMatchObject({ fresh: [], stale: [] });
  });
});

describe('a certification', () => {
  it('accepts nothing that was not judged', async () => {
    const results = await run({}, 'smoke');
    expect(uncertified(results)).toEqual([]);
    const certify = { ...results, run: { ...results.run, suite: 'certify' as const } };
    expect(uncertified(certify).length).toBeGreaterThan(10);
  });
});

describe('a waiver', () => {
  it('is warned of for 30 days before its end, and after', async () => {
    const mock = await startMock({});
    await mock.close();
    const waivers = [{ requirement: 'count/exact', reason: 'agreed', until: '2027-03-31' }];
    const target = targetOf(mock, { waivers });
    expect(waiverWarnings(target, new Date('2027-02-27T00:00:00Z'))).toEqual([]);
    expect(waiverWarnings(target, new Date('2027-03-02T12:00:00Z'))).toEqual([
      'mock: the waiver of count/exact runs out on 2027-03-31',
    ]);
    expect(waiverWarnings(target, new Date('2027-03-31T20:00:00Z'))).toHaveLength(1);
    expect(waiverWarnings(target, new Date('2027-04-01T00:00:00Z'))).toEqual([
      'mock: the waiver of count/exact ran out on 2027-03-31 and no longer counts',
    ]);
  });
});
