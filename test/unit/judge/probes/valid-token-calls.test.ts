import { expect, it } from 'vitest';
import type { CheckContext } from '../../../../src/judge/context.ts';
import { callWithNewToken } from '../../../../src/judge/probes/valid-token-calls.ts';
import { TokenLock } from '../../../../src/provider/wrong-requests.ts';

/** A context whose new tokens are refused; other requests of the run for tokens come between for some time. */
function disturbedUntil(endMs: number): CheckContext {
  let now = 0;
  return {
    signal: null,
    clock: {
      now: () => now,
      sleep: async (milliseconds: number) => {
        now += milliseconds;
      },
    },
    list: { call: async () => ({ answer: { status: 401 } }) },
    tokens: {
      lock: new TokenLock(),
      requestUnshared: async () => ({ token: 'new' }),
      history: { inForce: () => now >= endMs },
    },
  } as unknown as CheckContext;
}

it('a call with a new token is repeated after pauses until no other token request comes between', async () => {
  expect(await callWithNewToken(disturbedUntil(500))).toMatchObject({ answer: { status: 401 } });
});

it('a call with a new token decides nothing if other token requests keep coming between', async () => {
  await expect(callWithNewToken(disturbedUntil(Infinity))).rejects.toMatchObject({
    cause: { kind: 'intermittent' },
  });
});
