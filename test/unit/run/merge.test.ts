import { expect, test } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import { mergeShards } from '../../../src/run/merge.ts';

const MERGED = { id: 'merged', command: 'assay merge one two' };

function shard(index: number, run: Partial<Results['run']> = {}): Results {
  return {
    format: 'assay-results/1',
    tool: { name: 'assay', version: '1.0.0', node: 'v20.20.2' },
    run: {
      id: `shard-${index}`,
      startedAt: '2026-11-30T08:00:00.000Z',
      finishedAt: '2026-11-30T08:10:00.000Z',
      suite: 'certify',
      seed: 1,
      complete: true,
      command: 'assay run',
      shard: { index, of: 2, files: 'digest' },
      ...run,
    },
    outcome: 'conformant',
    targets: [],
  };
}

test('the merged run names the issuer of its shards', () => {
  const issuer = 'Test Body';
  expect(mergeShards([shard(1, { issuer }), shard(2, { issuer })], MERGED).results.run.issuer).toBe(issuer);
  expect(mergeShards([shard(1), shard(2)], MERGED).results.run).not.toHaveProperty('issuer');
});

test('shards of different issuers are not merged', () => {
  const merge = () => mergeShards([shard(1, { issuer: 'Test Body' }), shard(2)], MERGED);
  expect(merge).toThrow('issuer');
});
