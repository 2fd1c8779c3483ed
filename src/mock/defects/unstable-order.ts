import type { RequirementId } from '../../core/requirement-id.ts';
import type { DefectDraft } from '../defect.ts';
import { type Change, wrap } from '../pipeline.ts';
import {
  changeDuringReads,
  type DataChange,
  every,
  movedRecords,
  moveToFront,
} from '../variants/data-changes.ts';

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
  return wrap('recordAt', (recordAt) => (position, page, service) => {
    const turned = page.request.number % 3 === 0 ? (position + records) % page.total : position;
    return recordAt(turned, page, service);
  });
}

const may: readonly RequirementId[] = ['traversal/same-records', 'traversal/by-parameters'];

/** Lists whose order changes between requests although no record is added or removed. */
export const unstableOrderDefects: readonly DefectDraft[] = [
  {
    id: 'order-by-last-update',
    sentence:
      'The list is sorted by the last update: at every fifth read an updated record moves to the front.',
    keywords: ['order', 'count'],
    must: ['traversal/no-duplicates'],
    needs: { order: true },
    apply: changeDuringReads(moveToFront, () => every(5)),
  },
  {
    id: 'order-of-the-heap',
    sentence: 'The list has no ORDER BY: at every fourth read an updated record moves to the end.',
    keywords: ['order', 'count'],
    must: ['traversal/no-duplicates'],
    needs: { order: true },
    apply: changeDuringReads(moveToEnd, () => every(4)),
  },
  {
    id: 'order-of-two-replicas',
    sentence: 'Every third answer comes from a replica that begins its list seven records later.',
    keywords: ['again on page'],
    must: ['traversal/no-duplicates'],
    may,
    needs: { order: true },
    apply: replicaTurnedBy(7),
  },
];
