import { describe, expect, it } from 'vitest';
import { requirements } from '../../specs/catalogue.ts';
import { type Defect, defects } from '../../src/mock/index.ts';
import { judgeMock, requirementOf, withVerdict } from '../support/judge-mock.ts';

// One defect per requirement here; `assay prove` runs them all.
const chosen = requirements.map(({ id }) => ({ id, defect: defects.find((one) => one.must.includes(id)) }));

function judgeDefect(defect: Defect) {
  const { clockRate, tokens, expiry } = defect.needs;
  return judgeMock(
    {
      records: defect.records,
      defects: [defect.id],
      ...(clockRate === undefined ? {} : { clockRate }),
      ...(tokens === undefined ? {} : { tokens }),
    },
    { expiry: expiry === true },
  );
}

describe('every requirement', () => {
  it.each(chosen)(
    '$id fails on a defect made for it, and only what the defect names fails',
    async ({ id, defect }) => {
      if (defect === undefined) throw new Error(`no defect is made for ${id}`);
      const result = await judgeDefect(defect);
      expect(withVerdict(result, 'fail')).toContain(id);
      expect(
        withVerdict(result, 'fail').filter((failed) => ![...defect.must, ...defect.may].includes(failed)),
      ).toEqual([]);
      expect(withVerdict(result, 'error')).toEqual([]);
      expect(result.outcome).toBe('non-conformant');
      const violation = requirementOf(result, id).violations[0];
      expect(violation?.exchanges.length).toBeGreaterThan(0);
      expect(violation?.curl).toMatch(/^curl /);
    },
  );
});
