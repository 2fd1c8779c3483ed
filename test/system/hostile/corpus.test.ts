import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapStrings } from '../../../src/core/json-text.ts';
import { corpus } from '../../support/hostile/corpus.ts';
import type { Hostile } from '../../support/hostile/hostile.ts';
import { type Ground, judgeHostile, secretsOf, startGround } from '../../support/hostile/judge-hostile.ts';

const conforming: Hostile = {
  id: 'conforming',
  does: 'answers as it should',
  how: ({ answer }) => answer,
};

let ground: Ground;
/** Verdicts without alterations. */
let passing: readonly string[] = [];

beforeAll(async () => {
  ground = await startGround();
  passing = (await judgeHostile(conforming, ground)).with('pass');
});
afterAll(async () => {
  await ground.close();
});

describe('the corpus', () => {
  it('has at least 80 servers with unique names', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(80);
    expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
  });

  it('is built on a provider that conforms', async () => {
    const judged = await judgeHostile(conforming, ground);
    expect(judged.with('fail', 'error')).toEqual([]);
    expect(passing.length).toBeGreaterThan(30);
  });
});

describe.concurrent('a server that', () => {
  // Bombs are tested in processes of their own, with their memory.
  it.each(corpus.filter(({ bomb }) => bomb === undefined))('$does ($id)', async (hostile) => {
    const judged = await judgeHostile(hostile, ground);
    const { results, written } = judged;
    expect(results.outcome).not.toBe('conformant');
    expect(results.run.complete).toBe(true);
    expect(judged.with('pass').length).toBeLessThan(passing.length);
    // One, because of `retries`, plus requests that began before it ended. If each request waited, there
    // would be seven or more.
    expect(judged.timeouts).toBeLessThan(6.5);
    for (const { verdict, reason } of results.targets[0]?.requirements ?? []) {
      if (verdict !== 'pass') expect(reason).toMatch(/\S/);
      expect(reason ?? '').not.toMatch(/Assay itself failed|\n\s*at |\.[jt]s:\d+|TypeError|RangeError/);
    }
    for (const { violations } of results.targets[0]?.requirements ?? [])
      for (const { message } of violations) expect(message.length).toBeLessThan(4002);
    mapStrings(results, (text) => {
      expect(text.isWellFormed()).toBe(true);
      return text;
    });
    for (const secret of secretsOf(ground)) expect(written.includes(secret)).toBe(false);
    expect(ground.third.heard()).toBe(0);
  });
});
