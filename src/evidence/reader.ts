import { Buffer } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, deflateRawSync, inflateRawSync } from 'node:zlib';
import { isJsonObject, parsedJson } from '../core/json-text.ts';
import { codeOf, describeSystemError } from '../core/system-error.ts';
import {
  EVIDENCE_FORMAT,
  type EvidenceEntry,
  EvidenceError,
  type EvidenceLine,
  type EvidenceUses,
  isLine,
  type SettingLine,
  type UsesLine,
} from './line.ts';

/** Chunk size in bytes for reading and inflating. */
const CHUNK_BYTES = 262_144;

type NeedsBody = (target: string, number: number) => boolean;

/**
 * Reads the entries of evidence.ndjson.gz in order, each with its body. The file is read twice: the first
 * pass counts the references to each body, so that only these bodies are kept, and only until their last
 * reference.
 *
 * @param needsBody whether the body of an exchange will be read; true for all by default
 * @throws EvidenceError if the file is missing, truncated or not evidence. Reading a body throws it too if
 * `needsBody` returned false for that exchange.
 */
export async function* readEvidence(
  file: string,
  needsBody: NeedsBody = () => true,
): AsyncGenerator<EvidenceEntry> {
  const references = await laterReferences(file, needsBody);
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

/** The number of later references to each body that is needed. */
async function laterReferences(file: string, needsBody: NeedsBody): Promise<Map<string, number>> {
  const references = new Map<string, number>();
  for await (const { line, body } of readEvidenceLines(file)) {
    if (!('request' in line) || line.answer === null || body !== null) continue;
    if (!needsBody(line.target, line.number)) continue;
    const { sha256 } = line.answer.body;
    references.set(sha256, (references.get(sha256) ?? 0) + 1);
  }
  return references;
}

/** Bodies of at least this many bytes are kept compressed. */
const MIN_COMPRESSED_BYTES = 4_096;

/** Keeps a body for later lines. */
function packed(body: Uint8Array): () => Uint8Array {
  if (body.length < MIN_COMPRESSED_BYTES) return () => body;
  const compressed = deflateRawSync(body, { level: 1 });
  const { length } = body;
  // One chunk: several chunks and the joined body would take twice the memory.
  return () => inflateRawSync(compressed, { chunkSize: length });
}

/**
 * Reads which exchanges each check used, by target.
 *
 * @throws EvidenceError if the file is missing, truncated or not evidence
 */
export async function readUses(file: string): Promise<ReadonlyMap<string, EvidenceUses>> {
  const uses = new Map<string, EvidenceUses>();
  for await (const { line } of readEvidenceLines(file)) if ('uses' in line) uses.set(line.target, line.uses);
  return uses;
}

/** An exchange; its body is separate. */
export type ExchangeLine = Omit<EvidenceLine, 'body'>;

/** A parsed line of evidence. */
interface ReadLine {
  readonly line: ExchangeLine | SettingLine | UsesLine;
  /** Decodes the body in this line, which is most of it; null if the line has none. */
  readonly body: (() => Uint8Array) | null;
}

/**
 * Reads evidence.ndjson.gz line by line.
 *
 * @throws EvidenceError if the file is missing, truncated or not evidence; reading a body throws it too
 */
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
    for await (const bytes of rawLines(source.pipe(gunzip))) {
      number += 1;
      yield readLine(bytes, `line ${number} of ${file}`);
    }
  } catch (error) {
    if (error instanceof EvidenceError) throw error;
    if (codeOf(error) === 'ENOENT') throw new EvidenceError(`the evidence file ${file} is missing`);
    const reason = describeSystemError(error);
    throw new EvidenceError(`the evidence in ${file} cannot be read after line ${number}: ${reason}`);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

// Not node:readline, which also splits at U+2028 and U+2029; JSON allows these in a string.
async function* rawLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces: Buffer[] = [];
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      yield Buffer.concat([...pieces.splice(0), chunk.subarray(from, end)]);
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

/** Start of a body, the last member of a line. No string contains it, because quotes in strings are escaped. */
const BODY_STARTS = { text: ',"body":{"text":"', base64: ',"body":{"base64":"' };
const BODY_END = '"}}';

/** @param place names the line in errors */
function readLine(bytes: Buffer, place: string): ReadLine {
  const isText = bytes.includes(BODY_STARTS.text);
  const start = isText ? BODY_STARTS.text : BODY_STARTS.base64;
  const mark = bytes.indexOf(start);
  const head = mark === -1 ? undefined : parsedJson(`${bytes.toString('utf8', 0, mark)}}`);
  if (isLine(head) && bytes.toString('latin1', bytes.length - BODY_END.length) === BODY_END) {
    const content = bytes.subarray(mark + start.length, -BODY_END.length);
    return { line: head, body: () => (isText ? textBody(content, place) : base64Body(content)) };
  }
  const line = parsedJson(bytes.toString('utf8'));
  if (!isLine(line)) throw formatError(place);
  const body: unknown = 'body' in line ? line.body : null;
  if (body === null) return { line, body };
  const { text, base64 } = isJsonObject(body) ? body : {};
  if (typeof text === 'string') return { line, body: () => Buffer.from(text) };
  if (typeof base64 === 'string') return { line, body: () => Buffer.from(base64, 'base64') };
  throw formatError(place);
}

function formatError(place: string): EvidenceError {
  return new EvidenceError(`${place} is not in the format ${EVIDENCE_FORMAT}`);
}

function base64Body(content: Buffer): Uint8Array {
  return Buffer.from(content.toString('latin1'), 'base64');
}

/** Bytes of a JSON string that are decoded at a time: a large body takes several times its size as text and value. */
const TEXT_PIECE_BYTES = 1_048_576;

function textBody(content: Buffer, place: string): Uint8Array {
  // No text is longer than its JSON.
  const body = Buffer.allocUnsafeSlow(content.length);
  const decoder = new StringDecoder('utf8');
  let length = 0;
  let rest = '';
  for (let at = 0; at < content.length; at += TEXT_PIECE_BYTES) {
    const isLast = at + TEXT_PIECE_BYTES >= content.length;
    const json = rest + decoder.write(content.subarray(at, at + TEXT_PIECE_BYTES));
    const end = isLast ? json.length : lengthWithoutCutEscape(json);
    const text = parsedJson(`"${json.slice(0, end)}"`);
    if (typeof text !== 'string') throw formatError(place);
    length += body.write(text, length);
    rest = json.slice(end);
  }
  return body.subarray(0, length);
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
