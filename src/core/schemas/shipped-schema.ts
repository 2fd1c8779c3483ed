import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Ajv, ErrorObject, Options } from 'ajv';
import { getOrMake } from '../maps.ts';
import { ownModule, packageFile } from '../package-file.ts';
import { sha256 } from '../sha256.ts';

const require = createRequire(import.meta.url);

/** An error of a validator. The build leaves out the schemaPath, which makes a seventh of the compiled code. */
export type SchemaError = Omit<ErrorObject, 'schemaPath'>;

/** A validator; `errors` describes the last invalid value. */
export interface Matches {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** Compiles a JSON Schema of a supported draft. Throws an Error if it is invalid. */
export function compileNow(schema: unknown, options: Options): Matches {
  return validatorOf(schema, options).compile(schema as object);
}

/** The modules of ajv for the drafts of JSON Schema, by what their `$schema` contains. */
const MODULES = {
  '/draft-07/': 'ajv',
  '/2019-09/': 'ajv/dist/2019.js',
  '/2020-12/': 'ajv/dist/2020.js',
} as const;

const SUPPORTED_DRAFTS = 'draft-07, 2019-09 and 2020-12';

/**
 * An ajv instance with the usual formats, for the draft that `$schema` names; 2020-12 if it names none. Loaded on first use,
 * because most runs do not need it. Throws an Error with a clause for another draft.
 */
export function validatorOf(schema: unknown, options: Options): Ajv {
  const named = (schema as { readonly $schema?: unknown } | null)?.$schema ?? '/2020-12/';
  const draft = Object.keys(MODULES).find((part) => String(named).includes(part));
  if (draft === undefined)
    throw new Error(`its $schema is ${JSON.stringify(named)}; ${SUPPORTED_DRAFTS} are supported`);
  const { default: Validator } = require(MODULES[draft as keyof typeof MODULES]) as typeof import('ajv');
  const formats = require('ajv-formats') as typeof import('ajv-formats');
  const ajv = new Validator(options);
  formats.default(ajv);
  return ajv;
}

/** The value at a path of names and indices; undefined if there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, part) => (at as { readonly [part: string | number]: unknown } | null | undefined)?.[part],
    value,
  );
}

/** The names and indices of a JSON pointer. */
export function namesIn(pointer: string): readonly string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The shipped schemas that are used at run time. */
export type ShippedSchema =
  | 'list-envelope'
  | 'printer'
  | 'prove'
  | 'results'
  | 'scenario'
  | 'target'
  | 'token-response';

export const SHIPPED: { readonly [name in ShippedSchema]: Options } = {
  'list-envelope': { strict: false },
  printer: { strict: false },
  prove: { strict: true, allowUnionTypes: true },
  results: { strict: true, allowUnionTypes: true },
  scenario: { strict: true, allErrors: true },
  target: { strict: true, allErrors: true },
  'token-response': { strict: false },
};

interface Compiled {
  readonly default: Matches;
  readonly source: string;
}

const folder = path.join(path.dirname(ownModule('src/core/schemas/shipped-schema')), 'compiled');

export function schemaText(name: ShippedSchema): string {
  return readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8');
}

const validators = new Map<ShippedSchema, Matches>();

/** The validator of a shipped schema, read once. */
export function shippedValidator(name: ShippedSchema): Matches {
  return getOrMake(validators, name, () => validatorIn(folder, name));
}

/**
 * The validator of a shipped schema. The build compiles schemas, because ajv needs 0.1 s for one; a missing or
 * outdated validator is compiled now.
 *
 * @param compiled folder of the validators that the build compiled
 */
export function validatorIn(compiled: string, name: ShippedSchema): Matches {
  const text = schemaText(name);
  const file = path.join(compiled, `${name}.cjs`);
  if (existsSync(file)) {
    const made = require(file) as Compiled;
    if (made.source === sha256(text)) return made.default;
  }
  return compileNow(JSON.parse(text), SHIPPED[name]);
}

/** The first violation of a shipped schema as a clause; null if the value matches. */
export function schemaProblem(name: ShippedSchema, value: unknown): string | null {
  const matches = shippedValidator(name);
  if (matches(value)) return null;
  const [problem] = matches.errors ?? [];
  if (problem?.keyword === 'const') {
    const { allowedValue } = problem.params as { readonly allowedValue: unknown };
    const given = JSON.stringify(valueAt(value, namesIn(problem.instancePath)));
    return `${problem.instancePath} must be ${JSON.stringify(allowedValue)}, not ${given}`;
  }
  return `${problem?.instancePath || 'the document'} ${problem?.message ?? 'is invalid'}`;
}
