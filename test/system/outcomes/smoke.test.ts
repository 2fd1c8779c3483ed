import { describe, expect, test } from 'vitest';
import { conclusionOf } from '../../../src/core/conclusion.ts';
import { type Defect, defects, startMock } from '../../../src/mock/index.ts';
import { conform } from '../../../src/run/conform.ts';
import { targetOf, withVerdict } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';

/** Of so many planted defects one is judged, and so many of those are found at least. */
const EVERY = 6;
const FOUND = 40;

interface Smoke {
  readonly conclusion: string;
  readonly failed: readonly string[];
  readonly blocked: number;
}

async function smoke(defect: Defect): Promise<Smoke> {
  const mock = await startMock({
    records: defect.records,
    defects: [defect.id],
    ...(defect.needs.tokens === undefined ? {} : { tokens: defect.needs.tokens }),
  });
  try {
    const results = await conform([targetOf(mock)], runOptions({ suite: 'smoke', seed: 1 }));
    const [target] = results.targets;
    if (target === undefined) throw new Error('there is one target');
    return {
      conclusion: conclusionOf(results),
      failed: withVerdict(target, 'fail'),
      blocked: target.requirements.filter(({ cause }) => cause?.kind === 'blocked').length,
    };
  } finally {
    await mock.close();
  }
}

describe('the smoke suite', () => {
  test('passes no defect that it encounters, fails no other requirement, and finds many defects', async () => {
    const passedOver: string[] = [];
    const falselyBlamed: string[] = [];
    let found = 0;
    for (const defect of defects.filter((_defect, index) => index % EVERY === 0)) {
      const { conclusion, failed, blocked } = await smoke(defect);
      if (conclusion === 'failed') found += 1;
      // A blocked requirement means that a breach was found.
      if ((conclusion === 'passed' || conclusion === 'needs-data') && blocked > 0) passedOver.push(defect.id);
      const allowed = [...defect.must, ...defect.may];
      if (failed.some((id) => !allowed.includes(id))) falselyBlamed.push(defect.id);
    }
    expect(passedOver).toEqual([]);
    expect(falselyBlamed).toEqual([]);
    expect(found).toBeGreaterThanOrEqual(FOUND);
  }, 300_000);
});
