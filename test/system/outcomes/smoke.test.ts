import { expect, test } from 'vitest';
import { conclusionOf } from '../../../src/core/conclusion.ts';
import { defects, startMock } from '../../../src/mock/index.ts';
import { conform } from '../../../src/run/conform.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';

/** Of so many planted defects one is judged, and so many of those are found at least. */
const EVERY = 10;
const FOUND = 24;

test('the smoke suite sends at most 20 requests to a conforming provider', async () => {
  const results = await conform([targetOf(await openMock())], runOptions({ suite: 'smoke', seed: 1 }));
  expect(conclusionOf(results)).toBe('passed');
  expect(results.targets[0]?.traffic.requests).toBeLessThanOrEqual(20);
});

test('the smoke suite passes no defect that it encounters, fails no other requirement, and finds many defects', async () => {
  const passedOver: string[] = [];
  const falselyBlamed: string[] = [];
  let found = 0;
  for (const { id, records, needs, must, may } of defects.filter((_defect, index) => index % EVERY === 0)) {
    const mock = await startMock({ records, defects: [id], ...(needs.tokens && { tokens: needs.tokens }) });
    const run = conform([targetOf(mock)], runOptions({ suite: 'smoke', seed: 1 }));
    const results = await run.finally(() => mock.close());
    const requirements = results.targets.flatMap((target) => target.requirements);
    const conclusion = conclusionOf(results);
    if (conclusion === 'failed') found += 1;
    // A blocked requirement means that a breach was found.
    const isBlocked = requirements.some(({ cause }) => cause?.kind === 'blocked');
    if ((conclusion === 'passed' || conclusion === 'needs-data') && isBlocked) passedOver.push(id);
    const failed = requirements.filter(({ verdict }) => verdict === 'fail');
    if (failed.some((one) => ![...must, ...may].some((known) => known === one.id))) falselyBlamed.push(id);
  }
  expect(passedOver).toEqual([]);
  expect(falselyBlamed).toEqual([]);
  expect(found).toBeGreaterThanOrEqual(FOUND);
});
