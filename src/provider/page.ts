import { Buffer } from 'node:buffer';
import { type Exchange, type Header, type HttpAnswer, headerOf, headerValues } from '../core/exchange.ts';
import { type DuplicateName, OPEN_ARRAY, OPEN_OBJECT } from '../core/json-scanner.ts';
import { isJsonObject } from '../core/json-text.ts';
import type { Json } from '../core/results.ts';
import { Undecided } from '../core/undecided.ts';
import { CUT } from '../evidence/redaction/secret-forms.ts';
import type { Limits } from '../target/target.ts';
import { type Identities, identityText, sameIdentities, writeIdentity } from './identity.ts';
import { ambiguous, type Exact, type JsonValue, member } from './json-reader.ts';
import { type ListLimits, readList } from './list-reader.ts';
import { isHtml } from './refusal-wording.ts';
import { kindOf, type SchemaMismatch, type Validate } from './schemas.ts';

export type ListAnswer = Page | NoPage;

interface Common {
  /** Number of the exchange in the evidence. */
  readonly exchange: number;
  /** The request target that was sent. */
  readonly target: string;
  readonly status: number;
}

/** An answer of status 200 that is a list envelope, as facts; its items are not kept. */
export interface Page extends Common {
  readonly kind: 'page';
  readonly itemCount: number;
  /** One per item, of the first 20,000; 0n if the item has no identifier. */
  readonly identities: Identities;
  /** nextPageLink; undefined if it is absent or null. */
  readonly link: Json | undefined;
  /** count; undefined if it is absent or null. */
  readonly count: Json | undefined;
  /** The digits of count if `count` cannot represent them; null if it can. */
  readonly exactCount: Exact | null;
  /** Members that are null; the specification leaves such members out. */
  readonly nulls: readonly string[];
  /** The first item that does not match its schema. */
  readonly badItem: (SchemaMismatch & { readonly index: number }) | null;
  /** Names of members of the envelope beyond the specified ones. */
  readonly furtherMembers: readonly string[];
  /** Names of members of the page's first item beyond the specified ones. */
  readonly furtherItemMembers: readonly string[];
  /** Cookies that it set, as a client would send them back; `''` for none. */
  readonly cookies: string;
}

/** An answer without a list, and what it holds instead as a clause: `the status is 500`. */
export type NoPage = Refusal | NoEnvelope;

/** An answer of another status than 200; for an unspecified page size also of status 200 without a list. */
interface Refusal extends Common {
  readonly kind: 'refused';
  readonly why: string;
}

/** An answer of status 200 that is not a list envelope. */
export interface NoEnvelope extends Common {
  readonly kind: 'no-envelope';
  readonly why: string;
  readonly isWebPage: boolean;
  /**
   * Whether the body is no attempt at a list: neither an array nor an object with a member of the envelope, as far as
   * it can be read.
   */
  readonly isOther: boolean;
}

export interface ItemReading {
  readonly validateItem: Validate;
  readonly validateEnvelope: Validate;
  readonly idField: string;
  /** Names of the members that an item is specified to have. */
  readonly itemMembers: readonly string[];
  readonly limits: ListLimits & Pick<Limits, 'maxLinkLength'>;
}

/** Whether a call succeeded with another status than the specified 200. */
export function isOtherSuccess({ status }: Pick<Common, 'status'>): boolean {
  return status > 200 && status < 300;
}

/** Characters of the longest Location that is shown. */
const MAX_LOCATION = 200;

const SPECIFIED: readonly string[] = ['items', 'nextPageLink', 'count'];

/**
 * Reads the facts of a complete answer to a list call (2.3). Expects `exchange.answer`. Throws Undecided if a
 * limit of the target file keeps the answer from being read.
 */
export function readPage(exchange: Exchange, reading: ItemReading): ListAnswer {
  const answer = exchange.answer;
  if (answer === null) throw new Error('readPage needs an answer');
  const common = { exchange: exchange.number, target: exchange.request.target, status: answer.status };
  if (answer.status !== 200) {
    const location = answer.status < 400 ? headerOf(answer.headers, 'location') : null;
    // Cut as a whole, since redaction does not recognise part of a secret.
    const to = location === null || location.length > MAX_LOCATION ? '' : ` with Location: ${location}`;
    return { ...common, kind: 'refused', why: `the status is ${answer.status}${to}` };
  }
  const items = new Items(reading);
  const body = readList(answer, SPECIFIED, reading.limits, (item) => items.take(item));
  const noEnvelope = (why: string, isOther: boolean): NoEnvelope => ({
    ...common,
    kind: 'no-envelope',
    why,
    isWebPage: !body.ok && isHtml(answer),
    isOther,
  });
  if (!body.ok) {
    const { limit, why } = body;
    if (limit !== undefined)
      throw new Undecided({ kind: 'limit', limit }, `the answer to ${common.target}: ${why}`);
    return noEnvelope(why, !startsJson(answer));
  }
  const twice = ambiguous(body, SPECIFIED);
  if (twice !== null) return noEnvelope(`it gives ${twice} more than once`, false);
  const mismatch = reading.validateEnvelope(body.value);
  if (!isJsonObject(body.value) || !Array.isArray(member(body.value, 'items'))) {
    const why =
      mismatch === null
        ? 'it has no items'
        : `${mismatch.path === '' ? 'the body' : mismatch.path.slice(1)} ${mismatch.message}`;
    const { value } = body;
    const isList =
      Array.isArray(value) || (isJsonObject(value) && SPECIFIED.some((name) => Object.hasOwn(value, name)));
    return noEnvelope(why, !isList);
  }
  const envelope = body.value;
  return {
    ...common,
    kind: 'page',
    itemCount: body.itemCount,
    identities: items.identities,
    link: linkIn(envelope, reading.limits.maxLinkLength),
    count: finite(member(envelope, 'count')),
    exactCount: body.exact.get('count') ?? null,
    nulls: ['nextPageLink', 'count'].filter(
      (name) => Object.hasOwn(envelope, name) && envelope[name] === null,
    ),
    badItem: items.badItem,
    furtherMembers: furtherIn(envelope, SPECIFIED),
    furtherItemMembers: items.further,
    cookies: cookiesOf(answer.headers),
  };
}

/** Whether a body begins as a JSON array or object does. */
function startsJson({ body }: HttpAnswer): boolean {
  const first = body.find((byte) => byte > 0x20);
  return first === OPEN_ARRAY || first === OPEN_OBJECT;
}

/** Characters of the cookies that are kept of one answer, as many as browsers keep: every page keeps them. */
const MAX_COOKIES = 4096;

/** The cookies that an answer sets, as a client would send them back; `''` for none. */
export function cookiesOf(headers: readonly Header[]): string {
  let room = MAX_COOKIES;
  return headerValues(headers, 'set-cookie')
    .map((value) => value.split(';', 1)[0]?.trim() ?? '')
    .filter((pair) => pair.includes('='))
    .filter((pair) => {
      room -= pair.length + 2;
      return room >= 0;
    })
    .join('; ');
}

/** Items of one page that are identified at most: 40 times the largest page. A longer page is wrong anyway. */
export const MAX_IDENTITIES = 20_000;
/** Further members reported of an envelope, and of an item, at most. */
const MAX_FURTHER_MEMBERS = 50;
/** Characters of the JSON text up to which an offending value is kept to be shown. */
const MAX_SHOWN_CHARACTERS = 16_384;

/** The facts of a page's items, gathered one by one. */
class Items {
  readonly #reading: ItemReading;
  #words = new Uint32Array(1000);
  #taken = 0;
  badItem: Page['badItem'] = null;
  further: readonly string[] = [];

  constructor(reading: ItemReading) {
    this.#reading = reading;
  }

  /** Returns whether further items are needed. */
  take(item: JsonValue): boolean {
    const index = this.#taken;
    this.#taken += 1;
    if (index === 0 && isJsonObject(item.value))
      this.further = furtherIn(item.value, this.#reading.itemMembers);
    if (index < MAX_IDENTITIES) this.#identify(index, item);
    this.badItem ??= this.#fault(index, item);
    return this.badItem === null || this.#taken < MAX_IDENTITIES;
  }

  get identities(): Identities {
    return new BigUint64Array(this.#words.slice(0, 2 * Math.min(this.#taken, MAX_IDENTITIES)).buffer);
  }

  #identify(index: number, { value, exact }: JsonValue): void {
    if (2 * index === this.#words.length) {
      const longer = new Uint32Array(4 * index);
      longer.set(this.#words);
      this.#words = longer;
    }
    const { idField } = this.#reading;
    const identifier = member(value, idField);
    if (identifier !== undefined)
      writeIdentity(this.#words, index, identityText(identifier, exact.get(idField)));
  }

  #fault(index: number, { value, doubled }: JsonValue): Page['badItem'] {
    const twice = doubled.length === 0 ? undefined : this.#doubledIn(doubled);
    if (twice !== undefined) {
      const path = [...twice.path, twice.name].map((part) => `/${part}`).join('');
      return {
        path,
        message: 'is given more than once',
        wanted: 'to be given once',
        actual: shownWhole(value),
        index,
      };
    }
    const mismatch = this.#reading.validateItem(value);
    return mismatch === null ? null : { ...mismatch, actual: shownWhole(mismatch.actual), index };
  }

  // No rule reads a further member, so which of its values counts makes no difference.
  #doubledIn(doubled: readonly DuplicateName[]): DuplicateName | undefined {
    const read = [...this.#reading.itemMembers, this.#reading.idField];
    return doubled.find(({ path, name }) => read.includes(String(path[0] ?? name)));
  }
}

function furtherIn(
  value: { readonly [name: string]: Json },
  specified: readonly string[],
): readonly string[] {
  return Object.keys(value)
    .filter((name) => !specified.includes(name))
    .slice(0, MAX_FURTHER_MEMBERS);
}

// Left out instead of cut: redaction does not recognise part of a secret.
function shownWhole(value: Json | undefined): Json | undefined {
  const length = value === undefined ? 0 : JSON.stringify(value).length;
  return length <= MAX_SHOWN_CHARACTERS ? value : `(${kindOf(value)} of ${length} characters)`;
}

// Links over the limit are cut: only their length matters.
function linkIn(envelope: { readonly [name: string]: Json }, longest: number): Json | undefined {
  const link = member(envelope, 'nextPageLink');
  if (typeof link !== 'string') return shownWhole(link);
  // Through a buffer: a slice would keep the whole string in memory.
  if (link.length <= longest) return link;
  return `${Buffer.from(link.slice(0, longest), 'utf16le').toString('utf16le')}${CUT}`;
}

// A count beyond the range of numbers stays a number in JSON; its digits are kept separately.
function finite(value: Json | undefined): Json | undefined {
  return typeof value === 'number' && !Number.isFinite(value) ? Math.sign(value) * Number.MAX_VALUE : value;
}

/** Whether a page says that the list holds more records than the page. */
export function countsMoreThanGiven({ count, itemCount }: Page): boolean {
  return typeof count === 'number' && count > itemCount;
}

/** The count of a page in digits, the same for equal numbers; null if it is no number. */
export function countText(page: Page): string | null {
  if (typeof page.count !== 'number') return null;
  return page.exactCount?.text ?? String(page.count);
}

/** Whether two counts are the same, of any type; arrays and objects are compared as JSON text. */
export function sameCount(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

type Identified = Pick<Page, 'identities'>;

/** How many records of a page another one does not hold, by their identities. */
export function othersIn(page: Identified, model: Identified): number {
  const known = new Set(model.identities);
  return page.identities.filter((identity) => !known.has(identity)).length;
}

/**
 * Whether two answers to the same request show the same data: records in order, count, status. Links are not compared:
 * cursors differ in every answer, and an intermittently wrong link is not a change of the data.
 */
export function sameAnswer(one: ListAnswer, other: ListAnswer): boolean {
  if (one.kind !== 'page' || other.kind !== 'page')
    return one.kind === other.kind && one.status === other.status;
  return (
    sameCount(one.count, other.count) &&
    one.exactCount?.text === other.exactCount?.text &&
    one.itemCount === other.itemCount &&
    sameIdentities(one.identities, other.identities)
  );
}
