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
