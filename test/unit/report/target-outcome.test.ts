import { expect, test } from 'vitest';
import { countOutcomes, shownOutcome } from '../../../src/report/wording/headline.ts';
import { judged, results, target } from '../../support/report/sample.ts';

const passed = judged('token/issued', 'pass');
const unselected = judged('token/scope', 'skipped', { cause: { kind: 'unselected' } });
const skipped = judged('token/scope', 'skipped', {
  cause: { kind: 'unconfigured', key: 'otherCredentials' },
});

test.each([
  ['full', [passed, skipped], { words: 'conformant', style: 'conformant' }],
  ['certify', [passed], { words: 'conformant', style: 'conformant' }],
  ['certify', [passed, skipped], { words: 'not certified', style: 'inconclusive' }],
  ['smoke', [passed, unselected], { words: 'passed in part (1 of 2)', style: 'conformant' }],
  [
    'smoke',
    [judged('token/issued', 'fail'), unselected],
    { words: 'non-conformant', style: 'non-conformant' },
  ],
] as const)(
  'in a %s run, a target is conformant only if it was tested in full',
  (suite, requirements, shown) => {
    expect(shownOutcome(target(requirements), suite)).toEqual(shown);
  },
);

test('outcomes are counted, worst first', () => {
  const run = results([target([passed]), target([passed]), target([judged('token/issued', 'fail')])]);
  expect(countOutcomes(run.targets, run.run.suite).map(({ words, count }) => [words, count])).toEqual([
    ['non-conformant', 1],
    ['conformant', 2],
  ]);
});
