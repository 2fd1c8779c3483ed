import { type Change, type Page, together, wrap } from '../pipeline.ts';
import { mix } from '../records.ts';
import type { Variant } from '../variant.ts';

/** How a list of `size` records looks after `version` changes. */
interface Motion {
  readonly total: (version: number, size: number) => number;
  /** Which record stands at a position. */
  readonly arrange: (position: number, version: number, size: number) => number;
}

/** How many changes have happened when the list is read for the `call`-th time. */
type Pace = (call: number) => number;

const always: Pace = (call) => call;
const every =
  (calls: number): Pace =>
  (call) =>
    Math.floor(call / calls);
const once =
  (at: number): Pace =>
  (call) =>
    call >= at ? 1 : 0;
const burst =
  (from: number, to: number): Pace =>
  (call) =>
    Math.min(Math.max(0, call - from), to - from);

/** Changes at moments that look random: about one read in `oneIn`. */
function scattered(oneIn: number): Pace {
  let seen = 0;
  let version = 0;
  return (call) => {
    for (; seen < call; seen += 1) if (mix(seen ^ 0x2545f491) % oneIn === 0) version += 1;
    return version;
  };
}

/** Changes as time goes by: one every `milliseconds`. */
function timed(milliseconds: number): Pace {
  const start = Date.now();
  return () => Math.floor((Date.now() - start) / milliseconds);
}

const still = (position: number): number => position;
const unchanged = (_version: number, size: number): number => size;

const growAtEnd: Motion = { total: (version, size) => size + version, arrange: still };
const growAtFront: Motion = {
  total: (version, size) => size + version,
  arrange: (position, version, size) =>
    position < version ? size + version - 1 - position : position - version,
};
const growInMiddle: Motion = {
  total: (version, size) => size + version,
  arrange: (position, version, size) => {
    const middle = Math.floor(size / 2);
    if (position < middle) return position;
    return position < middle + version ? size + position - middle : position - version;
  },
};
const shrinkAtEnd: Motion = { total: (version, size) => Math.max(0, size - version), arrange: still };
const shrinkAtFront: Motion = {
  total: (version, size) => Math.max(0, size - version),
  arrange: (position, version) => position + version,
};
const shrinkInMiddle: Motion = {
  total: (version, size) => Math.max(0, size - version),
  arrange: (position, version, size) => {
    const left = Math.max(0, size - version);
    return position < Math.floor(left / 2) ? position : position + (size - left);
  },
};
const replaceOneByOne: Motion = {
  total: unchanged,
  arrange: (position, version, size) => {
    // Place k is renewed by every change whose number is k modulo the size.
    const times = version > position ? Math.floor((version - position - 1) / size) + 1 : 0;
    return position + times * size;
  },
};
const replaceAll: Motion = {
  total: unchanged,
  arrange: (position, version, size) => position + version * size,
};
const oneComesAndGoes: Motion = {
  total: (version, size) => size + (version % 2),
  arrange: (position, version, size) => (position === size ? size + version : position),
};
const oneSwaps: Motion = {
  total: unchanged,
  arrange: (position, version, size) =>
    version % 2 === 1 && position === Math.floor(size / 2) ? size : position,
};
const queue: Motion = { total: unchanged, arrange: (position, version) => position + version };
const toFront: Motion = {
  total: unchanged,
  arrange: (position, version, size) => {
    const moved = movedRecords(version, size);
    const front = moved[position];
    if (front !== undefined) return front;
    let record = position - moved.length;
    for (const one of [...moved].sort((first, second) => first - second)) if (one <= record) record += 1;
    return record;
  },
};
const halve: Motion = {
  total: (version, size) => (version > 0 ? Math.ceil(size / 2) : size),
  arrange: still,
};
const empty: Motion = { total: (version, size) => (version > 0 ? 0 : size), arrange: still };
const appear: Motion = { total: (version, size) => (version > 0 ? size + 700 : size), arrange: still };

/** The records that were touched last, the latest first, each once. */
function movedRecords(version: number, size: number): readonly number[] {
  const moved = new Set<number>();
  for (let change = version; change > 0 && moved.size < 20; change -= 1) moved.add(mix(change) % size);
  return [...moved];
}

/** Reads by which the moments of a start are early (above 0) or late; none for the usual seed. */
function shiftOf(seed: number): number {
  return seed === 1 ? 0 : (mix(seed ^ 0x6c8e9cf5) % 61) - 30;
}

/**
 * Lets the list move while it is read; one answer is always made of one state. The seed of the provider shifts the
 * moments at which it moves.
 */
function moving(motion: Motion, pace: () => Pace): Change {
  return (steps) => {
    const paceOfThisStart = pace();
    const versions = new WeakMap<Page, number>();
    let calls = 0;
    return together(
      wrap('total', (total) => (page, service) => {
        calls += 1;
        const version = paceOfThisStart(Math.max(0, calls + shiftOf(service.seed)));
        versions.set(page, version);
        return motion.total(version, total(page, service));
      }),
      wrap('arrange', (arrange) => (position, page, service) => {
        const version = versions.get(page) ?? 0;
        return arrange(motion.arrange(position, version, page.resource.records), page, service);
      }),
    )(steps);
  };
}

function living(id: string, sentence: string, motion: Motion, pace: () => Pace, records?: number): Variant {
  return {
    id: `living-${id}`,
    sentence,
    living: true,
    ...(records === undefined ? {} : { records }),
    apply: moving(motion, pace),
  };
}

/** Lists whose data changes while it is read. */
export const livingVariants: readonly Variant[] = [
  living('grows-at-end', 'A record is added at the end before every read.', growAtEnd, () => always),
  living('grows-at-front', 'A record is added at the front at every third read.', growAtFront, () =>
    every(3),
  ),
  living('grows-in-middle', 'A record is added in the middle at scattered moments.', growInMiddle, () =>
    scattered(6),
  ),
  living('shrinks-at-end', 'The last record is removed at every second read.', shrinkAtEnd, () => every(2)),
  living('shrinks-at-front', 'The first record is removed at every third read.', shrinkAtFront, () =>
    every(3),
  ),
  living('shrinks-in-middle', 'A record in the middle is removed at scattered moments.', shrinkInMiddle, () =>
    scattered(5),
  ),
  living(
    'replaced-one-by-one',
    'One record is replaced by another before every read.',
    replaceOneByOne,
    () => always,
  ),
  living('replaced-at-once', 'All records are replaced at once, at the 20th read.', replaceAll, () =>
    once(20),
  ),
  living('replaced-often', 'All records are replaced at every ninth read.', replaceAll, () => every(9)),
  living('one-added-once', 'One record is added at the front, once, at the 12th read.', growAtFront, () =>
    once(12),
  ),
  living('one-removed-once', 'The first record is removed, once, at the 9th read.', shrinkAtFront, () =>
    once(9),
  ),
  living(
    'one-removed-at-once',
    'The first record is removed at the 3rd read and nothing changes after.',
    shrinkAtFront,
    () => once(3),
  ),
  living('one-added-late', 'One record is added in the middle, once, at the 45th read.', growInMiddle, () =>
    once(45),
  ),
  living(
    'burst',
    'Thirty records are added at the front in a burst from the 10th to the 40th read.',
    growAtFront,
    () => burst(10, 40),
  ),
  living(
    'burst-of-removals',
    'Twenty records are removed at the front in a burst from the 6th to the 26th read.',
    shrinkAtFront,
    () => burst(6, 26),
  ),
  living(
    'comes-and-goes',
    'One record comes and goes at the end, from read to read.',
    oneComesAndGoes,
    () => always,
  ),
  living(
    'comes-and-goes-slowly',
    'One record comes and goes at the end, at every eleventh read.',
    oneComesAndGoes,
    () => every(11),
  ),
  living(
    'swaps',
    'A record in the middle is replaced by another and back again, at every tenth read.',
    oneSwaps,
    () => every(10),
  ),
  living('queue', 'At every fourth read the first record leaves and a new one joins at the end.', queue, () =>
    every(4),
  ),
  living('moved-to-front', 'An updated record moves to the front, at every fifth read.', toFront, () =>
    every(5),
  ),
  living(
    'moved-to-front-once',
    'One updated record moves to the front, once, at the 14th read.',
    toFront,
    () => once(14),
  ),
  living('halved', 'Half of the records are removed at once, at the 16th read.', halve, () => once(16)),
  living('emptied', 'All records are removed at once, at the 18th read.', empty, () => once(18)),
  living(
    'imported',
    'Seven hundred records are added at once, at the 11th read, to a list of 300.',
    appear,
    () => once(11),
    300,
  ),
  living(
    'crosses-500',
    'A list of 498 records grows by one at every sixth read.',
    growAtEnd,
    () => every(6),
    498,
  ),
  living('grows-with-time', 'A record is added at the front every 7 milliseconds.', growAtFront, () =>
    timed(7),
  ),
  living(
    'shrinks-with-time',
    'A record is removed at the front every 9 milliseconds.',
    shrinkAtFront,
    () => timed(9),
    3000,
  ),
  living(
    'small-and-changing',
    'A list of 6 records loses its first and wins a last at scattered moments.',
    queue,
    () => scattered(4),
    6,
  ),
];
