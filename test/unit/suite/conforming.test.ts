import { describe, expect, it } from 'vitest';
import { requirements } from '../../../specs/catalogue.ts';
import { MAX_FOLLOWED } from '../../../src/judge/probes/first-pages.ts';
import { traversalSizes } from '../../../src/judge/probes/page-sizes.ts';
import { seededNumber } from '../../../src/judge/property.ts';
import { judgeMock, requirementOf, withVerdict } from '../../support/judge-mock.ts';

const SEED = 42;

/** Requests of a full run without pages of traversals. */
const MAX_REQUESTS = 200;

/** Further requests for lists that have other boundary sizes than one of 1,234 records. */
const FOR_OTHER_LENGTHS = 4;

/**
 * Pages of the whole traversals of a full run, the last one of the first traversal twice, and those of the partial ones: the first 3
 * with size 1 and with a small size, and the first 2 with each size that is followed; for the second client those behind the
 * first one, up to the fourth.
 */
function pagesOfTraversals(records: number): number {
  const sizes = [500, ...traversalSizes(records, seededNumber(SEED, 'traversal size'))];
  const ofSecondClient = Math.min(3, Math.ceil(records / 500) - 1);
  const ofWhole = sizes.reduce((pages, size) => pages + Math.ceil(records / size), 0);
  return ofWhole + 1 + 6 + 2 * MAX_FOLLOWED + ofSecondClient;
}

const EXPIRY = ['token/accepted-until-expiry', 'token/refused-after-expiry'];

describe('the conforming reference provider', () => {
  it.each(['jwt', 'opaque'] as const)(
    'is conformant with %s tokens, within its budget of requests',
    async (tokens) => {
      const result = await judgeMock({ tokens }, { seed: SEED });
      expect(result.outcome).toBe('conformant');
      expect(withVerdict(result, 'pass')).toHaveLength(requirements.length - EXPIRY.length);
      expect(withVerdict(result, 'skipped')).toEqual(EXPIRY);
      expect(result.received).toBeLessThanOrEqual(MAX_REQUESTS + pagesOfTraversals(1234));
      expect(result.traffic.requests).toBe(result.received);
      expect(result.records).toEqual({ printers: 1234 });
    },
  );

  it.each(['jwt', 'opaque'] as const)(
    'passes every requirement where its clock runs faster (%s)',
    async (tokens) => {
      const result = await judgeMock({ tokens, clockRate: 1800 }, { expiry: true });
      expect(withVerdict(result, 'fail', 'error', 'inconclusive', 'skipped')).toEqual([]);
      expect(withVerdict(result, 'pass')).toHaveLength(requirements.length);
    },
  );

  it('is tested on a second attempt if many records were added during the first', async () => {
    const result = await judgeMock({ variant: 'living-imported' });
    // These need more than 500 records in the first snapshot.
    expect(withVerdict(result, 'inconclusive', 'fail', 'error')).toEqual([
      'page-size/default',
      'page-size/maximum',
    ]);
  });

  it('is conformant if it closes connections', async () => {
    const result = await judgeMock({ variant: 'odd-page-sizes-dropped' }, { seed: SEED });
    expect(result.outcome).toBe('conformant');
  });

  it('is conformant if page sizes above the maximum give empty pages without a count', async () => {
    // This seed draws such a page size with a $skip.
    const result = await judgeMock({ variant: 'above-maximum-empty' }, { seed: 7 });
    expect(result.outcome).toBe('conformant');
  });

  it('is conformant in a smoke run of at most 20 requests', async () => {
    const result = await judgeMock({}, { suite: 'smoke' });
    expect(result.outcome).toBe('conformant');
    expect(withVerdict(result, 'pass')).toHaveLength(requirements.filter(({ smoke }) => smoke).length);
    expect(result.received).toBeLessThanOrEqual(20);
  });

  it('needs a second provider and a budget of wrong secrets for some requirements', async () => {
    const result = await judgeMock(
      {},
      { target: { otherCredentials: null, probes: { wrongCredentials: 0 } } },
    );
    expect(requirementOf(result, 'token/provider-isolation').verdict).toBe('skipped');
    expect(requirementOf(result, 'token/secret').verdict).toBe('inconclusive');
    expect(result.outcome).toBe('inconclusive');
  });

  it.each([
    // A requirement that cannot be violated with so few records must not pass.
    [
      0,
      [
        'authorization/required',
        'list/items',
        'page-size/limit',
        'page-size/filled',
        'link/relative',
        'traversal/no-duplicates',
      ],
    ],
    [
      1,
      [
        'page-size/limit',
        'page-size/default',
        'link/present-when-more',
        'traversal/same-records',
        'authorization/required-on-every-page',
      ],
    ],
    [2, ['page-size/default', 'page-size/maximum']],
    [499, ['page-size/default', 'page-size/maximum']],
    [500, ['page-size/default', 'page-size/maximum']],
    [501, []],
    [1000, []],
    [25_000, []],
  ])(
    'with %i records is failed in nothing, and passes nothing that could not have failed',
    async (records, cannotShow) => {
      const result = await judgeMock({ records }, { seed: SEED });
      expect(withVerdict(result, 'fail', 'error')).toEqual([]);
      for (const id of cannotShow) expect.soft(requirementOf(result, id).verdict, id).toBe('inconclusive');
      for (const one of result.requirements) {
        if (one.verdict === 'pass') expect.soft(one.cases, one.id).toBeGreaterThan(0);
        else expect.soft(one.reason, one.id).toMatch(/\S/);
      }
      expect(result.outcome).toBe(cannotShow.length > 0 ? 'inconclusive' : 'conformant');
      if (records <= 1000)
        expect(result.received).toBeLessThanOrEqual(
          MAX_REQUESTS + FOR_OTHER_LENGTHS + pagesOfTraversals(records),
        );
    },
  );

  it('receives the same requests with the same seed', async () => {
    const once = await judgeMock({ records: 700 }, { seed: 7 });
    const again = await judgeMock({ records: 700 }, { seed: 7 });
    const summary = (result: typeof once) =>
      result.requirements.map(({ id, verdict, cases }) => [id, verdict, cases]);
    expect(summary(again)).toEqual(summary(once));
    expect(again.received).toBe(once.received);
  });
});
