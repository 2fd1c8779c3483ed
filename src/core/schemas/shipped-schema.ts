import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Options } from 'ajv';
import { ownModule, packageFile } from '../package-file.ts';
import { sha256 } from '../sha256.ts';
import { compileNow, type Matches, valueAt } from './schema-compiler.ts';

/** The shipped schemas that are used at run time. */
export type ShippedSchema =
  | 'list-envelope'
  | 'printer'
  | 'prove'
  | 'results'
  | 'scenario'
  | 'target'
  | 'token-response';

/** Compile options of each schema. */
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

/** The text of a shipped schema. */
export function schemaText(name: ShippedSchema): string {
  return readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8');
}

/**
 * The validator of a shipped schema. The build compiles schemas, because ajv needs 0.1 s for one; a missing or
 * outdated validator is compiled now.
 *
 * @param compiled folder of the validators that the build compiled
 */
export function shippedValidator(name: ShippedSchema, compiled = folder): Matches {
  const text = schemaText(name);
  const file = path.join(compiled, `${name}.cjs`);
  if (existsSync(file)) {
    const made = createRequire(import.meta.url)(file) as Compiled;
    if (made.source === sha256(text)) return made.default;
  }
  return compileNow(JSON.parse(text), SHIPPED[name]);
}

const validators = new Map<ShippedSchema, Matches>();

/** The first violation of a shipped schema as a clause; null if the value matches. */
export function schemaProblem(name: ShippedSchema, value: unknown): string | null {
  const matches = validators.get(name) ?? shippedValidator(name);
  validators.set(name, matches);
  if (matches(value)) return null;
  const [problem] = matches.errors ?? [];
  if (problem?.keyword === 'const') {
    const { allowedValue } = problem.params as { readonly allowedValue: unknown };
    const given = JSON.stringify(valueAt(value, problem.instancePath));
    return `${problem.instancePath} must be ${JSON.stringify(allowedValue)}, not ${given}`;
  }
  return `${problem?.instancePath || 'the document'} ${problem?.message ?? 'is invalid'}`;
}
