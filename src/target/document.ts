import type { Alias, Document, Lexer, LineCounter, Node, visit } from 'yaml';
import { FileRefusedError, readRegularFile } from '../core/files.ts';
import { isJsonObject } from '../core/json-text.ts';
import { valueAt } from '../core/schemas/shipped-schema.ts';
import { codeOf, messageOf } from '../core/system-error.ts';
import { UserError } from '../core/user-error.ts';

const MAX_BYTES = 1_048_576;
/** Maximum tokens of a YAML file: bounds the time of the parser. */
const MAX_TOKENS = 20_000;
const MAX_DEPTH = 100;

/** An invalid target file, environment variable or flag. */
export class TargetError extends UserError {
  override readonly name = 'TargetError';
  /** Every problem, one sentence each, in the order of the file. */
  readonly problems: readonly string[];

  /** The message is the first problem, with the number of the others. */
  constructor(problems: readonly string[]) {
    const [first = 'the target cannot be used', ...others] = problems;
    super(others.length === 0 ? first : `${first} (and ${others.length} more)`);
    this.problems = problems;
  }
}

/** One problem of a target, before its location is added. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** Whether the location is the key and not its value. */
  readonly atKey?: boolean;
}

/** Keys and indices from the top of a target to a value. */
export type Path = readonly (string | number)[];

/** A path as text: `resources[0].path`. */
export function formatPath(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}

export type DocumentKind = 'target' | 'scenario';

const EXAMPLES = { target: 'name: acme', scenario: 'records: 1234' };

/** The values of a target or scenario file, and the line of each. */
export interface TargetDocument {
  readonly file: string;
  readonly value: { readonly [key: string]: unknown };
  /** Line of a value or of its key, from 1; of the closest parent if it does not exist. */
  lineOf(path: Path, atKey: boolean): number;
}

/** Reads a YAML or JSON mapping. A key without a value counts as absent. Throws TargetError. */
export async function readDocument(file: string, kind: DocumentKind = 'target'): Promise<TargetDocument> {
  return documentOf(file, readText(file, kind), kind);
}

/** Like {@link readDocument}, for a text. */
export async function documentOf(file: string, text: string, kind: DocumentKind): Promise<TargetDocument> {
  if (kind === 'target' && text.trim() === '')
    throw new TargetError([
      `${file}: the file is empty; if "assay mock > ${file}" writes it, run again once the mock prints "Serving"`,
    ]);
  const yaml = await import('yaml');
  const { parseDocument, Lexer: YamlLexer, LineCounter: Counter } = yaml;
  expectReadable(text, new YamlLexer(), file, kind);
  const lineCounter = new Counter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  // Further syntax errors are mostly consequences of the first.
  const [error] = document.errors;
  if (error !== undefined) throw new TargetError([syntaxProblem(file, text, lineCounter, error)]);
  const value = plainValue(file, document, lineCounter, yaml.visit);
  if (!isJsonObject(value))
    throw new TargetError([
      `${file}:1: a ${kind} file is a mapping of keys to values, such as ${EXAMPLES[kind]}`,
    ]);
  return {
    file,
    value: withoutNulls(value, file) as { readonly [key: string]: unknown },
    lineOf: (path, atKey) => lineCounter.linePos(offsetOf(document.contents, path, atKey)).line || 1,
  };
}

function readText(file: string, kind: DocumentKind): string {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(file, MAX_BYTES);
  } catch (error) {
    throw new TargetError([`${file}: ${readProblem(error, kind)}`]);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TargetError([`${file}: the file is not UTF-8 text`]);
  }
}

function readProblem(error: unknown, kind: DocumentKind): string {
  if (error instanceof FileRefusedError) return error.message;
  const code = codeOf(error);
  if (code === 'ENOENT') return 'the file does not exist';
  if (code === 'EISDIR') return `this is a folder; name the ${kind} file in it`;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return `the file cannot be read (${String(code)})`;
}

function syntaxProblem(
  file: string,
  text: string,
  lines: LineCounter,
  error: { readonly code: string; readonly pos: readonly [number, number]; readonly message: string },
): string {
  const { line } = lines.linePos(error.pos[0]);
  if (error.code === 'MULTIPLE_DOCS')
    return `${file}:${line}: a second YAML document begins here; use one file per document`;
  const reference = /[{[,]\s*(?:\w+:\s*)?[^'",]*\$\{/.test(text.split('\n')[line - 1] ?? '');
  const hint = reference ? '; put quotes around "${NAME}" inside { } and [ ]' : '';
  // The file may contain secrets.
  const [reason = '', quoted = ''] = error.message.split(/: (.*)/su);
  const shown =
    quoted !== '' && text.includes(quoted.trim()) ? `${reason}; put quotes around the value` : error.message;
  const language = languageOf(file);
  const isInWordsOfYaml = language === 'JSON' && /\b(?:flow|block)\b/iu.test(shown);
  const worded = isInWordsOfYaml
    ? 'a comma, quote or bracket is missing or superfluous, here or before'
    : shown;
  return `${file}:${line}: the ${language} cannot be read: ${worded}${hint}`;
}

function plainValue(file: string, document: Document, lines: LineCounter, visitNodes: typeof visit): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // An unknown alias may be a secret that begins with *.
    const alias = unknownAlias(document, visitNodes);
    if (alias === null)
      throw new TargetError([`${file}:1: the ${languageOf(file)} cannot be read: ${messageOf(error)}`]);
    const { line } = lines.linePos(alias.range?.[0] ?? 0);
    throw new TargetError([
      `${file}:${line}: the ${languageOf(file)} cannot be read: this value begins with *, which refers to another one; put quotes around it`,
    ]);
  }
}

function languageOf(file: string): string {
  return file.toLowerCase().endsWith('.json') ? 'JSON' : 'YAML';
}

function unknownAlias(document: Document, visitNodes: typeof visit): Alias | null {
  let found: Alias | null = null;
  visitNodes(document, {
    Alias: (_key, node) => {
      if (node.resolve(document) !== undefined) return undefined;
      found = node;
      return visitNodes.BREAK;
    },
  });
  return found;
}

function withoutNulls(value: unknown, file: string, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw tooDeep(file);
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, file, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member, file, depth + 1)]));
}

/** Refuses a text for which the parser would take minutes or run out of memory. */
function expectReadable(text: string, lexer: Lexer, file: string, kind: DocumentKind): void {
  let tokens = 0;
  let depth = 0;
  for (const token of lexer.lex(text)) {
    tokens += 1;
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (depth > MAX_DEPTH) throw tooDeep(file);
    if (tokens > MAX_TOKENS)
      throw new TargetError([
        `${file}: the file has more than ${MAX_TOKENS} YAML tokens, the maximum for a ${kind} file`,
      ]);
  }
}

function tooDeep(file: string): TargetError {
  return new TargetError([`${file}: the file is nested more than ${MAX_DEPTH} deep`]);
}

/** Offset of a value or of its key; of the closest parent if it does not exist. */
function offsetOf(contents: Node | null, path: Path, atKey: boolean): number {
  let keyOffset = contents?.range?.[0];
  let valueOffset = keyOffset;
  let node = contents;
  for (const part of path) {
    const member = findMember(node, part);
    if (member === null) break;
    const key = member.key?.range?.[0];
    keyOffset = key ?? keyOffset;
    valueOffset = member.value?.range?.[0] ?? key ?? valueOffset;
    node = member.value;
  }
  return (atKey ? keyOffset : valueOffset) ?? 0;
}

interface Member {
  readonly key: Node | null;
  readonly value: Node | null;
}

// Checks the shapes of nodes without importing the yaml package, which is loaded when a file is read.
function findMember(node: Node | null, part: string | number): Member | null {
  if (node === null || !('items' in node)) return null;
  const items = node.items as readonly (Node | Member)[];
  if (typeof part === 'number')
    return items[part] === undefined ? null : { key: null, value: items[part] as Node };
  const isNamed = (item: Node | Member): item is Member =>
    'key' in item && item.key !== null && 'value' in item.key && String(item.key.value) === part;
  return items.find(isNamed) ?? null;
}

/** Keys that a diagnosis may report as wrong. */
const REPORTED_KEYS: readonly Path[] = [
  ['authUrl'],
  ['baseUrl'],
  ['tenant'],
  ['credentials', 'clientId'],
  ['credentials', 'clientSecret'],
  ['credentials', 'scope'],
  ['otherCredentials'],
  ['otherCredentials', 'clientId'],
  ['otherCredentials', 'clientSecret'],
  ['otherCredentials', 'scope'],
  ['expiredToken'],
  ['tls', 'ca'],
  ['tls', 'cert'],
  ['tls', 'key'],
];

/** Keys of each resource that a diagnosis may report as wrong. */
const REPORTED_RESOURCE_KEYS = ['path', 'idField'];

/** The location of each value: the line of the file, or the variable in `origins`, which has it by path. */
export function valueLocations(
  { file, value, lineOf }: TargetDocument,
  origins: ReadonlyMap<string, string>,
): { readonly [key: string]: string } {
  const resources: unknown = value['resources'];
  const resourceKeys = (Array.isArray(resources) ? resources : []).flatMap((_resource, index) =>
    REPORTED_RESOURCE_KEYS.map((key): Path => ['resources', index, key]),
  );
  const places = [...REPORTED_KEYS, ...resourceKeys].flatMap((path): [string, string][] => {
    const key = formatPath(path);
    const variable = origins.get(key);
    if (variable !== undefined) return [[key, variable]];
    return valueAt(value, path) === undefined ? [] : [[key, `${file}:${lineOf(path, false)}`]];
  });
  return Object.fromEntries(places);
}

/** Each problem with its location, as in {@link valueLocations}, in the order of the file. */
export function locateProblems(
  problems: readonly Problem[],
  document: TargetDocument,
  origins: ReadonlyMap<string, string> = new Map(),
): string[] {
  return problems
    .map((problem) => {
      const variable = origins.get(formatPath(problem.path));
      const line = document.lineOf(problem.path, problem.atKey ?? false);
      const place = variable ?? `${document.file}:${line}`;
      return { line: variable === undefined ? line : 0, sentence: `${place}: ${problem.message}` };
    })
    .toSorted((a, b) => a.line - b.line)
    .map(({ sentence }) => sentence);
}
