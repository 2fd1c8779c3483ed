import type { Json } from '../core/results.ts';
import { isObject } from './json-reader.ts';

/** Kinds of values, as bits; an integer is a number too. */
export const KIND = {
  string: 1,
  number: 2,
  integer: 4,
  boolean: 8,
  null: 16,
  object: 32,
  array: 64,
} as const;

const ANY_KIND = 127;

/** All that a schema of the simplest sort asks of a value. */
export interface Shape {
  /** Bits of the kinds that it may be of. */
  readonly kinds: number;
  /** Whether a string may not be empty. */
  readonly filled: boolean;
  /** Members that an object has to have, at most 31. */
  readonly required: readonly string[];
  /** What is asked of an object's members; of others, nothing. */
  readonly members: ReadonlyMap<string, Shape>;
  /** What is asked of an array's elements; null for nothing. */
  readonly elements: Shape | null;
}

/** What nothing is asked of. */
export const ANYTHING: Shape = {
  kinds: ANY_KIND,
  filled: false,
  required: [],
  members: new Map(),
  elements: null,
};

/** Keywords by which nothing is judged. */
const NOTES = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'examples', 'default'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]);
const MOST_REQUIRED = 31;
const DEEPEST = 20;

/**
 * The shape that stands for a JSON Schema: a value matches the one where it matches the other. Null where the schema
 * has a keyword, or a form of one, that no shape stands for.
 */
export function shapeOf(schema: Json, depth = 0): Shape | null {
  if (schema === true) return ANYTHING;
  if (!isObject(schema) || depth > DEEPEST) return null;
  let { kinds, filled, required, members, elements }: Shape = ANYTHING;
  for (const [keyword, value] of Object.entries(schema)) {
    if (NOTES.has(keyword)) continue;
    if (keyword === 'type') kinds = kindsIn(value);
    else if (keyword === 'minLength' && value === 1) filled = true;
    else if (keyword === 'required' && isNames(value)) required = value;
    else if (keyword === 'items') {
      elements = shapeOf(value, depth + 1);
      if (elements === null) return null;
    } else if (keyword === 'properties' && isObject(value) && isNames(Object.keys(value))) {
      const shapes = new Map<string, Shape>();
      for (const [name, member] of Object.entries(value)) {
        const shape = shapeOf(member, depth + 1);
        if (shape === null) return null;
        shapes.set(name, shape);
      }
      members = shapes;
    } else return null;
  }
  return kinds === 0 || required.length > MOST_REQUIRED
    ? null
    : { kinds, filled, required, members, elements };
}

// Of what every object inherits a validator may think that it is there.
function isNames(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && !(name in {}));
}

// 0 where a type is none that is known.
function kindsIn(type: Json): number {
  const names: readonly Json[] = typeof type === 'string' ? [type] : Array.isArray(type) ? type : [];
  let kinds = 0;
  for (const name of names) {
    const kind = Object.entries(KIND).find(([known]) => known === name)?.[1];
    if (kind === undefined) return 0;
    kinds |= kind;
  }
  return kinds;
}
