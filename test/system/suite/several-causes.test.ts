import { describe, expect, it } from 'vitest';
import { defects } from '../../../src/mock/index.ts';
import { judgeMock, requirementOf, withVerdict } from '../../support/judge-mock.ts';

async function failed(ids: readonly string[]): Promise<readonly string[]> {
  return withVerdict(await judgeMock({ records: 1234, defects: ids }), 'fail');
}

describe.concurrent('several defects in one provider', () => {
  it.each([
    'traversal-last-page-empty and count-of-page and count-up-to-here',
    'link-missing-without-size and traversal-ties-by-request and parameters-skip-in-pages',
    'link-missing-before-single-record and envelope-single-item-object and count-fraction',
    'skip-one-too-many-late and envelope-array-without-count and link-count-lost-late',
    'link-never-ends and default-everything',
    'token-answer-array and token-answer-form',
  ])('violate no other requirement: %s', async (named) => {
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
  ])('are found despite a count that is not a number: %s', async (requirement, defect) => {
    expect(await failed([defect, 'count-array'])).toEqual(
      expect.arrayContaining([requirement, 'count/present']),
    );
  });

  it.each([
    ['page-size/maximum', 'maximum-none-behind-skip and encoded-refused'],
    ['link/absent-at-the-end', 'link-at-end-of-small-pages and count-never'],
    ['link/absent-without-count', 'link-always and parameters-skip-refused'],
    ['traversal/followable', 'follow-500 and count-of-page'],
  ])('are both found: %s, with %s', async (requirement, named) => {
    expect(await failed(named.split(' and '))).toContain(requirement);
  });

  it.each([
    ['page-size/encoded-name', 'encoded-count-without-count and count-as-total'],
    ['link/offset', 'skip-drifts and filled-one-less'],
    ['link/absent-without-count', 'link-when-size-named and link-lower-case-member'],
    ['token/validity', 'later-expires-in-1800 and token-empty'],
    [
      'authorization/required-on-every-page',
      'gate-deep-pages-open and link-missing-when-size-named and follow-refused-late',
    ],
    ['token/secret', 'secret-extended and isolation-none'],
  ])('prevent a pass of a masked requirement: %s, with %s', async (requirement, named) => {
    const results = await judgeMock({ records: 1234, defects: named.split(' and ') });
    expect(withVerdict(results, 'pass')).not.toContain(requirement);
  });

  it.each([
    ['encoded-refused', 'page-size/encoded-name'],
    ['parameters-skip-refused', 'traversal/by-parameters'],
  ])('blocks other checks that cannot read all their pages: %s', async (defect, broken) => {
    const results = await judgeMock({ records: 1234, defects: [defect] });
    expect(requirementOf(results, 'list/items').cause).toMatchObject({ kind: 'blocked', by: broken });
  });
});
