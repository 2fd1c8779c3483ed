import { expect, it } from 'vitest';
import type { JudgeInput } from '../../../../src/judge/check.ts';
import type { CheckContext } from '../../../../src/judge/context.ts';
import { secondClientPages } from '../../../../src/judge/probes/second-client.ts';
import { openMock, targetOf, withTokens } from '../../../support/judge-mock.ts';

it('pages of the second client are compared with the snapshot of each attempt if both clients have one list', async () => {
  const mock = await openMock({ records: 20 });
  await withTokens(targetOf(mock), async (_tokens, { inputs: [input] }) => {
    const { snapshots, newSnapshots } = input as JudgeInput;
    for (const snapshot of [snapshots.at(0), newSnapshots().at(0)]) {
      const given = await secondClientPages({
        ...input,
        snapshot,
        random: () => 7,
      } as unknown as CheckContext);
      expect(given.pages).not.toEqual([]);
      expect(given.snapshot).toBe(snapshot);
    }
  });
});
