import { describe, expect, test } from 'vitest';
import { suite } from '../../../specs/suite.ts';
import type { Check } from '../../../src/judge/check.ts';
import { USES_BEFORE } from '../../../src/judge/probes/list-refusals.ts';
import { defects, variants } from '../../../src/mock/index.ts';
import { judgeMock, requirementOf, withVerdict } from '../../support/judge-mock.ts';

/** The suite with checks that find nothing themselves: only sequences can fail. */
const sequencesOnly: readonly Check[] = suite.map((check) => ({
  ...check,
  judge: async (context) => {
    await context.snapshot.traversal(null);
    context.exercised();
  },
}));

describe('sequences of requests', () => {
  // The steps are a token, the calls that lead to the breach, and those that rule out another explanation.
  test.each([
    ['link-works-once', 5],
    ['refusal-spoils-next-call', 5 + USES_BEFORE],
    ['cache-open-without-token-after-two-uses', 4 + 2 * USES_BEFORE],
    ['cache-open-to-any-token-after-two-uses', 4 + USES_BEFORE],
    ['page-size-of-the-call-before', 3],
    ['other-token-gets-an-empty-page', 2],
  ])('find %s, and shrink to at most %i steps', async (id, most) => {
    const [must] = defects.find((defect) => defect.id === id)?.must ?? [];
    const result = await judgeMock({ defects: [id] }, { checks: sequencesOnly, seed: 7 });
    expect(withVerdict(result, 'fail')).toContain(must);
    const [violation] = requirementOf(result, must ?? '').violations;
    const steps = violation?.counterexample?.['steps'] as readonly string[];
    expect(violation?.curl.split('\n')).toHaveLength(steps.length);
    expect(steps.length).toBeLessThanOrEqual(most);
  });

  // Some variants with other seeds than those of `assay prove`, which judges all.
  const runs = Array.from({ length: 50 }, (_, index) => [
    variants[(index * 4) % variants.length]?.id,
    1000 + index,
  ]);
  test.each(runs)('never fail the conforming variant %s (seed %i)', async (variant, seed) => {
    const result = await judgeMock(
      { variant: String(variant) },
      { checks: sequencesOnly, seed: Number(seed) },
    );
    expect(withVerdict(result, 'fail', 'error')).toEqual([]);
  });
});

test('smoke sends no sequences, full about 30 requests', async () => {
  const sent = async (checks: readonly Check[], suite: 'smoke' | 'full'): Promise<number> =>
    (await judgeMock({}, { checks, suite })).received;
  // Sequences violate none of its rules.
  const without = sequencesOnly.filter(({ requirement }) => requirement.id === 'traversal/terminates');
  expect(await sent(sequencesOnly, 'smoke')).toBe(await sent(without, 'smoke'));
  const further = (await sent(sequencesOnly, 'full')) - (await sent(without, 'full'));
  expect(further).toBeGreaterThanOrEqual(20);
  expect(further).toBeLessThanOrEqual(40);
});

test('the same seed sends the same requests in the same order if they are sent one by one', async () => {
  const sent = async (seed: number): Promise<readonly string[]> => {
    const targets: string[] = [];
    await judgeMock(
      { control: { onLine: ({ target }) => void targets.push(target) } },
      { checks: sequencesOnly, seed, target: { limits: { concurrency: 1 } } },
    );
    return targets;
  };
  expect(await sent(11)).toEqual(await sent(11));
  expect(await sent(11)).not.toEqual(await sent(12));
});
