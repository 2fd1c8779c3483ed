import { describe, expect, it } from 'vitest';
import type { ReceivedRequest } from '../../../../src/mock/pipeline.ts';
import { createRuleEngine, delayOf, type RuleEffects } from '../../../../src/mock/scenario/rule-engine.ts';
import type { Behaviour, Call } from '../../../../src/mock/scenario/scenario.ts';

function request(headers: ReceivedRequest['headers'] = {}): ReceivedRequest {
  const target = '/v1/printers';
  const parts = { target, path: target, query: '', headers, body: Buffer.alloc(0), connection: {} };
  return { number: 1, method: 'GET', repeated: () => [], ...parts };
}

/** The numbers of the requests to which the first rule applies, from 1. */
function hits(rule: NonNullable<Behaviour['rules']>[number], calls: readonly Call[]): readonly number[] {
  const engine = createRuleEngine({ rules: [rule] }, 1);
  return calls.flatMap((call, index) =>
    engine.evaluate(request(), call, 0).rules.length > 0 ? [index + 1] : [],
  );
}

const lists = (count: number): readonly Call[] => Array.from({ length: count }, () => 'list');

describe('a rule', () => {
  it('without conditions applies to every request', () => {
    expect(hits({}, ['token', 'list', 'other'])).toEqual([1, 2, 3]);
  });

  it('applies from one request to another', () => {
    expect(hits({ when: { requests: { from: 2, to: 3 } } }, lists(5))).toEqual([2, 3]);
    expect(hits({ when: { requests: { from: 4 } } }, lists(5))).toEqual([4, 5]);
  });

  it('applies to every n-th request', () => {
    expect(hits({ when: { every: 3 } }, lists(7))).toEqual([3, 6]);
  });

  it('applies to every n-th of the matching calls', () => {
    const calls: readonly Call[] = ['token', 'list', 'list', 'token', 'list', 'list'];
    expect(hits({ when: { call: 'list', every: 2 } }, calls)).toEqual([3, 6]);
    expect(hits({ when: { call: 'token', requests: { from: 2 } } }, calls)).toEqual([4]);
  });

  it('applies during a time span', () => {
    const engine = createRuleEngine({ rules: [{ when: { elapsedSeconds: { from: 5, to: 10 } } }] }, 1);
    const at = [0, 4.9, 5, 10, 10.1];
    expect(at.map((seconds) => engine.evaluate(request(), 'list', seconds).rules.length)).toEqual([
      0, 0, 1, 1, 0,
    ]);
  });

  it('applies to requests with a header, in any letter case of its name', () => {
    const engine = createRuleEngine(
      { rules: [{ when: { header: { 'X-Scenario': 'broken' } } }, { when: { header: { 'x-any': '*' } } }] },
      1,
    );
    const rules = (headers: ReceivedRequest['headers']) => engine.evaluate(request(headers), 'list', 0).rules;
    expect(rules({})).toEqual([]);
    expect(rules({ 'x-scenario': 'fine' })).toEqual([]);
    expect(rules({ 'x-scenario': 'broken' })).toEqual(['rule 1']);
    expect(rules({ 'x-scenario': 'broken', 'x-any': '' })).toEqual(['rule 1', 'rule 2']);
  });
});

describe('of several rules', () => {
  const behaviour: Behaviour = {
    defects: ['a'],
    latency: { fixedMs: 7 },
    rules: [
      { name: 'first', defects: ['b'], answer: { status: 500 }, latency: { fixedMs: 1 } },
      { name: 'second', when: { every: 2 }, defects: ['c', 'b'], answer: { status: 503 } },
    ],
  };

  it('defects are combined; for other members, the later rule takes precedence', () => {
    const engine = createRuleEngine(behaviour, 1);
    const once = engine.evaluate(request(), 'list', 0);
    expect(once).toEqual<RuleEffects>({
      rules: ['first'],
      defects: ['a', 'b'],
      delayMs: 1,
      answer: { status: 500 },
      reset: false,
      truncate: undefined,
    });
    const twice = engine.evaluate(request(), 'list', 0);
    expect(twice).toMatchObject({ defects: ['a', 'b', 'c'], delayMs: 1, answer: { status: 503 } });
    expect(engine.counts()).toEqual([
      { name: 'first', met: 2, applied: 2 },
      { name: 'second', met: 2, applied: 1 },
    ]);
  });

  it.each<{ rules: NonNullable<Behaviour['rules']>; isReset: boolean }>([
    { rules: [{ reset: true }, { answer: { status: 503 } }], isReset: false },
    { rules: [{ reset: true }, { truncate: 0.5 }], isReset: false },
    { rules: [{ reset: true }, { reset: false }], isReset: false },
    { rules: [{ reset: true }, { latency: { fixedMs: 1 } }], isReset: true },
    { rules: [{ answer: { status: 503 } }, { reset: true }], isReset: true },
    { rules: [{ reset: true, answer: { status: 503 } }], isReset: true },
  ])('a later answer replaces an earlier reset, but not the reverse: $rules', ({ rules, isReset }) => {
    expect(createRuleEngine({ rules }, 1).evaluate(request(), 'list', 0).reset).toBe(isReset);
  });
});

describe('a latency', () => {
  it('follows its profile', () => {
    expect(delayOf({ fixedMs: 12 }, 0.9)).toBe(12);
    expect([0, 0.5, 0.75].map((drawn) => delayOf({ uniformMs: [10, 30] }, drawn))).toEqual([10, 20, 25]);
    const profile = { percentilesMs: { p50: 20, p90: 100, max: 300 } };
    expect([0, 0.25, 0.5, 0.7, 0.95].map((drawn) => Math.round(delayOf(profile, drawn)))).toEqual([
      0, 10, 20, 60, 200,
    ]);
    expect(delayOf({ percentilesMs: { min: 5, p99: 5 } }, 0.999)).toBe(5);
  });

  it('is drawn according to the percentiles, and depends on the seed', () => {
    const draw = (seed: number): readonly number[] => {
      const engine = createRuleEngine({ latency: { percentilesMs: { p50: 20, p99: 100, max: 500 } } }, seed);
      return lists(4000).map((call) => engine.evaluate(request(), call, 0).delayMs);
    };
    const delays = draw(7).toSorted((left, right) => left - right);
    expect(delays[2000]).toBeGreaterThan(18);
    expect(delays[2000]).toBeLessThan(23);
    expect(delays[3959]).toBeGreaterThan(90);
    expect(delays.at(-1)).toBeLessThanOrEqual(500);
    expect(draw(7)).toEqual(draw(7));
    expect(draw(8)).not.toEqual(draw(7));
  });
});
