import { readFileSync } from 'node:fs';
import type { Options } from 'ajv';
import { compileNow } from './compile.ts';
import type { Matches } from './shipped.ts';

/** A JSON Schema as a file holds it, and as it is held against values. */
export interface FileSchema {
  readonly schema: unknown;
  readonly matches: Matches;
}

/** Reads and compiles a JSON Schema file (draft 2020-12). Throws an Error with half a sentence where it is none. */
export function schemaFile(file: string, options: Options = { strict: false }): FileSchema {
  const schema: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/u, ''));
  return { schema, matches: compileNow(schema, options) };
}
