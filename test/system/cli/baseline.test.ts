import { describe, expect, it } from 'vitest';
import { comparedWith, compareWithBaseline } from '../../../src/cli/shared/baseline.ts';
import type { RequirementResult, Results } from '../../../src/core/results.ts';
import { waiverFor } from '../../../src/judge/requirement-result.ts';
import type { MockOptions } from '../../../src/mock/index.ts';
import { renderAnnotations } from '../../../src/report/annotations.ts';
import { conform } from '../../../src/run/conform.ts';
import type { TargetParts } from '../../../src/target/make.ts';
import { waiverWarnings } from '../../../src/target/warnings.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { judged, results, target } from '../../support/report/sample.ts';
import { runOptions } from '../../support/run-options.ts';
import { unusedTarget } from '../../support/unused-target.ts';

async function run(
  options: MockOptions,
  suite: 'smoke' | 'full' = 'full',
  parts: Partial<TargetParts> = {},
  only: readonly string[] = [],
): Promise<Results> {
  const mock = await openMock(options);
  return await conform([targetOf(mock, parts)], runOptions({ suite, only }));
}

/** The cause of a verdict that the failure of `count-of-page` in a smoke run blocks. */
const BLOCKED_BY_FAILED = { kind: 'blocked', by: 'count/stable', resource: 'printers' } as const;

function messagesOf({ targets }: Results): readonly string[] {
  return targets.flatMap(({ requirements }) =>
    requirements.flatMap(({ violations }) => violations.map(({ message }) => message)),
  );
}

function isBlocked({ cause }: RequirementResult): boolean {
  return cause?.kind === 'blocked';
}

describe('a baseline', () => {
  it('accepts exactly its own failures, and lists new and stale ones', async () => {
    const [one, both, none] = [
      await run({ defects: ['count-of-page'] }),
      await run({ defects: ['count-of-page', 'expires-in-two-hours'] }),
      await run({ records: 900 }),
    ];
    expect(compareWithBaseline(one, one)).toMatchObject({
      fresh: [],
      stale: [],
      remaining: { outcome: 'conformant' },
    });
    const more = compareWithBaseline(both, one);
    expect(more.accepted.length).toBeGreaterThan(0);
    expect(more.fresh.map(({ requirement }) => requirement)).toEqual(['token/validity']);
    expect(more).toMatchObject({ stale: [], remaining: { outcome: 'non-conformant' } });
    const fewer = compareWithBaseline(none, one);
    expect(fewer.accepted).toEqual([]);
    expect(new Set(fewer.stale.map(({ target }) => target))).toEqual(new Set(['mock']));
    expect(fewer.stale.length).toBeGreaterThan(0);
    expect(fewer.untested).toEqual([]);
    const other = await run({ records: 900 }, 'full', {}, ['token/validity']);
    expect(compareWithBaseline(other, one)).toMatchObject({
      stale: [],
      untested: compareWithBaseline(one, one).accepted,
    });
  });

  it('that accepts all that was selected leaves nothing open', async () => {
    const failed = await run({ defects: ['expires-in-two-hours'] }, 'full', {}, ['token/validity']);
    expect(compareWithBaseline(failed, failed).remaining.outcome).toBe('conformant');
    const untested = await run({}, 'full', { otherCredentials: null }, ['token/provider-isolation']);
    expect(compareWithBaseline(untested, failed).remaining.outcome).toBe('inconclusive');
  });

  it.each(['link-to-empty-page', 'skip-drifts', 'traversal-circle', 'count-of-page'])(
    'knows the failures of %s again when the list has grown, whatever their smallest cases are by now',
    async (defect) => {
      const before = await run({ defects: [defect], records: 1234 });
      const after = await run({ defects: [defect], records: 1840 });
      expect(messagesOf(after)).not.toEqual(messagesOf(before));
      expect(compareWithBaseline(after, before)).toMatchObject({ fresh: [], stale: [] });
    },
  );

  it.each([
    ['full', 'passed'],
    ['certify', 'inconclusive'],
  ] as const)('that accepts the only failure of a %s run leaves it %s', (suite, conclusion) => {
    const failed = results([target([judged('link/offset', 'fail'), judged('count/stable', 'pass')])], {
      suite,
    });
    expect(comparedWith(failed, failed)).toMatchObject({ conclusion, isOutdated: false });
    const passed = results([target([judged('count/stable', 'pass')])], { suite });
    expect(comparedWith(passed, passed).conclusion).toBe('passed');
  });

  it('counts what its failures block', async () => {
    const drifting = await run({ defects: ['skip-drifts'] });
    const blocked = drifting.targets.flatMap(({ requirements }) => requirements).filter(isBlocked).length;
    expect(blocked).toBeGreaterThan(0);
    expect(compareWithBaseline(drifting, drifting).blocked).toBe(blocked);
  });

  it('treats a different breach of the same requirement as new', async () => {
    const before = await run({ defects: ['expires-in-text'] }, 'smoke');
    const after = await run({ defects: ['scope-array'] }, 'smoke');
    const shape = { requirement: 'token/shape' };
    expect(compareWithBaseline(after, before)).toMatchObject({ fresh: [shape], stale: [shape] });
  });

  it('treats another status of the same call as new, and what it hides as open', async () => {
    const failed = await run({ defects: ['count-of-page'] }, 'smoke');
    const withStatus = (status: number, verdict: 'pass' | 'inconclusive'): Results => ({
      ...failed,
      targets: failed.targets.map((target) => ({
        ...target,
        requirements: target.requirements.flatMap((one): readonly RequirementResult[] => {
          if (one.id === 'token/issued') return [{ ...one, verdict, cause: BLOCKED_BY_FAILED }];
          if (one.verdict !== 'fail') return [];
          const message = `GET /v1/printers was answered ${status} in 3 of 7 calls`;
          return [{ ...one, violations: one.violations.map((violation) => ({ ...violation, message })) }];
        }),
      })),
    });
    const before = withStatus(403, 'pass');
    const failedId = failed.targets[0]?.requirements.find(({ verdict }) => verdict === 'fail')?.id ?? '';
    expect(failedId).toBe(BLOCKED_BY_FAILED.by);
    expect(compareWithBaseline(withStatus(500, 'pass'), before).fresh).not.toEqual([]);
    expect(compareWithBaseline(withStatus(403, 'inconclusive'), before)).toMatchObject({
      fresh: [],
      remaining: { outcome: 'inconclusive' },
    });
  });

  it('does not treat a failure as stale if it is now waived', async () => {
    const before = await run({ defects: ['count-of-page'] }, 'smoke');
    const [broken] = before.targets[0]?.requirements.filter(({ verdict }) => verdict === 'fail') ?? [];
    const waivers = [{ requirement: broken?.id ?? '', reason: 'agreed', until: '2999-12-31' }];
    const after = await run({ defects: ['count-of-page'] }, 'smoke', { waivers });
    const { accepted, ...compared } = compareWithBaseline(after, before);
    expect(compared).toMatchObject({ fresh: [], stale: [], remaining: { outcome: 'conformant' } });
    expect(accepted.map(({ requirement }) => requirement)).not.toContain(broken?.id);
  });

  it('annotates no accepted failure', async () => {
    const one = await run({ defects: ['count-of-page'] }, 'smoke');
    const both = await run({ defects: ['count-of-page', 'expires-in-two-hours'] }, 'smoke');
    expect(renderAnnotations(one)).not.toBe('');
    expect(renderAnnotations(one, compareWithBaseline(one, one).remaining)).not.toContain('::error');
    expect(renderAnnotations(both, compareWithBaseline(both, one).remaining)).toMatch(
      /^::error [^\n]*token\/validity[^\n]*\n::notice [^\n]*\n$/,
    );
  });
});

describe('a waiver', () => {
  it('counts until the end of its last day', async () => {
    const waivers = [{ requirement: 'count/*', reason: 'agreed', until: '2027-03-31' }];
    const target = { ...unusedTarget, waivers };
    const active = (now: string) => waiverFor('count/stable', target, new Date(now))?.active;
    expect(active('2027-03-31T23:59:59.999Z')).toBe(true);
    expect(active('2027-04-01T00:00:00Z')).toBe(false);
  });

  it('causes a warning from 30 days before its end', async () => {
    const waivers = [{ requirement: 'count/exact', reason: 'agreed', until: '2027-03-31' }];
    const target = { ...unusedTarget, waivers };
    expect(waiverWarnings(target, new Date('2027-02-27T00:00:00Z'))).toEqual([]);
    expect(waiverWarnings(target, new Date('2027-03-02T12:00:00Z'))).toEqual([
      'unused: the waiver of count/exact expires on 2027-03-31',
    ]);
    expect(waiverWarnings(target, new Date('2027-03-31T20:00:00Z'))).toEqual([
      'unused: the waiver of count/exact expires on 2027-03-31',
    ]);
    expect(waiverWarnings(target, new Date('2027-04-01T00:00:00Z'))).toEqual([
      'unused: the waiver of count/exact expired on 2027-03-31 and no longer counts',
    ]);
  });
});
