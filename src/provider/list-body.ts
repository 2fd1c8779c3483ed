import { Buffer } from 'node:buffer';
import type { HttpAnswer } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import { encodingFault, exactNumbers, isObject, type JsonBody, notJson, readJson, tooDeep } from './body.ts';
import { type Exact, exactNumber, isWide } from './exact.ts';
import { scanJson } from './json-scan.ts';
import { type Doubled, doubledNames, membersIn, survey } from './json-text.ts';

/** What a reading of a list is bounded by. */
export interface ListBounds {
  /** Arrays and objects within each other. */
  readonly maxDepth: number;
  /** Bytes of one record, and of one other value in an answer of more bytes than that. */
  readonly maxRecordBytes: number;
}

/** Who is reported of the elements of `items`, in their order. What it was told counts only where the body is JSON. */
export interface ItemVisitor {
  /** An element, with the names that it gives more than once, and its numbers that a double does not hold. */
  take(item: Json, doubled: readonly Doubled[], exact: ReadonlyMap<string, Exact>): void;
  /** Further elements that are only counted, once `sated`. */
  pass(count: number): void;
  /** Whether no more elements need to be told. */
  readonly sated: boolean;
}

/** Bytes up to which a body is parsed in one go. */
const PARSED_WHOLE = 1_048_576;
/** Bytes of items that are parsed together. */
const BATCH = 131_072;
/** Names of members told of an envelope that has more. */
const MOST_NAMES = 64;
/** Bytes of the longest name that is reported. */
const LONGEST_NAME = 1024;

/**
 * Reads a list envelope, or an array of items without one, item by item: of the value that is returned, `items` (or
 * the array itself) is empty. Whatever a body holds, reading it takes little more memory than the body itself: of a
 * large one, members that nobody reads stand as null, and only the first few of them are reported.
 */
export function readList(
  answer: HttpAnswer,
  names: readonly string[],
  bounds: ListBounds,
  visitor: ItemVisitor,
): JsonBody {
  const { body } = answer;
  if (isReadWhole(answer, bounds)) return whole(answer, bounds, visitor);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const fault = encodingFault(bytes);
  if (fault !== null) return { ok: false, why: fault };
  return new Reading(bytes, names, bounds, visitor).run();
}

/** Whether a body is small enough to be read in one go, however long its records are. */
export function isReadWhole({ body }: HttpAnswer, bounds: ListBounds): boolean {
  return body.length <= Math.min(PARSED_WHOLE, bounds.maxRecordBytes);
}

function whole(answer: HttpAnswer, bounds: ListBounds, visitor: ItemVisitor): JsonBody {
  const body = readJson(answer, bounds.maxDepth);
  if (!body.ok) return body;
  const bare = Array.isArray(body.value);
  const items = bare ? body.value : isObject(body.value) ? body.value['items'] : undefined;
  if (!Array.isArray(items)) return body;
  const depth = bare ? 0 : 1;
  const exact = exactMembers(answer.body, items as readonly Json[], bounds.maxDepth);
  (items as readonly Json[]).forEach((item, index) => {
    const twice = body.doubled.filter(({ path }) => (bare || path[0] === 'items') && path[depth] === index);
    visitor.take(item, within(twice, depth + 1), exact[index] ?? NO_NUMBERS);
  });
  return { ...body, value: bare ? [] : { ...(body.value as { readonly [name: string]: Json }), items: [] } };
}

const NO_NUMBERS: ReadonlyMap<string, Exact> = new Map();
const NONE: readonly Doubled[] = [];

/** Doubled names with their paths from so many steps further in. */
function within(doubled: readonly Doubled[], depth: number): readonly Doubled[] {
  return doubled.length === 0 ? NONE : doubled.map((one) => ({ ...one, path: one.path.slice(depth) }));
}

/**
 * Of each item of a list the numbers among its members that a double does not hold; none at all where there is no such
 * number, as on most lists. Expects a text that is JSON.
 */
function exactMembers(
  text: Uint8Array,
  items: readonly Json[],
  maxDepth: number,
): readonly ReadonlyMap<string, Exact>[] {
  if (!items.some(hasWideNumber)) return [];
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  let exact: ReadonlyMap<string, Exact>[] = [];
  let last = -2;
  scanJson(bytes, maxDepth, {
    element: (from, to, nameFrom, nameTo) => {
      if (nameFrom >= 0 && JSON.parse(bytes.toString('utf8', nameFrom, nameTo)) !== 'items') return;
      // Of doubled names the last one counts.
      if (nameFrom !== last) exact = [];
      last = nameFrom;
      const item = bytes.toString('utf8', from, to);
      exact.push(
        exactNumbers(item, JSON.parse(item) as Json, survey(item, Number.POSITIVE_INFINITY).outermost),
      );
    },
  });
  return exact;
}

function hasWideNumber(item: Json): boolean {
  return isObject(item) && Object.values(item).some((value) => typeof value === 'number' && isWide(value));
}

/** One reading of a large body: a scan that says where things stand, and a small parse of each that is wanted. */
class Reading {
  readonly #bytes: Buffer;
  readonly #names: readonly string[];
  readonly #bounds: ListBounds;
  readonly #visitor: ItemVisitor;
  readonly #envelope = new Map<string, Json>();
  readonly #exact = new Map<string, Exact>();
  readonly #doubled = new Map<string, Doubled>();
  readonly #read = new Set<string>();
  /** Where the items stand that were met and not parsed yet. */
  #batchFrom = 0;
  #batchTo = 0;
  #batched = 0;
  /** Where the name stood in front of the array that elements were met in last, and whether it is `items`. */
  #lastName = -2;
  #isItems: boolean = false;
  #tooLong: string | null = null;

  constructor(bytes: Buffer, names: readonly string[], bounds: ListBounds, visitor: ItemVisitor) {
    this.#bytes = bytes;
    this.#names = names;
    this.#bounds = bounds;
    this.#visitor = visitor;
  }

  run(): JsonBody {
    const scanned = scanJson(this.#bytes, this.#bounds.maxDepth, {
      element: (from, to, nameFrom, nameTo) => this.#element(from, to, nameFrom, nameTo),
      member: (nameFrom, nameTo, from, to) => this.#member(nameFrom, nameTo, from, to),
    });
    if (scanned.kind === 'too-deep') return tooDeep(this.#bounds.maxDepth);
    if (scanned.kind === 'not-json') return notJson(this.#bytes, scanned.at);
    this.#parseBatch();
    if (this.#tooLong !== null) return { ok: false, why: this.#tooLong, limit: 'maxRecordBytes' };
    return { ok: true, value: this.#value(), doubled: [...this.#doubled.values()], exact: this.#exact };
  }

  #value(): Json {
    const first = this.#bytes.find((byte) => byte > 0x20);
    if (first === 0x5b) return [];
    // Any value of its kind: nobody reads one that is no object.
    if (first !== 0x7b) return first === 0x22 ? '' : 0;
    return Object.fromEntries(this.#envelope);
  }

  #element(from: number, to: number, nameFrom: number, nameTo: number): void {
    if (nameFrom !== this.#lastName) {
      this.#parseBatch();
      this.#lastName = nameFrom;
      this.#isItems = nameFrom < 0 || this.#name(nameFrom, nameTo) === 'items';
    }
    if (!this.#isItems) return;
    if (to - from > this.#bounds.maxRecordBytes) this.#refuse('a record');
    if (this.#tooLong !== null) return;
    if (this.#batched > 0 && to - this.#batchFrom > BATCH) this.#parseBatch();
    if (this.#batched === 0) this.#batchFrom = from;
    this.#batchTo = to;
    this.#batched += 1;
  }

  #parseBatch(): void {
    const batched = this.#batched;
    this.#batched = 0;
    if (batched === 0 || this.#tooLong !== null) return;
    if (this.#visitor.sated) {
      this.#visitor.pass(batched);
      return;
    }
    const text = `[${this.#text(this.#batchFrom, this.#batchTo)}]`;
    const items = JSON.parse(text) as readonly Json[];
    const { members } = survey(text, Number.POSITIVE_INFINITY);
    const doubled = members === membersIn(items) ? [] : doubledNames(text);
    const exact = exactMembers(Buffer.from(text), items, this.#bounds.maxDepth);
    items.forEach((item, index) => {
      const twice = doubled.filter(({ path }) => path[0] === index);
      this.#visitor.take(item, within(twice, 1), exact[index] ?? NO_NUMBERS);
    });
  }

  #member(nameFrom: number, nameTo: number, from: number, to: number): void {
    const name = this.#name(nameFrom, nameTo);
    if (name === null) return;
    if (!this.#names.includes(name)) {
      if (this.#envelope.size < MOST_NAMES) this.#envelope.set(name, null);
      return;
    }
    if (this.#read.has(name)) this.#doubled.set(name, { path: [], name });
    this.#read.add(name);
    this.#envelope.set(name, name === 'items' ? this.#kind(from) : this.#small(name, from, to));
  }

  #name(from: number, to: number): string | null {
    if (to - from > LONGEST_NAME) return null;
    const literal = this.#text(from, to);
    return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  }

  #small(name: string, from: number, to: number): Json {
    if (to - from > this.#bounds.maxRecordBytes) this.#refuse(`a ${name}`);
    if (this.#tooLong !== null) return null;
    const text = this.#text(from, to);
    const value = JSON.parse(text) as Json;
    const exact = typeof value === 'number' ? exactNumber(text, value) : null;
    if (exact !== null) this.#exact.set(name, exact);
    return value;
  }

  /** An empty value of the kind that begins there. */
  #kind(from: number): Json {
    switch (this.#bytes[from]) {
      case 0x5b:
        return [];
      case 0x7b:
        return {};
      case 0x22:
        return '';
      case 0x6e:
        return null;
      case 0x66:
      case 0x74:
        return true;
      default:
        return 0;
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
