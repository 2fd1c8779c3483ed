import type { Options } from 'ajv';
import { readRegularFile } from '../regular-file.ts';
import type { Matches } from './compile.ts';
import { compileNow } from './compile.ts';
import { linearPattern, PatternError } from './linear-pattern.ts';

/** A JSON Schema of the user: its content and its validator. */
export interface UserSchema {
  readonly schema: unknown;
  readonly matches: Matches;
}

const MAX_SCHEMA_BYTES = 4_194_304;

/** Values that a schema must validate without infinite recursion before a run. */
const SAMPLES: readonly unknown[] = [null, 0, '', [], {}];

/** Keywords whose values are data and contain no keywords. */
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'examples']);

/** Reads and compiles a JSON Schema file (draft 2020-12). Throws an Error with a clause if it cannot be used. */
export function readUserSchema(file: string): UserSchema {
  const text = readRegularFile(file, MAX_SCHEMA_BYTES).toString('utf8');
  const schema: unknown = JSON.parse(text.replace(/^\uFEFF/u, ''));
  return { schema, matches: compileUserSchema(schema) };
}

/**
 * Compiles a JSON Schema (draft 2020-12) that does not ship with Assay. Its patterns are matched in linear time.
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

const OPTIONS: Options = {
  strict: false,
  logger: false,
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
