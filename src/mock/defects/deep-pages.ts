import type { DefectDraft } from '../defect.ts';
import type { Change, Page } from '../pipeline.ts';
import { changeLinkParameters, changePositions, refusePages } from '../step-changes.ts';

/** The offset of the pages that these defects break. */
const DEEP = 1000;
/** Pages of fewer records are small: a list with many such pages is rarely traversed. */
const SMALL = 60;

function isDeepAndSmall({ pageSize, skip }: Page): boolean {
  return skip >= DEEP && pageSize < SMALL;
}

/** These pages begin with a record that is not in the list. */
function foreign(where: (page: Page) => boolean): Change {
  return changePositions((positions, page) => (where(page) ? positions.with(0, page.total + 5) : positions));
}

/** Breaches of small pages far into the list. */
export const deepPageDefects: readonly DefectDraft[] = [
  {
    id: 'deep-small-pages-refused',
    sentence: 'A page of fewer than 60 records with a $skip of 1,000 or more is answered 400.',
    keywords: ['400'],
    must: ['traversal/by-parameters'],
    apply: refusePages(400, 'the offset is too large', isDeepAndSmall),
  },
  {
    id: 'last-small-page-refused',
    sentence: 'The last page is answered 400 if $pagesize is below 60.',
    keywords: ['400'],
    must: ['traversal/followable'],
    may: ['traversal/by-parameters'],
    apply: refusePages(
      400,
      'the offset is too large',
      ({ pageSize, skip, total }) => pageSize < SMALL && pageSize > 2 && skip > 0 && skip + pageSize >= total,
    ),
  },
  {
    id: 'deep-small-link-offset-one-less',
    sentence: 'From $skip=1000 on, the $skip of nextPageLink is one too low if $pagesize is below 60.',
    keywords: ['$skip'],
    must: ['link/offset'],
    apply: changeLinkParameters((pairs, page) => {
      if (!isDeepAndSmall(page)) return pairs;
      return pairs.map(([name, value]) => [name, name === '$skip' ? String(Number(value) - 1) : value]);
    }),
  },
  {
    id: 'deep-small-pages-foreign-record',
    sentence:
      'A page of fewer than 60 records with a $skip of 1,000 or more begins with a record that no other page gives.',
    keywords: ['never reaches'],
    must: ['traversal/same-records'],
    apply: foreign(isDeepAndSmall),
  },
  {
    id: 'unaligned-pages-foreign-record',
    sentence:
      'A page whose $skip is no multiple of its $pagesize begins with a record that no other page gives.',
    keywords: ['never reaches'],
    must: ['traversal/same-records'],
    may: ['traversal/by-parameters'],
    apply: foreign(({ pageSize, skip, total }) => skip % pageSize > 0 && skip < total),
  },
];
