import { describe, expect, it } from 'vitest';
import { suite } from '../../../specs/suite.ts';
import { replayText } from '../../../src/cli/shared/replay-text.ts';
import type { Results } from '../../../src/core/results.ts';
import { Undecided } from '../../../src/core/undecided.ts';
import type { Check } from '../../../src/judge/check.ts';
import type { MockOptions } from '../../../src/mock/index.ts';
import { makeTarget, type TargetParts } from '../../../src/target/make.ts';
import { corpus } from '../../support/hostile/corpus.ts';
import { frontOf, startGround, targetFor } from '../../support/hostile/judge-hostile.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { runAndReplay } from '../../support/replayed.ts';

/** Accepted altered tokens, shrunk cases, endless traversals. privacy.test.ts replays defects of items and count. */
const DEFECTS = [
  'session-cookie-of-token-admits',
  'expires-in-two-hours',
  'jwt-signature-unchecked',
  'skip-one-too-many',
  'refusal-spoils-next-call',
  'page-size-of-the-call-before',
  'page-empty-when-repeated',
  'second-use-500',
];

/** Changing data, tokens that revoke each other, large answers, throttled requests. */
const VARIANTS = ['living-replaced-at-once', 'token-newest-only', 'names-long', 'unavailable-once'];

/** Tokens of one letter, very long tokens, and tokens truncated in a link. */
const DIFFICULT = [
  'issues tokens of one letter',
  'issues tokens of a megabyte',
  'puts the token into its links and its count',
];
/** Truncated, endless and invalid answers; tokens that are invalid in a header. */
const HOSTILE = corpus.filter(
  ({ does, bomb }, index) => DIFFICULT.includes(does) || (index % 96 === 3 && bomb === undefined),
);

async function expectSame(options: MockOptions, parts: Partial<TargetParts> = {}): Promise<Results> {
  const mock = await openMock(options);
  const target = targetOf(mock, { expiredToken: mock.expiredToken, ...parts });
  // The provider is stopped before the replay.
  const { results, again } = await runAndReplay([target], {}, { between: () => mock.close() });
  expect(again.missing).toEqual([]);
  expect(again.differences).toEqual([]);
  return results;
}

describe('a replay gives the same verdicts', () => {
  it.each(DEFECTS)('of the defect %s', async (defect) => {
    expect((await expectSame({ defects: [defect] })).outcome).toBe('non-conformant');
  });

  it.each(VARIANTS)('of the variant %s', async (variant) => {
    await expectSame({ variant });
  });

  it.each(['secret', 'password', 'Tenant', 'scope', 'Pässwort-ÄÖ9'])(
    'of a client with the secret %s',
    async (secret) => {
      const credentials = { clientId: 'client', clientSecret: secret, scope: 'printers.read' };
      expect((await expectSame({ credentials })).outcome).toBe('conformant');
    },
  );

  it.each(HOSTILE)('of a server that $does', async (hostile) => {
    const ground = await startGround();
    const front = await frontOf(hostile, ground);
    try {
      const target = makeTarget(targetFor(hostile, front.origin, ground));
      const { again } = await runAndReplay([target], { environment: {} }, { between: () => front.close() });
      expect(again.missing).toEqual([]);
      expect(again.differences).toEqual([]);
    } finally {
      await front.close();
      await ground.close();
    }
  });

  it.each([25, 120])('of a run that was stopped after %i requests', async (most) => {
    const mock = await openMock({ latencyMs: 5 });
    const stop = new AbortController();
    const { results, again } = await runAndReplay([targetOf(mock)], {
      signal: stop.signal,
      expiry: true,
      listener: (event) => {
        if (event.type === 'progress' && event.requests > most) stop.abort();
      },
    });
    expect(results.run.complete).toBe(false);
    const passed = results.targets[0]?.requirements.some(({ verdict }) => verdict === 'pass');
    if (most > 50) expect(passed).toBe(true);
    expect(again.missing).toEqual([]);
    expect(again.differences).toEqual([]);
  });

  it.each([3, 134])('of a run that was stopped while request %i and others were under way', async (most) => {
    const mock = await openMock({ latencyMs: 30 });
    const stop = new AbortController();
    const watch = setInterval(() => {
      if (mock.requests() >= most) stop.abort();
    }, 1);
    try {
      const { results, again } = await runAndReplay([targetOf(mock)], { signal: stop.signal });
      expect(results.run.complete).toBe(false);
      expect(again.missing).toEqual([]);
      expect(again.differences).toEqual([]);
    } finally {
      clearInterval(watch);
    }
  });

  it('of waiting for a token to expire, without new requests', async () => {
    // Slow enough for a busy machine to finish the other checks before their token must be renewed.
    const mock = await openMock({ clockRate: 360 });
    const target = targetOf(mock, { expiry: { clockRate: 360 } });
    let asked = 0;
    const between = (): Promise<void> => {
      asked = mock.requests();
      return Promise.resolve();
    };
    const { results, again } = await runAndReplay([target], { expiry: true }, { between });
    expect(results.outcome).toBe('conformant');
    expect(again.missing).toEqual([]);
    expect(again.differences).toEqual([]);
    expect(asked).toBeGreaterThan(0);
    expect(mock.requests()).toBe(asked);
  });

  it('of several targets, and of one of them alone', async () => {
    const mocks = [await openMock(), await openMock({ tokens: 'opaque', defects: ['count-of-page'] })];
    // The secrets of both have the same labels.
    const targets = mocks.map((mock, index) =>
      targetOf(mock, { name: `target-${index}`, expiredToken: mock.expiredToken }),
    );
    const { results, again } = await runAndReplay(targets);
    expect(results.targets.map(({ outcome }) => outcome)).toEqual(['conformant', 'non-conformant']);
    expect(again.targets).toHaveLength(2);
    expect(again.missing).toEqual([]);
    expect(again.differences).toEqual([]);
    const { again: alone } = await runAndReplay(targets, { suite: 'smoke' }, { only: 'target-1' });
    expect(alone.targets.map(({ name }) => name)).toEqual(['target-1']);
    expect(alone.differences).toEqual([]);
  });
});

describe('a replay by a newer Assay', () => {
  it('lists changed verdicts with their checks, and answers missing from the evidence', async () => {
    const changed: readonly Check[] = suite.map((one) => {
      if (one.requirement.id === 'count/present')
        return {
          ...one,
          judge: async () => {
            throw new Undecided({ kind: 'limit', limit: 'maxPages' }, 'it is judged otherwise now');
          },
        };
      if (one.requirement.id === 'list/items')
        return {
          ...one,
          judge: async (context) => {
            await context.snapshot.query('$pagesize=11&$orderby=id');
            context.exercised();
          },
        };
      return one;
    });
    const mock = await openMock({});
    const { results, again } = await runAndReplay([targetOf(mock)], {}, { checks: changed });
    expect(again.isSameBuild).toBe(null);
    expect(again.missing).toEqual([
      { request: 'GET /v1/printers?$pagesize=11&$orderby=id', check: 'list/items' },
    ]);
    const verdicts = again.differences.filter(({ field }) => field === 'verdict');
    expect(verdicts.map(({ of, then, now }) => [of, then, now])).toEqual([
      ['list/items (printers)', 'pass', 'inconclusive'],
      ['count/present (printers)', 'pass', 'inconclusive'],
    ]);
    const words = replayText(results, again);
    expect(words).toContain(
      'the evidence contains no answer to GET /v1/printers?$pagesize=11&$orderby=id, for list/items',
    );
  });
});
