import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TargetResult } from '../../../src/core/results.ts';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { judgeBehind, verdictsOf, withVerdict } from '../../support/judge-mock.ts';
import {
  committing,
  type Fault,
  forgetting,
  once,
  outage,
  outageAt,
  randomFrom,
  replacedFrom,
  SLOWLY,
  sharedCredentials,
  some,
} from '../../support/outages.ts';

let mock: Mock;

beforeAll(async () => {
  mock = await startMock({ records: 1234 });
});

afterAll(() => mock.close());

interface Judged {
  readonly seed: number;
  readonly result: TargetResult;
}

/** Tests the provider behind each fault, several in parallel to keep the test short. */
async function judgeAll(faults: readonly Fault[]): Promise<readonly Judged[]> {
  return Promise.all(
    faults.map(async (fault, seed) => ({
      seed,
      result: await judgeBehind(mock, committing(fault), { seed, target: { limits: SLOWLY } }),
    })),
  );
}

/** Open and failed requirements, for test failures. */
function notPassed({ seed, result }: Judged): readonly string[] {
  return result.requirements
    .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped')
    .map(({ id, verdict, cause }) => `${seed}: ${id} ${verdict} ${JSON.stringify(cause)}`);
}

/** A moment of the run, in milliseconds. */
function moment(seed: number): number {
  return Math.floor(randomFrom(seed)() * 1500);
}

describe('a conforming provider stays conformant', () => {
  test.each([502, 503, 504, 'reset'] as const)(
    'behind one second of %s at a random moment',
    async (status) => {
      const judged = await judgeAll([outage(status, moment(7), 1000)]);
      expect(judged.flatMap(notPassed)).toEqual([]);
      const repeated = judged.reduce((sum, { result }) => sum + result.traffic.retries, 0);
      expect(repeated).toBeGreaterThan(0);
    },
  );

  test.each([404, 302])('as far as its links go behind one second of %s', async (status) => {
    const judged = await judgeAll([outage(status, moment(11), 1000)]);
    const verdicts = judged.map(({ result }) => verdictsOf(result)['traversal/followable']);
    expect(verdicts).not.toContain('fail');
  });

  test('as far as it needs tokens where the first token request is redirected', async () => {
    const judged = await judgeAll([once(302, 1)]);
    const blocked = judged.flatMap(({ result }) =>
      result.requirements.filter(({ cause }) => cause?.kind === 'blocked' && cause.by === 'token/issued'),
    );
    expect(blocked).toEqual([]);
  });

  test.each([
    ['with a Content-Length', 'truncate'],
    ['without one', 'cut'],
  ] as const)('behind one answer that is truncated, %s', async (_how, fault) => {
    const judged = await judgeAll([1, 46].map((at) => once(fault, at)));
    expect(judged.flatMap(notPassed)).toEqual([]);
  });
});

describe('a restart that loses all tokens', () => {
  test('leaves a conforming provider conformant, with a note', async () => {
    const judged = await Promise.all(
      [1, 10, 94].map(async (at, seed) => ({
        seed,
        result: await judgeBehind(mock, forgetting(at), { seed, target: { limits: SLOWLY } }),
      })),
    );
    expect(judged.flatMap(notPassed)).toEqual([]);
    const notes = judged.map(({ result }) =>
      result.observations.filter(({ id, attention }) => id === 'observe/token-reuse' && attention),
    );
    // The first restart precedes any token.
    expect(notes.map(({ length }) => length)).toEqual([0, 1, 1]);
  });
});

describe('a conforming provider is never failed', () => {
  test('if another user of its credentials ends tokens', async () => {
    const judged = await Promise.all(
      [1, 2, 3].map((seed) =>
        judgeBehind(mock, sharedCredentials(2000), {
          seed,
          target: { limits: SLOWLY, otherCredentials: null },
        }),
      ),
    );
    expect(judged.flatMap((result) => withVerdict(result, 'fail'))).toEqual([]);
  });

  test.each([
    ['2 % of connections that are reset', 'reset', 0.02],
    ['10 % of connections that are reset', 'reset', 0.1],
    ['5 % of answers of status 500', 500, 0.05],
  ] as const)('behind %s', async (_what, fault, share) => {
    const judged = await judgeAll([some(fault, share, 1)]);
    expect(judged.flatMap(({ result }) => withVerdict(result, 'fail'))).toEqual([]);
    expect(judged.map(({ result }) => result.outcome)).not.toContain('error');
  });

  test('behind seconds of web pages with status 200', async () => {
    const judged = await judgeAll([outageAt(40, 200, 1000), outageAt(120, 200, 4000)]);
    expect(judged.flatMap(({ result }) => withVerdict(result, 'fail'))).toEqual([]);
    expect(judged.map(({ result }) => result.outcome)).toEqual(['inconclusive', 'inconclusive']);
  });

  test('behind web pages or other answers with status 200 to the end', async () => {
    const results = [
      ...(await judgeAll([outageAt(60, 200, 60_000), outageAt(150, 200, 60_000)])).map(
        ({ result }) => result,
      ),
      await judgeBehind(mock, replacedFrom(120), { seed: 2, target: { limits: SLOWLY } }),
    ];
    expect(results.flatMap((result) => withVerdict(result, 'fail'))).toEqual([]);
    const causes = results.map(
      ({ requirements }) => requirements.find(({ id }) => id === 'list/envelope')?.cause,
    );
    expect(causes).toEqual(results.map(() => ({ kind: 'unavailable', status: 200 })));
  });

  test('behind a portal that answers everything from the second or third request on', async () => {
    const judged = await judgeAll(
      [2, 3].flatMap((at) => [outageAt(at, 200, 60_000), outageAt(at, 302, 60_000)]),
    );
    expect(judged.flatMap(({ result }) => withVerdict(result, 'fail'))).toEqual([]);
  });

  test('behind 0.6 seconds of JSON without a list or a token, or of status 204', async () => {
    const behaviours = [30, 60, 90].flatMap((at) => [
      replacedFrom(at, 600),
      committing(outageAt(at, 204, 600)),
    ]);
    const results = await Promise.all(
      behaviours.map((behaviour, seed) => judgeBehind(mock, behaviour, { seed, target: { limits: SLOWLY } })),
    );
    expect(results.flatMap((result) => withVerdict(result, 'fail'))).toEqual([]);
    const causes = results.flatMap(({ requirements }) => requirements.map(({ cause }) => cause?.kind));
    expect(causes).toContain('intermittent');
  });

  test('behind an outage that outlasts all retries', async () => {
    const judged = await judgeAll([outage(502, 300, 30_000)]);
    expect(judged.flatMap(({ result }) => withVerdict(result, 'fail'))).toEqual([]);
  });
});
