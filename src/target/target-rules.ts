import { statSync } from 'node:fs';
import path from 'node:path';
import { irregularKind } from '../core/files.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import { readUserSchema } from '../core/schemas/user-schema.ts';
import { findSuggestion } from '../core/suggestion.ts';
import { messageOf } from '../core/system-error.ts';
import { globPattern } from '../core/text.ts';
import { formatPath, type Path, type Problem } from './document.ts';
import type { TargetInput } from './make.ts';
import { isKeyOf, pemProblem } from './pem-file.ts';

const BUILT_IN_SCHEMAS: readonly string[] = ['printer'];
/** Headers that Assay or HTTP sets. */
const OWN_HEADERS: readonly string[] = [
  'authorization',
  'connection',
  'content-length',
  'host',
  'transfer-encoding',
];
/** Headers that ask for a part of an answer, or for none if it is known. */
const CONDITIONAL_HEADERS: readonly string[] = [
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
];

/** Problems of a target that the schema cannot express. */
export function ruleProblems(
  input: TargetInput,
  folder: string,
  knownRequirements: readonly string[] | undefined,
): Problem[] {
  return [
    ...(['authUrl', 'baseUrl'] as const).flatMap((key) => problemAt([key], urlProblem(input[key]))),
    ...scopeProblems(input),
    ...headerProblems(input),
    ...resourceProblems(input, folder),
    ...fileProblems(input, folder),
    ...sameProviderProblems(input),
    ...waiverProblems(input, knownRequirements),
  ];
}

/** A problem whose message begins with the path; none without a text. */
function problemAt(at: Path, text: string | null): Problem[] {
  return text === null ? [] : [{ path: at, message: `${formatPath(at)} ${text}` }];
}

function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^\w+:\/\/[^/?#]*@/.test(text))
    return 'must not hold a user name or password';
  if (text.includes('?')) return 'must not have a query';
  if (text.includes('#')) return 'must not have a fragment';
  return null;
}

/** Scopes of RFC 6749, 3.3. */
const SCOPES = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

// Anything else is a typing error: a provider that refuses or repeats it breaks no rule.
function scopeProblems({ credentials, otherCredentials }: TargetInput): Problem[] {
  const message =
    'has a space too many, or a character that a scope cannot have (RFC 6749, 3.3); ' +
    'write scopes of printable ASCII characters without quotes and backslashes, with one space between two';
  return Object.entries({ credentials, otherCredentials }).flatMap(([key, given]) =>
    given == null || SCOPES.test(given.scope) ? [] : problemAt([key, 'scope'], message),
  );
}

function headerProblems({ headers = {} }: TargetInput): Problem[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const why = headerProblem(name.toLowerCase(), value);
    return why === null ? [] : [{ path: ['headers', name], message: `headers.${name} ${why}`, atKey: true }];
  });
}

function headerProblem(name: string, value: string): string | null {
  if (name === 'tenant') return 'is set by Assay; remove it and use tenant';
  if (OWN_HEADERS.includes(name)) return 'is set by Assay; remove it';
  if (CONDITIONAL_HEADERS.includes(name)) return 'may change the answer to 206, 304 or 412; remove it';
  return name === 'accept' && !acceptsJson(value)
    ? 'excludes application/json, the type of every list (clause 4.2); add it, or remove the header'
    : null;
}

/** Whether a value of the Accept header includes JSON (RFC 9110, 12.5.1). */
function acceptsJson(value: string): boolean {
  return value
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .some(
      ([type = '', ...parameters]) =>
        ['application/json', 'application/*', '*/*'].includes(type) &&
        !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)),
    );
}

// With the same client twice, token/provider-isolation would fail for every provider.
function sameProviderProblems({ credentials, otherCredentials }: TargetInput): Problem[] {
  if (otherCredentials?.clientId !== credentials.clientId) return [];
  const message =
    'otherCredentials.clientId equals credentials.clientId: name the client of a second provider, or remove otherCredentials';
  return [{ path: ['otherCredentials', 'clientId'], message }];
}

function resourceProblems({ resources = [] }: TargetInput, folder: string): Problem[] {
  return resources.flatMap(({ name, path: list, itemSchema }, index): Problem[] => {
    if (resources.findIndex((other) => other.name === name) !== index) {
      const message = `two resources have the name ${name}; rename one of them`;
      return [{ path: ['resources', index, 'name'], message }];
    }
    if (itemSchema !== undefined)
      return problemAt(['resources', index, 'itemSchema'], schemaProblem(itemSchema, folder));
    if (list.endsWith('/printers')) return [];
    const message = `resources[${index}].itemSchema is missing: set it to printer (built in) or to a JSON Schema file`;
    return [{ path: ['resources', index], message }];
  });
}

// Checked here because a run would report it only at the first record.
function schemaProblem(itemSchema: string, folder: string): string | null {
  if (isBuiltIn(itemSchema)) return null;
  const file = path.resolve(folder, itemSchema);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return `is neither built in (printer) nor a file: ${itemSchema}`;
  const kind = irregularKind(stats);
  if (kind !== null) return `names ${kind}, not a JSON Schema file: ${itemSchema}`;
  try {
    readUserSchema(file);
    return null;
  } catch (error) {
    const reason = messageOf(error);
    return `names ${itemSchema}, which cannot be used as a JSON Schema: ${reason}`;
  }
}

export function isBuiltIn(itemSchema: string): boolean {
  return BUILT_IN_SCHEMAS.includes(itemSchema);
}

function fileProblems({ tls = {}, checks = [] }: TargetInput, folder: string): Problem[] {
  const files: readonly (readonly [at: Path, file: string])[] = [
    ...Object.entries(tls).map(([key, file]) => [['tls', key], file] as const),
    ...checks.map((file, index) => [['checks', index], file] as const),
  ];
  const placeOf = (file: string): string => path.resolve(folder, file);
  const problems = files.flatMap(([at, file]) => {
    const stats = statSync(placeOf(file), { throwIfNoEntry: false });
    const kind = stats === undefined ? 'a file that does not exist' : irregularKind(stats);
    if (kind !== null) return problemAt(at, `names ${kind}: ${file}`);
    const [section, key = ''] = at;
    const problem = section === 'tls' ? pemProblem(String(key), placeOf(file)) : null;
    return problemAt(at, problem && `names ${file}, which cannot be used: ${problem}`);
  });
  const { cert, key } = tls;
  const isOtherKey = cert !== undefined && key !== undefined && !isKeyOf(placeOf(cert), placeOf(key));
  const otherKey = `names ${key}, which is not the key of the certificate in ${cert}`;
  return [...problems, ...problemAt(['tls', 'key'], isOtherKey ? otherKey : null)];
}

function waiverProblems(
  { waivers = [], checks = [] }: TargetInput,
  known: readonly string[] | undefined,
): Problem[] {
  return waivers.flatMap(({ requirement, until }, index): Problem[] => {
    const notADay = problemAt(
      ['waivers', index, 'until'],
      isDay(until) ? null : `is not a calendar day: ${until}`,
    );
    // The identifiers of custom checks are known only after loading them.
    const own = checks.length > 0 && isCustomCheck({ id: requirement });
    if (known === undefined || own || known.some((id) => globPattern(requirement).test(id))) return notADay;
    const near = findSuggestion(requirement, known);
    const hint = near === null ? '' : `; did you mean ${near}?`;
    const message = `waivers[${index}] names the unknown requirement ${requirement}${hint}`;
    return [{ path: ['waivers', index, 'requirement'], message }, ...notADay];
  });
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
