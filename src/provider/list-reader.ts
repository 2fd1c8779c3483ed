import { Buffer } from 'node:buffer';
import type { HttpAnswer } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import { type DuplicateName, doubledIn } from './duplicate-names.ts';
import type { Exact } from './exact-number.ts';
import {
  bufferOf,
  encodingFault,
  exactAt,
  exactNumbers,
  isObject,
  type JsonBody,
  notJson,
  parsePlainJson,
  tooDeep,
} from './json-reader.ts';
import { type ScannedValue, scanJson } from './json-scanner.ts';

/** Bounds on the reading of a list. */
export interface ListBounds {
  /** Arrays and objects within each other. */
  readonly maxDepth: number;
  /** Bytes of one record, and of one other value that is read. */
  readonly maxRecordBytes: number;
}

/** Receives the elements of `items` in their order. They count only if the whole body turns out to be JSON. */
export interface ItemVisitor {
  /** An element, with the names that it gives more than once, and its numbers that a double does not hold. */
  take(item: Json, doubled: readonly DuplicateName[], exact: ReadonlyMap<string, Exact>): void;
  /** Further elements, which are only counted once `isDone` is true. */
  pass(count: number): void;
  /** Whether no more elements are needed. */
  readonly isDone: boolean;
}

/** Bytes of the largest body that is parsed as a whole: more than a usual page has. */
const WHOLE_BYTES = 1_048_576;
/** Bytes of items that are parsed together. */
const BATCH_BYTES = 131_072;
/** Members of an envelope whose names are kept. */
const MAX_NAMES = 64;
/** Bytes of the longest name that is kept. */
const MAX_NAME_BYTES = 1024;

/**
 * Reads a list envelope, or an array of items without one. A body that is plain and not large is parsed as a whole. In
 * all others, a scan finds where the values are, and the items are parsed in batches: whatever a large body holds,
 * reading it takes little more memory than the body itself. In the value that is returned, `items` (or the array
 * itself) is empty, and members that are not in `names` may be null.
 *
 * @param names members of the envelope whose values are read
 */
export function readList(
  { body }: HttpAnswer,
  names: readonly string[],
  bounds: ListBounds,
  visitor: ItemVisitor,
): JsonBody {
  const bytes = bufferOf(body);
  const fault = encodingFault(bytes);
  if (fault !== null) return { ok: false, why: fault };
  const { maxDepth, maxRecordBytes } = bounds;
  const value =
    bytes.length <= Math.min(WHOLE_BYTES, maxRecordBytes) ? parsePlainJson(bytes, maxDepth) : undefined;
  return value === undefined
    ? new ListReader(bytes, names, bounds, visitor).read()
    : visitPlain(value, visitor);
}

function visitPlain(value: Json, visitor: ItemVisitor): JsonBody {
  const items = isObject(value) ? value['items'] : value;
  if (!Array.isArray(items)) return { ok: true, value, doubled: NO_NAMES, exact: NO_NUMBERS };
  let taken = 0;
  for (; taken < items.length && !visitor.isDone; taken += 1)
    visitor.take(items[taken] as Json, NO_NAMES, NO_NUMBERS);
  if (taken < items.length) visitor.pass(items.length - taken);
  const emptied = isObject(value) ? { ...value, items: [] } : [];
  return { ok: true, value: emptied, doubled: NO_NAMES, exact: NO_NUMBERS };
}

/** Items that were found and are not parsed yet: where they are, how many, and the members in them. */
interface Batch {
  from: number;
  to: number;
  items: number;
  members: number;
  hasUnusualNumbers: boolean;
}

function emptyBatch(): Batch {
  return { from: 0, to: 0, items: 0, members: 0, hasUnusualNumbers: false };
}

const NO_NUMBERS: ReadonlyMap<string, Exact> = new Map();
const NO_NAMES: readonly DuplicateName[] = [];

class ListReader {
  readonly #bytes: Buffer;
  readonly #names: readonly string[];
  readonly #bounds: ListBounds;
  readonly #visitor: ItemVisitor;
  readonly #envelope = new Map<string, Json>();
  readonly #exact = new Map<string, Exact>();
  readonly #doubled = new Map<string, DuplicateName>();
  readonly #read = new Set<string>();
  #batch: Batch = emptyBatch();
  /** Where the name of the array is that elements were found in last, and whether it is `items`. */
  #lastName = -2;
  #isItems: boolean = false;
  #tooLong: string | null = null;

  constructor(bytes: Buffer, names: readonly string[], bounds: ListBounds, visitor: ItemVisitor) {
    this.#bytes = bytes;
    this.#names = names;
    this.#bounds = bounds;
    this.#visitor = visitor;
  }

  read(): JsonBody {
    const { maxDepth } = this.#bounds;
    const scanned = scanJson(this.#bytes, maxDepth, {
      element: (found) => this.#element(found),
      member: (found) => this.#member(found),
    });
    if (scanned.kind === 'too-deep') return tooDeep(maxDepth);
    if (scanned.kind === 'not-json') return notJson(this.#bytes, scanned.at);
    this.#parseBatch();
    if (this.#tooLong !== null) return { ok: false, why: this.#tooLong, limit: 'maxRecordBytes' };
    const outermost = this.#bytes.findIndex((byte) => byte > 0x20);
    const value =
      this.#bytes[outermost] === 0x7b
        ? Object.fromEntries(this.#envelope)
        : this.#emptied(outermost, this.#bytes.length);
    return { ok: true, value, doubled: [...this.#doubled.values()], exact: this.#exact };
  }

  #element({ from, to, nameFrom, nameTo, members, hasUnusualNumbers }: ScannedValue): void {
    if (nameFrom !== this.#lastName) {
      this.#parseBatch();
      this.#lastName = nameFrom;
      this.#isItems = nameFrom < 0 || this.#name(nameFrom, nameTo) === 'items';
    }
    if (!this.#isItems) return;
    if (to - from > this.#bounds.maxRecordBytes) this.#refuse('a record');
    if (this.#tooLong !== null) return;
    if (this.#batch.items > 0 && to - this.#batch.from > BATCH_BYTES) this.#parseBatch();
    const batch = this.#batch;
    if (batch.items === 0) batch.from = from;
    batch.to = to;
    batch.items += 1;
    batch.members += members;
    batch.hasUnusualNumbers ||= hasUnusualNumbers;
  }

  #parseBatch(): void {
    const { from, to, items: count, members, hasUnusualNumbers } = this.#batch;
    this.#batch = emptyBatch();
    if (count === 0 || this.#tooLong !== null) return;
    if (this.#visitor.isDone) {
      this.#visitor.pass(count);
      return;
    }
    const text = `[${this.#text(from, to)}]`;
    const items = JSON.parse(text) as readonly Json[];
    const doubled = doubledIn(text, items, members);
    const exact = hasUnusualNumbers ? this.#exactOf(text) : [];
    for (let index = 0; index < items.length; index++) {
      const twice =
        doubled.length === 0
          ? NO_NAMES
          : doubled
              .filter(({ path }) => path[0] === index)
              .map((one) => ({ ...one, path: one.path.slice(1) }));
      this.#visitor.take(items[index] as Json, twice, exact[index] ?? NO_NUMBERS);
    }
  }

  /** Of each item of an array, its numbers that a double does not hold. */
  #exactOf(array: string): readonly ReadonlyMap<string, Exact>[] {
    const { maxDepth } = this.#bounds;
    const bytes = Buffer.from(array);
    const exact: ReadonlyMap<string, Exact>[] = [];
    scanJson(bytes, maxDepth, {
      element: ({ from, to, hasUnusualNumbers }) =>
        exact.push(hasUnusualNumbers ? exactNumbers(bytes.subarray(from, to), maxDepth) : NO_NUMBERS),
    });
    return exact;
  }

  #member(found: ScannedValue): void {
    const name = this.#name(found.nameFrom, found.nameTo);
    if (name === null) return;
    if (!this.#names.includes(name)) {
      if (this.#envelope.size < MAX_NAMES) this.#envelope.set(name, null);
      return;
    }
    if (this.#read.has(name)) this.#doubled.set(name, { path: [], name });
    this.#read.add(name);
    this.#envelope.set(
      name,
      name === 'items' ? this.#emptied(found.from, found.to) : this.#value(name, found),
    );
  }

  #name(from: number, to: number): string | null {
    if (to - from > MAX_NAME_BYTES) return null;
    const literal = this.#text(from, to);
    return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  }

  #value(name: string, found: ScannedValue): Json {
    if (found.to - found.from > this.#bounds.maxRecordBytes) this.#refuse(`a ${name}`);
    if (this.#tooLong !== null) return null;
    const exact = exactAt(this.#bytes, found);
    if (exact === null) this.#exact.delete(name);
    else this.#exact.set(name, exact);
    return JSON.parse(this.#text(found.from, found.to)) as Json;
  }

  /** A value; in place of an array, an object or a string, an empty one. */
  #emptied(from: number, to: number): Json {
    switch (this.#bytes[from]) {
      case 0x5b:
        return [];
      case 0x7b:
        return {};
      case 0x22:
        return '';
      default:
        return JSON.parse(this.#text(from, to)) as Json;
    }
  }

  #refuse(what: string): void {
    const most = `${this.#bounds.maxRecordBytes} bytes (limits.maxRecordBytes)`;
    this.#tooLong ??= `it holds ${what} of more than ${most}`;
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to);
  }
}
