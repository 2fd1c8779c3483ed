import { describe, expect, it } from 'vitest';
import { isAboutRecords } from '../../../src/core/cause.ts';
import type { TargetResult } from '../../../src/core/results.ts';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

/** Requirements that are said to need more records than the list holds. */
function lacking({ requirements }: TargetResult): readonly string[] {
  return requirements.flatMap(({ id, cause }) =>
    cause?.kind === 'data' && isAboutRecords(cause.needs) ? [id] : [],
  );
}

describe('the length of the list', () => {
  it.each([
    ['limit-query-dropped', 1234, 'page-size/limit'],
    ['limit-query-dropped', 300, 'page-size/limit'],
    ['limit-query-dropped-at-100', 1234, 'page-size/limit'],
    ['count-and-skip-dropped', 1234, 'count/present'],
  ])('is unknown, and blocked by the breach, with %s of %i records', async (defect, records, by) => {
    const result = await judgeMock({ defects: [defect], records });
    expect(result.records).toEqual({ printers: null });
    expect(lacking(result)).toEqual([]);
    expect(requirementOf(result, 'page-size/maximum').cause).toEqual({
      kind: 'blocked',
      by,
      resource: 'printers',
    });
  });

  it.each([300, 500])(
    'of %i records is known without count: no page is longer than requested, and none follows',
    async (records) => {
      const result = await judgeMock({ defects: ['count-missing-without-size'], records });
      expect(result.records).toEqual({ printers: records });
    },
  );

  it.each(['page-size/default', 'page-size/maximum'])(
    'is given as what %s lacks if the list of 500 records conforms',
    async (id) => {
      const result = await judgeMock({ records: 500 }, { only: [id] });
      expect(requirementOf(result, id).cause).toMatchObject({ kind: 'data', records: 500 });
    },
  );
});
