import type { HttpAnswer } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import { type Exact, exactNumber } from './exact.ts';
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
      /** True where a limit of the target file kept the body from being read: it may well be JSON. */
      readonly bounded?: true;
    };

/** Depth to which a body is read where no limit is told. */
const MAX_DEPTH = 100;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a body as RFC 8259 has JSON: UTF-8 without a byte order mark, one value, nothing after it.
 * Never throws, whatever the body; one that is nested deeper than `maxDepth` is not read.
 */
export function readJson(answer: HttpAnswer, maxDepth = MAX_DEPTH): JsonBody {
  if (answer.body.length === 0) return { ok: false, why: 'the body is empty' };
  let text: string;
  try {
    text = decoder.decode(answer.body);
  } catch {
    return { ok: false, why: 'the body is not valid UTF-8' };
  }
  if (text.startsWith('\uFEFF'))
    return { ok: false, why: 'the body begins with a byte order mark, which JSON may not' };
  const { tooDeep, members, outermost } = survey(text, maxDepth);
  if (tooDeep)
    return {
      ok: false,
      why: `the body is nested more than ${maxDepth} deep (limits.maxJsonDepth)`,
      bounded: true,
    };
  try {
    const value = JSON.parse(text) as Json;
    const doubled = members === membersIn(value) ? [] : doubledNames(text);
    return { ok: true, value, doubled, exact: exactNumbers(text, value, outermost) };
  } catch (error) {
    return {
      ok: false,
      why: `the body is not JSON (${error instanceof Error ? firstLine(error.message) : 'unreadable'})`,
    };
  }
}

/** The body as text for excerpts; what is not UTF-8 stands as replacement characters. */
export function readText(answer: HttpAnswer): string {
  return new TextDecoder().decode(answer.body);
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

function exactNumbers(
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

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > 120 ? `${line.slice(0, 117)}…` : line;
}
