import { type Change, composeChanges } from '../pipeline.ts';
import { changeCount } from '../step-changes.ts';
import { type Variant, type VariantDraft, variantsOf } from '../variant.ts';
import {
  always,
  appear,
  briefly,
  burst,
  type ChangeSchedule,
  changeDuringReads,
  type DataChange,
  editAndMoveToFront,
  empty,
  every,
  growAtEnd,
  growAtFront,
  growInMiddle,
  halve,
  moveToFront,
  once,
  queue,
  replaceAll,
  replaceOneByOne,
  scattered,
  shrinkAtEnd,
  shrinkAtFront,
  shrinkInMiddle,
  slidingWindow,
  timed,
  toggleLast,
  toggleMiddle,
  toggleWithin,
} from './data-changes.ts';

function changingDataVariant(
  sentence: string,
  motion: DataChange,
  pace: () => ChangeSchedule,
  records?: number,
): VariantDraft {
  return {
    sentence,
    living: true,
    ...(records === undefined ? {} : { records }),
    apply: changeDuringReads(motion, pace),
  };
}

/** count is what it was that many milliseconds ago, as of a query that is cached, or repeated now and then. */
function lagCount(lagMs: number): Change {
  return (steps) => {
    const known: { readonly at: number; readonly count: number }[] = [];
    return changeCount((count) => {
      const at = performance.now();
      if (known.at(-1)?.count !== count) known.push({ at, count });
      return (known.findLast((one) => one.at <= at - lagMs) ?? known[0])?.count;
    })(steps);
  };
}

function laggingVariant(records: number, reads: number, lagMs: number): VariantDraft {
  return {
    sentence: `A record is added at the end at every ${reads}th read, ${records} in all, and count follows ${lagMs} milliseconds later.`,
    living: true,
    apply: composeChanges(
      changeDuringReads(growAtEnd, () => (call) => Math.min(records, Math.floor(call / reads))),
      lagCount(lagMs),
    ),
  };
}

/** Lists whose data changes during a run. */
export const changingDataVariants: readonly Variant[] = variantsOf({
  'living-grows-at-end': changingDataVariant(
    'A record is added at the end before every read.',
    growAtEnd,
    () => always,
  ),
  'living-grows-at-front': changingDataVariant(
    'A record is added at the front at every third read.',
    growAtFront,
    () => every(3),
  ),
  'living-grows-at-end-slowly': changingDataVariant(
    'A record is added at the end at every 150th read.',
    growAtEnd,
    () => every(150),
  ),
  'living-grows-at-front-slowly': changingDataVariant(
    'A record is added at the front at every 150th read.',
    growAtFront,
    () => every(150),
  ),
  'living-count-lags-briefly': laggingVariant(4, 25, 100),
  'living-count-lags': laggingVariant(3, 60, 400),
  'living-behind-cache': {
    sentence:
      'A record is added at the end at every 60th read, and a cache keeps each page for 300 milliseconds.',
    living: true,
    apply: changeDuringReads(growAtEnd, () => every(60), 300),
  },
  'living-behind-slow-cache': {
    sentence:
      'A record is added at the front at every 40th read, and a cache keeps each page for 10 seconds.',
    living: true,
    apply: changeDuringReads(growAtFront, () => every(40), 10_000),
  },
  'living-grows-in-middle': changingDataVariant(
    'A record is added in the middle at irregular reads.',
    growInMiddle,
    () => scattered(6),
  ),
  'living-shrinks-at-end': changingDataVariant(
    'The last record is removed at every second read.',
    shrinkAtEnd,
    () => every(2),
  ),
  'living-shrinks-at-front': changingDataVariant(
    'The first record is removed at every third read.',
    shrinkAtFront,
    () => every(3),
  ),
  'living-shrinks-in-middle': changingDataVariant(
    'A record in the middle is removed at irregular reads.',
    shrinkInMiddle,
    () => scattered(5),
  ),
  'living-replaced-one-by-one': changingDataVariant(
    'One record is replaced by another before every read.',
    replaceOneByOne,
    () => always,
  ),
  'living-replaced-at-once': changingDataVariant(
    'All records are replaced at once, at the 20th read.',
    replaceAll,
    () => once(20),
  ),
  'living-replaced-often': changingDataVariant(
    'All records are replaced at every ninth read.',
    replaceAll,
    () => every(9),
  ),
  'living-one-added-once': changingDataVariant(
    'One record is added at the front, once, at the 12th read.',
    growAtFront,
    () => once(12),
  ),
  'living-one-removed-once': changingDataVariant(
    'The first record is removed, once, at the 9th read.',
    shrinkAtFront,
    () => once(9),
  ),
  'living-one-removed-at-once': changingDataVariant(
    'The first record is removed at the 3rd read; nothing changes after that.',
    shrinkAtFront,
    () => once(3),
  ),
  'living-one-added-late': changingDataVariant(
    'One record is added in the middle, once, at the 45th read.',
    growInMiddle,
    () => once(45),
  ),
  'living-burst': changingDataVariant(
    'From the 10th to the 40th read one record is added at the front each time.',
    growAtFront,
    () => burst(10, 40),
  ),
  'living-burst-of-removals': changingDataVariant(
    'From the 6th to the 26th read one record is removed at the front each time.',
    shrinkAtFront,
    () => burst(6, 26),
  ),
  'living-comes-and-goes': changingDataVariant(
    'One record at the end is added and removed at alternate reads.',
    toggleLast,
    () => always,
  ),
  'living-comes-and-goes-slowly': changingDataVariant(
    'One record at the end is added or removed at every eleventh read.',
    toggleLast,
    () => every(11),
  ),
  'living-absent-now-and-then': changingDataVariant(
    'One record in the middle is absent from every second ten reads, and count leaves it out.',
    toggleWithin,
    () => every(10),
  ),
  'living-absent-once-in-a-while': changingDataVariant(
    'One record in the middle is absent at one of twenty reads, and count leaves it out.',
    toggleWithin,
    () => briefly(20),
  ),
  'living-swaps': changingDataVariant(
    'A record in the middle is replaced by another and back again, at every tenth read.',
    toggleMiddle,
    () => every(10),
  ),
  'living-swaps-slowly': changingDataVariant(
    'A record in the middle is replaced by another and back again, at every 25th read.',
    toggleMiddle,
    () => every(25),
  ),
  'living-swaps-briefly': changingDataVariant(
    'A record in the middle is replaced by another at one of twenty reads.',
    toggleMiddle,
    () => briefly(20),
  ),
  'living-queue': changingDataVariant(
    'At every fourth read the first record is removed and a new one is added at the end.',
    queue,
    () => every(4),
  ),
  'living-sliding-window': changingDataVariant(
    'At every second read a record is added at the front and the last one removed, so count stays the same.',
    slidingWindow,
    () => every(2),
  ),
  'living-sliding-window-once': changingDataVariant(
    'At the 14th read a record is added at the front and the last one removed.',
    slidingWindow,
    () => once(14),
  ),
  'living-sliding-window-for-a-while': changingDataVariant(
    'From the 4th to the 40th read a record is added at the front and the last one removed each time.',
    slidingWindow,
    () => burst(4, 40),
  ),
  'living-moved-to-front-once': changingDataVariant(
    'One updated record moves to the front, once, at the 14th read.',
    moveToFront,
    () => once(14),
  ),
  'living-edited-and-moved': changingDataVariant(
    'A record is edited and moves to the front at every 25th read, as in a list that is sorted by time of change.',
    editAndMoveToFront,
    () => every(25),
  ),
  'living-edited-and-moved-often': changingDataVariant(
    'A record is edited and moves to the front at irregular reads, about every seventh.',
    editAndMoveToFront,
    () => scattered(7),
  ),
  'living-halved': changingDataVariant(
    'Half of the records are removed at once, at the 16th read.',
    halve,
    () => once(16),
  ),
  'living-emptied': changingDataVariant('All records are removed at once, at the 18th read.', empty, () =>
    once(18),
  ),
  'living-emptied-late': changingDataVariant(
    'All records are removed at once, at the 60th read.',
    empty,
    () => once(60),
  ),
  'living-shortened': changingDataVariant(
    'Half of 900 records are removed at once, at the 20th read.',
    halve,
    () => once(20),
    900,
  ),
  'living-imported': changingDataVariant(
    'Seven hundred records are added at once, at the 11th read, to a list of 300.',
    appear,
    () => once(11),
    300,
  ),
  'living-crosses-500': changingDataVariant(
    'A list of 498 records grows by one at every sixth read.',
    growAtEnd,
    () => every(6),
    498,
  ),
  'living-grows-with-time': changingDataVariant(
    'A record is added at the front every 7 milliseconds.',
    growAtFront,
    () => timed(7),
  ),
  'living-shrinks-with-time': changingDataVariant(
    'A record is removed at the front every 9 milliseconds.',
    shrinkAtFront,
    () => timed(9),
    3000,
  ),
  'living-small-and-changing': changingDataVariant(
    'A list of 6 records loses its first record and gains a last one at irregular reads.',
    queue,
    () => scattered(4),
    6,
  ),
});
