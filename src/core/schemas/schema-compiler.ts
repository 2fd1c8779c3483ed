import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options } from 'ajv/dist/2020.js';

const require = createRequire(import.meta.url);

/** A validator; `errors` describes the last invalid value. */
export interface Matches {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** Compiles a JSON Schema (draft 2020-12). Throws an Error if it is invalid. */
export function compileNow(schema: unknown, options: Options = { strict: false }): Matches {
  return withFormats(options).compile(schema as object);
}

/** An ajv instance with the usual formats. Loaded on first use, because most runs do not need it. */
export function withFormats(options: Options): Ajv2020 {
  const ajv2020 = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const formats = require('ajv-formats') as typeof import('ajv-formats');
  const ajv = new ajv2020.Ajv2020(options);
  formats.default(ajv);
  return ajv;
}

/** The value at a JSON pointer of a schema error; undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((here, name) => (here as { readonly [name: string]: unknown } | null | undefined)?.[name], value);
}
