import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corpus } from './corpus.ts';
import type { Hostile } from './hostile.ts';
import { type Ground, judgeHostile, startGround } from './judge-hostile.ts';

/** Seconds within which every judgement ends, several going on at a time on a busy machine. */
const DEADLINE = 60;

const conforming: Hostile = {
  id: 'conforming',
  does: 'answers as it should',
  how: ({ answer }) => answer,
};

let ground: Ground;
/** What passes where nothing is spoilt. */
let passing: readonly string[] = [];

beforeAll(async () => {
  ground = await startGround();
  passing = (await judgeHostile(conforming, ground)).with('pass');
});
afterAll(async () => {
  await ground.close();
});

describe('the corpus', () => {
  it('has at least 80 servers, each with a name of its own', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(80);
    expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
  });

  it('stands before a provider that conforms', async () => {
    const judged = await judgeHostile(conforming, ground);
    expect(judged.with('fail', 'error')).toEqual([]);
    expect(passing.length).toBeGreaterThan(30);
  });
});

describe.concurrent('a server that', () => {
  it.each(corpus)('$does ($id)', async (hostile) => {
    const judged = await judgeHostile(hostile, ground);
    const { results, written, seconds } = judged;
    expect(results.outcome).not.toBe('conformant');
    expect(results.run.complete).toBe(true);
    expect(judged.with('pass').length).toBeLessThan(passing.length);
    expect(seconds).toBeLessThan(DEADLINE);
    for (const { verdict, reason } of results.targets[0]?.requirements ?? []) {
      if (verdict !== 'pass') expect(reason).toMatch(/\S/);
      expect(reason ?? '').not.toMatch(/Assay itself failed|\n\s*at |\.[jt]s:\d+|TypeError|RangeError/);
    }
    for (const secret of secretsOf(ground)) expect(written.includes(secret)).toBe(false);
    expect(ground.third.heard()).toBe(0);
  });
});

/** The configured secrets as they are, and as Base64 writes them. */
function secretsOf({ mock }: Ground): readonly string[] {
  const plain = [mock.credentials.clientSecret, mock.otherCredentials.clientSecret, mock.expiredToken];
  return plain.flatMap((secret) => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')]);
}
