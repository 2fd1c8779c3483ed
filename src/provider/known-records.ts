import type { Exchange, HttpRequest } from '../core/exchange.ts';
import { isJsonObject } from '../core/json-text.ts';
import { MAX_PAGE_SIZE } from '../core/page-size.ts';
import type { Json } from '../core/results.ts';
import type { Resource, Target } from '../target/target.ts';
import { areDifferentRecords, type Identifier, identifierOf, identityOf } from './identity.ts';
import { bufferOf, type Exact, member } from './json-reader.ts';
import { type Parameter, parametersOf, valuesOf, wholeNumberIn } from './link.ts';
import { type ListLimits, readList } from './list-reader.ts';
import { MAX_IDENTITIES, othersIn, type Page } from './page.ts';
import { kindOf, membersOf } from './schemas.ts';

/** The counts of a list in the order of the answers. */
interface SeenCounts {
  readonly first: number;
  readonly last: number;
  readonly least: number;
  /** Answers with the first count before another one came. */
  readonly ofFirst: number;
  /** The one before `last` changed to what it is; null if it did not. */
  readonly before: number | null;
  /** Whether a count came back right after another one. */
  readonly hasReturned: boolean;
}

/** What is known of a record, to recognise it in answers that are not a list. */
interface KnownRecord {
  /** Empty if it has none. */
  readonly identifier: string;
  /** Names of its members. */
  readonly members: readonly string[];
  /** Its other values that are strings. */
  readonly texts: readonly string[];
}

/** Records that are looked for in answers that are not a list. */
const MAX_KNOWN = 5;
/** Minimum number of members of a record: an error body that has them all counts as that record. */
const MIN_REVEALING_MEMBERS = 3;
/** Characters of the shortest identifier that is looked for in a text. */
const SHORTEST_IDENTIFIER = 6;
/** From this length, an identifier with a digit is not an ordinary word. */
const DISTINCTIVE = 12;
/** Characters of the shortest further value that distinguishes a record from a word equal to its identifier. */
const SHORTEST_VALUE = 4;

/** Pages that are kept: more than a run of `certify` requests. */
const MOST_PAGES = 5000;
/** Pairs of pages in another order that are kept. */
const MOST_REORDERED = 50;
/** Refused calls that are kept. */
const MOST_REFUSED = 50;
/** How the specification writes the parameters. */
const USUAL_VALUES: Readonly<Record<string, RegExp>> = {
  $count: /^(?:true|false)$/,
  $pagesize: /^[1-9]\d{0,2}$/,
  $skip: /^\d{1,15}$/,
};

function nextCounts(seen: SeenCounts | null, count: number): SeenCounts {
  if (seen === null)
    return { first: count, last: count, least: count, ofFirst: 1, before: null, hasReturned: false };
  if (count === seen.last) return seen.before === null ? { ...seen, ofFirst: seen.ofFirst + 1 } : seen;
  const hasReturned = seen.hasReturned || count === seen.before;
  const least = Math.min(seen.least, count);
  return { ...seen, last: count, least, before: seen.last, hasReturned };
}

/** Whether every count of the run was the same: otherwise a cache may give pages again that are no longer true. */
export function hasOneCount({ counts }: Pick<KnownRecords, 'counts'>): boolean {
  return counts !== null && counts.before === null;
}

/**
 * What a list was seen to hold: its first records, to recognise them in answers that must give none, the pages of the
 * run, and its smallest length.
 */
export class KnownRecords {
  readonly #resource: Resource;
  readonly #path: string;
  readonly #limits: ListLimits;
  readonly #records: KnownRecord[] = [];
  readonly #tenant: string | null;
  readonly #pageAt = new Map<string, Page>();
  /**
   * The pages so far that calls in the usual form gave, but for linked ones and those of sequences; the first few
   * thousand. Checks add pages of sequences that are to be judged like them.
   */
  readonly pages: Page[] = [];
  /** Pages so far of calls in the usual form, except that names are written with %24; the first few thousand. */
  readonly encodedPages: Page[] = [];
  /** Pages so far that calls with any other query gave; the first few thousand. */
  readonly otherPages: Page[] = [];
  /** Request targets of refused calls for pages behind the first one; the first few. */
  readonly refusedPlaces = new Set<string>();
  /** Pages that the same request gave with the same count and other records, the earlier one first; the first few. */
  readonly reordered: (readonly [before: Page, after: Page])[] = [];
  /** Whether a repeated request gave, with the same count, another number of records or none of the earlier ones. */
  isRepeatedOtherwise: boolean = false;
  /**
   * The smallest length of the list that a page showed so far: one that is not full and holds as many records as its
   * count says.
   */
  fewest = Number.POSITIVE_INFINITY;
  /** What the counts were so far, those of linked pages and of sequences, too; null if there is none. */
  counts: SeenCounts | null = null;

  /** @param path the path of the list, with the one of baseUrl */
  constructor(resource: Resource, path: string, { limits, tenant }: Pick<Target, 'limits' | 'tenant'>) {
    this.#resource = resource;
    this.#path = path;
    this.#limits = limits;
    this.#tenant = tenant;
  }

  /**
   * Notes a page of the list.
   *
   * @param request the call that gave it; null if its caller judges the page
   */
  notePage(page: Page, request: HttpRequest | null): void {
    const { itemCount, count, target } = page;
    const parameters = parametersOf(target);
    const size = wholeNumberIn(parameters, '$pagesize') ?? MAX_PAGE_SIZE;
    if (request !== null && !this.#isSpecified(request, parameters)) {
      // Of any size: the specification leaves sizes above 500 open, but not what such a page holds.
      const usual = { ...request, target: target.replaceAll('%24', '$') };
      const others = parameters.filter(({ name }) => name !== '$pagesize');
      const pages = this.#isSpecified(usual, others) ? this.encodedPages : this.otherPages;
      if (pages.length < MOST_PAGES && this.#isOfList(request)) pages.push(page);
      return;
    }
    this.#noteOrder(page);
    // The specification does not define count without $count=true, or past the end of the list.
    const isCounted = valuesOf(parameters, '$count')[0] === 'true';
    const isFirst = valuesOf(parameters, '$skip').length === 0;
    if (isCounted && (itemCount > 0 || isFirst)) this.noteCount(page);
    const isWhole = isCounted && itemCount === count && itemCount < Math.min(size, MAX_PAGE_SIZE);
    if (isWhole && isFirst) this.fewest = Math.min(this.fewest, itemCount);
    if (request !== null && this.pages.length < MOST_PAGES) this.pages.push(page);
  }

  /** Notes a count of the whole list; notePage does so for calls in the usual form. */
  noteCount({ count }: Page): void {
    if (typeof count === 'number') this.counts = nextCounts(this.counts, count);
  }

  /** Notes a refused call if it asks in the usual form, with a count, for a page behind the first one. */
  noteRefusal(request: HttpRequest): void {
    const { target } = request;
    const parameters = parametersOf(target);
    const [size, skip] = [
      wholeNumberIn(parameters, '$pagesize') ?? 0,
      wholeNumberIn(parameters, '$skip') ?? 0,
    ];
    const isPlace = valuesOf(parameters, '$count')[0] === 'true' && skip > 0 && size > 0 && skip % size === 0;
    if (isPlace && this.#isSpecified(request, parameters) && this.refusedPlaces.size < MOST_REFUSED)
      this.refusedPlaces.add(target);
  }

  #noteOrder(page: Page): void {
    const before = this.#pageAt.get(page.target);
    if (before === undefined) {
      if (this.#pageAt.size < MOST_PAGES) this.#pageAt.set(page.target, page);
    } else if (typeof page.count === 'number' && before.count === page.count) {
      const others = othersIn(page, before);
      if (others > 0 && this.reordered.length < MOST_REORDERED) this.reordered.push([before, page]);
      if (page.itemCount !== before.itemCount || (others > 0 && others === page.itemCount))
        this.isRepeatedOtherwise = true;
    }
  }

  /** The first page of each request so far, linked ones included; the first few thousand. */
  get firstPages(): Iterable<Page> {
    return this.#pageAt.values();
  }

  /** Whether a call has the tenant of the target: another one may have another list. */
  #isOfTenant({ headers }: HttpRequest): boolean {
    const tenants = headers.filter(([name]) => name.toLowerCase() === 'tenant');
    return this.#tenant === null || (tenants.length === 1 && tenants[0]?.[1] === this.#tenant);
  }

  /** Whether a call is for this list, with the headers that the specification shows. */
  #isOfList({ method, headers, target }: HttpRequest): boolean {
    const names = headers.map(([name]) => name.toLowerCase());
    const needed = this.#tenant === null ? ['accept'] : ['accept', 'tenant'];
    return (
      method === 'GET' &&
      target.split('?', 1)[0] === this.#path &&
      needed.every((name) => names.includes(name)) &&
      headers.some(([name, value]) => name === 'Authorization' && value.startsWith('Bearer '))
    );
  }

  /** Whether such a call has no parameters but those in their usual spelling. */
  #isSpecified(request: HttpRequest, parameters: readonly Parameter[]): boolean {
    return (
      this.#isOfList(request) &&
      this.#isOfTenant(request) &&
      !request.target.includes('%') &&
      new Set(parameters.map(({ name }) => name)).size === parameters.length &&
      parameters.every(({ name, value }) => USUAL_VALUES[name]?.test(value) === true)
    );
  }

  /** Keeps the first records of a page, unless some are known. */
  remember(exchange: Exchange): void {
    if (this.#records.length > 0) return;
    const { idField } = this.#resource;
    this.#eachItem(exchange, (item) => {
      const read = member(item, idField);
      const values = isJsonObject(item) ? Object.entries(item).filter(([name]) => name !== idField) : [];
      this.#records.push({
        identifier: read === undefined ? '' : identifierOf(read).name,
        members: namesIn(item),
        texts: values.flatMap(([, value]) => (typeof value === 'string' ? [value] : [])),
      });
      return this.#records.length < MAX_KNOWN;
    });
  }

  /**
   * How an answer gives records, as a clause; null if it gives none. Whatever its status: a body with a
   * list of items that are like the records which the list is known to hold, or one that names such records. Errors may
   * come as a list, too, and have members or words in common with records: a status of 400 or more needs an identifier
   * that the list gave.
   */
  findIn(exchange: Exchange): string | null {
    const { answer } = exchange;
    if (answer === null || answer.body.length === 0) return null;
    let hasRecord = false;
    const items = this.#eachItem(exchange, (item, exact) => {
      hasRecord = this.#isLikeRecord(item, exact, answer.status);
      return !hasRecord;
    });
    if (hasRecord) return `${items} ${items === 1 ? 'record' : 'records'}`;
    const bytes = bufferOf(answer.body);
    const records = this.#records;
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
  #isLikeRecord(item: Json, exact: ReadonlyMap<string, Exact>, status: number): boolean {
    const isSuccess = status === 200;
    const names = new Set(namesIn(item));
    const records = this.#records;
    const shares = (members: readonly string[], part: number): boolean =>
      members.filter((name) => names.has(name)).length >= part * members.length;
    // Another Playwright worker may have read the list; then only its schema is known here.
    if (records.length === 0) {
      if (status >= 400) return false;
      const members = membersOf(this.#resource.itemSchema);
      return isSuccess || (members.length >= MIN_REVEALING_MEMBERS && shares(members, 1));
    }
    const text = isSuccess ? Buffer.alloc(0) : Buffer.from(JSON.stringify(item));
    return records.some((known) => {
      if (isSuccess) return shares(known.members, 0.5);
      const isWhole = known.members.length >= MIN_REVEALING_MEMBERS && shares(known.members, 1);
      if (isWhole && (status < 400 || this.#wasGiven(item, exact))) return true;
      return shares(known.members, 0.5) && isNamedIn(text, known);
    });
  }

  /** Whether a page of the run had an item with the identifier of this one. */
  #wasGiven(item: Json, exact: ReadonlyMap<string, Exact>): boolean {
    const { idField } = this.#resource;
    const read = member(item, idField);
    if (read === undefined) return false;
    const identity = identityOf(identifierOf(read, exact.get(idField)).key);
    const pages = [this.#pageAt.values(), this.pages, this.encodedPages, this.otherPages];
    return pages.some((some) => [...some].some(({ identities }) => identities.includes(identity)));
  }

  /** Visits the items of an answer that have an identifier until a visit returns that no more are needed. */
  #eachIdentified(exchange: Exchange, visit: (identifier: Identifier, item: Json) => boolean): void {
    const { idField } = this.#resource;
    this.#eachItem(exchange, (item, exact) => {
      const read = member(item, idField);
      return read === undefined || visit(identifierOf(read, exact.get(idField)), item);
    });
  }

  /** How many items an answer has; visits them until a visit returns that no more are needed. */
  #eachItem({ answer }: Exchange, visit: (item: Json, exact: ReadonlyMap<string, Exact>) => boolean): number {
    if (answer === null) return 0;
    const read = readList(answer, ['items'], this.#limits, (item, _doubled, exact) => visit(item, exact));
    return read.ok ? read.itemCount : 0;
  }
}

/**
 * Whether a text names a record: by an identifier that cannot be a word, or by one together with another value of the
 * record.
 */
function isNamedIn(bytes: Buffer, { identifier, texts }: KnownRecord): boolean {
  if (identifier.length < SHORTEST_IDENTIFIER || !bytes.includes(identifier)) return false;
  if (identifier.length >= DISTINCTIVE && /\d/.test(identifier)) return true;
  return texts.some((text) => text.length >= SHORTEST_VALUE && text !== identifier && bytes.includes(text));
}

/** Names of the members of an item; of one that is no object, its kind. */
function namesIn(item: Json): readonly string[] {
  return isJsonObject(item) ? Object.keys(item) : [`(${kindOf(item)})`];
}
