import type { Json } from '../core/results.ts';

/** A name that an object gives more than once. */
export interface DuplicateName {
  /** Names and positions that lead to the object. */
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** DuplicateName names reported within each member of the outermost object, and as many of that object itself. */
const MAX_DUPLICATE_NAMES = 16;

/**
 * The names that objects of a JSON text give more than once, in their order, the first few of them.
 *
 * @param value the text, parsed; its depth must be bounded
 * @param members members of all objects of the text: more than those of `value` where a name is doubled
 */
export function doubledIn(text: string, value: Json, members: number): readonly DuplicateName[] {
  return members === membersIn(value, Number.POSITIVE_INFINITY) ? NONE : doubledNames(text);
}

const NONE: readonly DuplicateName[] = [];

/**
 * Members of all objects within a value; NaN if it is nested more than `maxDepth` deep. Called for every page:
 * Object.values would make an array for each record.
 */
export function membersIn(value: Json, maxDepth: number): number {
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

function doubledNames(text: string): readonly DuplicateName[] {
  const doubled: DuplicateName[] = [];
  const reported = new Map<string | number | null, number>();
  const open: { names: Set<string> | null; at: string | number }[] = [];
  let literal = '';
  for (let at = 0; at < text.length; at++) {
    const top = open.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        literal = text.slice(at, end + 1);
        at = end;
        break;
      }
      case 0x3a: {
        if (top === undefined) break;
        const name = String(JSON.parse(literal));
        const where = open.length === 1 ? null : (open[0]?.at ?? null);
        const already = reported.get(where) ?? 0;
        if (top.names?.has(name) === true && already < MAX_DUPLICATE_NAMES) {
          reported.set(where, already + 1);
          doubled.push({ path: open.slice(0, -1).map((one) => one.at), name });
        }
        top.names?.add(name);
        top.at = name;
        break;
      }
      case 0x2c:
        if (typeof top?.at === 'number') top.at++;
        break;
      case 0x5b:
        open.push({ names: null, at: 0 });
        break;
      case 0x7b:
        open.push({ names: new Set(), at: '' });
        break;
      case 0x5d:
      case 0x7d:
        open.pop();
    }
  }
  return doubled;
}

// A quote ends the string unless an odd number of backslashes stands before it.
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
