import type { Exchange } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import { ambiguous, isObject, member, readJson } from './body.ts';
import type { Exact } from './exact.ts';
import { identityOf } from './identity.ts';
import type { Doubled } from './json-text.ts';
import { Undecided } from './prevented.ts';
import type { Departure, Validate } from './schemas.ts';

/** What came of one list call that carried the token. */
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
  /** One number per item, of the first 20,000; NaN where the item has no identifier. */
  readonly identities: Float64Array;
  /** nextPageLink; undefined where it is absent or null. */
  readonly link: Json | undefined;
  /** count; undefined where it is absent or null. */
  readonly count: Json | undefined;
  /** The digits of count where `count` cannot hold them; null where it does. */
  readonly exactCount: Exact | null;
  /** Members given as null where the specification leaves them out. */
  readonly nulls: readonly string[];
  /** The first item that does not match its schema. */
  readonly badItem: (Departure & { readonly index: number }) | null;
  /** Names of members of the envelope beyond the specified ones. */
  readonly furtherMembers: readonly string[];
  /** The same of the page's first item. */
  readonly furtherItemMembers: readonly string[];
}

/** An answer that holds no list, with what came instead as half a sentence: `the status is 500`. */
export type NoPage = Refusal | NoEnvelope;

/** An answer of another status than 200. */
export interface Refusal extends Common {
  readonly kind: 'refused';
  readonly why: string;
}

/** An answer of status 200 that is no list envelope. */
export interface NoEnvelope extends Common {
  readonly kind: 'no-envelope';
  readonly why: string;
}

/** How items are judged and told apart. */
export interface ItemReading {
  readonly validateItem: Validate;
  readonly validateEnvelope: Validate;
  readonly idField: string;
  /** Names of the members that an item is specified to have. */
  readonly itemMembers: readonly string[];
  /** Arrays and objects within each other. */
  readonly maxDepth: number;
}

const SPECIFIED: readonly string[] = ['items', 'nextPageLink', 'count'];

/**
 * Reads the facts of a complete answer to a list call (2.3). Expects `exchange.answer`. Throws Undecided where a
 * limit of the target file keeps the answer from being read.
 */
export function readPage(exchange: Exchange, reading: ItemReading): ListAnswer {
  const answer = exchange.answer;
  if (answer === null) throw new Error('readPage needs an answer');
  const common = { exchange: exchange.number, target: exchange.request.target, status: answer.status };
  if (answer.status !== 200) return { ...common, kind: 'refused', why: `the status is ${answer.status}` };
  const body = readJson(answer, reading.maxDepth);
  if (!body.ok) {
    if (body.bounded) throw new Undecided(`the answer to ${common.target} was not judged: ${body.why}`);
    return { ...common, kind: 'no-envelope', why: body.why };
  }
  const twice = ambiguous(body, SPECIFIED);
  if (twice !== null) return { ...common, kind: 'no-envelope', why: `it gives ${twice} more than once` };
  const departure = reading.validateEnvelope(body.value);
  const items = member(body.value, 'items');
  if (!isObject(body.value) || !Array.isArray(items)) {
    const why =
      departure === null
        ? 'it has no items'
        : `${departure.path === '' ? 'the body' : departure.path.slice(1)} ${departure.message}`;
    return { ...common, kind: 'no-envelope', why };
  }
  const envelope = body.value;
  return {
    ...common,
    kind: 'page',
    itemCount: items.length,
    identities: identitiesOf(items as readonly Json[], reading.idField),
    link: member(envelope, 'nextPageLink'),
    count: finite(member(envelope, 'count')),
    exactCount: body.exact.get('count') ?? null,
    nulls: ['nextPageLink', 'count'].filter(
      (name) => Object.hasOwn(envelope, name) && envelope[name] === null,
    ),
    badItem: firstBadItem(items as readonly Json[], reading.validateItem, body.doubled),
    furtherMembers: Object.keys(envelope).filter((name) => !SPECIFIED.includes(name)),
    furtherItemMembers: isObject(items[0])
      ? Object.keys(items[0]).filter((name) => !reading.itemMembers.includes(name))
      : [],
  };
}

/** The identifier of an item as it stands in the answer; undefined where it has none. */
export function identifierOf(item: Json, idField: string): Json | undefined {
  return member(item, idField);
}

/** Items of one page that are told apart: 40 times the largest page. One beyond that is wrong whatever it holds. */
const MOST_IDENTITIES = 20_000;

function identitiesOf(items: readonly Json[], idField: string): Float64Array {
  return Float64Array.from({ length: Math.min(items.length, MOST_IDENTITIES) }, (_none, index) => {
    const identifier = identifierOf(items[index] ?? null, idField);
    return identifier === undefined ? Number.NaN : identityOf(identifier);
  });
}

// What lies beyond a double stays a number, so that it can be kept as JSON; its digits are told beside it.
function finite(value: Json | undefined): Json | undefined {
  return typeof value === 'number' && !Number.isFinite(value) ? Math.sign(value) * Number.MAX_VALUE : value;
}

function firstBadItem(
  items: readonly Json[],
  validate: Validate,
  doubled: readonly Doubled[],
): (Departure & { index: number }) | null {
  for (let index = 0; index < items.length; index++) {
    const twice = doubled.find(({ path }) => path[0] === 'items' && path[1] === index);
    if (twice !== undefined) {
      const path = [...twice.path.slice(2), twice.name].map((part) => `/${part}`).join('');
      return { path, message: 'is given more than once', actual: items[index], index };
    }
    const departure = validate(items[index]);
    if (departure !== null) return { ...departure, index };
  }
  return null;
}

/** The count of a page in digits, the same for equal numbers; null where it is no number. */
export function countText(page: Page): string | null {
  if (typeof page.count !== 'number') return null;
  return page.exactCount?.text ?? String(page.count);
}

/** Whether two answers to the same question say the same: records in order, count, link, status. */
export function sameAnswer(one: ListAnswer, other: ListAnswer): boolean {
  if (one.kind !== 'page' || other.kind !== 'page')
    return one.kind === other.kind && one.status === other.status;
  return (
    one.count === other.count &&
    one.exactCount?.text === other.exactCount?.text &&
    one.itemCount === other.itemCount &&
    one.identities.every((identity, index) => Object.is(identity, other.identities[index]))
  );
}
