import { expect, it } from 'vitest';
import type { CheckContext } from '../../../../src/judge/context.ts';
import { Disturbed } from '../../../../src/judge/probes/valid-token-calls.ts';
import { tryWithSecondClient } from '../../../../src/judge/proofs/other-users.ts';
import { openMock, targetOf, withTokens } from '../../../support/judge-mock.ts';

it.each(['before the token of the trial is issued', 'after the token of the trial is issued'])(
  'a token request that another check begins %s disturbs the trial',
  async (when) => {
    const mock = await openMock({ records: 1, variant: 'token-newest-four-of-all-clients' });
    await withTokens(targetOf(mock), async (tokens, { inputs: [input] }) => {
      await tokens.firstAnswer();
      let isDue = when.startsWith('after');
      const others: Promise<unknown>[] = isDue ? [] : [tokens.requestUnshared()];
      let now = Date.now();
      const clock = {
        now: () => now,
        sleep: async (ms: number) => {
          now += ms;
          if (isDue) others.push(tokens.requestUnshared());
          isDue = false;
          await Promise.all(others);
        },
      };
      const context = {
        ...input,
        clock,
        signal: null,
        exercised: () => undefined,
      } as unknown as CheckContext;
      await expect(tryWithSecondClient(context, 'a token was refused', 60_000)).rejects.toBeInstanceOf(
        Disturbed,
      );
      await Promise.all(others);
    });
  },
);
