import {
  namesIn,
  type SchemaError,
  schemaText,
  shippedValidator,
  valueAt,
} from '../core/schemas/shipped-schema.ts';
import { findSuggestion } from '../core/suggestion.ts';
import { type DocumentKind, formatPath, type Path, type Problem } from './document.ts';

type Schema = { readonly [keyword: string]: unknown };

/** Schema violations of a file's content, as messages that name the key. */
export function schemaProblems(value: unknown, kind: DocumentKind = 'target'): Problem[] {
  const matches = shippedValidator(kind);
  if (matches(value)) return [];
  const schema = JSON.parse(schemaText(kind)) as Schema;
  // For an invalid header name, ajv also reports the keyword that applies the pattern.
  const errors = (matches.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames');
  const empty = errors.filter(({ keyword }) => keyword === 'minLength').map((error) => error.instancePath);
  return errors
    .filter(({ keyword, instancePath }) => keyword !== 'pattern' || !empty.includes(instancePath))
    .map((error) => problemOf(error, value, schema));
}

function problemOf(error: SchemaError, value: unknown, schema: Schema): Problem {
  const path = pathOf(error.instancePath, value);
  const params = error.params as { readonly [name: string]: unknown };
  if (error.keyword === 'additionalProperties') {
    const key = String(params['additionalProperty']);
    const message = unknownKey([...path, key], schema);
    return { path: [...path, key], message, atKey: true };
  }
  if (error.keyword === 'required' || error.keyword === 'dependentRequired') {
    const missing = [...path, String(params['missingProperty'])];
    const reason = error.keyword === 'required' ? '' : `: it is required with ${String(params['property'])}`;
    // A key without a value counts as missing and has a line.
    return { path: missing, message: `${formatPath(missing)} is missing${reason}`, atKey: true };
  }
  if (error.propertyName !== undefined) {
    return {
      path: [...path, error.propertyName],
      message: `${formatPath(path)} has a name that HTTP does not allow: ${JSON.stringify(error.propertyName)}`,
      atKey: true,
    };
  }
  return { path, message: `${formatPath(path)} ${expectation(error, path, value)}` };
}

function expectation({ keyword, params }: SchemaError, path: Path, root: unknown): string {
  const { type, allowedValues, limit } = params as { readonly [name: string]: unknown };
  if (keyword === 'type')
    return `must be ${TYPES[String(type)] ?? String(type)}, not ${describeKind(valueAt(root, path), type)}`;
  if (keyword === 'enum') return `must be one of ${(allowedValues as unknown[]).join(', ')}`;
  return EXPECTATIONS[keyword]?.(String(limit)) ?? patternInWords(path);
}

const EXPECTATIONS: { readonly [keyword: string]: (limit: string) => string } = {
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  exclusiveMinimum: (limit) => `must be more than ${limit}`,
  exclusiveMaximum: (limit) => `must be less than ${limit}`,
  minLength: () => 'must not be empty',
  minProperties: () => 'must not be empty',
  maxLength: (limit) => `must have at most ${limit} characters`,
  minItems: (limit) => `must have at least ${entries(limit)}`,
  maxItems: (limit) => `must have at most ${entries(limit)}`,
  maxProperties: (limit) => `must have at most ${entries(limit)}`,
};

function entries(limit: string): string {
  return `${limit} ${limit === '1' ? 'entry' : 'entries'}`;
}

const URL_EXPECTATION = 'must be a URL that begins with https:// or http:// and names a host';

function patternInWords(path: Path): string {
  if (path.length === 1 && path[0] === 'name') return 'must have no control characters';
  // A header may have the name of such a key.
  return (path[0] === 'headers' ? undefined : PATTERNS[String(path.at(-1))]) ?? HEADER_VALUE;
}

const PATTERNS: { readonly [key: string]: string } = {
  authUrl: URL_EXPECTATION,
  baseUrl: URL_EXPECTATION,
  until: 'must be a day, such as 2027-03-31',
  basePath: 'must begin with a slash and not end with one, such as /int',
  path: 'must begin with a slash and have no query, fragment or blank, such as /v1/printers',
  name: 'must consist of letters, digits, dots, dashes and underscores',
};

/** The other values with a pattern are sent in headers. */
const HEADER_VALUE = 'must be text that fits on one header line, without blanks around it';

const TYPES: { readonly [type: string]: string } = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a mapping of keys to values',
  array: 'a list',
};

function describeKind(value: unknown, wanted: unknown): string {
  const quotes = wanted === 'string' ? ' (put quotes around it to make it text)' : '';
  if (value === null) return 'an empty entry';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return `${value}${quotes}`;
  if (!Number.isFinite(value)) return `${value}`;
  return Number.isInteger(value) ? `a number${quotes}` : `a fraction${quotes}`;
}

function unknownKey(path: Path, schema: Schema): string {
  const known = keysAt(schema, path.slice(0, -1));
  const key = String(path.at(-1));
  const near = findSuggestion(key, known);
  if (near !== null) return `unknown key ${formatPath(path)}; did you mean ${near}?`;
  const elsewhere = allKeys(schema).find((candidate) => String(candidate.at(-1)) === key);
  if (elsewhere !== undefined) return `unknown key ${formatPath(path)}; it belongs under ${under(elsewhere)}`;
  return `unknown key ${formatPath(path)}; valid keys are ${known.join(', ')}`;
}

function under(path: Path): string {
  return path.length === 1 ? 'the top of the file' : formatPath(path.slice(0, -1));
}

function allKeys(schema: Schema): readonly Path[] {
  const top = keysAt(schema, []);
  return [[], ...top.map((section) => [section])].flatMap((around) =>
    keysAt(schema, around).map((key) => [...around, key]),
  );
}

function keysAt(schema: Schema, path: Path): readonly string[] {
  let at = schema;
  for (const part of path) {
    const members = (at['properties'] ?? {}) as { readonly [key: string]: Schema };
    at = typeof part === 'number' ? (at['items'] as Schema) : (members[part] ?? {});
    const reference = at['$ref'];
    if (typeof reference === 'string') {
      const definitions = schema['$defs'] as { readonly [name: string]: Schema };
      at = definitions[reference.replace('#/$defs/', '')] ?? {};
    }
  }
  return Object.keys((at['properties'] ?? {}) as object).filter((key) => key !== '$schema');
}

function pathOf(pointer: string, value: unknown): Path {
  let at = value;
  return namesIn(pointer).map((name) => {
    const part = Array.isArray(at) ? Number(name) : name;
    at = valueAt(at, [part]);
    return part;
  });
}
