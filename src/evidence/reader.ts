import { Buffer } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { EvidenceUses } from '../core/exchange.ts';
import { isJsonObject, parsedJson } from '../core/json-text.ts';
import { codeOf, describeSystemError } from '../core/system-error.ts';
import {
  EVIDENCE_FORMAT,
  type EvidenceEntry,
  EvidenceError,
  type EvidenceIndex,
  type EvidenceLine,
  isLine,
  type Repetition,
  type SettingLine,
  type UsesLine,
} from './line.ts';

const CHUNK_BYTES = 262_144;

interface ReadOptions {
  /** Whether the body of an exchange will be read; true for all by default. */
  readonly needsBody?: (target: string, number: number) => boolean;
  /** Index of the evidence; gathered in a pass of its own unless given. */
  readonly index?: EvidenceIndex;
}

/**
 * Reads the entries of evidence.ndjson.gz in order, each with its body. The index tells the later references to each
 * body, so that only these bodies are kept, and only until their last reference. Throws EvidenceError if the file is
 * missing, truncated or not evidence. Reading a body throws it too if `needsBody` returned false for that exchange.
 */
export async function* readEvidence(
  file: string,
  { needsBody = () => true, index }: ReadOptions = {},
): AsyncGenerator<EvidenceEntry> {
  const { repetitions } = index ?? (await indexEvidence(file));
  const references = new Map<string, number>();
  for (const { target, number, sha256 } of repetitions)
    if (needsBody(target, number)) references.set(sha256, (references.get(sha256) ?? 0) + 1);
  const kept = new Map<string, () => Uint8Array>();
  for await (const { line, body } of readEvidenceLines(file)) {
    if (!('request' in line)) continue;
    const sha256 = line.answer?.body.sha256 ?? '';
    const left = references.get(sha256) ?? 0;
    if (line.answer === null) yield entryOf(line, () => new Uint8Array());
    else if (body !== null) {
      if (left > 0) kept.set(sha256, packed(body()));
      yield entryOf(line, body);
    } else if (needsBody(line.target, line.number)) {
      const earlier = kept.get(sha256);
      if (earlier === undefined)
        throw new EvidenceError(`${file} refers to the body ${sha256}, which no earlier line contains`);
      references.set(sha256, left - 1);
      if (left === 1) kept.delete(sha256);
      yield entryOf(line, earlier);
    } else
      yield entryOf(line, () => {
        throw new EvidenceError(`the body of exchange ${line.number} of ${file} was not requested`);
      });
  }
}

/** Reads all of evidence.ndjson.gz without decoding bodies. Throws EvidenceError. */
export async function indexEvidence(file: string): Promise<EvidenceIndex> {
  const uses = new Map<string, EvidenceUses>();
  const repetitions: Repetition[] = [];
  for await (const { line, body } of readEvidenceLines(file)) {
    if ('uses' in line) uses.set(line.target, line.uses);
    else if ('request' in line && line.answer !== null && body === null)
      repetitions.push({ target: line.target, number: line.number, sha256: line.answer.body.sha256 });
  }
  return { uses, repetitions };
}

/** Bodies of at least this many bytes are kept compressed. */
const MIN_COMPRESSED_BYTES = 4_096;

function packed(body: Uint8Array): () => Uint8Array {
  if (body.length < MIN_COMPRESSED_BYTES) return () => body;
  const compressed = deflateRawSync(body, { level: 1 });
  const { length } = body;
  // One chunk: several chunks and the joined body would take twice the memory.
  return () => inflateRawSync(compressed, { chunkSize: length });
}

export type ExchangeLine = Omit<EvidenceLine, 'body'>;

interface ReadLine {
  readonly line: ExchangeLine | SettingLine | UsesLine;
  /** Decodes the body in this line, which is most of it; null if the line has none. */
  readonly body: (() => Uint8Array) | null;
}

/** Throws EvidenceError if the file is missing, truncated or not evidence; reading a body throws it too. */
export async function* readEvidenceLines(file: string): AsyncGenerator<ReadLine> {
  // Reading a named pipe would block.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new EvidenceError(`the evidence in ${file} is not a regular file`);
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // `pipe` does not forward errors.
  source.on('error', (error) => gunzip.destroy(error));
  let number = 0;
  try {
    for await (const pieces of rawLines(source.pipe(gunzip))) {
      number += 1;
      yield readLine(pieces, `line ${number} of ${file}`);
    }
  } catch (error) {
    if (error instanceof EvidenceError) throw error;
    if (codeOf(error) === 'ENOENT') throw new EvidenceError(`the evidence file ${file} is missing`);
    const reason = describeSystemError(error);
    const place = number === 0 ? '' : ` after line ${number}`;
    throw new EvidenceError(`the evidence in ${file} cannot be read${place}: ${reason}`);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** Bytes of the longest line that is read: one with the largest body that a target file allows. */
const MAX_LINE_BYTES = 1_610_612_736;

// Not node:readline, which also splits at U+2028 and U+2029; JSON allows these in a string.
async function* rawLines(input: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      pieces.push(chunk.subarray(from, end));
      yield pieces;
      pieces = [];
      length = 0;
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES) throw new Error(`the next line has more than ${MAX_LINE_BYTES} bytes`);
  }
  if (pieces.length > 0) yield pieces;
}

/** Start of a body, the last member of a line. No string contains it, because quotes in strings are escaped. */
const BODY_STARTS = { text: ',"body":{"text":"', base64: ',"body":{"base64":"' };
const BODY_END = '"}}';

/** Reads a line in the pieces that it came in: a large body would otherwise be in memory several times. */
function readLine(pieces: readonly Buffer[], place: string): ReadLine {
  const [start, ...others] = withWholeHead(pieces);
  const isText = start.includes(BODY_STARTS.text);
  const opening = isText ? BODY_STARTS.text : BODY_STARTS.base64;
  const mark = start.indexOf(opening);
  const head = mark === -1 ? undefined : parsedJson(`${start.toString('utf8', 0, mark)}}`);
  const content = withoutBodyEnd([start.subarray(mark + opening.length), ...others]);
  if (isLine(head) && content !== null)
    return { line: head, body: () => (isText ? textBody(content, place) : base64Body(content)) };
  const line = parsedJson(joined(pieces).toString('utf8'));
  if (!isLine(line)) throw formatError(place);
  const body: unknown = 'body' in line ? line.body : null;
  if (body === null) return { line, body };
  const { text, base64 } = isJsonObject(body) ? body : {};
  if (typeof text === 'string') return { line, body: () => Buffer.from(text) };
  if (typeof base64 === 'string') return { line, body: () => Buffer.from(base64, 'base64') };
  throw formatError(place);
}

/** The pieces of a line, the first of them joined until they hold the start of the body, if there is one. */
function withWholeHead(pieces: readonly Buffer[]): readonly [Buffer, ...Buffer[]] {
  for (let count = 1; count < pieces.length; count *= 2) {
    const start = joined(pieces.slice(0, count));
    if (start.includes(BODY_STARTS.text) || start.includes(BODY_STARTS.base64))
      return [start, ...pieces.slice(count)];
  }
  return [joined(pieces)];
}

/** The pieces in one buffer. Copying a single one would take as long as reading it. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [only, ...others] = pieces;
  return only !== undefined && others.length === 0 ? only : Buffer.concat(pieces);
}

/** Null if the pieces do not end as a body does. */
function withoutBodyEnd(pieces: readonly Buffer[]): readonly Buffer[] | null {
  const isWhole = (pieces.at(-1)?.length ?? 0) >= BODY_END.length;
  const from = Math.max(0, pieces.length - (isWhole ? 1 : 2));
  const end = joined(pieces.slice(from));
  if (end.toString('latin1', end.length - BODY_END.length) !== BODY_END) return null;
  return [...pieces.slice(0, from), end.subarray(0, -BODY_END.length)];
}

function formatError(place: string): EvidenceError {
  return new EvidenceError(`${place} is not in the format ${EVIDENCE_FORMAT}`);
}

function base64Body(content: readonly Buffer[]): Uint8Array {
  const body = Buffer.allocUnsafeSlow(lengthOf(content));
  let length = 0;
  let rest = '';
  for (const piece of content) {
    const text = rest + piece.toString('latin1');
    const end = text.length - (text.length % 4);
    length += body.write(text.slice(0, end), length, 'base64');
    rest = text.slice(end);
  }
  length += body.write(rest, length, 'base64');
  return body.subarray(0, length);
}

function textBody(content: readonly Buffer[], place: string): Uint8Array {
  // No text is longer than its JSON.
  const body = Buffer.allocUnsafeSlow(lengthOf(content));
  const decoder = new StringDecoder('utf8');
  let length = 0;
  let rest = '';
  for (const [index, piece] of content.entries()) {
    const json = rest + decoder.write(piece);
    const end = index === content.length - 1 ? json.length : lengthWithoutCutEscape(json);
    const text = parsedJson(`"${json.slice(0, end)}"`);
    if (typeof text !== 'string') throw formatError(place);
    length += body.write(text, length);
    rest = json.slice(end);
  }
  return body.subarray(0, length);
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

function lengthWithoutCutEscape(json: string): number {
  const last = json.lastIndexOf('\\');
  let first = last;
  while (json[first - 1] === '\\') first -= 1;
  // The last of an even number of backslashes is itself escaped.
  if (last === -1 || (last - first) % 2 === 1) return json.length;
  return last + (json[last + 1] === 'u' ? 6 : 2) > json.length ? last : json.length;
}

function entryOf(line: ExchangeLine, body: () => Uint8Array): EvidenceEntry {
  const { answer } = line;
  let decoded: Uint8Array | null = null;
  return {
    target: line.target,
    check: line.check ?? null,
    tokens: line.tokens ?? [],
    bodyHash: answer === null ? null : answer.body.sha256,
    exchange: {
      number: line.number,
      request: line.request,
      answer:
        answer === null
          ? null
          : {
              status: answer.status,
              statusText: answer.statusText,
              httpVersion: answer.httpVersion,
              headers: answer.headers,
              get body() {
                decoded ??= body();
                return decoded;
              },
              bodyBytesOnWire: answer.body.bytesOnWire,
            },
      failure: line.failure,
      startedAt: Date.parse(line.startedAt),
      firstByteMs: line.firstByteMs,
      durationMs: line.durationMs,
      connection: line.connection,
      ...(line.tls === undefined ? {} : { tls: line.tls }),
      retry: line.retry,
      redacted: true,
    },
  };
}
