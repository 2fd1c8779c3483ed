import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapStrings } from '../../../src/core/json-text.ts';
import type { Suite } from '../../../src/core/results.ts';
import type { Hostile } from './hostile.ts';
import { type Ground, judgeHostile, secretsOf, startGround } from './judge-hostile.ts';

export const conforming: Hostile = {
  does: 'answers as it should',
  how: ({ answer }) => answer,
};

/** Declares a test of each server: no pass without proof, no failure of Assay, no secret in the output. */
export function testServers(servers: readonly Hostile[]): void {
  let ground: Ground;
  /** Number of requirements that a provider without alterations passes. */
  let passing: { readonly [suite in Suite]?: number } = {};

  beforeAll(async () => {
    ground = await startGround();
    const passed = async (suite: Suite) =>
      (await judgeHostile(conforming, ground, suite)).with('pass').length;
    passing = { smoke: await passed('smoke'), full: await passed('full') };
  });
  afterAll(async () => {
    await ground.close();
  });

  describe.concurrent('a server that', () => {
    // Bombs are tested in processes of their own, with their memory.
    const tested = servers.filter(({ bomb }) => bomb === undefined);
    it.each(tested.map((hostile, index) => ({ ...hostile, index })))(
      '$does',
      async ({ index, ...hostile }) => {
        // All requirements meet each kind of misbehaviour; a fifth of the servers is enough for that.
        const suite = hostile.steady && index % 5 !== 0 ? 'smoke' : 'full';
        const judged = await judgeHostile(hostile, ground, suite);
        const { results, written } = judged;
        expect(results.outcome).not.toBe('conformant');
        expect(results.run.complete).toBe(true);
        expect(judged.with('pass').length).toBeLessThan(passing[suite] ?? 0);
        // One, because of `retries`, plus requests that began before it ended. If each request waited, there
        // would be seven or more.
        expect(judged.timeouts).toBeLessThanOrEqual(6);
        for (const { id, verdict, reason, cause } of results.targets[0]?.requirements ?? []) {
          if (verdict !== 'pass') expect(reason).toMatch(/\S/);
          expect(cause?.kind, `${id}: ${reason}`).not.toBe('harness');
          expect(reason ?? '').not.toMatch(/\n\s*at |\.[jt]s:\d+|TypeError|RangeError/);
        }
        for (const { violations } of results.targets[0]?.requirements ?? [])
          for (const { message } of violations) expect(message.length).toBeLessThan(4002);
        const malformed: string[] = [];
        mapStrings(results, (text) => {
          if (!text.isWellFormed()) malformed.push(text);
          return text;
        });
        expect(malformed).toEqual([]);
        for (const secret of secretsOf(ground)) expect(written.includes(secret)).toBe(false);
        expect(ground.third.heard()).toBe(0);
      },
    );
  });
}
