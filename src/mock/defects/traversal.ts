import type { RequirementId } from '../../core/requirement-id.ts';
import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { type Change, composeChanges, type Page, wrap } from '../pipeline.ts';
import { mix } from '../records.ts';
import { changeEnvelope, changePositions, changeRecordAt, linkTo, refusePages } from '../step-changes.ts';

/** Refuses the pages behind links for which `where` returns true. */
function refuseFollowed(status: number, where: (page: Page) => boolean): Change {
  return refusePages(status, 'this page cannot be served', (page) => page.skip > 0 && where(page));
}

function followDefect(
  difficulty: Difficulty,
  sentence: string,
  apply: Change,
  rest: Partial<DefectDraft> = {},
): DefectDraft {
  return {
    sentence,
    keywords: ['nextpagelink'],
    must: ['traversal/followable'],
    difficulty,
    apply,
    ...rest,
  };
}

const following = defectsOf({
  'follow-500': followDefect(
    'plain',
    'Every nextPageLink that is followed is answered 500.',
    refuseFollowed(500, () => true),
    // Without a link, only pages by their parameters show it.
    { may: ['traversal/by-parameters'] },
  ),
  'follow-404': followDefect(
    'plain',
    'Every nextPageLink that is followed is answered 404.',
    refuseFollowed(404, () => true),
  ),
  'follow-refused-late': followDefect(
    'subtle',
    'A nextPageLink beyond record 600 is answered 400.',
    refuseFollowed(400, (page) => page.skip > 600),
  ),
  'follow-refused-beyond-10000': followDefect(
    'subtle',
    'A nextPageLink to record 10000 or beyond is answered 400.',
    refuseFollowed(400, (page) => page.skip >= 10_000),
    { records: 10_600 },
  ),
  'follow-last-refused': followDefect(
    'subtle',
    'The nextPageLink to the last page is answered 404 unless that page is full.',
    refuseFollowed(404, (page) => page.skip < page.total && page.skip + page.pageSize > page.total),
  ),
  'follow-count-refused': followDefect(
    'hidden',
    'A nextPageLink is answered 400, because $count and $skip must not be combined.',
    refuseFollowed(400, (page) => page.counting),
  ),
  'follow-single-records-refused': followDefect(
    'subtle',
    'A nextPageLink with a page size of 1 is answered 422.',
    refuseFollowed(422, (page) => page.pageSize === 1),
  ),
  'follow-redirected': followDefect(
    'hidden',
    'A followed nextPageLink is redirected with 302.',
    wrap('pageAnswer', (pageAnswer) => (body, page, service) => {
      const answer = pageAnswer(body, page, service);
      if (page.skip === 0) return answer;
      return { status: 302, headers: { Location: `${page.request.target}&moved=1` }, body: '' };
    }),
  ),
  'follow-no-content': followDefect(
    'hidden',
    'A followed nextPageLink is answered 204 with no body.',
    wrap('pageAnswer', (pageAnswer) => (body, page, service) => {
      const answer = pageAnswer(body, page, service);
      return page.skip === 0 ? answer : { status: 204, headers: {}, body: '' };
    }),
  ),
  'follow-bare-array': followDefect(
    'hidden',
    'A followed nextPageLink is answered with a bare array instead of the envelope.',
    changeEnvelope((members, parts, page) => (page.skip === 0 ? members : parts.items)),
    { keywords: ['array'], must: ['list/envelope'] },
  ),
});

/** The offset of the next page as if this page were complete. */
export const nominalEndOffset: Change = wrap(
  'endOffset',
  () => (page) => Math.min(page.skip + page.pageSize, page.total),
);

const endings = defectsOf({
  'traversal-circle': {
    sentence: 'From the third page a link leads back to the second, so the traversal never ends.',
    keywords: ['page'],
    must: ['traversal/terminates'],
    may: ['link/offset', 'traversal/no-duplicates', 'traversal/same-records'],
    difficulty: 'hidden',
    apply: linkTo((page) => {
      const third = page.skip >= 2 * page.pageSize && page.skip < 3 * page.pageSize;
      return third && page.skip + page.pageSize < page.total ? page.pageSize : undefined;
    }),
  },
  'traversal-skip-unread': {
    sentence: '$skip is ignored, so every link leads to the first page and the traversal never ends.',
    keywords: ['page'],
    must: ['traversal/terminates'],
    may: ['link/offset', 'traversal/no-duplicates', 'traversal/same-records'],
    difficulty: 'plain',
    apply: wrap('skip', () => () => 0),
  },
});

function duplicateDefect(
  difficulty: Difficulty,
  sentence: string,
  apply: Change,
  may: readonly RequirementId[],
): DefectDraft {
  return { sentence, keywords: ['twice'], must: ['traversal/no-duplicates'], may, difficulty, apply };
}

const alsoLosesRecords: readonly RequirementId[] = ['traversal/same-records', 'count/equals-records'];

/** Shuffles records within groups of equal sort keys; the order depends on `salt`. */
function shuffledTies(salt: (page: Page) => number, where: (page: Page) => boolean = () => true): Change {
  const group = 40;
  return changeRecordAt((position, page) => {
    if (!where(page)) return position;
    const start = position - (position % group);
    const length = Math.min(group, page.total - start);
    // Rotating the group is enough and needs no memory.
    return start + ((position - start + (mix(salt(page) ^ start) % length)) % length);
  });
}

const repeated = defectsOf({
  'traversal-boundary-repeated': duplicateDefect(
    'hidden',
    'The last record of a page comes twice: the next page begins with it.',
    composeChanges(
      changePositions((before, page) => (page.skip > 0 ? before.map((position) => position - 1) : before)),
    ),
    alsoLosesRecords,
  ),
  'traversal-last-page-filled-up': duplicateDefect(
    'subtle',
    'The last page is filled with records of the page before, so they come twice.',
    composeChanges(
      changePositions((before, page) => {
        if (page.skip === 0 || before.length === 0 || before.length === page.pageSize) return before;
        return Array.from({ length: page.pageSize }, (_, index) => page.total - page.pageSize + index);
      }),
      nominalEndOffset,
    ),
    [],
  ),
  'traversal-first-page-for-all': duplicateDefect(
    'hidden',
    'Every page holds the records of the first page, so they come twice or more.',
    changePositions((before, page) => before.map((position) => position - page.skip)),
    alsoLosesRecords,
  ),
  'traversal-repeats-late': duplicateDefect(
    'subtle',
    'From record 700 on, the first records of the list come twice.',
    changePositions((before) => before.map((position) => (position >= 700 ? position - 700 : position))),
    ['count/equals-records'],
  ),
  'traversal-ids-collide': duplicateDefect(
    'subtle',
    'Records 100 and 900 have the same identifier, so it comes twice.',
    changeRecordAt((position) => (position === 900 ? 100 : position)),
    ['count/equals-records'],
  ),
  'traversal-ids-of-one-page-collide': duplicateDefect(
    'hidden',
    'Each record is joined with its two agents, so every tenth one comes twice on the same page.',
    wrap(
      'recordAt',
      (recordAt) => (position, page, service) =>
        recordAt(position % 10 === 9 ? position - 1 : position, page, service),
    ),
    ['count/equals-records'],
  ),
  'traversal-ties-by-page': duplicateDefect(
    'subtle',
    'Records with equal sort keys are ordered differently on each page, so some come twice.',
    shuffledTies((page) => page.skip),
    [...alsoLosesRecords, 'traversal/by-parameters'],
  ),
  'traversal-ties-by-request': duplicateDefect(
    'subtle',
    'Records with equal sort keys are ordered anew for each request, so some come twice.',
    shuffledTies((page) => page.request.number),
    [...alsoLosesRecords, 'traversal/by-parameters'],
  ),
  'traversal-ties-of-deep-small-pages': {
    ...duplicateDefect(
      'subtle',
      'Behind record 100, records with equal sort keys are ordered anew for each request of up to 60 records.',
      shuffledTies(
        (page) => page.request.number,
        (page) => page.pageSize <= 60 && page.skip >= 100,
      ),
      [...alsoLosesRecords, 'traversal/by-parameters'],
    ),
    keywords: ['other records'],
    needs: { suite: 'certify' },
  },
});

/** Defects of following the links. */
export const traversalDefects: readonly Defect[] = [...following, ...endings, ...repeated];
