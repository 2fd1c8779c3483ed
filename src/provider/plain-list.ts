import { Buffer, isUtf8 } from 'node:buffer';
import type { Json } from '../core/results.ts';
import { exactNumber, isWide } from './exact-number.ts';
import { type Identities, identityText, writeIdentity, writeIdentityOfBytes } from './identity.ts';
import { ANYTHING, KIND, type Shape } from './item-shape.ts';
import {
  afterBlanks,
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  numberEnd,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  scalarEnd,
  stringEnd,
} from './json-scanner.ts';

/** What the items of a page are held against and bounded by. */
export interface PlainBounds {
  /** What every item has to be. */
  readonly shape: Shape;
  readonly idField: string;
  /** Arrays and objects within each other. */
  readonly maxDepth: number;
  /** Items beyond which a page is none that is read here. */
  readonly mostItems: number;
}

/** A page whose items are all as they should be. */
export interface PlainList {
  readonly itemCount: number;
  readonly identities: Identities;
  /** The first item, as JSON; null where there is none. */
  readonly firstItem: Json | undefined;
  /** The body with `[]` in place of its items. */
  readonly envelope: Buffer;
}

/** Arrays and objects within each other that are looked into here. */
const DEEPEST = 32;
/** Records that a page has room for at first: the largest that is specified. */
const USUAL_ITEMS = 500;

/**
 * Reads the items of a list envelope in one pass over its bytes, without making objects of them. Tells only what is
 * certain: null for every page of which anything is unusual, whatever that is; such a page is judged by who reads it
 * whole. Whether what surrounds the items is JSON is for the reader of `envelope` to say.
 */
export function plainList(body: Uint8Array, bounds: PlainBounds): PlainList | null {
  if ((bounds.shape.kinds & KIND.object) === 0 || !isUtf8(body)) return null;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return new PlainReading(bytes, bounds).run();
}

/** A member that objects at one place were seen to have. */
class Member {
  /** Its name as it is written, quotes included. */
  readonly literal: Uint8Array;
  readonly value: Place;
  /** Bit that stands for it among the required ones; 0 where it is none of them. */
  readonly bit: number;
  readonly isIdentifier: boolean;
  /** The last object that was seen to have it. */
  lastIn = 0;
  /** Which one followed it there. */
  next: Member | null = null;

  constructor(literal: Uint8Array, value: Place, bit: number, isIdentifier: boolean) {
    this.literal = literal;
    this.value = value;
    this.bit = bit;
    this.isIdentifier = isIdentifier;
  }
}

/** A place in the items where values stand, with what was learned of the objects there. */
class Place {
  readonly shape: Shape;
  readonly kinds: number;
  /** Bits of all required members. */
  readonly required: number;
  first: Member | null = null;
  #members: Map<string, Member> | null = null;
  #elements: Place | null = null;

  constructor(shape: Shape) {
    this.shape = shape;
    this.kinds = shape.kinds;
    this.required = 2 ** shape.required.length - 1;
  }

  get elements(): Place {
    this.#elements ??= new Place(this.shape.elements ?? ANYTHING);
    return this.#elements;
  }

  /** The member whose name is written so. A name without escapes has one spelling only. */
  member(literal: Buffer, identifier: string | null): Member {
    this.#members ??= new Map();
    const text = literal.toString('latin1', 0, literal.length);
    const known = this.#members.get(text);
    if (known !== undefined) return known;
    const name = literal.toString('utf8', 1, literal.length - 1);
    const index = this.shape.required.indexOf(name);
    const place = new Place(this.shape.members.get(name) ?? ANYTHING);
    const member = new Member(literal, place, index < 0 ? 0 : 1 << index, name === identifier);
    this.#members.set(text, member);
    return member;
  }
}

/** One reading. What is asked for an end tells -1 where something is not plain. */
class PlainReading {
  readonly #bytes: Buffer;
  readonly #bounds: PlainBounds;
  readonly #deepest: number;
  readonly #items: Place;
  #words = new Uint32Array(2 * USUAL_ITEMS);
  #count = 0;
  #objects = 0;
  #firstTo = 0;

  constructor(bytes: Buffer, bounds: PlainBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
    this.#deepest = Math.min(bounds.maxDepth, DEEPEST);
    this.#items = new Place(bounds.shape);
  }

  run(): PlainList | null {
    const bytes = this.#bytes;
    const from = this.#itemsFrom();
    if (from < 0) return null;
    const firstFrom = afterBlanks(bytes, from + 1);
    const to = this.#itemsTo(firstFrom);
    if (to < 0) return null;
    const words = this.#words.slice(0, 2 * this.#count);
    return {
      itemCount: this.#count,
      identities: new BigUint64Array(words.buffer),
      firstItem: this.#count === 0 ? undefined : this.#valueOf(firstFrom, this.#firstTo),
      envelope: Buffer.concat([bytes.subarray(0, from), EMPTY, bytes.subarray(to)]),
    };
  }

  /** Where the array begins that is the first member named `items` of the outermost object. */
  #itemsFrom(): number {
    const bytes = this.#bytes;
    let at = afterBlanks(bytes, 0);
    if (bytes[at] !== OPEN_OBJECT) return -1;
    for (;;) {
      const nameFrom = afterBlanks(bytes, at + 1);
      const nameTo = this.#nameEnd(nameFrom);
      if (nameTo < 0) return -1;
      at = afterBlanks(bytes, nameTo);
      if (bytes[at] !== COLON) return -1;
      at = afterBlanks(bytes, at + 1);
      if (bytes.toString('latin1', nameFrom, nameTo) === '"items"') return bytes[at] === OPEN_ARRAY ? at : -1;
      at = this.#valueEnd(new Place(ANYTHING), at, 1);
      if (at < 0) return -1;
      at = afterBlanks(bytes, at);
      if (bytes[at] !== COMMA) return -1;
    }
  }

  #itemsTo(first: number): number {
    const bytes = this.#bytes;
    if (bytes[first] === CLOSE_ARRAY) return first + 1;
    for (let at = first; ; at = afterBlanks(bytes, at + 1)) {
      if (bytes[at] !== OPEN_OBJECT || this.#count === this.#bounds.mostItems) return -1;
      if (2 * this.#count === this.#words.length) this.#widen();
      at = this.#objectEnd(this.#items, at, 3);
      if (at < 0) return -1;
      if (this.#count === 0) this.#firstTo = at;
      this.#count += 1;
      at = afterBlanks(bytes, at);
      const byte = bytes[at];
      if (byte === CLOSE_ARRAY) return at + 1;
      if (byte !== COMMA) return -1;
    }
  }

  #widen(): void {
    const wider = new Uint32Array(2 * this.#words.length);
    wider.set(this.#words);
    this.#words = wider;
  }

  // Distinct names are known by their member's mark: none was seen in this object before.
  #objectEnd(place: Place, from: number, depth: number): number {
    if (depth > this.#deepest) return -1;
    const bytes = this.#bytes;
    this.#objects += 1;
    const object = this.#objects;
    let missing = place.required;
    let before: Member | null = null;
    let at = afterBlanks(bytes, from + 1);
    if (bytes[at] === CLOSE_OBJECT) return missing === 0 ? at + 1 : -1;
    for (;;) {
      // Objects mostly have the members of the one before, in the same order.
      let member: Member | null = before === null ? place.first : before.next;
      if (member === null || !standsAt(bytes, at, member.literal)) {
        const nameTo = this.#nameEnd(at);
        if (nameTo < 0) return -1;
        member = place.member(
          bytes.subarray(at, nameTo),
          place === this.#items ? this.#bounds.idField : null,
        );
        if (before === null) place.first = member;
        else before.next = member;
      }
      if (member.lastIn === object) return -1;
      member.lastIn = object;
      missing &= ~member.bit;
      at += member.literal.length;
      if (bytes[at] !== COLON) {
        at = afterBlanks(bytes, at);
        if (bytes[at] !== COLON) return -1;
      }
      const valueFrom = afterBlanks(bytes, at + 1);
      at = this.#valueEnd(member.value, valueFrom, depth);
      if (at < 0) return -1;
      if (member.isIdentifier) this.#identify(valueFrom, at);
      before = member;
      at = afterBlanks(bytes, at);
      const byte = bytes[at];
      if (byte === CLOSE_OBJECT) return missing === 0 ? at + 1 : -1;
      if (byte !== COMMA) return -1;
      at = afterBlanks(bytes, at + 1);
    }
  }

  #arrayEnd(place: Place, from: number, depth: number): number {
    if (depth > this.#deepest) return -1;
    const bytes = this.#bytes;
    let at = afterBlanks(bytes, from + 1);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    for (;;) {
      at = this.#valueEnd(place, at, depth);
      if (at < 0) return -1;
      at = afterBlanks(bytes, at);
      const byte = bytes[at];
      if (byte === CLOSE_ARRAY) return at + 1;
      if (byte !== COMMA) return -1;
      at = afterBlanks(bytes, at + 1);
    }
  }

  /** The end of a value that is of a kind that may stand there, within an object or array of that depth. */
  #valueEnd(place: Place, from: number, depth: number): number {
    const bytes = this.#bytes;
    const { kinds } = place;
    switch (bytes[from]) {
      case QUOTE: {
        const to = stringEnd(bytes, from);
        const fits = (kinds & KIND.string) !== 0 && !(to === from + 2 && place.shape.filled);
        return fits ? to : -1;
      }
      case OPEN_OBJECT:
        return (kinds & KIND.object) === 0 ? -1 : this.#objectEnd(place, from, depth + 1);
      case OPEN_ARRAY:
        return (kinds & KIND.array) === 0 ? -1 : this.#arrayEnd(place.elements, from, depth + 1);
      case 0x6e:
        return (kinds & KIND.null) === 0 ? -1 : scalarEnd(bytes, from, 0x6e);
      case 0x66:
      case 0x74:
        return (kinds & KIND.boolean) === 0 ? -1 : scalarEnd(bytes, from, bytes[from] as number);
      default: {
        const to = numberEnd(bytes, from);
        return to >= 0 && (kinds === ANYTHING.kinds || fitsNumber(kinds, bytes, from, to)) ? to : -1;
      }
    }
  }

  /** The end of a name that has one spelling only; one with an escape might be another. */
  #nameEnd(from: number): number {
    if (this.#bytes[from] !== QUOTE) return -1;
    const to = stringEnd(this.#bytes, from);
    return to < 0 || this.#bytes.subarray(from, to).includes(BACKSLASH) ? -1 : to;
  }

  #identify(from: number, to: number): void {
    const bytes = this.#bytes;
    const words = this.#words;
    const place = this.#count;
    if (bytes[from] === QUOTE) {
      if (writeIdentityOfBytes(words, place, { bytes, from: from + 1, to: to - 1, prefix: -1 })) return;
    } else if (isPlainInteger(bytes, from, to)) {
      if (writeIdentityOfBytes(words, place, { bytes, from, to, prefix: 0 })) return;
    }
    const value = this.#valueOf(from, to);
    const isOther = typeof value === 'number' && isWide(value);
    const exact = isOther ? exactNumber(bytes.toString('latin1', from, to), value) : null;
    if (value !== null) writeIdentity(words, place, identityText(value, exact ?? undefined));
  }

  #valueOf(from: number, to: number): Json {
    return JSON.parse(this.#bytes.toString('utf8', from, to)) as Json;
  }
}

/** Characters of a number up to which it is finite whatever they are, where it has no exponent. */
const SURELY_FINITE = 300;
/** Digits of an integer that is written in one way only. */
const PLAIN_DIGITS = 15;

function fitsNumber(kinds: number, bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > SURELY_FINITE) return false;
  let whole = true;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x45 || byte === 0x65) return false;
    if (byte === 0x2e) whole = false;
  }
  return (kinds & (whole ? KIND.number | KIND.integer : KIND.number)) !== 0;
}

function isPlainInteger(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > PLAIN_DIGITS) return false;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x30 || byte > 0x39) return false;
  }
  return true;
}

function standsAt(bytes: Uint8Array, from: number, literal: Uint8Array): boolean {
  for (let index = 0; index < literal.length; index++) {
    if (bytes[from + index] !== literal[index]) return false;
  }
  return true;
}

const EMPTY = Buffer.from('[]');
