import { type Change, composeChanges, type Page, wrap } from '../pipeline.ts';
import { mix } from '../records.ts';
import type { Variant } from '../variant.ts';

/** The state of a list of `size` records after `version` changes. */
export interface DataChange {
  readonly total: (version: number, size: number) => number;
  /** The record at a position. */
  readonly recordAt: (position: number, version: number, size: number) => number;
}

/** The number of changes before the `call`-th read of the list. */
export type ChangeSchedule = (call: number) => number;

const always: ChangeSchedule = (call) => call;
export const every =
  (calls: number): ChangeSchedule =>
  (call) =>
    Math.floor(call / calls);
const once =
  (at: number): ChangeSchedule =>
  (call) =>
    call >= at ? 1 : 0;
const burst =
  (from: number, to: number): ChangeSchedule =>
  (call) =>
    Math.min(Math.max(0, call - from), to - from);

/** Pseudo-random changes: at about one read in `oneIn`. */
function scattered(oneIn: number): ChangeSchedule {
  let seen = 0;
  let version = 0;
  return (call) => {
    for (; seen < call; seen += 1) if (mix(seen ^ 0x2545f491) % oneIn === 0) version += 1;
    return version;
  };
}

/** A change at every `calls`-th read, undone at the next one. */
function briefly(calls: number): ChangeSchedule {
  return (call) => 2 * Math.floor(call / calls) + (call % calls === calls - 1 ? 1 : 0);
}

/** One change every `milliseconds`. */
function timed(milliseconds: number): ChangeSchedule {
  const start = Date.now();
  return () => Math.floor((Date.now() - start) / milliseconds);
}

const samePosition = (position: number): number => position;
const sameTotal = (_version: number, size: number): number => size;

const growAtEnd: DataChange = { total: (version, size) => size + version, recordAt: samePosition };
const growAtFront: DataChange = {
  total: (version, size) => size + version,
  recordAt: (position, version, size) =>
    position < version ? size + version - 1 - position : position - version,
};
const growInMiddle: DataChange = {
  total: (version, size) => size + version,
  recordAt: (position, version, size) => {
    const middle = Math.floor(size / 2);
    if (position < middle) return position;
    return position < middle + version ? size + position - middle : position - version;
  },
};
const shrinkAtEnd: DataChange = {
  total: (version, size) => Math.max(0, size - version),
  recordAt: samePosition,
};
const shrinkAtFront: DataChange = {
  total: (version, size) => Math.max(0, size - version),
  recordAt: (position, version) => position + version,
};
const shrinkInMiddle: DataChange = {
  total: (version, size) => Math.max(0, size - version),
  recordAt: (position, version, size) => {
    const left = Math.max(0, size - version);
    return position < Math.floor(left / 2) ? position : position + (size - left);
  },
};
const replaceOneByOne: DataChange = {
  total: sameTotal,
  recordAt: (position, version, size) => {
    // Position k is replaced by every change whose number is k modulo the size.
    const times = version > position ? Math.floor((version - position - 1) / size) + 1 : 0;
    return position + times * size;
  },
};
const replaceAll: DataChange = {
  total: sameTotal,
  recordAt: (position, version, size) => position + version * size,
};
const toggleLast: DataChange = {
  total: (version, size) => size + (version % 2),
  recordAt: (position, version, size) => (position === size ? size + version : position),
};
const toggleMiddle: DataChange = {
  total: sameTotal,
  recordAt: (position, version, size) =>
    version % 2 === 1 && position === Math.floor(size / 2) ? size : position,
};
/** A record in the middle is removed and added again, so that count and the records after it change together. */
const toggleWithin: DataChange = {
  total: (version, size) => size - (version % 2),
  recordAt: (position, version, size) =>
    version % 2 === 1 && position >= Math.floor(size / 2) ? position + 1 : position,
};
const queue: DataChange = { total: sameTotal, recordAt: (position, version) => position + version };
/** The newest record comes first; the oldest one is removed when a new one is added. */
const slidingWindow: DataChange = {
  total: sameTotal,
  recordAt: (position, version, size) =>
    position < version ? size + version - 1 - position : position - version,
};
export const moveToFront: DataChange = {
  total: sameTotal,
  recordAt: (position, version, size) => {
    const moved = movedRecords(version, size);
    const front = moved[position];
    if (front !== undefined) return front;
    let record = position - moved.length;
    for (const one of [...moved].sort((first, second) => first - second)) if (one <= record) record += 1;
    return record;
  },
};
const halve: DataChange = {
  total: (version, size) => (version > 0 ? Math.ceil(size / 2) : size),
  recordAt: samePosition,
};
const empty: DataChange = { total: (version, size) => (version > 0 ? 0 : size), recordAt: samePosition };
const appear: DataChange = {
  total: (version, size) => (version > 0 ? size + 700 : size),
  recordAt: samePosition,
};

/** The records that changed last, the latest first, each once. */
export function movedRecords(version: number, size: number): readonly number[] {
  const moved = new Set<number>();
  for (let change = version; change > 0 && moved.size < 20; change -= 1) moved.add(mix(change) % size);
  return [...moved];
}

/** Number of reads by which changes come earlier (above 0) or later; 0 for the default seed. */
function scheduleShift(seed: number): number {
  return seed === 1 ? 0 : (mix(seed ^ 0x6c8e9cf5) % 61) - 30;
}

/** Changes the list between reads; each answer shows one state. The seed of the provider shifts the changes. */
export function changeDuringReads(motion: DataChange, pace: () => ChangeSchedule): Change {
  return (steps) => {
    const versionAt = pace();
    const versions = new WeakMap<Page, number>();
    let calls = 0;
    return composeChanges(
      wrap('total', (total) => (page, service) => {
        calls += 1;
        const version = versionAt(Math.max(0, calls + scheduleShift(service.seed)));
        versions.set(page, version);
        return motion.total(version, total(page, service));
      }),
      wrap('recordAt', (recordAt) => (position, page, service) => {
        const version = versions.get(page) ?? 0;
        return recordAt(motion.recordAt(position, version, page.resource.records), page, service);
      }),
    )(steps);
  };
}

function changingDataVariant(
  id: string,
  sentence: string,
  motion: DataChange,
  pace: () => ChangeSchedule,
  records?: number,
): Variant {
  return {
    id: `living-${id}`,
    sentence,
    living: true,
    ...(records === undefined ? {} : { records }),
    apply: changeDuringReads(motion, pace),
  };
}

/** Lists whose data changes during a run. */
export const changingDataVariants: readonly Variant[] = [
  changingDataVariant(
    'grows-at-end',
    'A record is added at the end before every read.',
    growAtEnd,
    () => always,
  ),
  changingDataVariant(
    'grows-at-front',
    'A record is added at the front at every third read.',
    growAtFront,
    () => every(3),
  ),
  changingDataVariant(
    'grows-in-middle',
    'A record is added in the middle at irregular reads.',
    growInMiddle,
    () => scattered(6),
  ),
  changingDataVariant('shrinks-at-end', 'The last record is removed at every second read.', shrinkAtEnd, () =>
    every(2),
  ),
  changingDataVariant(
    'shrinks-at-front',
    'The first record is removed at every third read.',
    shrinkAtFront,
    () => every(3),
  ),
  changingDataVariant(
    'shrinks-in-middle',
    'A record in the middle is removed at irregular reads.',
    shrinkInMiddle,
    () => scattered(5),
  ),
  changingDataVariant(
    'replaced-one-by-one',
    'One record is replaced by another before every read.',
    replaceOneByOne,
    () => always,
  ),
  changingDataVariant(
    'replaced-at-once',
    'All records are replaced at once, at the 20th read.',
    replaceAll,
    () => once(20),
  ),
  changingDataVariant('replaced-often', 'All records are replaced at every ninth read.', replaceAll, () =>
    every(9),
  ),
  changingDataVariant(
    'one-added-once',
    'One record is added at the front, once, at the 12th read.',
    growAtFront,
    () => once(12),
  ),
  changingDataVariant(
    'one-removed-once',
    'The first record is removed, once, at the 9th read.',
    shrinkAtFront,
    () => once(9),
  ),
  changingDataVariant(
    'one-removed-at-once',
    'The first record is removed at the 3rd read; nothing changes after that.',
    shrinkAtFront,
    () => once(3),
  ),
  changingDataVariant(
    'one-added-late',
    'One record is added in the middle, once, at the 45th read.',
    growInMiddle,
    () => once(45),
  ),
  changingDataVariant(
    'burst',
    'From the 10th to the 40th read one record is added at the front each time.',
    growAtFront,
    () => burst(10, 40),
  ),
  changingDataVariant(
    'burst-of-removals',
    'From the 6th to the 26th read one record is removed at the front each time.',
    shrinkAtFront,
    () => burst(6, 26),
  ),
  changingDataVariant(
    'comes-and-goes',
    'One record at the end is added and removed at alternate reads.',
    toggleLast,
    () => always,
  ),
  changingDataVariant(
    'comes-and-goes-slowly',
    'One record at the end is added or removed at every eleventh read.',
    toggleLast,
    () => every(11),
  ),
  changingDataVariant(
    'absent-now-and-then',
    'One record in the middle is absent from every second ten reads, and count leaves it out.',
    toggleWithin,
    () => every(10),
  ),
  changingDataVariant(
    'absent-once-in-a-while',
    'One record in the middle is absent at one of twenty reads, and count leaves it out.',
    toggleWithin,
    () => briefly(20),
  ),
  changingDataVariant(
    'swaps',
    'A record in the middle is replaced by another and back again, at every tenth read.',
    toggleMiddle,
    () => every(10),
  ),
  changingDataVariant(
    'queue',
    'At every fourth read the first record is removed and a new one is added at the end.',
    queue,
    () => every(4),
  ),
  changingDataVariant(
    'sliding-window',
    'At every second read a record is added at the front and the last one removed, so count stays the same.',
    slidingWindow,
    () => every(2),
  ),
  changingDataVariant(
    'sliding-window-once',
    'At the 14th read a record is added at the front and the last one removed.',
    slidingWindow,
    () => once(14),
  ),
  changingDataVariant(
    'sliding-window-for-a-while',
    'From the 4th to the 40th read a record is added at the front and the last one removed each time.',
    slidingWindow,
    () => burst(4, 40),
  ),
  changingDataVariant(
    'moved-to-front-once',
    'One updated record moves to the front, once, at the 14th read.',
    moveToFront,
    () => once(14),
  ),
  changingDataVariant('halved', 'Half of the records are removed at once, at the 16th read.', halve, () =>
    once(16),
  ),
  changingDataVariant('emptied', 'All records are removed at once, at the 18th read.', empty, () => once(18)),
  changingDataVariant(
    'imported',
    'Seven hundred records are added at once, at the 11th read, to a list of 300.',
    appear,
    () => once(11),
    300,
  ),
  changingDataVariant(
    'crosses-500',
    'A list of 498 records grows by one at every sixth read.',
    growAtEnd,
    () => every(6),
    498,
  ),
  changingDataVariant(
    'grows-with-time',
    'A record is added at the front every 7 milliseconds.',
    growAtFront,
    () => timed(7),
  ),
  changingDataVariant(
    'shrinks-with-time',
    'A record is removed at the front every 9 milliseconds.',
    shrinkAtFront,
    () => timed(9),
    3000,
  ),
  changingDataVariant(
    'small-and-changing',
    'A list of 6 records loses its first record and gains a last one at irregular reads.',
    queue,
    () => scattered(4),
    6,
  ),
];
