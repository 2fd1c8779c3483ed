import { isJsonObject } from '../core/json-text.ts';
import { getOrMake } from '../core/maps.ts';
import type { Json } from '../core/results.ts';
import {
  namesIn,
  type SchemaError,
  type ShippedSchema,
  schemaText,
  shippedValidator,
  valueAt,
} from '../core/schemas/shipped-schema.ts';
import { type CompiledSchema, compileUserSchema, readUserSchema } from '../core/schemas/user-schema.ts';

/** Where and how a value differs from its schema, at the first such place. */
export interface SchemaMismatch {
  /** JSON Pointer, `''` for the value itself. */
  readonly path: string;
  /** What the schema asks for, as half a sentence: `must be a string`. */
  readonly message: string;
  /** What it should have been, as a clause: `to be a string`; null if only the schema says. */
  readonly wanted: string | null;
  /** The value found there; undefined if a member is missing. */
  readonly actual: Json | undefined;
}

/** Finds the first mismatch of a value and a schema; null if it matches. */
export type Validate = (value: unknown) => SchemaMismatch | null;

const BUILT_IN: readonly ShippedSchema[] = ['printer', 'token-response', 'list-envelope'];

/** The schemas so far, by name or path. */
const compiled = new Map<string, CompiledSchema>();

/**
 * The validator of a schema: the name of a built-in one, or the absolute path of a JSON Schema file.
 * Throws an Error with a clause as its message if the file cannot be used as a schema.
 */
export function validatorFor(name: string): Validate {
  const { matches } = compiledSchema(name);
  return (value) => (matches(value) ? null : mismatchOf(matches.errors?.[0], value));
}

/** Names of the members that a schema describes. Throws as validatorFor does. */
export function membersOf(name: string): readonly string[] {
  const { schema } = compiledSchema(name);
  return isJsonObject(schema) && isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
}

/** Compiles a schema and keeps it under a name, in place of any file of that name. */
export function adoptSchema(name: string, schema: Json): void {
  compiled.set(name, { schema, matches: compileUserSchema(schema) });
}

/** Has a schema read again when it is used next: its file may have changed since an earlier run of this process. */
export function forgetSchema(name: string): void {
  compiled.delete(name);
}

function compiledSchema(name: string): CompiledSchema {
  return getOrMake(compiled, name, () => {
    const shipped = BUILT_IN.find((one) => one === name);
    if (shipped === undefined) return readUserSchema(name);
    return { schema: JSON.parse(schemaText(shipped)), matches: shippedValidator(shipped) };
  });
}

function mismatchOf(error: SchemaError | undefined, value: unknown): SchemaMismatch {
  const path = error?.instancePath ?? '';
  const actual = valueAt(value, namesIn(path)) as Json | undefined;
  switch (error?.keyword) {
    case 'required': {
      const missing = String((error.params as { missingProperty: string }).missingProperty);
      return { path: `${path}/${missing}`, message: 'is missing', wanted: 'to be there', actual: undefined };
    }
    case 'type': {
      const name = nameOf((error.params as { type: string | readonly string[] }).type);
      const message = `is ${kindOf(actual)} instead of ${name}`;
      return { path, message, wanted: `to be ${name}`, actual };
    }
    case 'minLength':
      if (actual === '')
        return { path, message: 'is an empty string', wanted: 'to be a string that is not empty', actual };
  }
  return { path, message: error?.message ?? 'does not match its schema', wanted: null, actual };
}

function nameOf(type: string | readonly string[]): string {
  const types = typeof type === 'string' ? type.split(',') : type;
  return types
    .filter((one) => one !== 'null')
    .map((one) => (/^[aeio]/.test(one) ? `an ${one}` : `a ${one}`))
    .join(' or ');
}

/** The type of a JSON value, with its article. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number';
  return `a ${typeof value}`;
}
