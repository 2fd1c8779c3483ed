import { expect, test } from 'vitest';
import { judgeMock, withVerdict } from '../../support/judge-mock.ts';

/** Lists that change to and fro, with the same count or another one. */
const VARIANTS = [
  'living-swaps',
  'living-swaps-slowly',
  'living-swaps-briefly',
  'living-absent-now-and-then',
  'living-comes-and-goes-slowly',
];

/** Seeds of runs, which meet the changes between different pages. */
const SEEDS = [31];

test.concurrent.each(VARIANTS.flatMap((variant) => SEEDS.map((seed) => [variant, seed] as const)))(
  'data that changes to and fro fails no requirement: %s (seed %i)',
  async (variant, seed) => {
    const result = await judgeMock({ variant }, { seed });
    expect(withVerdict(result, 'fail', 'error')).toEqual([]);
  },
);

/** Lists behind caches, which keep pages or counts from different times, and one whose order changes for a while. */
const OLD_PAGES = [
  ['living-shrinks-and-refuses-behind-slow-cache', 1],
  ['living-shrinks-by-tens-and-refuses-behind-slow-cache', 1],
  ['living-count-lags-for-a-minute', 1],
  ['living-count-lags-after-a-removal', 1],
  ['living-reversed-for-a-while', 31],
] as const;

test.concurrent.each(OLD_PAGES)(
  'pages that were right at other times fail no requirement: %s (seed %i)',
  async (variant, seed) => {
    const result = await judgeMock({ variant }, { seed });
    expect(withVerdict(result, 'fail', 'error')).toEqual([]);
  },
);

const FAULTS: readonly (readonly [defect: string, requirement: string])[] = [
  ['link-never', 'link/present-when-more'],
  ['count-remaining', 'count/stable'],
  ['count-one-more', 'count/equals-records'],
  ['follow-404', 'traversal/followable'],
  ['filled-at-most-100', 'page-size/filled'],
  ['parameters-skip-ignored', 'traversal/by-parameters'],
];

const SLOW_CHANGES = ['living-grows-at-end-slowly', 'living-grows-at-front-slowly'];

// Each fault with one of them.
test.concurrent.each(
  FAULTS.map((fault, index) => [SLOW_CHANGES[index % SLOW_CHANGES.length] ?? '', ...fault] as const),
)(
  'a fault of every answer fails its requirement although records are added: %s, %s',
  async (variant, defect, requirement) => {
    const result = await judgeMock({ variant, defects: [defect] });
    expect(withVerdict(result, 'fail', 'error')).toEqual([requirement]);
  },
);
