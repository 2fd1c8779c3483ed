import type { RequirementId } from '../../core/requirement-id.ts';
import { type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { type Change, composeChanges } from '../pipeline.ts';
import { changeMore, changePageSize, changeRecordCount, requestedSize } from '../step-changes.ts';
import { changeDuringReads, every, growAtEnd } from '../variants/data-changes.ts';

/** A breach of a list that grows by one record at every fifth read. */
function growing(
  words: string,
  must: RequirementId,
  keywords: readonly string[],
  breach: Change,
): DefectDraft {
  return {
    sentence: `A record is added at every fifth read, and ${words}.`,
    keywords,
    must: [must],
    needs: { order: true },
    apply: composeChanges(
      changeDuringReads(growAtEnd, () => every(5)),
      breach,
    ),
  };
}

/** Breaches that no growth explains: the list held the missing records whenever its length was seen. */
export const growingListDefects: readonly Defect[] = defectsOf({
  'growing-default-100': growing(
    'without $pagesize a page holds 100 records',
    'page-size/default',
    ['100 records'],
    changePageSize((page) => (requestedSize(page) === undefined ? 100 : undefined)),
  ),
  'growing-one-less': growing(
    'every page holds one record fewer than requested',
    'page-size/filled',
    ['record'],
    changeRecordCount((size) => size - 1),
  ),
  'growing-without-third-page': growing(
    'no page behind the first two has a link to it',
    'link/present-when-more',
    ['no nextpagelink'],
    changeMore((more, page) => more && page.skip < 500),
  ),
});
