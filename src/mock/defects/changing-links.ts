import type { DefectDraft } from '../defect.ts';
import { type Change, composeChanges, valuesOf, wrap } from '../pipeline.ts';
import { changeCount, refusePages } from '../step-changes.ts';

/** Every link carries a number that no other one carries. That alone is allowed. */
const withNumberedLinks: Change = (steps) => {
  let links = 0;
  return wrap('linkParameters', (linkParameters) => (...given) => [
    ...linkParameters(...given),
    ['number', String(++links)],
  ])(steps);
};

/** Breaches of providers whose links change with each answer. */
export const changingLinkDefects: readonly DefectDraft[] = [
  {
    id: 'numbered-link-refused',
    sentence:
      'nextPageLink carries a number that changes with each answer, and linked pages are answered 400.',
    keywords: ['400'],
    must: ['traversal/followable'],
    difficulty: 'plain',
    apply: composeChanges(
      withNumberedLinks,
      refusePages(400, 'unknown parameter: number', (page) => valuesOf(page, 'number').length > 0),
    ),
  },
  {
    id: 'numbered-link-last-count-low',
    sentence:
      'nextPageLink carries a number that changes with each answer, and count is one too low on the last page.',
    keywords: ['count'],
    must: ['count/stable'],
    may: ['count/equals-records'],
    difficulty: 'hidden',
    apply: composeChanges(
      withNumberedLinks,
      changeCount((count, page) => {
        const isLast = page.skip > 0 && page.skip + page.positions.length >= page.total;
        return isLast ? count - 1 : count;
      }),
    ),
  },
];
