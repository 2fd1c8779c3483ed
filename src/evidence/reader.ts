import { Buffer } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { createGunzip, deflateRawSync, inflateRawSync } from 'node:zlib';
import { isJsonObject, parsedJson } from '../core/json-text.ts';
import { codeOf, describeSystemError } from '../core/system-error.ts';
import {
  EVIDENCE_FORMAT,
  type EvidenceEntry,
  EvidenceError,
  type EvidenceLine,
  type EvidenceSetting,
  type EvidenceUses,
  isLine,
  type SettingLine,
  type UsesLine,
} from './line.ts';
import { type RawLine, rawLines } from './raw-lines.ts';

/** Chunk size in bytes for reading and inflating. */
const CHUNK_BYTES = 262_144;

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
  needsBody: (target: string, number: number) => boolean = () => true,
): AsyncGenerator<EvidenceEntry> {
  const kept = new BodyStore(await repeatedBodies(file, needsBody));
  for await (const { line, body } of exchangesAndSettings(file, true)) {
    if (isSetting(line)) continue;
    const sha256 = line.answer?.body.sha256 ?? '';
    if (body !== null && kept.wants(sha256)) kept.keep(sha256, body());
    const notNeeded = body === null && !needsBody(line.target, line.number);
    yield entryOf(
      line,
      line.answer === null
        ? () => new Uint8Array()
        : (body ?? (notNeeded ? notKept(line, file) : earlierBody(sha256, kept, file))),
    );
  }
}

/** A line of evidence with its body separate, or the input of testing a target. */
export type EvidenceHead =
  | {
      readonly kind: 'exchange';
      readonly line: Omit<EvidenceLine, 'body'>;
      /** Returns the body in this line, if bodies were requested; null if the line has none. */
      readonly body: (() => Uint8Array) | null;
    }
  | { readonly kind: 'setting'; readonly target: string; readonly setting: EvidenceSetting };

/**
 * Reads evidence.ndjson.gz line by line, large bodies only on request.
 *
 * @throws EvidenceError if the file is missing, truncated or not evidence
 */
export async function* readEvidenceHeads(file: string, wantsBodies = false): AsyncGenerator<EvidenceHead> {
  for await (const { line, body } of exchangesAndSettings(file, wantsBodies)) {
    if (isSetting(line)) yield { kind: 'setting', target: line.target, setting: line.setting };
    else yield { kind: 'exchange', line, body };
  }
}

/**
 * Reads which exchanges each check used, by target.
 *
 * @throws EvidenceError if the file is missing, truncated or not evidence
 */
export async function readUses(file: string): Promise<ReadonlyMap<string, EvidenceUses>> {
  const uses = new Map<string, EvidenceUses>();
  for await (const { line } of allLines(file, false)) if ('uses' in line) uses.set(line.target, line.uses);
  return uses;
}

/** The number of later references to each body. */
async function repeatedBodies(
  file: string,
  needsBody: (target: string, number: number) => boolean,
): Promise<Map<string, number>> {
  const wanted = new Map<string, number>();
  for await (const { line, body } of exchangesAndSettings(file, false)) {
    if (isSetting(line) || line.answer === null || body !== null) continue;
    if (!needsBody(line.target, line.number)) continue;
    const { sha256 } = line.answer.body;
    wanted.set(sha256, (wanted.get(sha256) ?? 0) + 1);
  }
  return wanted;
}

type Head = Omit<EvidenceLine, 'body'>;

/** A parsed line. Its body, which is most of the line, is decoded on demand. */
interface ReadLine<Line = Head | SettingLine> {
  readonly line: Line;
  readonly body: (() => Uint8Array) | null;
}

function isSetting(line: Head | SettingLine): line is SettingLine {
  return 'setting' in line;
}

async function* exchangesAndSettings(file: string, wantsBodies: boolean): AsyncGenerator<ReadLine> {
  for await (const { line, body } of allLines(file, wantsBodies)) if (!('uses' in line)) yield { line, body };
}

async function* allLines(
  file: string,
  wantsBodies: boolean,
): AsyncGenerator<ReadLine<Head | SettingLine | UsesLine>> {
  // Reading a named pipe would block.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new EvidenceError(`the evidence in ${file} is not a regular file`);
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // `pipe` does not forward errors.
  source.on('error', (error) => gunzip.destroy(error));
  let number = 0;
  try {
    for await (const raw of rawLines(source.pipe(gunzip), wantsBodies)) {
      number += 1;
      yield readLine(raw, file, number);
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

// Quotes in JSON strings are escaped, so these bytes occur only at the start of a body.
const BODY_MARKS = [',"body":{"text":"', ',"body":{"base64":"'];

function readLine(
  { bytes, separateBody }: RawLine,
  file: string,
  number: number,
): ReadLine<Head | SettingLine | UsesLine> {
  if (separateBody !== null) {
    const line = parsedJson(bytes.toString('utf8'));
    if (!isLine(line)) throw formatError(file, number);
    return { line, body: separateBody };
  }
  const mark = Math.max(...BODY_MARKS.map((text) => bytes.indexOf(text)));
  const head = mark < 0 ? undefined : parsedJson(`${bytes.toString('utf8', 0, mark)}}`);
  if (isLine(head)) {
    const content = bytes.subarray(mark + ',"body":'.length, bytes.length - 1);
    return { line: head, body: () => contentOf(parsedJson(content.toString('utf8')), file, number) };
  }
  const whole = parsedJson(bytes.toString('utf8'));
  if (!isLine(whole)) throw formatError(file, number);
  const body = 'body' in whole ? whole.body : null;
  return { line: whole, body: body === null ? null : () => contentOf(body, file, number) };
}

function contentOf(content: unknown, file: string, number: number): Uint8Array {
  const { text, base64 } = isJsonObject(content) ? content : {};
  if (typeof text === 'string') return Buffer.from(text);
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  throw formatError(file, number);
}

function formatError(file: string, number: number): EvidenceError {
  return new EvidenceError(`line ${number} of ${file} is not in the format ${EVIDENCE_FORMAT}`);
}

function notKept({ number }: Head, file: string): () => Uint8Array {
  return () => {
    throw new EvidenceError(`the body of exchange ${number} of ${file} was not requested`);
  };
}

function earlierBody(sha256: string, kept: BodyStore, file: string): () => Uint8Array {
  const take = kept.taker(sha256);
  if (take !== null) return take;
  throw new EvidenceError(`${file} refers to the body ${sha256}, which no earlier line contains`);
}

function entryOf(line: Head, body: () => Uint8Array): EvidenceEntry {
  const { answer } = line;
  let decoded: Uint8Array | null = null;
  return {
    target: line.target,
    note: line.note,
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

/** Bodies of at least this many bytes are stored compressed. */
const MIN_COMPRESSED_BYTES = 4_096;

interface StoredBody {
  readonly bytes: Uint8Array;
  readonly compressed: boolean;
  /** Length of the uncompressed body in bytes. */
  readonly length: number;
}

/**
 * Bodies that later evidence lines refer to, by SHA-256. A body is dropped after its last reference is read.
 */
class BodyStore {
  readonly #wanted: Map<string, number>;
  readonly #bodies = new Map<string, StoredBody>();

  /** @param wanted number of later references to each body */
  constructor(wanted: Map<string, number>) {
    this.#wanted = wanted;
  }

  /** Whether a later line refers to this body. */
  wants(sha256: string): boolean {
    return (this.#wanted.get(sha256) ?? 0) > 0;
  }

  /** Stores a body for later lines. */
  keep(sha256: string, body: Uint8Array): void {
    const compressed = body.length >= MIN_COMPRESSED_BYTES;
    this.#bodies.set(sha256, {
      bytes: compressed ? deflateRawSync(body, { level: 1 }) : body,
      compressed: compressed,
      length: body.length,
    });
  }

  /**
   * Counts one reference as used. Returns a function that returns the body; null if the body is not stored.
   */
  taker(sha256: string): (() => Uint8Array) | null {
    const stored = this.#bodies.get(sha256);
    if (stored === undefined) return null;
    const left = (this.#wanted.get(sha256) ?? 0) - 1;
    this.#wanted.set(sha256, left);
    if (left <= 0) this.#bodies.delete(sha256);
    return () => (stored.compressed ? inflate(stored) : stored.bytes);
  }
}

function inflate({ bytes, length }: StoredBody): Uint8Array {
  // One chunk: several chunks and the joined body would take twice the memory.
  return inflateRawSync(bytes, { chunkSize: length });
}
