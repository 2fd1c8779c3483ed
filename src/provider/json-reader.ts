import { type Buffer, isUtf8 } from 'node:buffer';
import { bufferOf, type HttpAnswer } from '../core/exchange.ts';
import {
  COLON,
  DOT,
  type DuplicateName,
  isBlank,
  isDigit,
  isExponent,
  isNumeric,
  type JsonFault,
  QUOTE,
  type Span,
  scanJson,
} from '../core/json-scanner.ts';
import { isJsonObject, parsedJson } from '../core/json-text.ts';
import type { Json } from '../core/results.ts';
import { sha256 } from '../core/sha256.ts';
import { withoutTrailing } from '../core/text.ts';

/** A number with more digits than a double keeps. */
export interface Exact {
  /** Its digits without needless zeros, such as `9007199254740993` or `1e400`; the same for equal numbers. */
  readonly text: string;
  readonly integer: boolean;
}

/** A parsed value, with facts about its text that parsing loses. */
export interface JsonValue {
  readonly value: Json;
  /** Names given more than once: parsers differ in which of the values they use. */
  readonly doubled: readonly DuplicateName[];
  /** Numbers of the outermost object that a double cannot hold, by name. */
  readonly exact: ReadonlyMap<string, Exact>;
}

/** A body read as JSON, or one sentence that says why it is not JSON. */
export type JsonBody = ({ readonly ok: true } & JsonValue) | NoJson;

export interface NoJson {
  readonly ok: false;
  readonly why: string;
  /** The limit of the target file that stopped the reading; the body may still be JSON. */
  readonly limit?: 'maxJsonDepth' | 'maxRecordBytes';
}

/** Duplicate names reported within each member of the outermost object, and as many of that object itself. */
const MAX_DUPLICATE_NAMES = 16;

/**
 * Reads a body as RFC 8259 has JSON: UTF-8 without a byte order mark, one value, nothing after it.
 * Never throws; a body that is nested deeper than `maxDepth` is not read.
 */
export function readJson({ body }: Pick<HttpAnswer, 'body'>, maxDepth: number): JsonBody {
  const bytes = bufferOf(body);
  return bodyFault(bytes, maxDepth) ?? { ok: true, ...readValue(bytes, maxDepth) };
}

/** What keeps a body from being read as JSON; null if nothing does. */
export function bodyFault(bytes: Buffer, maxDepth: number): NoJson | null {
  const why = encodingFault(bytes);
  if (why !== null) return { ok: false, why };
  const fault = scanJson(bytes, maxDepth);
  return fault === null ? null : bodyWith(fault, bytes, maxDepth);
}

/** Reads a text that is JSON and not nested deeper than `maxDepth`. */
export function readValue(bytes: Buffer, maxDepth: number): JsonValue {
  const doubled: DuplicateName[] = [];
  const reported = new Map<string | number | undefined, number>();
  const exact = new Map<string, Exact>();
  scanJson(bytes, maxDepth, {
    duplicate: (found) => {
      const already = reported.get(found.path[0]) ?? 0;
      reported.set(found.path[0], already + 1);
      if (already < MAX_DUPLICATE_NAMES) doubled.push(found);
    },
    member: (name, value) => {
      if (exact.size > 0 || isNumeric(bytes[value.from]))
        setExact(exact, String(valueAt(bytes, name)), exactAt(bytes, value));
    },
  });
  return { value: valueAt(bytes, { from: 0, to: bytes.length }), doubled, exact };
}

export function valueAt(bytes: Buffer, { from, to }: Span): Json {
  return JSON.parse(bytes.toString('utf8', from, to)) as Json;
}

/** Notes the exact number of a member. If a name is doubled, the last one counts, as with JSON.parse. */
export function setExact(exact: Map<string, Exact>, name: string, number: Exact | null): void {
  if (number === null) exact.delete(name);
  else exact.set(name, number);
}

/** The digits of a number that a double cannot hold; null for every other value. */
export function exactAt(bytes: Buffer, { from, to }: Span): Exact | null {
  if (!isNumeric(bytes[from])) return null;
  const text = bytes.toString('latin1', from, to);
  return exactNumber(text, Number(text));
}

/** Why bytes cannot be JSON, found before they are parsed, as half a sentence; null if nothing is wrong so far. */
export function encodingFault(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return 'the body is empty';
  if (!isUtf8(bytes)) return 'the body is not valid UTF-8';
  if (bytes[0] !== 0xef || bytes[1] !== 0xbb || bytes[2] !== 0xbf) return null;
  return 'the body begins with a byte order mark, which JSON may not';
}

/**
 * Reports at most one character of an invalid body: a longer piece could be half a secret, which redaction does not recognise.
 */
function bodyWith(fault: JsonFault, bytes: Buffer, maxDepth: number): NoJson {
  if (fault.kind === 'too-deep') {
    const why = `the body is nested more than ${maxDepth} deep (limits.maxJsonDepth)`;
    return { ok: false, why, limit: 'maxJsonDepth' };
  }
  const letter = [...new TextDecoder().decode(bytes.subarray(fault.at, fault.at + 4))][0];
  const what =
    letter === undefined
      ? `it ends too early, after ${bytes.length} bytes`
      : `unexpected ${JSON.stringify(letter)} at byte ${fault.at + 1} of ${bytes.length}`;
  return { ok: false, why: `the body is not JSON (${what})` };
}

/**
 * A member of a JSON object, where null counts as absent. Only own members: `__proto__` and friends in the
 * text are data like any other.
 */
export function member(value: Json | undefined, name: string): Json | undefined {
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
  return value[name] ?? undefined;
}

/** A member of a body as {@link member} reads it; undefined if the body is not JSON. */
export function memberOf(body: JsonBody, name: string): Json | undefined {
  return body.ok ? member(body.value, name) : undefined;
}

/** The first of these names that the outermost object gives more than once; null where each stands for itself. */
export function ambiguous(body: JsonBody, names: readonly string[]): string | null {
  if (!body.ok) return null;
  return body.doubled.find(({ path, name }) => path.length === 0 && names.includes(name))?.name ?? null;
}

/** The values that the outermost object gives for a name, as they are written, each once. */
export function writtenValues(bytes: Buffer, name: string, maxDepth: number): ReadonlySet<string> {
  const values = new Set<string>();
  scanJson(bytes, maxDepth, {
    member: (at, value) => {
      if (JSON.parse(bytes.toString('utf8', at.from, at.to)) === name)
        values.add(bytes.toString('utf8', value.from, value.to));
    },
  });
  return values;
}

/** Characters of a number up to which a double keeps all of its digits, unless it has an exponent. */
const USUAL_NUMBER = 15;

/**
 * Parses a text that is plain JSON: no object gives a name twice, and no member is a number of which a double may not
 * keep every digit, so the parsed value shows everything. Undefined for other texts, and for a few plain ones. Expects
 * UTF-8. Several times as fast as a scan.
 *
 * @param maxDepth arrays and objects within each other
 */
export function parsePlainJson(bytes: Buffer, maxDepth: number): Json | undefined {
  const names = countNames(bytes);
  if (names === null) return undefined;
  const value = parsedJson(bytes.toString('utf8')) as Json | undefined;
  return value !== undefined && membersIn(value, maxDepth) === names ? value : undefined;
}

/**
 * An upper bound of the names in a JSON text: every name is a quote and a colon, with blanks between them. More are
 * counted where a string contains this. Null where an unusual number may follow.
 */
function countNames(bytes: Buffer): number | null {
  let names = 0;
  for (let at = bytes.indexOf(COLON); at >= 0; at = bytes.indexOf(COLON, at + 1)) {
    let before = at - 1;
    while (isBlank(bytes[before])) before -= 1;
    if (bytes[before] !== QUOTE) continue;
    names += 1;
    let after = at + 1;
    while (isBlank(bytes[after])) after += 1;
    if (isNumeric(bytes[after]) && isUnusualNumber(bytes, after)) return null;
  }
  return names;
}

/** Whether a number may lose digits as a double. */
function isUnusualNumber(bytes: Buffer, from: number): boolean {
  let at = from + 1;
  while (isDigit(bytes[at]) || bytes[at] === DOT) at += 1;
  return at - from > USUAL_NUMBER || isExponent(bytes[at]);
}

/**
 * Members of all objects within a value; NaN if it is nested more than `maxDepth` deep. Called for every page:
 * Object.values would make an array for each record.
 */
function membersIn(value: Json, maxDepth: number): number {
  if (!isNested(value)) return 0;
  if (maxDepth === 0) return Number.NaN;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value as readonly Json[])
      if (isNested(element)) members += membersIn(element, maxDepth - 1);
  } else {
    const object = value as { readonly [name: string]: Json };
    for (const name in object) {
      members += 1;
      const inner = object[name] as Json;
      if (isNested(inner)) members += membersIn(inner, maxDepth - 1);
    }
  }
  return members;
}

function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** Digits of an integer up to which a double keeps every one. */
const SAFE_DIGITS = 15;
/** Digits up to which an integer is written out. */
const MAX_CHARACTERS = 40;
/** Digits beyond which a number is reported by its beginning, its length and a hash. */
const MAX_DIGITS = 400;

/**
 * The exact number in a JSON text, if the double read from it is an integer (or infinite) and may be another number: it has
 * more digits than a double keeps, or a fraction that the double drops. Null if the double is exact.
 */
export function exactNumber(text: string, read: number): Exact | null {
  if (Number.isFinite(read) && !Number.isInteger(read)) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = withoutTrailing((whole + fraction).replace(/^0+/, ''), '0');
  if (digits === '') return null;
  // Beyond a double's exponent one number is as far from being a count as another.
  const written = whole + fraction;
  const trailingZeros = written.length - withoutTrailing(written, '0').length;
  const scale = Number(exponent) - fraction.length + trailingZeros;
  const length = digits.length + scale;
  if (scale >= 0 && length <= SAFE_DIGITS) return null;
  if (scale >= 0 && length <= MAX_CHARACTERS)
    return { text: sign + digits + '0'.repeat(scale), integer: true };
  return { text: `${sign}${shortened(digits)}e${scale}`, integer: scale >= 0 };
}

// A page keeps this text until the end of the run, and a provider may write a million digits.
function shortened(digits: string): string {
  if (digits.length <= MAX_DIGITS) return digits;
  const sum = sha256(digits).slice(0, 16);
  return `${digits.slice(0, MAX_CHARACTERS)}…(${digits.length} digits, SHA-256 ${sum})`;
}
