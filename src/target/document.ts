import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Document, LineCounter, Node } from 'yaml';
import type { Path } from './error.ts';
import { TargetError } from './error.ts';
import { nodesOf, plainJson } from './plain-json.ts';

const MOST_BYTES = 1_048_576;

/** What a file is about; the words of errors depend on it. */
export type DocumentKind = 'target' | 'scenario';

const EXAMPLES = { target: 'name: acme', scenario: 'records: 1234' };

/** A target file, or a scenario file, as it was read: its values, and the line of each. */
export interface TargetDocument {
  readonly file: string;
  readonly value: { readonly [key: string]: unknown };
  /** Line of a value, or of its key; of the nearest thing around it where it does not exist. From 1. */
  lineOf(path: Path, atKey: boolean): number;
}

/**
 * Reads a YAML or JSON file. A key without a value counts as absent.
 *
 * @throws TargetError where the file cannot be read or is no YAML mapping.
 */
export async function readDocument(file: string, kind: DocumentKind = 'target'): Promise<TargetDocument> {
  return documentOf(file, readText(file, kind), kind);
}

/** Like {@link readDocument}, of text that is at hand. */
export async function documentOf(file: string, text: string, kind: DocumentKind): Promise<TargetDocument> {
  const plain = plainJson(text);
  if (plain !== null) {
    const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
    return {
      file,
      value: withoutNulls(plain) as { readonly [key: string]: unknown },
      lineOf: (path, atKey) => lineOf(nodesOf(text), lineAt, path, atKey),
    };
  }
  const { parseDocument, LineCounter: Counter } = await import('yaml');
  const lineCounter = new Counter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  // What follows the first error of syntax is mostly its echo.
  const [error] = document.errors;
  if (error !== undefined) throw new TargetError([syntaxProblem(file, text, lineCounter, error)]);
  const value = plainValue(file, document);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TargetError([
      `${file}:1: a ${kind} file is a mapping of keys to values, such as ${EXAMPLES[kind]}`,
    ]);
  }
  return {
    file,
    value: withoutNulls(value) as { readonly [key: string]: unknown },
    lineOf: (path, atKey) =>
      lineOf(document.contents, (offset) => lineCounter.linePos(offset).line || 1, path, atKey),
  };
}

function readText(file: string, kind: DocumentKind): string {
  let bytes: Buffer;
  try {
    bytes = firstBytes(file, MOST_BYTES + 1);
  } catch (error) {
    if (error instanceof TargetError) throw error;
    throw new TargetError([`${file}: ${readProblem(error, kind)}`]);
  }
  if (bytes.length > MOST_BYTES) {
    throw new TargetError([`${file}: a ${kind} file has at most ${MOST_BYTES} bytes`]);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TargetError([`${file}: the file is not UTF-8 text`]);
  }
}

// A file may be a pipe, whose end nobody foresees; a device has none.
function firstBytes(file: string, most: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const kind = fstatSync(handle);
    if (kind.isCharacterDevice() || kind.isBlockDevice())
      throw new TargetError([`${file}: this is a device, not a file`]);
    const bytes = Buffer.alloc(most);
    let length = 0;
    for (let read = -1; read !== 0 && length < most; length += read)
      read = readSync(handle, bytes, length, most - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

function readProblem(error: unknown, kind: DocumentKind): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return `this is a folder; a ${kind} is a file`;
  if (code === 'EACCES' || code === 'EPERM') return 'the file may not be read';
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
    return `${file}:${line}: one file holds one document, and here a second one begins`;
  const reference = /[{[,]\s*(?:\w+:\s*)?[^'",]*\$\{/.test(text.split('\n')[line - 1] ?? '');
  const hint = reference ? '; inside { } and [ ], YAML wants quotes around "${NAME}"' : '';
  return `${file}:${line}: the YAML cannot be read: ${error.message}${hint}`;
}

function plainValue(file: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TargetError([`${file}:1: the YAML cannot be read: ${reason}`]);
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member)]));
}

function lineOf(contents: unknown, lineAt: (offset: number) => number, path: Path, atKey: boolean): number {
  let offset = startOf(contents);
  let around = offset;
  let node: unknown = contents;
  for (const [index, part] of path.entries()) {
    const step = stepInto(node, part);
    // Of a key that is not there, the key around it.
    if (step === null && atKey) offset = around;
    if (step === null) break;
    const key = startOf(step.key);
    around = key ?? around;
    node = step.value;
    const last = index === path.length - 1;
    offset = (last && atKey ? key : startOf(step.value)) ?? key ?? offset;
  }
  return lineAt(offset ?? 0);
}

interface Step {
  readonly key: unknown;
  readonly value: unknown;
}

// The shapes of yaml's nodes are looked at by hand, so that the package is loaded only where a file is read.
function stepInto(node: unknown, part: string | number): Step | null {
  if (typeof node !== 'object' || node === null || !('items' in node) || !Array.isArray(node.items))
    return null;
  const items: readonly unknown[] = node.items;
  if (typeof part === 'number') return items[part] === undefined ? null : { key: null, value: items[part] };
  return items.find((item): item is Step => isPairOf(item, part)) ?? null;
}

function isPairOf(item: unknown, key: string): boolean {
  if (typeof item !== 'object' || item === null || !('key' in item) || !('value' in item)) return false;
  const scalar = item.key;
  return typeof scalar === 'object' && scalar !== null && 'value' in scalar && String(scalar.value) === key;
}

function startOf(node: unknown): number | null {
  return (node as Node | null | undefined)?.range?.[0] ?? null;
}
