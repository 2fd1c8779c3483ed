import { type Change, composeChanges, type Page, wrap } from '../pipeline.ts';
import { mix } from '../records.ts';

/** The state of a list of `size` records after `version` changes. */
export interface DataChange {
  readonly total: (version: number, size: number) => number;
  /** The record at a position. */
  readonly recordAt: (position: number, version: number, size: number) => number;
  /** The number of the change that edited a record last; null for none. No change edits a record if left out. */
  readonly editOf?: (record: number, version: number, size: number) => number | null;
}

/** The number of changes before the `call`-th read of the list. */
export type ChangeSchedule = (call: number) => number;

export const always: ChangeSchedule = (call) => call;
export const every =
  (calls: number): ChangeSchedule =>
  (call) =>
    Math.floor(call / calls);
export const once =
  (at: number): ChangeSchedule =>
  (call) =>
    call >= at ? 1 : 0;
export const burst =
  (from: number, to: number): ChangeSchedule =>
  (call) =>
    Math.min(Math.max(0, call - from), to - from);

/** Pseudo-random changes: at about one read in `oneIn`. */
export function scattered(oneIn: number): ChangeSchedule {
  let seen = 0;
  let version = 0;
  return (call) => {
    for (; seen < call; seen += 1) if (mix(seen ^ 0x2545f491) % oneIn === 0) version += 1;
    return version;
  };
}

/** A change at every `calls`-th read, undone at the next one. */
export function briefly(calls: number): ChangeSchedule {
  return (call) => 2 * Math.floor(call / calls) + (call % calls === calls - 1 ? 1 : 0);
}

/** One change every `milliseconds`. */
export function timed(milliseconds: number): ChangeSchedule {
  const start = Date.now();
  return () => Math.floor((Date.now() - start) / milliseconds);
}

const samePosition = (position: number): number => position;
const sameTotal = (_version: number, size: number): number => size;

export const growAtEnd: DataChange = { total: (version, size) => size + version, recordAt: samePosition };
export const growAtFront: DataChange = {
  total: (version, size) => size + version,
  recordAt: (position, version, size) =>
    position < version ? size + version - 1 - position : position - version,
};
export const growInMiddle: DataChange = {
  total: (version, size) => size + version,
  recordAt: (position, version, size) => {
    const middle = Math.floor(size / 2);
    if (position < middle) return position;
    return position < middle + version ? size + position - middle : position - version;
  },
};
export const shrinkAtEnd: DataChange = {
  total: (version, size) => Math.max(0, size - version),
  recordAt: samePosition,
};
export const shrinkAtFront: DataChange = {
  total: (version, size) => Math.max(0, size - version),
  recordAt: (position, version) => position + version,
};
export const shrinkInMiddle: DataChange = {
  total: (version, size) => Math.max(0, size - version),
  recordAt: (position, version, size) => {
    const left = Math.max(0, size - version);
    return position < Math.floor(left / 2) ? position : position + (size - left);
  },
};
export const replaceOneByOne: DataChange = {
  total: sameTotal,
  recordAt: (position, version, size) => {
    // Position k is replaced by every change whose number is k modulo the size.
    const times = version > position ? Math.floor((version - position - 1) / size) + 1 : 0;
    return position + times * size;
  },
};
export const replaceAll: DataChange = {
  total: sameTotal,
  recordAt: (position, version, size) => position + version * size,
};
export const toggleLast: DataChange = {
  total: (version, size) => size + (version % 2),
  recordAt: (position, version, size) => (position === size ? size + version : position),
};
export const toggleMiddle: DataChange = {
  total: sameTotal,
  recordAt: (position, version, size) =>
    version % 2 === 1 && position === Math.floor(size / 2) ? size : position,
};
/** A record in the middle is removed and added again, so that count and the records after it change together. */
export const toggleWithin: DataChange = {
  total: (version, size) => size - (version % 2),
  recordAt: (position, version, size) =>
    version % 2 === 1 && position >= Math.floor(size / 2) ? position + 1 : position,
};
export const queue: DataChange = { total: sameTotal, recordAt: (position, version) => position + version };
/** The newest record comes first; the oldest one is removed when a new one is added. */
export const slidingWindow: DataChange = {
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
/** The same, with a member that says which change moved the record, as in a list that is sorted by a time of change. */
export const editAndMoveToFront: DataChange = {
  ...moveToFront,
  editOf: (record, version, size) => {
    if (!movedRecords(version, size).includes(record)) return null;
    let change = version;
    while (mix(change) % size !== record) change -= 1;
    return change;
  },
};
export const halve: DataChange = {
  total: (version, size) => (version > 0 ? Math.ceil(size / 2) : size),
  recordAt: samePosition,
};
export const empty: DataChange = {
  total: (version, size) => (version > 0 ? 0 : size),
  recordAt: samePosition,
};
export const appear: DataChange = {
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

/**
 * Changes the list between reads; each answer shows one state. The seed of the provider shifts the changes.
 *
 * @param cachedMs milliseconds for which a cache keeps the page of a URL; 0 for no cache
 */
export function changeDuringReads(motion: DataChange, pace: () => ChangeSchedule, cachedMs = 0): Change {
  return (steps) => {
    const versionAt = pace();
    const versions = new WeakMap<Page, number>();
    const cache = new Map<string, { readonly version: number; readonly until: number }>();
    let calls = 0;
    return composeChanges(
      wrap('total', (total) => (page, service) => {
        calls += 1;
        const now = performance.now();
        const cached = cache.get(page.request.target);
        const isFresh = cached !== undefined && cached.until > now;
        const version = isFresh
          ? cached.version
          : versionAt(Math.max(0, calls + scheduleShift(service.seed)));
        if (!isFresh) cache.set(page.request.target, { version, until: now + cachedMs });
        versions.set(page, version);
        return motion.total(version, total(page, service));
      }),
      wrap('recordAt', (recordAt) => (position, page, service) => {
        const version = versions.get(page) ?? 0;
        return recordAt(motion.recordAt(position, version, page.resource.records), page, service);
      }),
      wrap('item', (item) => (record, page, service) => {
        const given = item(record, page, service);
        const edit = motion.editOf?.(record, versions.get(page) ?? 0, page.resource.records) ?? null;
        return edit === null ? given : { ...(given as object), agent: `agent ${edit}` };
      }),
    )(steps);
  };
}
