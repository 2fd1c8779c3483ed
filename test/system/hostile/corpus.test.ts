import { describe, expect, it } from 'vitest';
import { contentCorpus, corpus } from '../../support/hostile/corpus.ts';
import { judgeHostile, startGround } from '../../support/hostile/judge-hostile.ts';
import { conforming, testServers } from '../../support/hostile/server-tests.ts';

describe('the corpus', () => {
  it('has at least 80 servers, and a name for each', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(80);
    expect(new Set(corpus.map(({ does }) => does)).size).toBe(corpus.length);
  });

  it('is built on a provider that conforms', async () => {
    const ground = await startGround();
    try {
      const judged = await judgeHostile(conforming, ground);
      expect(judged.with('fail', 'error')).toEqual([]);
      expect(judged.with('pass').length).toBeGreaterThan(30);
    } finally {
      await ground.close();
    }
  });
});

testServers(contentCorpus);
