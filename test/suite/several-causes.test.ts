import { describe, expect, it } from 'vitest';
import { defects } from '../../src/mock/index.ts';
import { judgeMock, withVerdict } from '../support/judge-mock.ts';

async function failed(ids: readonly string[]): Promise<readonly string[]> {
  return withVerdict(await judgeMock({ records: 1234, defects: ids }), 'fail');
}

describe('several defects in one provider', () => {
  it.each([
    'link-missing-without-size and count-up-to-here',
    'traversal-last-page-empty and count-of-page and count-up-to-here',
    'follow-refused-late and count-capped-at-1000',
    'link-missing-without-size and traversal-ties-by-request and parameters-skip-in-pages',
  ])('are no breach of anything else: %s', async (named) => {
    const ids = named.split(' and ');
    const excused = defects
      .filter(({ id }) => ids.includes(id))
      .flatMap(({ must, may }) => [...must, ...may]);
    const found = await failed(ids);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((id) => !excused.includes(id))).toEqual([]);
  });

  it.each([
    ['page-size/filled', 'filled-one-less'],
    ['traversal/followable', 'follow-redirected'],
    ['page-size/encoded-name', 'encoded-first-only'],
  ])('are found beside a count that is no number: %s', async (requirement, defect) => {
    expect(await failed([defect, 'count-array'])).toEqual(
      expect.arrayContaining([requirement, 'count/present']),
    );
  });
});
