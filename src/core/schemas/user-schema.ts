import { createRequire } from 'node:module';
import type { Options } from 'ajv';
import { readRegularFile } from '../files.ts';
import { findSuggestion } from '../suggestion.ts';
import { messageOf } from '../system-error.ts';
import { compileNow, type Matches, validatorOf } from './shipped-schema.ts';

const require = createRequire(import.meta.url);

/** A schema with the function that says whether a value matches it. */
export interface CompiledSchema {
  readonly schema: unknown;
  readonly matches: Matches;
}

const MAX_SCHEMA_BYTES = 4_194_304;

/** Values that a schema must validate without infinite recursion before a run. */
const SAMPLES: readonly unknown[] = [null, 0, '', [], {}];

/** Keywords whose values are data and contain no keywords. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** Reads and compiles a JSON Schema file. Throws an Error with a clause if it cannot be used. */
export function readUserSchema(file: string): CompiledSchema {
  const schema = parseUserSchema(file);
  return { schema, matches: compileUserSchema(schema) };
}

/** The content of a JSON Schema file, which may begin with a byte order mark. Throws an Error if it cannot be read. */
export function parseUserSchema(file: string): unknown {
  const text = readRegularFile(file, MAX_SCHEMA_BYTES).toString('utf8');
  return JSON.parse(text.replace(/^\uFEFF/u, ''));
}

/**
 * Compiles a JSON Schema that does not ship with Assay. Its patterns are matched in linear time.
 *
 * @throws Error with a clause that names the keyword if it is not a schema or cannot be used
 */
export function compileUserSchema(schema: unknown): Matches {
  const slowFormat = pointerTo(schema, 'format', 'url');
  if (slowFormat !== null)
    throw new Error(`format at ${slowFormat} is "url", which takes too long to check: use "uri"`);
  const asyncKeyword = pointerTo(schema, '$async', true);
  if (asyncKeyword !== null) throw new Error(`$async at ${asyncKeyword} is not supported`);
  try {
    const matches = compileNow(schema, OPTIONS);
    for (const sample of SAMPLES) matches(sample);
    return matches;
  } catch (error) {
    if (error instanceof RangeError) throw new Error('it is nested too deeply, or its references never end');
    if (!(error instanceof PatternError)) throw error;
    const { pattern, message } = error;
    const place = pointerTo(schema, 'pattern', pattern);
    const where = place === null ? 'a name in patternProperties' : `pattern at ${place}`;
    throw new Error(`${where} is ${JSON.stringify(pattern)}, which is not supported: ${message}`);
  }
}

/** Keywords that test nothing, and so cannot be meant by an unknown one that should. */
const ANNOTATIONS = [
  '$comment',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
];

/** Unknown keywords of a schema that can be used, each with the known one that it resembles: they test nothing. */
export function misspeltKeywords(file: string): readonly (readonly [unknown: string, meant: string])[] {
  const unknown = new Set<string>();
  const { schema } = readUserSchema(file);
  const ajv = validatorOf(schema, {
    ...OPTIONS,
    strictSchema: 'log',
    // Otherwise an unknown format is an error.
    validateFormats: false,
    logger: {
      log: () => undefined,
      warn: (sentence) => {
        const [, keyword] = /^strict mode: unknown keyword: "(.+)"$/u.exec(String(sentence)) ?? [];
        if (keyword !== undefined) unknown.add(keyword);
      },
      error: () => undefined,
    },
  });
  ajv.compile(schema as object);
  const known = Object.keys(ajv.RULES.keywords).filter((keyword) => !ANNOTATIONS.includes(keyword));
  return [...unknown].flatMap((keyword) => {
    const meant = findSuggestion(keyword, known);
    return meant === null ? [] : [[keyword, meant] as const];
  });
}

const OPTIONS: Options = {
  strict: false,
  logger: false,
  // So that 0.07 is a multiple of 0.01: ajv divides binary fractions.
  multipleOfPrecision: 9,
  // ajv uses `code` only for validators that the build compiles.
  code: { regExp: Object.assign((pattern: string) => linearPattern(pattern), { code: 'linearPattern' }) },
};

/** JSON Pointer, as a URI fragment, of the first keyword with that value; null if there is none. */
function pointerTo(schema: unknown, keyword: string, value: unknown): string | null {
  const open: (readonly [place: string, schema: unknown])[] = [['#', schema]];
  for (const [place, within] of open) {
    if (typeof within !== 'object' || within === null) continue;
    for (const [name, member] of Object.entries(within)) {
      const here = `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (name === keyword && member === value) return here;
      if (!DATA_KEYWORDS.has(name)) open.push([here, member]);
    }
  }
  return null;
}

/** A pattern that cannot be matched in linear time; the message is a clause with the reason. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
  readonly pattern: string;

  constructor(pattern: string, reason: string) {
    super(reason);
    this.pattern = pattern;
  }
}

interface LinearPattern {
  readonly test: (text: string) => boolean;
  /** The pattern: ajv caches compiled patterns by this text. */
  readonly toString: () => string;
}

/**
 * Compiles a regular expression of a JSON Schema (ECMA-262 with the flag u) for an engine with linear time, so that
 * no pattern can block the process.
 *
 * @throws PatternError if the pattern is invalid or uses unsupported features such as lookaheads
 */
export function linearPattern(pattern: string): LinearPattern {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    throw new PatternError(pattern, messageOf(error));
  }
  const { RE2JS } = require('re2js') as typeof import('re2js');
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(asRe2(pattern)));
    return { test: (text) => compiled.test(text), toString: () => pattern };
  } catch (error) {
    if (error instanceof PatternError) throw error;
    throw new PatternError(pattern, messageOf(error).replace(/^error parsing regexp: /u, ''));
  }
}

const TOKENS =
  /\\u(?<high>[dD][89abAB][\da-fA-F]{2})\\u(?<low>[dD][c-fC-F][\da-fA-F]{2})|\\[pP]\{(?:Script|sc|General_Category|gc)=(?<value>\w+)\}|\\.|[[\].]/gsu;

// White space and line ends as ECMA-262 defines them; in RE2 they are ASCII, or the line feed alone.
const SPACE =
  '\\t-\\r \\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

const NO_SPACE =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

const NO_LINE_END = '\\x00-\\x09\\x0b\\x0c\\x0e-\\x{2027}\\x{202a}-\\x{10ffff}';

/** Translates a pattern to RE2 where its meaning differs there. */
function asRe2(pattern: string): string {
  let inClass = false;
  return pattern.replace(TOKENS, (token, ...rest) => {
    const { high, low, value } = rest.at(-1) as { readonly [name: string]: string | undefined };
    if (high !== undefined && low !== undefined)
      return `\\u{${String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0)?.toString(16)}}`;
    if (value !== undefined) return `${token.slice(0, 2)}{${value}}`;
    const setOf = (ranges: string): string => (inClass ? ranges : `[${ranges}]`);
    switch (token) {
      case '\\s':
        return setOf(SPACE);
      case '\\S':
        return setOf(NO_SPACE);
      case '\\k':
        throw new PatternError(pattern, 'it refers back to a group');
      case '\\b':
        return inClass ? '\\x08' : token;
      case '.':
        return inClass ? token : `[${NO_LINE_END}]`;
      case '[': {
        // RE2 supports class names such as [:alpha:].
        if (inClass) return '\\[';
        inClass = true;
        return token;
      }
      case ']':
        inClass = false;
        return token;
      default:
        return token;
    }
  });
}
