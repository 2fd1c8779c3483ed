import { Buffer } from 'node:buffer';
import { bufferOf, type HttpAnswer } from '../core/exchange.ts';
import {
  type DuplicateName,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  type ScanVisitor,
  type Span,
  scanJson,
} from '../core/json-scanner.ts';
import { isJsonObject } from '../core/json-text.ts';
import type { Json } from '../core/results.ts';
import type { Limits } from '../target/target.ts';
import {
  bodyFault,
  type Exact,
  encodingFault,
  exactAt,
  type JsonValue,
  type NoJson,
  parsePlainJson,
  readValue,
  setExact,
  valueAt,
} from './json-reader.ts';

export type ListLimits = Pick<Limits, 'maxJsonDepth' | 'maxRecordBytes'>;

/** A list that was read, with the number of its items; or why there is none. */
type ListBody = ({ readonly ok: true; readonly itemCount: number } & JsonValue) | NoJson;

/** Takes the items in their order. They count only if the list can be read. Returns whether further items are needed. */
type ItemVisitor = (item: JsonValue) => boolean;

/** Bytes of the largest body that is parsed as a whole: more than a usual page has. */
const WHOLE_BYTES = 1_048_576;
/** Bytes of items that are parsed together. */
const BATCH_BYTES = 131_072;
/** Members of an envelope whose names are kept. */
const MAX_NAMES = 64;
/** Bytes of the longest name that is kept. */
const MAX_NAME_BYTES = 1024;

/** The facts of a text that is plain JSON. */
const PLAIN: Omit<JsonValue, 'value'> = { doubled: [], exact: new Map() };

/**
 * Reads a list envelope, or an array of items without one. A body that is plain and not large is parsed as a whole. In
 * all others, a scan finds where the values are, and the items are parsed in batches: whatever a large body holds,
 * reading it takes little more memory than the body itself. In the value that is returned, `items` (or the array
 * itself) is empty, and members that are not in `names` may be null.
 *
 * @param names members of the envelope whose values are read
 */
export function readList(
  { body }: Pick<HttpAnswer, 'body'>,
  names: readonly string[],
  limits: ListLimits,
  visit: ItemVisitor,
): ListBody {
  const bytes = bufferOf(body);
  const { maxJsonDepth, maxRecordBytes } = limits;
  const isSmall = bytes.length <= Math.min(WHOLE_BYTES, maxRecordBytes);
  const plain = isSmall && encodingFault(bytes) === null ? parsePlainJson(bytes, maxJsonDepth) : undefined;
  if (plain === undefined)
    return bodyFault(bytes, maxJsonDepth) ?? new ListReader(bytes, names, limits, visit).read();
  const items = isJsonObject(plain) ? plain['items'] : plain;
  if (!Array.isArray(items)) return { ok: true, value: plain, itemCount: 0, ...PLAIN };
  visitPlain(items, visit);
  const value = isJsonObject(plain) ? { ...plain, items: [] } : [];
  return { ok: true, value, itemCount: items.length, ...PLAIN };
}

function visitPlain(items: readonly Json[], visit: ItemVisitor): boolean {
  return items.every((value) => visit({ value, ...PLAIN }));
}

/** Reads a list from a text that is known to be JSON. */
class ListReader implements ScanVisitor {
  readonly #bytes: Buffer;
  readonly #names: readonly string[];
  readonly #limits: ListLimits;
  readonly #visit: ItemVisitor;
  readonly #envelope = new Map<string, Json>();
  readonly #exact = new Map<string, Exact>();
  readonly #doubled = new Map<string, DuplicateName>();
  readonly #read = new Set<string>();
  /** Items that were found and are not parsed yet. */
  #batch: Span[] = [];
  /** The name of the array that elements were found in last, and whether it is `items`. */
  #array: Span | null | undefined;
  #isItems: boolean = false;
  #tooLong: string | null = null;
  #itemCount = 0;
  #needsItems: boolean = true;

  constructor(bytes: Buffer, names: readonly string[], limits: ListLimits, visit: ItemVisitor) {
    this.#bytes = bytes;
    this.#names = names;
    this.#limits = limits;
    this.#visit = visit;
  }

  read(): ListBody {
    scanJson(this.#bytes, this.#limits.maxJsonDepth, this);
    this.#takeBatch();
    if (this.#tooLong !== null) return { ok: false, why: this.#tooLong, limit: 'maxRecordBytes' };
    const outermost = this.#bytes.findIndex((byte) => byte > 0x20);
    const value =
      this.#bytes[outermost] === OPEN_OBJECT
        ? Object.fromEntries(this.#envelope)
        : this.#emptied({ from: outermost, to: this.#bytes.length });
    const doubled = [...this.#doubled.values()];
    return { ok: true, value, doubled, exact: this.#exact, itemCount: this.#itemCount };
  }

  element(from: number, to: number, array: Span | null): void {
    if (array !== this.#array) {
      this.#takeBatch();
      this.#array = array;
      this.#isItems = array === null || this.#nameAt(array) === 'items';
    }
    if (!this.#isItems) return;
    if (to - from > this.#limits.maxRecordBytes) this.#refuse('a record');
    if (to - (this.#batch[0]?.from ?? from) > BATCH_BYTES) this.#takeBatch();
    this.#batch.push({ from, to });
  }

  #takeBatch(): void {
    const batch = this.#batch;
    this.#batch = [];
    const [first, last] = [batch[0], batch.at(-1)];
    this.#itemCount += batch.length;
    if (first === undefined || last === undefined || this.#tooLong !== null || !this.#needsItems) return;
    const { maxJsonDepth } = this.#limits;
    const array = Buffer.from(`[${this.#bytes.toString('utf8', first.from, last.to)}]`);
    const plain = parsePlainJson(array, maxJsonDepth);
    this.#needsItems =
      plain !== undefined
        ? visitPlain(plain as readonly Json[], this.#visit)
        : batch.every(({ from, to }) => this.#visit(readValue(this.#bytes.subarray(from, to), maxJsonDepth)));
  }

  member(nameSpan: Span, span: Span): void {
    const name = this.#nameAt(nameSpan);
    if (name === null) return;
    if (!this.#names.includes(name)) {
      if (this.#envelope.size < MAX_NAMES) this.#envelope.set(name, null);
      return;
    }
    if (this.#read.has(name)) this.#doubled.set(name, { path: [], name });
    this.#read.add(name);
    this.#envelope.set(name, name === 'items' ? this.#emptied(span) : this.#value(name, span));
  }

  #nameAt(span: Span): string | null {
    return span.to - span.from > MAX_NAME_BYTES ? null : String(valueAt(this.#bytes, span));
  }

  #value(name: string, span: Span): Json {
    if (span.to - span.from > this.#limits.maxRecordBytes) this.#refuse(`a ${name}`);
    if (this.#tooLong !== null) return null;
    setExact(this.#exact, name, exactAt(this.#bytes, span));
    return valueAt(this.#bytes, span);
  }

  /** A value; in place of an array, an object or a string, an empty one. */
  #emptied(span: Span): Json {
    switch (this.#bytes[span.from]) {
      case OPEN_ARRAY:
        return [];
      case OPEN_OBJECT:
        return {};
      case QUOTE:
        return '';
      default:
        return valueAt(this.#bytes, span);
    }
  }

  #refuse(what: string): void {
    const most = `${this.#limits.maxRecordBytes} bytes (limits.maxRecordBytes)`;
    this.#tooLong ??= `it holds ${what} of more than ${most}`;
  }
}
