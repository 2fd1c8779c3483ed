import { type Change, composeChanges, rewrite, wrap } from './changes.ts';
import type { Page } from './pipeline.ts';
import { mix } from './records.ts';

/** The state of a list of `size` records after `version` changes; what is left out stays as it is. */
export interface DataChange {
  readonly total?: (version: number, size: number) => number;
  readonly recordAt?: (position: number, version: number, size: number) => number;
  /** The number of the change that edited a record last; null for none. */
  readonly editOf?: (record: number, version: number, size: number) => number | null;
}

/** The number of changes before the `call`-th read of the list. */
type ChangeSchedule = (call: number) => number;

/** Makes the schedule of one started provider. */
type Pace = () => ChangeSchedule;

export const always: Pace = () => (call) => call;

/** A change at every `calls`-th read. */
export function every(calls: number): Pace {
  return () => (call) => Math.floor(call / calls);
}

/** One change, at the `at`-th read. */
export function once(at: number): Pace {
  return () => (call) => (call >= at ? 1 : 0);
}

/** A change at each read between two. */
export function burst(from: number, to: number): Pace {
  return () => (call) => Math.min(Math.max(0, call - from), to - from);
}

/** Pseudo-random changes: at about one read in `oneIn`. */
export function scattered(oneIn: number): Pace {
  return () => {
    let seen = 0;
    let version = 0;
    return (call) => {
      for (; seen < call; seen += 1) if (mix(seen ^ 0x2545f491) % oneIn === 0) version += 1;
      return version;
    };
  };
}

/** A change at every `calls`-th read, undone at the next one. */
export function briefly(calls: number): Pace {
  return () => (call) => 2 * Math.floor(call / calls) + (call % calls === calls - 1 ? 1 : 0);
}

/** One change every `milliseconds`. */
export function timed(milliseconds: number): Pace {
  return () => {
    const start = Date.now();
    return () => Math.floor((Date.now() - start) / milliseconds);
  };
}

export const growAtEnd: DataChange = { total: (version, size) => size + version };

/** The record at a position among those that were not moved. */
function unmovedRecord(position: number, moved: readonly number[]): number {
  let record = position;
  for (const one of moved.toSorted((first, second) => first - second)) if (one <= record) record += 1;
  return record;
}

export const moveToFront: DataChange = {
  recordAt: (position, version, size) => {
    const moved = movedRecords(version, size);
    return moved[position] ?? unmovedRecord(position - moved.length, moved);
  },
};
/** A table without ORDER BY: an updated record moves to the end of the heap. */
export const moveToEnd: DataChange = {
  recordAt: (position, version, size) => {
    const moved = movedRecords(version, size);
    return moved[size - 1 - position] ?? unmovedRecord(position, moved);
  },
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
export function changeDuringReads(motion: DataChange, pace: Pace, cachedMs = 0): Change {
  return (steps) => {
    const versionAt = pace();
    const versions = new WeakMap<Page, number>();
    const cache = new Map<string, { readonly version: number; readonly until: number }>();
    let calls = 0;
    return composeChanges(
      rewrite('total', (total, page, service) => {
        calls += 1;
        const now = performance.now();
        const cached = cache.get(page.request.target);
        const isFresh = cached !== undefined && cached.until > now;
        const version = isFresh
          ? cached.version
          : versionAt(Math.max(0, calls + scheduleShift(service.seed)));
        if (!isFresh) cache.set(page.request.target, { version, until: now + cachedMs });
        versions.set(page, version);
        return motion.total?.(version, total) ?? total;
      }),
      wrap('recordAt', (recordAt) => (position, page, service) => {
        const version = versions.get(page) ?? 0;
        const record = motion.recordAt?.(position, version, page.resource.records) ?? position;
        return recordAt(record, page, service);
      }),
      rewrite('item', (given, record, page) => {
        const edit = motion.editOf?.(record, versions.get(page) ?? 0, page.resource.records) ?? null;
        return edit === null ? given : { ...(given as object), agent: `agent ${edit}` };
      }),
    )(steps);
  };
}

/** A breach of a list that grows by one record at every fifth read. */
export function growing(breach: Change): Change {
  return composeChanges(changeDuringReads(growAtEnd, every(5)), breach);
}
