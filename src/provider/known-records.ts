import { bufferOf, type Exchange } from '../core/exchange.ts';
import { isJsonObject } from '../core/json-text.ts';
import { recordCount } from '../core/number-format.ts';
import type { Json } from '../core/results.ts';
import type { Resource, Target } from '../target/target.ts';
import { areDifferentRecords, type Identifier, identifierOf, identityOf } from './identity.ts';
import { type JsonValue, member } from './json-reader.ts';
import { type ListLimits, readList } from './list-reader.ts';
import { MAX_IDENTITIES } from './page.ts';
import type { PageLog } from './page-log.ts';
import { kindOf, membersOf } from './schemas.ts';

/** What is known of a record, to recognise it in answers that are not a list. */
interface KnownRecord {
  /** Empty if it has none. */
  readonly identifier: string;
  readonly members: readonly string[];
  /** Its other values that are strings. */
  readonly texts: readonly string[];
}

/** Records that are looked for in answers that are not a list. */
const MAX_KNOWN = 5;
/** Minimum number of members of a record: an error body that has them all counts as that record. */
const MIN_REVEALING_MEMBERS = 3;
/** Characters of the shortest identifier that is looked for in a text. */
export const SHORTEST_IDENTIFIER = 6;
/** From this length, an identifier with a digit is not an ordinary word. */
const DISTINCTIVE = 12;
/** Characters of the shortest further value that distinguishes a record from a word equal to its identifier. */
const SHORTEST_VALUE = 4;

/** The first records that a list gave, to recognise records in answers that must give none. */
export class KnownRecords {
  readonly #resource: Resource;
  readonly #limits: ListLimits;
  readonly #pages: PageLog;
  readonly #records: KnownRecord[] = [];

  constructor(resource: Resource, { limits }: Pick<Target, 'limits'>, pages: PageLog) {
    this.#resource = resource;
    this.#limits = limits;
    this.#pages = pages;
  }

  /** Keeps the first records of a page, unless some are known. */
  remember(exchange: Exchange): void {
    if (this.#records.length > 0) return;
    const { idField } = this.#resource;
    this.#eachItem(exchange, (item) => {
      const members = isJsonObject(item.value) ? Object.entries(item.value) : [];
      this.#records.push({
        identifier: this.#identifierOf(item)?.name ?? '',
        members: namesIn(item.value),
        texts: members.flatMap(([name, value]) =>
          name !== idField && typeof value === 'string' ? [value] : [],
        ),
      });
      return this.#records.length < MAX_KNOWN;
    });
  }

  /**
   * How an answer gives records, as a clause; null if it gives none. Whatever its status: a body with a list of items that are
   * like the records which the list is known to hold, or one that names such records. Errors may come as a list, too, and have
   * members or words in common with records: a status of 400 or more needs an identifier that the list gave.
   */
  findIn(exchange: Exchange): string | null {
    const { answer } = exchange;
    if (answer === null || answer.body.length === 0) return null;
    let hasRecord = false;
    const items = this.#eachItem(exchange, (item) => {
      hasRecord = this.#isLikeRecord(item, answer.status);
      return !hasRecord;
    });
    if (hasRecord) return recordCount(items);
    const bytes = bufferOf(answer.body);
    const records = this.#records;
    if (this.#areGiven(exchange) || areAllNamedIn(bytes, records)) return 'identifiers of records';
    const named = records.filter((record) => isNamedIn(bytes, record));
    // If several records are known, a single name may be an ordinary word.
    return named.length < Math.max(1, Math.min(2, records.length))
      ? null
      : `the record ${named[0]?.identifier}`;
  }

  /** The identifiers of an answer's first items, as many as are identified; items without one are left out. */
  identifiersIn(exchange: Exchange): readonly Identifier[] {
    const identifiers: Identifier[] = [];
    this.#eachIdentified(exchange, (identifier) => identifiers.push(identifier) < MAX_IDENTITIES);
    return identifiers;
  }

  /** The items of an answer that have an identifier, by its key. */
  itemsIn(exchange: Exchange): ReadonlyMap<string, Json> {
    const items = new Map<string, Json>();
    this.#eachIdentified(exchange, ({ key }, item) => {
      items.set(key, item);
      return true;
    });
    return items;
  }

  /** Whether items of these answers have the same identifier, and are different records by all else. */
  isShared({ key }: Identifier, exchanges: readonly Exchange[]): boolean {
    const items: Json[] = [];
    for (const exchange of exchanges)
      this.#eachIdentified(exchange, (identifier, item) => {
        if (identifier.key === key) items.push(item);
        return true;
      });
    const [first = null, ...others] = items;
    return others.some((other) => areDifferentRecords(first, other, this.#resource.idField));
  }

  /**
   * Whether an item is like a known record: with status 200 if it has at least half of its members; otherwise if it has
   * all of them, or is that record without some of them. In a refusal, an item with all of them may be an error, unless
   * the list gave its identifier.
   */
  #isLikeRecord(item: JsonValue, status: number): boolean {
    const isSuccess = status === 200;
    const names = new Set(namesIn(item.value));
    const records = this.#records;
    const shares = (members: readonly string[], part: number): boolean =>
      members.filter((name) => names.has(name)).length >= part * members.length;
    // Another Playwright worker may have read the list; then only its schema is known here.
    if (records.length === 0) {
      if (status >= 400) return false;
      const members = membersOf(this.#resource.itemSchema);
      return isSuccess || (members.length >= MIN_REVEALING_MEMBERS && shares(members, 1));
    }
    const text = isSuccess ? Buffer.alloc(0) : Buffer.from(JSON.stringify(item.value));
    return records.some((known) => {
      if (isSuccess) return shares(known.members, 0.5);
      const isWhole = known.members.length >= MIN_REVEALING_MEMBERS && shares(known.members, 1);
      if (isWhole && (status < 400 || this.#wasGiven(this.#identifierOf(item)))) return true;
      return shares(known.members, 0.5) && isNamedIn(text, known);
    });
  }

  /**
   * Whether several items, and no others, have identifiers that the list gave, or are such identifiers. In a refusal, short
   * ones may be numbers of errors.
   */
  #areGiven(exchange: Exchange): boolean {
    const shortest = exchange.answer?.status === 200 ? 1 : SHORTEST_IDENTIFIER;
    let given = 0;
    const items = this.#eachItem(exchange, (item) => {
      const identifier = isJsonObject(item.value) ? this.#identifierOf(item) : identifierOf(item.value);
      const isGiven = (identifier?.name.length ?? 0) >= shortest && this.#wasGiven(identifier);
      if (isGiven) given += 1;
      return isGiven && given < MAX_KNOWN;
    });
    return given > 1 && given === Math.min(items, MAX_KNOWN);
  }

  /** Whether a page of the run had an item with this identifier. */
  #wasGiven(identifier: Identifier | null): boolean {
    return identifier !== null && this.#pages.holds(identityOf(identifier.key));
  }

  /** Visits the items of an answer that have an identifier until a visit returns that no more are needed. */
  #eachIdentified(exchange: Exchange, visit: (identifier: Identifier, item: Json) => boolean): void {
    this.#eachItem(exchange, (item) => {
      const identifier = this.#identifierOf(item);
      return identifier === null || visit(identifier, item.value);
    });
  }

  /** The identifier of an item; null if it has none. */
  #identifierOf({ value, exact }: JsonValue): Identifier | null {
    const { idField } = this.#resource;
    const read = member(value, idField);
    return read === undefined ? null : identifierOf(read, exact.get(idField));
  }

  /** How many items an answer has; visits them until a visit returns that no more are needed. */
  #eachItem({ answer }: Exchange, visit: (item: JsonValue) => boolean): number {
    if (answer === null) return 0;
    const read = readList(answer, ['items'], this.#limits, visit);
    return read.ok ? read.itemCount : 0;
  }
}

/**
 * Whether a text names a record: by an identifier that cannot be a word, or by one together with another value of the record.
 */
function isNamedIn(bytes: Buffer, { identifier, texts }: KnownRecord): boolean {
  if (identifier.length < SHORTEST_IDENTIFIER || !bytes.includes(identifier)) return false;
  if (isDistinctive(identifier)) return true;
  return texts.some((text) => text.length >= SHORTEST_VALUE && text !== identifier && bytes.includes(text));
}

/** Whether an identifier is no ordinary word. */
export function isDistinctive(identifier: string): boolean {
  return identifier.length >= DISTINCTIVE && /\d/.test(identifier);
}

/** Whether a text has the identifiers of all known records: that many with a digit are no ordinary words. */
function areAllNamedIn(bytes: Buffer, records: readonly KnownRecord[]): boolean {
  const isNamed = ({ identifier }: KnownRecord): boolean =>
    identifier.length >= SHORTEST_IDENTIFIER && /\d/.test(identifier) && bytes.includes(identifier);
  return records.length === MAX_KNOWN && records.every(isNamed);
}

/** Names of the members of an item; of one that is no object, its kind. */
function namesIn(item: Json): readonly string[] {
  return isJsonObject(item) ? Object.keys(item) : [`(${kindOf(item)})`];
}
