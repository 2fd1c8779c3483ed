import { describe, expect, test } from 'vitest';
import type { ReportedVerdict } from '../../../src/core/prove-results.ts';
import { defects, variants } from '../../../src/mock/index.ts';
import { isProven, rowOfDefect, rowOfVariant, totalsOf } from '../../../src/prove/matrix.ts';

function rowFor(id: string, verdicts: readonly Partial<ReportedVerdict>[]) {
  const defect = defects.find((one) => one.id === id);
  if (defect === undefined) throw new Error(`no defect ${id}`);
  const complete = verdicts.map((verdict) => ({
    requirement: 'link/offset',
    resource: 'printers',
    verdict: 'fail' as const,
    cause: null,
    sentence: '$skip is 501 instead of 500',
    pageSizes: [],
    ...verdict,
  }));
  return rowOfDefect(defect, { verdicts: complete, requests: 1, durationMs: 1, broken: null });
}

describe('a variant', () => {
  const fail = {
    requirement: 'link/offset',
    resource: 'printers',
    verdict: 'fail',
    cause: null,
    sentence: '$skip is 501 instead of 500',
    pageSizes: [],
  } as const;

  test.each([
    ['cleared', [], null, true],
    ['accused', [fail], null, false],
    ['error', [], 'the trial was lost', false],
  ] as const)('is %s, and the proof says so', (fate, verdicts, broken, proven) => {
    const [variant] = variants;
    if (variant === undefined) throw new Error('there is no variant');
    const row = rowOfVariant(variant, [{ verdicts, requests: 1, durationMs: 1, broken }]);
    expect(row.fate).toBe(fate);
    const totals = totalsOf({ defects: [], variants: [row], combinations: [] });
    expect(isProven(true, totals, [])).toBe(proven);
  });
});

describe('a defect', () => {
  test('is found by a failure whose message names it', () => {
    expect(rowFor('skip-one-too-many', [{}])).toMatchObject({ fate: 'killed', escaped: [] });
  });

  test('has escaped if the message names something else', () => {
    const row = rowFor('skip-one-too-many', [{ sentence: 'the link is absolute' }]);
    expect(row).toMatchObject({ fate: 'escaped', killedBy: [], escaped: [{ verdict: 'fail' }] });
  });

  test('is found falsely if another requirement fails as well', () => {
    expect(rowFor('skip-one-too-many', [{}, { requirement: 'token/type' }])).toMatchObject({
      fate: 'false',
      falselyFailed: [{ requirement: 'token/type' }],
    });
  });
});

test('a proof that tested nothing has not succeeded', () => {
  const totals = totalsOf({ defects: [], variants: [], combinations: [] });
  expect(isProven(true, totals, [])).toBe(false);
});
