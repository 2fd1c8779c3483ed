import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { callWithNewerToken } from '../../../src/provider/refused-call.ts';
import { openMock, targetOf, withTokens } from '../../support/judge-mock.ts';

it('no control request, which may end the newer token, is sent while a refused call is made again', async () => {
  const mock = await openMock({ records: 1 });
  await withTokens(targetOf(mock), async (tokens) => {
    const token = await tokens.bearer();
    const { exchange: refused } = await tokens.requestAnother();
    const { control } = tokens.wrong.enterProbes();
    const { requests } = tokens.history;
    let controlled = Promise.resolve();
    await callWithNewerToken(tokens, token, refused, async (): Promise<Exchange> => {
      const { begun } = requests;
      controlled = control();
      await setImmediate();
      expect(requests.begun).toBe(begun);
      return refused;
    });
    const { begun } = requests;
    await controlled;
    expect(requests.begun).toBe(begun + 1);
  });
});
