import { Buffer, isUtf8 } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import path from 'node:path';
import { bufferOf, type Exchange } from '../core/exchange.ts';
import { DATA_KEYWORDS, parseUserSchema } from '../core/schemas/user-schema.ts';
import { EvidenceError } from '../evidence/line.ts';
import { basePathOf } from '../target/make.ts';
import type { Resource, Target } from '../target/target.ts';
import { rewritten } from './json-rewriter.ts';
import { isDistinctive, SHORTEST_IDENTIFIER } from './known-records.ts';
import { isTokenRequest } from './token-answer.ts';

/** Schema keywords that pseudonyms cannot satisfy, and those that digests cannot satisfy. */
const LOST_BY_PSEUDONYMS = ['pattern', 'format', 'maxLength'];
const LOST_BY_DIGESTS = [
  ...LOST_BY_PSEUDONYMS,
  ...['minLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems'],
];
/** Keywords whose members have names that are no keywords. */
const OF_NAMES = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
];
/** Identifiers to find in answers without a list, at most. */
const MAX_KNOWN = 5;
/** Characters of the shortest pseudonym, 60 bits, and of the longest. */
const SHORTEST = 12;
const MAX_CHARACTERS = 192;
/** Bytes of the longest string whose pseudonym is made of all of it; that of a longer one is made of its hash. */
const MAX_STRING_BYTES = 65_536;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Replaces the data in list answers by pseudonyms before anything reads them, with a key of the session that is never
 * stored: checks, results and evidence use the same pseudonyms. Types, classes of lengths, equality and order stay, so
 * every rule can be judged, also in a replay.
 */
export class Pseudonymizer {
  readonly #key: Uint8Array;
  readonly #digest: boolean;
  readonly #places: readonly { readonly path: string; readonly idField: string }[];
  readonly #kept: ReadonlySet<string | number>;
  /** In place of texts in a digest: one that no schema lists. */
  readonly #text: string;
  readonly #known = new Map<string, string>();

  /** @throws EvidenceError if a schema of the target requires what pseudonyms do not keep */
  constructor(target: Target) {
    this.#key = randomBytes(32);
    this.#digest = target.evidence === 'digest';
    const base = basePathOf(target.baseUrl);
    // The longest first: the path of one list may be the beginning of that of another.
    this.#places = target.resources
      .map(({ path: list, idField }) => ({ path: base + list, idField }))
      .toSorted((one, other) => other.path.length - one.path.length);
    this.#kept = new Set(target.resources.flatMap((resource) => vocabularyOf(resource, target.evidence)));
    let text = 'x';
    while (this.#kept.has(text)) text += 'x';
    this.#text = text;
  }

  /** The exchange with pseudonyms in its answer; the same object if the answer holds no list data. */
  apply(exchange: Exchange): Exchange {
    const { request, answer } = exchange;
    if (answer === null || answer.body.length === 0) return exchange;
    const place = this.#places.find(({ path: list }) => request.target.startsWith(list)) ?? this.#places[0];
    if (place === undefined || isTokenRequest(request)) return exchange;
    const body = bufferOf(answer.body);
    const replaced = this.#replaced(body, place.idField, answer.status === 200);
    return { ...exchange, answer: { ...answer, body: replaced } };
  }

  #replaced(body: Buffer, idField: string, isList: boolean): Uint8Array {
    const first = body.find((byte, at) => byte > 0x20 && !(at < 3 && byte === BYTE_ORDER_MARK[at]));
    if (first === undefined || !'"[{'.includes(String.fromCharCode(first)))
      return this.#unstructured(body, isList);
    const bytes = rewritten(body, {
      maxStringBytes: MAX_STRING_BYTES,
      text: (value, place) => {
        if (place.depth === 1 && !isList) return this.#withPseudonyms(value);
        if (place.depth === 1 && ENVELOPE.has(place.name ?? '')) return null;
        if (this.#kept.has(value)) return null;
        if (value === '') return '';
        // Records of a list that name each other must stay equal, also before these identifiers are known.
        const named = isList && place.depth > 1 ? [] : this.#pseudonymsIn(value);
        if (this.#digest && place.name !== idField) return [this.#text, ...named].join(' ');
        const pseudonym = this.#pseudonym(value);
        if (named.length > 0 && !this.#known.has(value)) return [pseudonym, ...named].join(' ');
        if (place.name === idField && this.#known.size < MAX_KNOWN) this.#known.set(value, pseudonym);
        return pseudonym;
      },
      number: (place, written) => {
        const value = Number(written);
        if (!this.#digest || place.depth <= 1 || place.name === idField || this.#kept.has(value)) return null;
        return JSON_NUMBER.test(written) ? this.#numberFor(value) : NO_NUMBER;
      },
    });
    // Invalid UTF-8 must stay invalid.
    return isUtf8(body) || !isUtf8(bytes) ? bytes : Buffer.concat([bytes, Buffer.from([0xff])]);
  }

  /** A number that no schema lists, as whole as the one in whose place it stands. */
  #numberFor(value: number): string {
    let number = Number.isInteger(value) ? 0 : 0.5;
    while (this.#kept.has(number)) number += 1;
    return String(number);
  }

  /** A text with pseudonyms in place of identifiers by which it names known records; null if it has none. */
  #withPseudonyms(text: string): string | null {
    const made = this.#namedIn(text).reduce(
      (left, [identifier, made]) => left.replaceAll(identifier, made),
      text,
    );
    return made === text ? null : made;
  }

  /** The pseudonyms of known records that a text outside of a list names; the rest of it may be data. */
  #pseudonymsIn(text: string): readonly string[] {
    return this.#namedIn(text).map(([, pseudonym]) => pseudonym);
  }

  // A pseudonym is like no word, so it would show a record where the identifier may be a word.
  #namedIn(text: string | Buffer): readonly (readonly [identifier: string, pseudonym: string])[] {
    const named = this.#allIn(text);
    const areAll = named.length === MAX_KNOWN && named.every(([identifier]) => /\d/.test(identifier));
    return areAll ? named : named.filter(([identifier]) => isDistinctive(identifier));
  }

  #allIn(text: string | Buffer): readonly (readonly [identifier: string, pseudonym: string])[] {
    return [...this.#known].filter(
      ([identifier]) => identifier.length >= SHORTEST_IDENTIFIER && text.includes(identifier),
    );
  }

  // Text that is not JSON is kept only if the status is not 200 and the text names no record.
  #unstructured(body: Buffer, isList: boolean): Uint8Array {
    if (!isList && this.#allIn(body).length === 0) return body;
    const named = this.#namedIn(body).map(([, pseudonym]) => pseudonym);
    const which = named.length === 0 ? '' : `, which names ${named.join(' and ')}`;
    return Buffer.from(`(a text of ${body.length} bytes${which})`);
  }

  #pseudonym(value: string): string {
    const digest = createHmac('sha256', this.#key).update(value).digest();
    let letters = '';
    for (const byte of digest) letters += LETTERS[byte & 31] ?? '';
    let length = SHORTEST;
    while (!this.#digest && length < value.length && length < MAX_CHARACTERS) length *= 2;
    const made = letters.repeat(Math.ceil(length / letters.length)).slice(0, length);
    // Rules tell identifiers from words by their digits.
    return /\d/.test(value) && !/\d/.test(made) ? `${made.slice(0, -1)}${(digest[0] ?? 0) % 10}` : made;
  }
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** In place of what is no number in JSON, so that invalid JSON stays invalid. */
const NO_NUMBER = '00';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Members of the envelope whose values are reported. */
const ENVELOPE: ReadonlySet<string> = new Set(['nextPageLink', 'count']);

/** Values that a schema of the target lists: they are vocabulary, not data. */
function vocabularyOf(
  { name, itemSchema }: Resource,
  evidence: Target['evidence'],
): readonly (string | number)[] {
  if (!path.isAbsolute(itemSchema)) return [];
  const words: (string | number)[] = [];
  const isWord = (value: unknown): value is string | number => ['string', 'number'].includes(typeof value);
  const lost = evidence === 'digest' ? LOST_BY_DIGESTS : LOST_BY_PSEUDONYMS;
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [keyword, inner] of Object.entries(value)) {
      if (lost.includes(keyword) && typeof inner !== 'object' && inner !== false)
        throw new EvidenceError(
          `evidence: ${evidence} takes out what the schema of ${name} asks for by ${keyword}; use evidence: full`,
        );
      if (keyword === 'const' && isWord(inner)) words.push(inner);
      if (keyword === 'enum' && Array.isArray(inner)) words.push(...inner.filter(isWord));
      if (OF_NAMES.includes(keyword)) Object.values(inner as object).forEach(visit);
      else if (!DATA_KEYWORDS.has(keyword)) visit(inner);
    }
  };
  visit(parseUserSchema(itemSchema));
  return words;
}
