import { Buffer, isUtf8 } from 'node:buffer';
import type { HttpAnswer } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import { type DuplicateName, doubledIn, membersIn } from './duplicate-names.ts';
import { type Exact, exactNumber } from './exact-number.ts';
import { isNumeric, isUnusualNumber, type ScannedValue, scanJson } from './json-scanner.ts';

/** A body read as JSON, or the one sentence that says why it is none. */
export type JsonBody =
  | {
      readonly ok: true;
      readonly value: Json;
      /** Names given more than once: which of their values counts, each reader decides for itself. */
      readonly doubled: readonly DuplicateName[];
      /** Numbers of the outermost object that a double cannot hold, by name. */
      readonly exact: ReadonlyMap<string, Exact>;
    }
  | {
      readonly ok: false;
      readonly why: string;
      /** The limit of the target file that kept the body from being read: it may well be JSON. */
      readonly limit?: 'maxJsonDepth' | 'maxRecordBytes';
    };

/** Depth to which a body is read where no limit is reported. */
const MAX_DEPTH = 100;

/**
 * Reads a body as RFC 8259 has JSON: UTF-8 without a byte order mark, one value, nothing after it.
 * Never throws; a body that is nested deeper than `maxDepth` is not read.
 */
export function readJson({ body }: HttpAnswer, maxDepth = MAX_DEPTH): JsonBody {
  const bytes = bufferOf(body);
  const fault = encodingFault(bytes);
  if (fault !== null) return { ok: false, why: fault };
  const exact = new Map<string, Exact>();
  const scanned = scanJson(bytes, maxDepth, { member: (found) => noteExact(exact, bytes, found) });
  if (scanned.kind === 'too-deep') return tooDeep(maxDepth);
  if (scanned.kind === 'not-json') return notJson(bytes, scanned.at);
  const text = bytes.toString('utf8');
  const value = JSON.parse(text) as Json;
  return { ok: true, value, doubled: doubledIn(text, value, scanned.members), exact };
}

/** Numbers among the members of an object that a double cannot hold, by name. Expects JSON. */
export function exactNumbers(bytes: Buffer, maxDepth: number): ReadonlyMap<string, Exact> {
  const exact = new Map<string, Exact>();
  scanJson(bytes, maxDepth, { member: (found) => noteExact(exact, bytes, found) });
  return exact;
}

// Of doubled names the last one counts, as with JSON.parse.
function noteExact(exact: Map<string, Exact>, bytes: Buffer, found: ScannedValue): void {
  if (!found.hasUnusualNumbers && exact.size === 0) return;
  const name = JSON.parse(bytes.toString('utf8', found.nameFrom, found.nameTo)) as string;
  const number = exactAt(bytes, found);
  if (number === null) exact.delete(name);
  else exact.set(name, number);
}

/** The digits of a number that a double cannot hold; null for every other value. */
export function exactAt(bytes: Buffer, { from, to, hasUnusualNumbers }: ScannedValue): Exact | null {
  if (!hasUnusualNumbers || !isNumeric(bytes[from] ?? 0)) return null;
  const text = bytes.toString('latin1', from, to);
  return exactNumber(text, Number(text));
}

/** The bytes of a body as a Buffer, without copying them. */
export function bufferOf(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** What keeps bytes from being JSON before they are read as such, as half a sentence; null where nothing does. */
export function encodingFault(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return 'the body is empty';
  if (!isUtf8(bytes)) return 'the body is not valid UTF-8';
  if (bytes[0] !== 0xef || bytes[1] !== 0xbb || bytes[2] !== 0xbf) return null;
  return 'the body begins with a byte order mark, which JSON may not';
}

/**
 * A body that stops being JSON at a byte. No more of it than one character is reported: a longer piece could be half a
 * secret, which nobody would recognise any more.
 */
export function notJson(bytes: Uint8Array, at: number): JsonBody {
  const letter = [...new TextDecoder().decode(bytes.subarray(at, at + 4))][0];
  const what =
    letter === undefined
      ? `it ends too early, after ${bytes.length} bytes`
      : `unexpected ${JSON.stringify(letter)} at byte ${at + 1} of ${bytes.length}`;
  return { ok: false, why: `the body is not JSON (${what})` };
}

/** A body that is nested deeper than a limit lets it be read. */
export function tooDeep(maxDepth: number): JsonBody {
  const why = `the body is nested more than ${maxDepth} deep (limits.maxJsonDepth)`;
  return { ok: false, why, limit: 'maxJsonDepth' };
}

/** Whether a value is a JSON object (neither an array nor null). */
export function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A member of a JSON object, where null counts as absent. Only own members: `__proto__` and friends in the
 * text are data like any other.
 */
export function member(value: Json | undefined, name: string): Json | undefined {
  if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
  return value[name] ?? undefined;
}

/** The first of these names that the outermost object gives more than once; null where each stands for itself. */
export function ambiguous(body: JsonBody, names: readonly string[]): string | null {
  if (!body.ok) return null;
  return body.doubled.find(({ path, name }) => path.length === 0 && names.includes(name))?.name ?? null;
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;

/**
 * Parses a text that is plain JSON: no object gives a name twice, and no member is a number of which a double may not
 * keep every digit, so the parsed value tells everything. Undefined for other texts, and for a few plain ones. Expects
 * UTF-8.
 *
 * @param maxDepth arrays and objects within each other
 */
export function parsePlainJson(bytes: Buffer, maxDepth: number): Json | undefined {
  const names = countNames(bytes);
  if (names === null) return undefined;
  let value: Json;
  try {
    value = JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    return undefined;
  }
  return membersIn(value, maxDepth) === names ? value : undefined;
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
    if (isUnusualNumber(bytes, after)) return null;
  }
  return names;
}

function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || byte === LF || byte === CR || byte === TAB;
}
