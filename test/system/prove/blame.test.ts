import { describe, expect, it } from 'vitest';
import { defects } from '../../../src/mock/index.ts';
import { proveHere } from '../../support/prove.ts';

describe('the first violation of the requirement that a defect breaks', () => {
  it('names the cause: it contains the keywords of the defect', async () => {
    // Every glob of a requirement: all defects, no variant.
    const results = await proveHere({ only: ['*/*'] });
    const silent = results.defects.flatMap(({ id, killedBy }) => {
      const keywords = defects.find((one) => one.id === id)?.keywords ?? [];
      return killedBy
        .filter(({ sentence }) => !keywords.every((word) => sentence.toLowerCase().includes(word)))
        .map(({ requirement, sentence }) => `${id} (${keywords.join(', ')}): ${requirement}, ${sentence}`);
    });
    expect(silent).toEqual([]);
    expect(results.proven).toBe(true);
  }, 300_000);
});
