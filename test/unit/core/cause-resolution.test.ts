import { describe, expect, it } from 'vitest';
import { type Cause, lackOf, MORE_THAN_ONE_PAGE } from '../../../src/core/cause.ts';
import { resolveCauses } from '../../../src/core/cause-resolution.ts';
import type { JudgedResult } from '../../../src/core/results.ts';

function result(
  id: string,
  verdict: JudgedResult['verdict'],
  cause: Cause | null = null,
  resource: string | null = 'printers',
): JudgedResult {
  const detail = cause === null ? '' : 'page 3 of the traversal is refused';
  return {
    id,
    resource,
    clause: [],
    rule: '',
    verdict,
    cause,
    detail,
    waiver: null,
    violations: [],
    cases: 1,
    requests: 1,
    durationMs: 1,
  };
}

const blockedByFollowable = (resource: string | null = 'printers'): Cause => ({
  kind: 'blocked',
  by: 'traversal/followable',
  resource,
});

describe('a requirement that blocks another one', () => {
  it('is intermittent instead of passing, for the sentence that blocks', () => {
    const [blocking, blocked] = resolveCauses([
      result('traversal/followable', 'pass'),
      result('list/items', 'inconclusive', blockedByFollowable()),
    ]);
    expect(blocking).toMatchObject({ verdict: 'inconclusive', cause: { kind: 'intermittent' } });
    expect(blocking?.reason).toContain('page 3 of the traversal is refused');
    expect(blocked?.cause).toEqual(blockedByFollowable());
  });

  it('gives what was seen as its reason, and not that it blocks itself', () => {
    const cause = blockedByFollowable();
    const [blocking] = resolveCauses([
      result('traversal/followable', 'pass'),
      { ...result('list/items', 'inconclusive', cause), detail: 'page 3 is refused' },
    ]);
    expect(blocking?.reason).toContain('page 3 is refused');
    expect(blocking?.reason).not.toContain('blocked by');
  });

  it('is changing where the data of its list changed, and not where that of another did', () => {
    const causeWith = (changed: string): Cause | null | undefined =>
      resolveCauses([
        result('traversal/followable', 'pass'),
        result('list/items', 'inconclusive', blockedByFollowable()),
        result('count/stable', 'inconclusive', { kind: 'changing' }, changed),
      ])[0]?.cause;
    expect(causeWith('printers')).toEqual({ kind: 'changing' });
    expect(causeWith('sites')).toMatchObject({ kind: 'intermittent' });
  });

  it('keeps its failure', () => {
    const [blocking] = resolveCauses([
      result('traversal/followable', 'fail'),
      result('list/items', 'inconclusive', blockedByFollowable()),
    ]);
    expect(blocking?.verdict).toBe('fail');
  });

  it('passes for another list than the one that it blocks', () => {
    const [blocking, other] = resolveCauses([
      result('traversal/followable', 'pass'),
      result('traversal/followable', 'pass', null, 'sites'),
      result('list/items', 'inconclusive', blockedByFollowable('sites'), 'sites'),
    ]);
    expect([blocking?.verdict, other?.verdict]).toEqual(['pass', 'inconclusive']);
  });

  it('passes an outage or a limit on to what it blocks, as no breach of it was seen', () => {
    const causes: readonly Cause[] = [
      { kind: 'unavailable', status: 403 },
      { kind: 'limit', limit: 'maxRequests' },
      { kind: 'interrupted' },
    ];
    for (const cause of causes) {
      const resolved = resolveCauses([
        result('traversal/followable', 'inconclusive', cause),
        result('list/items', 'inconclusive', blockedByFollowable()),
      ]);
      expect(resolved.map((one) => one.cause)).toEqual([cause, cause]);
    }
  });

  it('never passes, whatever the requirements are', () => {
    const ids = ['token/issued', 'link/offset', 'traversal/followable', 'list/items'] as const;
    for (const by of ids)
      for (const id of ids.filter((one) => one !== by)) {
        const resolved = resolveCauses([
          result(by, 'pass', null, by === 'token/issued' ? null : 'printers'),
          result(id, 'inconclusive', { kind: 'blocked', by, resource: null }),
        ]);
        expect(resolved.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive']);
      }
  });
});

describe('a data cause that the list contradicts', () => {
  it('is another cause, whose reason does not ask for the data that the list has', () => {
    const cause = lackOf(MORE_THAN_ONE_PAGE, 700);
    const [open] = resolveCauses([
      { ...result('traversal/by-parameters', 'inconclusive', cause), detail: '' },
    ]);
    expect(open?.cause).toEqual({ kind: 'changing' });
    expect(open?.reason).not.toContain('needs a list');
    expect(open?.reason).toContain('the list holds 700 records');
  });

  it('is an outage of its list or of the token endpoint, and not of another list', () => {
    const outage: Cause = { kind: 'unavailable', status: 503 };
    const causeWith = (resource: string | null): Cause | null | undefined =>
      resolveCauses([
        result('traversal/by-parameters', 'inconclusive', lackOf(MORE_THAN_ONE_PAGE, 700)),
        result('list/items', 'inconclusive', outage, resource),
      ])[0]?.cause;
    expect(causeWith('printers')).toEqual(outage);
    expect(causeWith(null)).toEqual(outage);
    expect(causeWith('sites')).toEqual({ kind: 'changing' });
  });

  it('is reported as a text and the records of the list', () => {
    const [open] = resolveCauses([
      result('traversal/by-parameters', 'inconclusive', lackOf(MORE_THAN_ONE_PAGE, 3)),
    ]);
    expect(open?.cause).toEqual({ kind: 'data', needs: 'a list of more than one page', records: 3 });
  });
});
