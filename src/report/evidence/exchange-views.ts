import type { HttpAnswer } from '../../core/exchange.ts';
import { isJsonObject, parsedJson } from '../../core/json-text.ts';
import { getOrMake } from '../../core/maps.ts';
import type { RequirementResult, Results, ViolationRecord } from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import type { BodyExcerpt, EvidenceViews, ExchangeView, PageDetails, ReportEntry } from '../report-data.ts';
import { type ExcerptSize, excerptJson, excerptText, type Marks, NO_MARKS } from './excerpt.ts';

/** Number of exchanges per target whose bodies are read in addition to cited ones. Charts use the same exchanges. */
export const READ_BODIES = 200;

/** Bodies are reduced to excerpts one by one, so that a large run takes little memory. */
export async function gatherEvidence(
  results: Results,
  entries: AsyncIterable<ReportEntry> | Iterable<ReportEntry>,
): Promise<EvidenceViews> {
  const cited = citations(results);
  const views = new Map<string, ExchangeView[]>();
  for await (const entry of entries) {
    const { target, exchange } = entry;
    const view = viewOf(entry, cited.get(keyFor(target, exchange.number)) ?? null);
    getOrMake(views, target, () => []).push(view);
  }
  for (const list of views.values()) list.sort((one, other) => one.number - other.number);
  return views;
}

/** Whether a report shows the body of an exchange: true for the first exchanges and for cited ones. */
export function bodiesShown(results: Results): (target: string, number: number) => boolean {
  const cited = citations(results);
  return (target, number) => number <= READ_BODIES || cited.has(keyFor(target, number));
}

function citations(results: Results): ReadonlyMap<string, Marks> {
  const cited = new Map<string, Marks>();
  const cite = (target: string, numbers: readonly number[], marks: Marks): void => {
    for (const key of numbers.map((number) => keyFor(target, number))) {
      const known = cited.get(key) ?? NO_MARKS;
      cited.set(key, {
        members: new Set([...known.members, ...marks.members]),
        item: marks.item ?? known.item,
        texts: new Set([...known.texts, ...marks.texts]),
      });
    }
  };
  for (const { name, observations, requirements } of results.targets) {
    for (const { exchanges } of observations) cite(name, exchanges.slice(0, 3), NO_MARKS);
    for (const result of requirements)
      for (const violation of result.violations)
        cite(name, violation.exchanges.slice(0, 6), marksFor(result, violation));
  }
  return cited;
}

function keyFor(target: string, number: number): string {
  return `${number} ${target}`;
}

function viewOf(entry: ReportEntry, marks: Marks | null): ExchangeView {
  const { exchange } = entry;
  if (exchange.answer === null) return { ...exchange, answer: null, body: null, page: null };
  const { status, statusText, httpVersion, headers, bodyBytesOnWire } = exchange.answer;
  const answer = { status, statusText, httpVersion, headers, bodyBytesOnWire };
  const head = { ...exchange, answer, body: null, page: null };
  if (marks === null && exchange.number > READ_BODIES) return head;
  // Read only here: the evidence has no bodies that no report shows.
  return { ...head, ...readBody(entry, exchange.answer, marks) };
}

/** The member of an answer that a breach of these requirements is about. */
const MEMBERS: readonly (readonly [ids: RegExp, member: string])[] = [
  [/^(?:link\/|traversal\/(?:followable|terminates))/u, 'nextPageLink'],
  [/^count\//u, 'count'],
  [/^(?:page-size\/|list\/envelope|authorization\/(?:required|scheme|token-integrity))/u, 'items'],
  [/^token\/type/u, 'token_type'],
  [/^token\/validity/u, 'expires_in'],
  [/^token\/scope/u, 'scope'],
  [/^token\/(?:secret|client|grant-type|provider-isolation)/u, 'access_token'],
];

/** Identifiers that can be searched for in an answer; shorter ones occur in too many places. */
const IDENTIFIER = /^\S{3,200}$/u;

type RequestDetails = Pick<PageDetails, 'path' | 'query' | 'requestedSize' | 'skip' | 'isCounted'>;

type BodyDetails = Omit<PageDetails, keyof RequestDetails>;

/** Excerpt limits for exchanges that a violation cites. */
const CITED: ExcerptSize = { head: 2, line: 400, lines: 60 };
/** Excerpt limits for all other exchanges. */
const PLAIN: ExcerptSize = { head: 1, line: 160, lines: 12 };
/** Only the beginning of longer bodies is shown, as text, because parsing takes too long. */
const READ_BYTES = 1_048_576;
/** Hash characters that identify a body within a run. */
const KEY_CHARACTERS = 16;

/** The excerpt and the facts of a body; `marks` is what to mark in a cited body, null if it is not cited. */
function readBody(
  { exchange, bodyHash }: ReportEntry,
  { status, body: bytes }: HttpAnswer,
  marks: Marks | null,
): { readonly body: BodyExcerpt; readonly page: PageDetails | null } {
  const hash = bodyHash ?? sha256(bytes);
  const size = marks === null ? PLAIN : CITED;
  const isOk = status === 200;
  const text = new TextDecoder().decode(bytes.subarray(0, READ_BYTES));
  const value = bytes.length <= READ_BYTES ? parsedJson(text) : undefined;
  const { isCut, lines } =
    value === undefined ? excerptText(text, size) : excerptJson(text, marks ?? NO_MARKS, size, isOk);
  const list = isOk ? bodyDetails(value) : null;
  return {
    body: { key: hash.slice(0, KEY_CHARACTERS), bytes: bytes.length, isCut, lines },
    page: list === null ? null : { ...requestDetails(exchange.request.target), ...list },
  };
}

export function requestDetails(requestTarget: string): RequestDetails {
  const [path, query] = splitAtQuery(requestTarget);
  const lastValueOf = (name: string): string | undefined => new URLSearchParams(query).getAll(name).at(-1);
  const size = lastValueOf('$pagesize');
  const skip = lastValueOf('$skip') ?? '';
  return {
    path,
    query: decodedQuery(query),
    requestedSize: size === undefined ? null : /^\d{1,9}$/u.test(size) ? Number(size) : Number.NaN,
    skip: WHOLE_NUMBER.test(skip) ? Number(skip) : 0,
    isCounted: lastValueOf('$count') === 'true',
  };
}

/** Facts for charts from a list answer; null if the body is not a list envelope. */
export function bodyDetails(body: unknown): BodyDetails | null {
  if (!isJsonObject(body)) return null;
  const { items, count, nextPageLink: link } = body;
  if (!Array.isArray(items)) return null;
  const ids = hashesOf(items);
  return {
    items: items.length,
    count: typeof count === 'number' ? count : null,
    hasLink: link !== undefined && link !== null,
    linkedSkip: typeof link === 'string' ? linkSkipOf(link) : null,
    linkedQuery: typeof link === 'string' && link.includes('?') ? decodedQuery(queryOf(link)) : null,
    doubled: ids.length - new Set(ids).size,
    ids,
  };
}

const WHOLE_NUMBER = /^\d{1,12}$/u;

function decodedQuery(query: string): string {
  return JSON.stringify([...new URLSearchParams(query)]);
}

function linkSkipOf(link: string): number | null {
  const [skip = '', ...others] = new URLSearchParams(queryOf(link)).getAll('$skip');
  return others.length === 0 && WHOLE_NUMBER.test(skip) ? Number(skip) : null;
}

/** The query of a link without its fragment; empty if it has none. */
function queryOf(link: string): string {
  return splitAtQuery(link.split('#', 1)[0] ?? '')[1];
}

/** What is before the first question mark, and what is after it. */
function splitAtQuery(text: string): readonly [string, string] {
  const [before = '', ...after] = text.split('?');
  return [before, after.join('?')];
}

// Used only in charts, not for verdicts, so 32 bits are enough.
function hashesOf(items: readonly unknown[]): Int32Array {
  const hashes = new Int32Array(items.length);
  let length = 0;
  for (const item of items) {
    const id = isJsonObject(item) ? item['id'] : undefined;
    if (typeof id !== 'string' && typeof id !== 'number') continue;
    hashes[length] = identityHash(String(id));
    length += 1;
  }
  return hashes.slice(0, length);
}

function identityHash(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash;
}

/** What to mark in the answers that a violation cites, by the names in its counterexample. */
export function marksFor(result: RequirementResult, violation: ViolationRecord): Marks {
  const members = new Set(MEMBERS.filter(([ids]) => ids.test(result.id)).map(([, member]) => member));
  const { item, member, identifier } = violation.counterexample ?? {};
  if (result.id === 'token/shape' && typeof member === 'string') members.add(member);
  const isFindable = typeof identifier === 'string' && IDENTIFIER.test(identifier);
  return {
    members,
    item: typeof item === 'number' ? item : null,
    texts: new Set(isFindable ? [identifier] : []),
  };
}
