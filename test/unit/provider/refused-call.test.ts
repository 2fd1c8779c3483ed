import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { Exchange, HttpAnswer } from '../../../src/core/exchange.ts';
import type { JudgeInput } from '../../../src/judge/check.ts';
import { ListClient } from '../../../src/provider/list-client.ts';
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

it('a call that is refused with 404 is made again with a newer token if that of another request has ended, too', async () => {
  const mock = await openMock({ records: 1 });
  await withTokens(targetOf(mock), async (tokens) => {
    const token = await tokens.bearer();
    const { token: ended, exchange } = await tokens.requestAnother();
    const answer = { ...(exchange.answer as HttpAnswer), status: 404 };
    const refused: Exchange = { ...exchange, startedAt: exchange.startedAt + 1000, answer };
    const accepted = await callWithNewerToken(tokens, token, refused, async (newer) =>
      newer === ended ? refused : exchange,
    );
    expect(accepted.answer?.status).toBe(200);
  });
});

it('no control request is sent while it is tested whether a refused token has ended', async () => {
  const mock = await openMock({ records: 1, variant: 'token-newest-only-redirects' });
  await withTokens(targetOf(mock), async (tokens, { inputs: [input] }) => {
    const { list } = input as JudgeInput;
    const ended = await tokens.bearer();
    await tokens.requestUnshared();
    const { control } = tokens.wrong.enterProbes();
    const { requests } = tokens.history;
    const begun: number[] = [];
    let controlled = Promise.resolve();
    const call = vi.spyOn(list, 'call');
    call.mockImplementation(async (options) => {
      // The second call with the ended token: the newer one was issued.
      const times = call.mock.calls.filter(
        ([{ authorization }]) => authorization === `Bearer ${ended}`,
      ).length;
      if (times === 2 && begun.length === 0) controlled = control();
      await setImmediate();
      if (times >= 2) begun.push(requests.begun);
      return ListClient.prototype.call.call(list, options);
    });
    expect((await list.authorized(list.path)).kind).toBe('page');
    expect(new Set(begun).size).toBe(1);
    await controlled;
  });
});
