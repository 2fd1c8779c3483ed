import { expect, it } from 'vitest';
import type { CheckContext } from '../../../../src/judge/context.ts';
import { expectNoEarlyExpiry } from '../../../../src/judge/proofs/early-expiry.ts';
import { Violation } from '../../../../src/judge/violation.ts';

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

/** List calls after which the provider of the next test ends a token. */
const USES = 12;

/** A context in which tokens end after some uses, and the run's first token ended on a link that only it can follow. */
function contextOfBoundLinks(): CheckContext {
  let now = 0;
  let requests = 1;
  const uses = new Map<string, number>();
  const link = '/v1/printers?$skip=500&for=token-1';
  const statusFor = (token: string, target: string): number => {
    const used = uses.get(token) ?? 0;
    if (used >= USES || (target === link && token !== 'token-1')) return 401;
    uses.set(token, used + 1);
    return 200;
  };
  const ofRun = { number: 1, request: { target: link }, answer: { status: 401 } };
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const context = {
    target: { otherCredentials: null, expiry: { clockRate: 1 } },
    signal: null,
    clock,
    exercised: () => undefined,
    list: {
      path: '/v1/printers',
      readAndNote: () => undefined,
      call: async ({
        authorization,
        target = '/v1/printers',
      }: {
        authorization: string;
        target?: string;
      }) => ({
        number: ++now,
        startedAt: now,
        durationMs: 0,
        retry: 0,
        request: { target },
        answer: { status: statusFor(authorization.slice('Bearer '.length), target), headers: [], body: [] },
      }),
    },
    tokens: {
      history: {
        endings: [
          { token: 'token-1', refused: ofRun, ageMs: 100, uses: USES, targets: [link], isUnexplained: true },
        ],
        answersToValidRequests: () => [],
        get requests() {
          return { begun: requests };
        },
      },
      lock: { runAlone: (work: () => Promise<void>) => work() },
      requestUnshared: async () => ({
        token: `token-${++requests}`,
        requestedAt: now,
        answeredAt: now,
        exchange: { number: ++now },
      }),
    },
  };
  return context as unknown as CheckContext;
}

it('tries uses on after the refusal of a link that is bound to another token', async () => {
  await expect(expectNoEarlyExpiry(contextOfBoundLinks())).rejects.toBeInstanceOf(Violation);
});
