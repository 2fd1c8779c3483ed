import { isUtf8 } from 'node:buffer';
import type { HttpAnswer } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import { type Exact, exactNumber } from './exact.ts';
import { scanJson } from './json-scan.ts';
import { type Doubled, doubledNames, membersIn, survey } from './json-text.ts';

/** A body read as JSON, or the one sentence that says why it is none. */
export type JsonBody =
  | {
      readonly ok: true;
      readonly value: Json;
      /** Names given more than once: which of their values counts, each reader decides for itself. */
      readonly doubled: readonly Doubled[];
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

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads a body as RFC 8259 has JSON: UTF-8 without a byte order mark, one value, nothing after it.
 * Never throws, whatever the body; one that is nested deeper than `maxDepth` is not read.
 */
export function readJson(answer: HttpAnswer, maxDepth = MAX_DEPTH): JsonBody {
  const fault = encodingFault(answer.body);
  if (fault !== null) return { ok: false, why: fault };
  const text = decoder.decode(answer.body);
  const { tooDeep: deep, members, outermost } = survey(text, maxDepth);
  if (deep) return tooDeep(maxDepth);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    const found = scanJson(answer.body, maxDepth);
    return notJson(answer.body, found.kind === 'not-json' ? found.at : answer.body.length);
  }
  const doubled = members === membersIn(value) ? [] : doubledNames(text);
  return { ok: true, value, doubled, exact: exactNumbers(text, value, outermost) };
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
  const what = letter === undefined ? 'it ends too early' : `unexpected ${JSON.stringify(letter)}`;
  return { ok: false, why: `the body is not JSON (${what} at byte ${at + 1} of ${bytes.length})` };
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

/** Numbers among the members of an object whose digits say more than a double keeps, by their names. */
export function exactNumbers(
  text: string,
  value: Json,
  outermost: readonly { readonly name: string; readonly valueAt: number }[],
): ReadonlyMap<string, Exact> {
  const found = new Map<string, Exact>();
  if (!isObject(value)) return found;
  for (const { name: literal, valueAt } of outermost) {
    const name = String(JSON.parse(literal));
    const read = value[name];
    if (typeof read !== 'number') continue;
    NUMBER.lastIndex = valueAt;
    const exact = exactNumber(NUMBER.exec(text)?.[1] ?? '', read);
    if (exact !== null) found.set(name, exact);
  }
  return found;
}

const NUMBER = /\s*(-?[\d.eE+-]+)/y;
