import type { RequirementId } from '../../core/requirement-id.ts';
import { problem } from '../conforming/gate.ts';
import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { type Change, composeChanges, type Page, Refused, valuesOf, wrap } from '../pipeline.ts';
import { mix } from '../records.ts';
import { changeLinkParameters, changePositions, changeRecordAt } from '../step-changes.ts';
import {
  changeDuringReads,
  type DataChange,
  every,
  movedRecords,
  moveToFront,
} from '../variants/data-changes.ts';
import { nominalEndOffset } from './traversal.ts';

/** A table without ORDER BY: an updated record moves to the end of the heap. */
const moveToEnd: DataChange = {
  total: (_version, size) => size,
  recordAt: (position, version, size) => {
    const moved = movedRecords(version, size);
    const fromEnd = moved[size - 1 - position];
    if (fromEnd !== undefined) return fromEnd;
    let record = position;
    for (const one of [...moved].sort((first, second) => first - second)) if (one <= record) record += 1;
    return record;
  },
};

/** Every third answer comes from a replica whose order is turned by some records. */
function replicaTurnedBy(records: number): Change {
  return changeRecordAt((position, page) =>
    page.request.number % 3 === 0 ? (position + records) % page.total : position,
  );
}

const may: readonly RequirementId[] = ['traversal/same-records', 'traversal/by-parameters'];

/** Gives pairs of records between two positions the other way round on pages for which `where` returns true. */
function turnPairs(from: number, to: number, where: (page: Page) => boolean): Change {
  return changeRecordAt((position, page) =>
    position >= from && position < to && where(page) ? position ^ 1 : position,
  );
}

/** Ties that two kinds of pages order differently, away from the page boundaries of most traversals. */
const orderedTwice = defectsOf({
  'ties-turn-behind-600': {
    sentence: 'Pages that begin behind record 600 give ties among the records 701 to 740 in the other order.',
    keywords: ['different orders'],
    must: ['traversal/no-duplicates'],
    may,
    apply: turnPairs(700, 740, ({ skip }) => skip >= 600),
  },
  'ties-turn-with-skip': {
    sentence: 'Pages that are requested by $skip give ties among the records 101 to 160 in the other order.',
    keywords: ['record'],
    must: ['traversal/no-duplicates'],
    may,
    apply: turnPairs(100, 160, ({ skip }) => skip > 0),
  },
});

/** Moves the offset of pages behind the first one, for page sizes from 20 to 90. */
function shiftInBand(by: number): Change {
  return changePositions((positions, { pageSize, skip, total }) =>
    skip > 0 && pageSize >= 20 && pageSize <= 90
      ? positions.map((position) => position + by).filter((position) => position < total)
      : positions,
  );
}

/** Pages of some sizes that begin at another record, and traversals of other sizes that do not show it. */
const shiftedInBand = defectsOf({
  'offset-low-for-middle-sizes': {
    sentence: 'With a page size from 20 to 90, pages behind the first one begin one record too early.',
    keywords: ['record'],
    must: ['traversal/no-duplicates'],
    may,
    apply: shiftInBand(-1),
  },
  'offset-high-for-middle-sizes': {
    sentence: 'With a page size from 20 to 90, pages behind the first one begin one record too late.',
    keywords: ['record'],
    must: ['traversal/same-records'],
    may: ['traversal/by-parameters', 'count/equals-records'],
    apply: composeChanges(shiftInBand(1), nominalEndOffset),
  },
});

/** Small pages far into the list, which few traversals reach. */
const farSmallPages = defectsOf({
  'tail-missing-for-small-pages': {
    sentence:
      'Pages of less than 30 records give none of the records behind the first 1,200; count includes them.',
    keywords: ['no record'],
    must: ['traversal/by-parameters'],
    may: ['traversal/same-records', 'page-size/filled', 'link/absent-at-the-end', 'count/equals-records'],
    apply: changePositions((positions, { pageSize }) =>
      pageSize < 30 ? positions.filter((position) => position < 1200) : positions,
    ),
  },
  'record-left-out-before-page-21': {
    sentence: 'From page 21 on, pages begin one record too late, for every page size.',
    keywords: ['record'],
    must: ['traversal/same-records'],
    may: ['traversal/by-parameters', 'count/equals-records', 'page-size/filled', 'link/absent-at-the-end'],
    apply: composeChanges(
      changePositions((positions, { pageSize, skip, total }) =>
        skip >= 20 * pageSize
          ? positions.map((position) => position + 1).filter((position) => position < total)
          : positions,
      ),
      nominalEndOffset,
    ),
  },
});

/** Lists whose order changes between requests although no record is added or removed. */
const unstableOrders = defectsOf({
  'order-by-last-update': {
    sentence:
      'The list is sorted by the last update: at every fifth read an updated record moves to the front.',
    keywords: ['order', 'count'],
    must: ['traversal/no-duplicates'],
    needs: { order: true },
    apply: changeDuringReads(moveToFront, () => every(5)),
  },
  'order-of-the-heap': {
    sentence: 'The list has no ORDER BY: at every fourth read an updated record moves to the end.',
    keywords: ['order', 'count'],
    must: ['traversal/no-duplicates'],
    needs: { order: true },
    apply: changeDuringReads(moveToEnd, () => every(4)),
  },
  'order-of-two-replicas': {
    sentence: 'Every third answer comes from a replica that begins its list seven records later.',
    keywords: ['again on page'],
    must: ['traversal/no-duplicates'],
    may,
    needs: { order: true },
    apply: replicaTurnedBy(7),
  },
});

function sameRecordsDefect(difficulty: Difficulty, sentence: string, apply: Change): DefectDraft {
  return {
    sentence,
    keywords: ['page size'],
    must: ['traversal/same-records'],
    may: ['count/equals-records'],
    difficulty,
    apply,
  };
}

const sets = defectsOf({
  'traversal-boundary-lost': sameRecordsDefect(
    'hidden',
    'The record at each page boundary is skipped, so which records are reached depends on the page size.',
    composeChanges(
      changePositions((before, page) => {
        return page.skip > 0
          ? before.map((position) => position + 1).filter((position) => position < page.total)
          : before;
      }),
      // Counted as full, so that it has no link.
      nominalEndOffset,
    ),
  ),
  'traversal-other-record-below-100': sameRecordsDefect(
    'subtle',
    'With page sizes below 100, one record is replaced by another that larger pages never contain.',
    changeRecordAt((position, page) => (position === 5 && page.pageSize < 100 ? page.total + 5 : position)),
  ),
  'traversal-other-record-alone': {
    ...sameRecordsDefect(
      'subtle',
      'With a page size of 1, a record in the middle is replaced by another that larger pages never contain.',
      changeRecordAt((position, page) =>
        position === 20 && page.pageSize === 1 ? page.total + 20 : position,
      ),
    ),
    records: 30,
  },
  'traversal-other-record-from-250': sameRecordsDefect(
    'subtle',
    'With page sizes from 250 on, record 800 is replaced by another that smaller pages never contain.',
    changeRecordAt((position, page) =>
      position === 800 && page.pageSize >= 250 ? page.total + 800 : position,
    ),
  ),
  'traversal-last-page-empty': sameRecordsDefect(
    'hidden',
    'A last page that would not be full is empty, so which records are reached depends on the page size.',
    composeChanges(
      changePositions((before, page) => {
        return page.skip > 0 && before.length < page.pageSize ? [] : before;
      }),
      // Counted as full, so that it has no link.
      nominalEndOffset,
    ),
  ),
  'traversal-odd-sizes-other-records': sameRecordsDefect(
    'subtle',
    'With odd page sizes the last record is one that even page sizes never contain.',
    changeRecordAt((position, page) =>
      position === page.total - 1 && page.pageSize % 2 === 1 ? page.total : position,
    ),
  ),
});

/** Links carry a cursor; without it, `skip` replaces the requested $skip. */
function cursor(skip: (offset: number, page: Page) => number): Change {
  return composeChanges(
    changeLinkParameters((parameters, page, service) => [
      ...parameters,
      ['cursor', String(mix(service.steps.endOffset(page, service)))],
    ]),
    wrap('skip', (inner) => (page, service) => {
      const offset = inner(page, service);
      return valuesOf(page, 'cursor').length > 0 ? offset : skip(offset, page);
    }),
  );
}

function parameterDefect(difficulty: Difficulty, sentence: string, apply: Change): DefectDraft {
  return { sentence, keywords: ['$skip'], must: ['traversal/by-parameters'], difficulty, apply };
}

const byParameters = defectsOf({
  'parameters-skip-ignored': parameterDefect(
    'plain',
    '$skip is ignored unless it comes with the cursor of a link.',
    cursor(() => 0),
  ),
  'parameters-skip-from-one': parameterDefect(
    'hidden',
    '$skip counts from 1 unless it comes with the cursor of a link.',
    cursor((offset) => Math.max(0, offset - 1)),
  ),
  'parameters-skip-at-most-500': parameterDefect(
    'subtle',
    '$skip is at most 500 unless it comes with the cursor of a link.',
    cursor((offset) => Math.min(500, offset)),
  ),
  'parameters-skip-refused': parameterDefect(
    'hidden',
    '$skip is answered 400 unless it comes with the cursor of a link.',
    cursor((offset) => {
      if (offset > 0) throw new Refused(problem(400, 'the cursor is missing'));
      return offset;
    }),
  ),
  'parameters-skip-rounded-for-small-pages': parameterDefect(
    'subtle',
    '$skip is rounded down to tens for $pagesize below 30 unless it comes with the cursor of a link.',
    cursor((offset, { pageSize }) => (pageSize < 30 ? offset - (offset % 10) : offset)),
  ),
  'parameters-skip-one-less-for-middle-sizes': parameterDefect(
    'subtle',
    '$skip is one too low for $pagesize from 30 to 90 unless it comes with the cursor of a link.',
    cursor((offset, { pageSize }) => (pageSize >= 30 && pageSize <= 90 && offset > 0 ? offset - 1 : offset)),
  ),
  'parameters-skip-in-pages': parameterDefect(
    'hidden',
    '$skip counts pages unless it comes with the cursor of a link.',
    cursor((offset, page) => offset * page.pageSize),
  ),
});

/** Defects of the set and the order of the records that pages hold. */
export const recordDefects: readonly Defect[] = [
  ...orderedTwice,
  ...shiftedInBand,
  ...farSmallPages,
  ...sets,
  ...byParameters,
  ...unstableOrders,
];
