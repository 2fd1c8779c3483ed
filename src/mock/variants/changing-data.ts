import { type VariantRow, variant, variantsWith } from '../catalogue-rows.ts';
import { type Change, withState } from '../changes.ts';
import {
  always,
  briefly,
  burst,
  changeDuringReads,
  type DataChange,
  every,
  growAtEnd,
  movedRecords,
  moveToFront,
  once,
  scattered,
  timed,
} from '../data-changes.ts';
import { cacheAnswers, changeCount, refusePages } from '../page-changes.ts';
import { mix } from '../records.ts';

const oneFewer = (version: number, size: number): number => Math.max(0, size - version);
const newestFirst = (position: number, version: number, size: number): number =>
  position < version ? size + version - 1 - position : position - version;
const shifted = (position: number, version: number): number => position + version;

const growAtFront: DataChange = { ...growAtEnd, recordAt: newestFirst };
const growInMiddle: DataChange = {
  ...growAtEnd,
  recordAt: (position, version, size) => {
    const middle = Math.floor(size / 2);
    if (position < middle) return position;
    return position < middle + version ? size + position - middle : position - version;
  },
};
const shrinkAtEnd: DataChange = { total: oneFewer };
const shrinkByTens: DataChange = { total: (version, size) => Math.max(0, size - 10 * version) };
const shrinkAtFront: DataChange = { total: oneFewer, recordAt: shifted };
const shrinkInMiddle: DataChange = {
  total: oneFewer,
  recordAt: (position, version, size) => {
    const left = Math.max(0, size - version);
    return position < Math.floor(left / 2) ? position : position + (size - left);
  },
};
const replaceOneByOne: DataChange = {
  recordAt: (position, version, size) => {
    // Position k is replaced by every change whose number is k modulo the size.
    const times = version > position ? Math.floor((version - position - 1) / size) + 1 : 0;
    return position + times * size;
  },
};
const replaceAll: DataChange = { recordAt: (position, version, size) => position + version * size };
const toggleLast: DataChange = {
  total: (version, size) => size + (version % 2),
  recordAt: (position, version, size) => (position === size ? size + version : position),
};
const toggleMiddle: DataChange = {
  recordAt: (position, version, size) =>
    version % 2 === 1 && position === Math.floor(size / 2) ? size : position,
};
/** A record in the middle is removed and added again, so that count and the records after it change together. */
const toggleWithin: DataChange = {
  total: (version, size) => size - (version % 2),
  recordAt: (position, version, size) =>
    version % 2 === 1 && position >= Math.floor(size / 2) ? position + 1 : position,
};
/** Of two records one is in the list at a time, as of devices of which one is on line. */
const takeTurns: DataChange = {
  total: (_version, size) => size - 1,
  recordAt: (position, version, size) => {
    const left = version % 2 === 1 ? 10 : size - 235;
    return position < left ? position : position + 1;
  },
};
const queue: DataChange = { recordAt: shifted };
/** Records at a position where pages of many sizes begin are removed, and new ones are added at the end. */
const queueFrom700: DataChange = {
  recordAt: (position, version) => (position < 700 ? position : position + version),
};
/** The newest record comes first; the oldest one is removed when a new one is added. */
const slidingWindow: DataChange = { recordAt: newestFirst };

/** The list in reverse order after every second change. */
const reverse: DataChange = {
  recordAt: (position, version, size) => (version % 2 === 1 ? size - 1 - position : position),
};

/** Like moveToFront, with a member that says which change moved the record, as in a list that is sorted by a time of change. */
const editAndMoveToFront: DataChange = {
  ...moveToFront,
  editOf: (record, version, size) => {
    if (!movedRecords(version, size).includes(record)) return null;
    let change = version;
    while (mix(change) % size !== record) change -= 1;
    return change;
  },
};

function resizedOnce(resize: (size: number) => number): DataChange {
  return { total: (version, size) => (version > 0 ? resize(size) : size) };
}

const halve = resizedOnce((size) => Math.ceil(size / 2));
const empty = resizedOnce(() => 0);
const appear = resizedOnce((size) => size + 700);

/** count is what it was that many milliseconds ago, as of a query that is cached, or repeated now and then. */
function lagCount(lagMs: number): Change {
  return withState(Array<{ readonly at: number; readonly count: number }>, (known) =>
    changeCount((count) => {
      const at = performance.now();
      if (known.at(-1)?.count !== count) known.push({ at, count });
      return (known.findLast((one) => one.at <= at - lagMs) ?? known[0])?.count;
    }),
  );
}

/** count is computed once in that many milliseconds. */
function cacheCount(cachedMs: number): Change {
  return withState(Array<{ readonly until: number; readonly count: number }>, (cached) =>
    changeCount((count) => {
      const now = performance.now();
      if ((cached.at(-1)?.until ?? 0) <= now) cached.push({ until: now + cachedMs, count });
      return cached.at(-1)?.count;
    }),
  );
}

/** A cache keeps the answer to each URL until a period of that many milliseconds ends. */
function cacheAnswersFor(cachedMs: number): Change {
  return cacheAnswers(({ target }) => `${Math.floor(performance.now() / cachedMs)} ${target}`);
}

const refusedPastTheEnd = refusePages(404, 'no such page', ({ skip, total }) => skip > 0 && skip >= total);

function laggingVariant(records: number, reads: number, lagMs: number): VariantRow {
  return variant(
    `A record is added at the end at every ${reads}th read, ${records} in all, and count follows ${lagMs} milliseconds later.`,
  ).by(
    changeDuringReads(growAtEnd, () => (call) => Math.min(records, Math.floor(call / reads))),
    lagCount(lagMs),
  );
}

/** Lists whose data changes during a run. */
export const changingDataVariants = variantsWith({ living: true })({
  'living-grows-at-end': variant('A record is added at the end before every read.').by(
    changeDuringReads(growAtEnd, always),
  ),
  'living-grows-at-front': variant('A record is added at the front at every third read.').by(
    changeDuringReads(growAtFront, every(3)),
  ),
  'living-grows-at-end-slowly': variant('A record is added at the end at every 150th read.').by(
    changeDuringReads(growAtEnd, every(150)),
  ),
  'living-grows-at-front-slowly': variant('A record is added at the front at every 150th read.').by(
    changeDuringReads(growAtFront, every(150)),
  ),
  'living-count-lags-briefly': laggingVariant(4, 25, 100),
  'living-count-lags': laggingVariant(3, 60, 400),
  'living-count-lags-in-cache': variant(
    'A record is added at the end at every 60th read, and count is computed once in a second.',
  ).by(changeDuringReads(growAtEnd, every(60)), cacheCount(1000)),
  'living-count-lags-for-a-minute': variant(
    'A record is added at the end, once, at the 30th read, and count is computed once in a minute.',
    { records: 620 },
  ).by(changeDuringReads(growAtEnd, once(30)), cacheCount(60_000)),
  'living-count-lags-after-a-removal': variant(
    'The last record is removed, once, at the 30th read, and count is computed once in a minute.',
    { records: 620 },
  ).by(changeDuringReads(shrinkAtEnd, once(30)), cacheCount(60_000)),
  'living-replicas-in-turn': variant(
    'A record is added at the end at every 60th read; every other answer is of a replica that is 60 reads behind.',
  ).by(changeDuringReads(growAtEnd, () => (call) => Math.floor((call + 60 * (call % 2)) / 60))),
  'living-behind-cache': variant(
    'A record is added at the end at every 60th read, and a cache keeps each page for 300 milliseconds.',
  ).by(changeDuringReads(growAtEnd, every(60), 300)),
  'living-behind-slow-cache': variant(
    'A record is added at the front at every 40th read, and a cache keeps each page for 10 seconds.',
  ).by(changeDuringReads(growAtFront, every(40), 10_000)),
  'living-shrinks-behind-slow-cache': variant(
    'The last record is removed at every 60th read, and a cache keeps each page for a minute.',
    { records: 501 },
  ).by(changeDuringReads(shrinkAtEnd, every(60), 60_000)),
  'living-shrinks-and-refuses-behind-slow-cache': variant(
    'The last record is removed at every 40th read, a $skip past the end is answered 404, and a cache keeps each page for a minute.',
  ).by(changeDuringReads(shrinkAtEnd, every(40), 60_000), refusedPastTheEnd),
  'living-shrinks-by-tens-and-refuses-behind-slow-cache': variant(
    'Ten records are removed at every eighth read, a $skip past the end is answered 404, and a cache keeps each page for a minute.',
  ).by(changeDuringReads(shrinkByTens, every(8), 60_000), refusedPastTheEnd),
  'living-count-lags-behind-slow-cache': variant(
    'A record is added at the end at every 60th read, count follows a second later, and a cache keeps each page for 20 seconds.',
  ).by(changeDuringReads(growAtEnd, every(60)), lagCount(1000), cacheAnswersFor(20_000)),
  'living-queue-behind-slow-cache': variant(
    'At every 15th read the first record is removed and a new one is added at the end; a cache keeps each page for a minute.',
  ).by(changeDuringReads(queue, every(15), 60_000)),
  'living-empty-behind-slow-cache': variant(
    'The list is empty at first; a record is added at every 40th read, and a cache keeps each page for 10 seconds.',
    { records: 0 },
  ).by(changeDuringReads(growAtFront, every(40), 10_000)),
  'living-grows-in-middle': variant('A record is added in the middle at irregular reads.').by(
    changeDuringReads(growInMiddle, scattered(6)),
  ),
  'living-shrinks-at-end': variant('The last record is removed at every second read.').by(
    changeDuringReads(shrinkAtEnd, every(2)),
  ),
  'living-shrinks-and-refuses-past-the-end': variant(
    'The last record is removed at every second read, and a $skip past the end is answered 404.',
  ).by(changeDuringReads(shrinkAtEnd, every(2)), refusedPastTheEnd),
  'living-shrinks-at-front': variant('The first record is removed at every third read.').by(
    changeDuringReads(shrinkAtFront, every(3)),
  ),
  'living-shrinks-in-middle': variant('A record in the middle is removed at irregular reads.').by(
    changeDuringReads(shrinkInMiddle, scattered(5)),
  ),
  'living-replaced-one-by-one': variant('One record is replaced by another before every read.').by(
    changeDuringReads(replaceOneByOne, always),
  ),
  'living-replaced-at-once': variant('All records are replaced at once, at the 20th read.').by(
    changeDuringReads(replaceAll, once(20)),
  ),
  'living-replaced-often': variant('All records are replaced at every ninth read.').by(
    changeDuringReads(replaceAll, every(9)),
  ),
  'living-one-added-once': variant('One record is added at the front, once, at the 12th read.').by(
    changeDuringReads(growAtFront, once(12)),
  ),
  'living-one-removed-once': variant('The first record is removed, once, at the 9th read.').by(
    changeDuringReads(shrinkAtFront, once(9)),
  ),
  'living-one-removed-at-once': variant(
    'The first record is removed at the 3rd read; nothing changes after that.',
  ).by(changeDuringReads(shrinkAtFront, once(3))),
  'living-one-added-late': variant('One record is added in the middle, once, at the 45th read.').by(
    changeDuringReads(growInMiddle, once(45)),
  ),
  'living-burst': variant('From the 10th to the 40th read one record is added at the front each time.').by(
    changeDuringReads(growAtFront, burst(10, 40)),
  ),
  'living-burst-of-removals': variant(
    'From the 6th to the 26th read one record is removed at the front each time.',
  ).by(changeDuringReads(shrinkAtFront, burst(6, 26))),
  'living-comes-and-goes': variant('One record at the end is added and removed at alternate reads.').by(
    changeDuringReads(toggleLast, always),
  ),
  'living-comes-and-goes-slowly': variant(
    'One record at the end is added or removed at every eleventh read.',
  ).by(changeDuringReads(toggleLast, every(11))),
  'living-absent-now-and-then': variant(
    'One record in the middle is absent from every second ten reads, and count leaves it out.',
  ).by(changeDuringReads(toggleWithin, every(10))),
  'living-absent-once-in-a-while': variant(
    'One record in the middle is absent at one of twenty reads, and count leaves it out.',
  ).by(changeDuringReads(toggleWithin, briefly(20))),
  'living-swaps': variant(
    'A record in the middle is replaced by another and back again, at every tenth read.',
  ).by(changeDuringReads(toggleMiddle, every(10))),
  'living-swaps-slowly': variant(
    'A record in the middle is replaced by another and back again, at every 25th read.',
  ).by(changeDuringReads(toggleMiddle, every(25))),
  'living-swaps-briefly': variant('A record in the middle is replaced by another at one of twenty reads.').by(
    changeDuringReads(toggleMiddle, briefly(20)),
  ),
  'living-takes-turns': variant(
    'Of two records at different places one is in the list at a time, the other one from the next seventh read on.',
  ).by(changeDuringReads(takeTurns, every(7))),
  'living-takes-turns-in-time': variant(
    'Of two records at different places one is in the list at a time, each for 200 milliseconds.',
  ).by(changeDuringReads(takeTurns, timed(200))),
  'living-queue': variant(
    'At every fourth read the first record is removed and a new one is added at the end.',
  ).by(changeDuringReads(queue, every(4))),
  'living-queue-from-700': variant(
    'Record 700 is removed and a new one is added at the end, once, at the 85th read.',
  ).by(changeDuringReads(queueFrom700, once(85))),
  'living-queue-from-700-late': variant(
    'Record 700 is removed and a new one is added at the end, once, at the 112th read.',
  ).by(changeDuringReads(queueFrom700, once(112))),
  'living-sliding-window': variant(
    'At every second read a record is added at the front and the last one removed, so count stays the same.',
  ).by(changeDuringReads(slidingWindow, every(2))),
  'living-sliding-window-once': variant(
    'At the 14th read a record is added at the front and the last one removed.',
  ).by(changeDuringReads(slidingWindow, once(14))),
  'living-sliding-window-for-a-while': variant(
    'From the 4th to the 40th read a record is added at the front and the last one removed each time.',
  ).by(changeDuringReads(slidingWindow, burst(4, 40))),
  'living-moved-to-front-once': variant('One updated record moves to the front, once, at the 14th read.').by(
    changeDuringReads(moveToFront, once(14)),
  ),
  'living-edited-and-moved': variant(
    'A record is edited and moves to the front at every 25th read, as in a list that is sorted by time of change.',
  ).by(changeDuringReads(editAndMoveToFront, every(25))),
  'living-edited-and-moved-often': variant(
    'A record is edited and moves to the front at irregular reads, about every seventh.',
  ).by(changeDuringReads(editAndMoveToFront, scattered(7))),
  'living-reversed-for-a-while': variant('From the 60th to the 75th read, the list is in reverse order.').by(
    changeDuringReads(reverse, () => (call) => (call >= 60 && call < 75 ? 1 : 0)),
  ),
  'living-halved': variant('Half of the records are removed at once, at the 16th read.').by(
    changeDuringReads(halve, once(16)),
  ),
  'living-emptied': variant('All records are removed at once, at the 18th read.').by(
    changeDuringReads(empty, once(18)),
  ),
  'living-emptied-late': variant('All records are removed at once, at the 60th read.').by(
    changeDuringReads(empty, once(60)),
  ),
  'living-shortened': variant('Half of 900 records are removed at once, at the 20th read.', {
    records: 900,
  }).by(changeDuringReads(halve, once(20))),
  'living-imported': variant('Seven hundred records are added at once, at the 11th read, to a list of 300.', {
    records: 300,
  }).by(changeDuringReads(appear, once(11))),
  'living-imported-late': variant(
    'Seven hundred records are added at once, at the 30th read, to a list of three.',
    { records: 3 },
  ).by(changeDuringReads(appear, once(30))),
  'living-crosses-500': variant('A list of 498 records grows by one at every sixth read.', {
    records: 498,
  }).by(changeDuringReads(growAtEnd, every(6))),
  'living-grows-with-time': variant('A record is added at the front every 7 milliseconds.').by(
    changeDuringReads(growAtFront, timed(7)),
  ),
  'living-shrinks-with-time': variant('A record is removed at the front every 9 milliseconds.', {
    records: 3000,
  }).by(changeDuringReads(shrinkAtFront, timed(9))),
  'living-small-and-changing': variant(
    'A list of 6 records loses its first record and gains a last one at irregular reads.',
    { records: 6 },
  ).by(changeDuringReads(queue, scattered(4))),
});
