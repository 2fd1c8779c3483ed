import { expect, it } from 'vitest';
import type { CheckContext } from '../../../../src/judge/context.ts';
import { expectNoEarlyExpiry } from '../../../../src/judge/proofs/early-expiry.ts';

/** A context in which the list refuses every token but `fresh`; the run got these tokens, null for a refused request. */
function contextOf(tokens: readonly (string | null)[]): {
  readonly context: CheckContext;
  readonly ended: string[];
} {
  const ended: string[] = [];
  const context = {
    options: { suite: 'full' },
    random: () => 7,
    list: {
      path: '/v1/printers',
      history: { wasAccepted: true },
      call: ({ authorization }: { readonly authorization: string }) =>
        Promise.resolve({ answer: { status: authorization === 'Bearer fresh' ? 200 : 401 } }),
      readAndNote: () => undefined,
    },
    tokens: {
      history: {
        endings: [],
        answersToValidRequests: () => tokens.map((token) => ({ token })),
        noteEarlyExpiry: (token: string) => ended.push(token),
      },
      requestUnshared: () => Promise.resolve({ token: 'fresh' }),
    },
  };
  return { context: context as unknown as CheckContext, ended };
}

it.each([[['first', 'second']], [[null, 'first', 'second']]])(
  'tries the first token that was issued in %j',
  async (tokens) => {
    const { context, ended } = contextOf(tokens);
    await expectNoEarlyExpiry(context);
    expect(ended).toEqual(['first']);
  },
);

it('tries no token if none was issued', async () => {
  const { context, ended } = contextOf([null]);
  await expectNoEarlyExpiry(context);
  expect(ended).toEqual([]);
});
