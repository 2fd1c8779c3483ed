import { statSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { readRegularFile } from '../core/files.ts';
import { isJsonObject } from '../core/json-text.ts';
import { valueAt } from '../core/schemas/shipped-schema.ts';
import { findSuggestion } from '../core/suggestion.ts';
import { describeSystemError } from '../core/system-error.ts';
import { formatPath, type Path, type Problem, type TargetDocument, TargetError } from './document.ts';

const MAX_BYTES = 1_048_576;

/** Environment variables for parts of a target, with the key that each sets. */
export const TARGET_VARIABLES: { readonly [variable: string]: Path } = {
  ASSAY_AUTH_URL: ['authUrl'],
  ASSAY_BASE_URL: ['baseUrl'],
  ASSAY_CLIENT_ID: ['credentials', 'clientId'],
  ASSAY_CLIENT_SECRET: ['credentials', 'clientSecret'],
  ASSAY_SCOPE: ['credentials', 'scope'],
  ASSAY_TENANT: ['tenant'],
};

const NEEDED_VARIABLES: readonly string[] = Object.keys(TARGET_VARIABLES).filter(
  (variable) => variable !== 'ASSAY_TENANT',
);

/** Whether the environment describes a target. An empty variable counts: it was meant to have a value. */
export function hasEnvironmentTarget(env: NodeJS.ProcessEnv): boolean {
  return Object.keys(TARGET_VARIABLES).some((variable) => env[variable] !== undefined);
}

/** Other variables that Assay or its Playwright configuration reads. */
const OTHER_VARIABLES: readonly string[] = [
  'ASSAY_ALLOW_INCONCLUSIVE',
  'ASSAY_ALLURE',
  'ASSAY_BROWSER',
  'ASSAY_CLAUSE_URL',
  'ASSAY_DEBUG',
  'ASSAY_EXPIRY',
  'ASSAY_ONLY',
  'ASSAY_OUT',
  'ASSAY_PLAYWRIGHT_SHARD',
  'ASSAY_RUNS',
  'ASSAY_SEED',
  'ASSAY_SIGNING_KEY',
  'ASSAY_SKIP',
  'ASSAY_SOCKET',
  'ASSAY_STRICT',
  'ASSAY_SUITE',
  'ASSAY_TARGETS',
];

/**
 * For a run without a target file: checks that no ASSAY_ variable is misspelt. Without a target, the run would test
 * the embedded reference provider, and its user would take the result for that of the provider. Throws TargetError if
 * a variable is unknown and no complete target is in the environment.
 */
export function expectKnownVariables(env: NodeJS.ProcessEnv): void {
  const missing = missingVariables(env);
  if (missing.length === 0) return;
  const known = [...Object.keys(TARGET_VARIABLES), ...OTHER_VARIABLES];
  const unknown = Object.keys(env).filter((name) => name.startsWith('ASSAY_') && !known.includes(name));
  if (unknown.length === 0) return;
  throw new TargetError(
    unknown.map((name) => {
      // A missing variable is the likeliest one.
      const near = findSuggestion(name, missing) ?? findSuggestion(name, known);
      const hint = near === null ? '' : `; did you mean ${near}?`;
      return `no target file is named, and the environment variable ${name} is unknown${hint}`;
    }),
  );
}

export function missingVariables(env: NodeJS.ProcessEnv): readonly string[] {
  return NEEDED_VARIABLES.filter((variable) => !isSet(env, variable));
}

function isSet(env: NodeJS.ProcessEnv, variable: string): boolean {
  return (env[variable] ?? '') !== '';
}

/** The value with the ASSAY_ variables applied, and the variable of each replaced path. */
export function applyEnvironment(
  value: { readonly [key: string]: unknown },
  env: NodeJS.ProcessEnv,
): { readonly value: { readonly [key: string]: unknown }; readonly origins: ReadonlyMap<string, string> } {
  const result: { [key: string]: unknown } = { ...value };
  const origins = new Map<string, string>();
  for (const [variable, path] of Object.entries(TARGET_VARIABLES)) {
    const [key = '', member] = path;
    const text = env[variable] ?? '';
    if (text === '') continue;
    if (member === undefined) result[key] = text;
    else {
      const around = result[key] ?? {};
      if (typeof around !== 'object' || Array.isArray(around)) continue;
      result[key] = { ...around, [member]: text };
    }
    origins.set(formatPath(path), variable);
  }
  return { value: result, origins };
}

/** For one of several targets: the ASSAY_ variables that conflict with its values. */
export function overridingProblems(value: unknown, env: NodeJS.ProcessEnv): Problem[] {
  return conflictsWith(value, env).map(([variable, path]) => {
    const message = `${variable} has another value for ${formatPath(path)}, but environment variables apply to a single target file only: unset it, or name one file`;
    return { path, message };
  });
}

/**
 * For a single target file: a warning of each of its values that an ASSAY_ variable replaces by another one.
 *
 * @param readable the variables that the file can read
 */
export function replacementWarnings(
  { file, value, lineOf }: TargetDocument,
  env: NodeJS.ProcessEnv,
  readable: NodeJS.ProcessEnv,
): string[] {
  return conflictsWith(substituteVariables(value, readable, [], new Map()), env)
    .filter(([, path]) => valueAt(value, path) !== undefined)
    .map(
      ([variable, path]) =>
        `${file}:${lineOf(path, false)}: ${formatPath(path)} is replaced by ${variable} of the environment`,
    );
}

/** The ASSAY_ variables that have another value than these contents of a target file, with the path of each. */
function conflictsWith(
  value: unknown,
  env: NodeJS.ProcessEnv,
): readonly (readonly [variable: string, path: Path])[] {
  return Object.entries(TARGET_VARIABLES).filter(
    ([variable, path]) => isSet(env, variable) && env[variable] !== valueAt(value, path),
  );
}

/** Variables without a text that the value at a path reads. */
export function emptyVariables(value: unknown, path: Path, env: NodeJS.ProcessEnv): readonly string[] {
  const text = valueAt(value, path);
  if (typeof text !== 'string') return [];
  const names = [...text.matchAll(REFERENCE)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  return names.filter((name) => env[name] === '');
}

/** The keys of an object whose texts read a variable. */
export function keysWithVariables(value: unknown): readonly string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, text]) =>
    typeof text === 'string' && [...text.matchAll(REFERENCE)].some(([, name]) => name !== undefined)
      ? [key]
      : [],
  );
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}|$)/g;
/** Keys with numbers or booleans: text from the environment is converted there. */
const SCALAR_SECTIONS: readonly unknown[] = ['limits', 'probes', 'expiry'];

/**
 * Replaces `${NAME}` in every text by the variable's value and `$${` by `${`.
 *
 * @param problems Receives one problem for each variable that is not set.
 * @param skip Paths, as `formatPath` writes them, that are not substituted.
 */
export function substituteVariables(
  value: unknown,
  env: NodeJS.ProcessEnv,
  problems: Problem[],
  skip: ReadonlyMap<string, string>,
): unknown {
  const substituted = (one: unknown, path: Path): unknown => {
    if (typeof one === 'string')
      return skip.has(formatPath(path)) ? one : substituteText(one, env, problems, path);
    if (Array.isArray(one)) return one.map((item, index) => substituted(item, [...path, index]));
    if (!isJsonObject(one)) return one;
    const members = Object.entries(one).map(([key, member]) => [key, substituted(member, [...path, key])]);
    return Object.fromEntries(members);
  };
  return substituted(value, []);
}

function substituteText(text: string, env: NodeJS.ProcessEnv, problems: Problem[], path: Path): unknown {
  const result = text.replace(REFERENCE, (whole: string, name?: string, end?: string) => {
    const refuse = (why: string): string => {
      problems.push({ path, message: `${formatPath(path)} ${why}` });
      return whole;
    };
    if (name === undefined) return '${';
    if (end === '') return refuse('has a ${ without a closing }; write $${ for a literal ${');
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return refuse('has a ${…} without a valid variable name');
    const advice = 'export it, or add it to the environment file (--env; default: .env)';
    return env[name] ?? refuse(`reads the environment variable ${name}, which is not set; ${advice}`);
  });
  return result !== text && SCALAR_SECTIONS.includes(path[0]) ? scalarOf(result) : result;
}

function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/**
 * The variables that a target file can read: those of the process, then those of the environment file.
 *
 * @param given the environment file named by the user; null for `.env` in the folder of the target file,
 * which may be missing
 * @throws TargetError if the file cannot be read
 */
export function environmentOf(
  targetFile: string,
  env: NodeJS.ProcessEnv,
  given: string | null,
): NodeJS.ProcessEnv {
  const file = environmentFileOf(targetFile, given);
  return file === null ? env : withEnvFile(env, file);
}

function environmentFileOf(targetFile: string, given: string | null): string | null {
  const file = given ?? path.join(path.dirname(targetFile), '.env');
  // A folder named .env is common: Python stores virtual environments in it.
  const exists = given !== null || statSync(file, { throwIfNoEntry: false })?.isDirectory() === false;
  return exists ? file : null;
}

/** A line with a # right after the text of its value: without quotes, Node.js takes the rest for a comment, unlike a shell. */
const CUT_VALUE = /^\s*(?:export\s+)?(\w+)\s*=\s*([^#]*[^\s#])#/u;

/** Warns of values in the environment file that end before a # and that the target file reads. */
export function cutValueWarnings(
  { file, value }: Pick<TargetDocument, 'file' | 'value'>,
  env: NodeJS.ProcessEnv,
  given: string | null,
): string[] {
  const envFile = environmentFileOf(file, given);
  if (envFile === null) return [];
  const read = [...JSON.stringify(value).matchAll(REFERENCE)].map(([, name]) => name);
  const text = readText(envFile);
  const variables = parseEnv(text);
  return text.split(/\r?\n/u).flatMap((line, index) => {
    const [, name, start] = CUT_VALUE.exec(line) ?? [];
    // A value in quotes, or a line within one, is not the text before the #.
    const isCut = name !== undefined && variables[name] === start;
    return !isCut || !read.includes(name) || env[name] !== undefined
      ? []
      : [
          `${envFile}:${index + 1}: the value of ${name} ends before the #, which begins a comment; put quotes around the value`,
        ];
  });
}

/**
 * Adds the variables of an environment file to an environment. Existing variables take precedence. Throws TargetError
 * if the file cannot be read; the message contains none of its values.
 */
export function withEnvFile(env: NodeJS.ProcessEnv, file: string): NodeJS.ProcessEnv {
  const text = readText(file);
  const variables = parseEnv(text);
  for (const [name, value] of Object.entries(variables)) {
    const fault = faultOf(name, value, text);
    if (fault !== null) throw new TargetError([`the environment file ${file} cannot be read: ${fault}`]);
  }
  return { ...variables, ...env };
}

/** What is wrong with a line that Node.js reads in another way than its author expects; null if nothing is. */
function faultOf(name: string, value: string | undefined, text: string): string | null {
  const lines = text.split(/\r?\n/u);
  const [first = '', ...further] = name.split('\n');
  if (further.length > 0) {
    const line = lines.findIndex((one) => one.trim() === first.trim()) + 1;
    return `line ${line} is not NAME=value`;
  }
  const quoted = lines.flatMap((line) => [/^\s*(?:export\s+)?([^=]+?)\s*=\s*(["'`])/u.exec(line) ?? []]);
  const [, , quote] = quoted.find(([, assigned]) => assigned === name) ?? [];
  return quote !== undefined && value?.startsWith(quote) ? `the quoted value of ${name} has no end` : null;
}

function readText(file: string): string {
  try {
    const bytes = readRegularFile(file, MAX_BYTES);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not UTF-8 text' : describeSystemError(error);
    throw new TargetError([`the environment file ${file} cannot be read: ${why}`]);
  }
}
