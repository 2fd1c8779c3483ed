import { Buffer, isUtf8 } from 'node:buffer';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { bufferOf, type EvidenceUses, type Exchange, type HttpAnswer } from '../core/exchange.ts';
import { mapStrings } from '../core/json-text.ts';
import { sha256 } from '../core/sha256.ts';
import { messageOf } from '../core/system-error.ts';
import {
  EVIDENCE_FORMAT,
  type EvidenceEntry,
  EvidenceError,
  type EvidenceIndex,
  type EvidenceLine,
  type EvidenceSetting,
  type Repetition,
  type SettingLine,
  type UsesLine,
} from './line.ts';
import type { Redactor } from './redaction/redactor.ts';
import { type KnownParts, type SecretFacts, tokenFactsOf } from './secret-facts.ts';

/** Most bytes of queued exchanges before `ready` applies backpressure. */
const MAX_QUEUED_BYTES = 8_388_608;
/** Bytes that are compressed at a time: a call of zlib costs as much as compressing some thousand bytes. */
const BATCH_BYTES = 524_288;
/** Estimated size of an exchange without its body, in bytes. */
const HEAD_BYTES = 2_048;

/** An exchange in the queue. Its body is hashed when it is written. */
type Recorded = Omit<EvidenceEntry, 'bodyHash'>;
type Queued = Recorded | SettingLine | UsesLine;

/**
 * Writes exchanges to evidence.ndjson.gz during the run, secrets removed. A body is written once; later
 * exchanges with the same body refer to it by hash.
 *
 * `record` never blocks and never throws. If writing fails (for example, because the disk is full), later
 * exchanges are dropped and `close` reports the error, so that the run still ends with verdicts.
 */
export class EvidenceWriter {
  readonly #file: string;
  readonly #redactor: Redactor;
  // Level 1 is three times as fast as the default; the file is a third larger.
  readonly #gzip: Gzip = createGzip({ level: 1, chunkSize: 65_536 });
  readonly #written: Promise<void>;
  readonly #batch = Buffer.allocUnsafeSlow(BATCH_BYTES);
  #batchLength = 0;
  readonly #hashes = new Set<string>();
  readonly #repetitions: Repetition[] = [];
  readonly #uses = new Map<string, EvidenceUses>();
  readonly #knownParts: KnownParts = new Map();
  readonly #queue: Queued[] = [];
  readonly #waiters: (() => void)[] = [];
  /** Bytes of the queued exchanges, including the one being written. */
  #queuedBytes = 0;
  #pumping: Promise<void> | null = null;
  #failure: unknown = null;

  /** Replaces an existing file; its folder must exist. Secrets added later are removed from later exchanges only. */
  constructor(file: string, redactor: Redactor) {
    this.#file = file;
    this.#redactor = redactor;
    this.#written = pipeline(this.#gzip, createWriteStream(file)).catch((error: unknown) => {
      this.#failure ??= error;
      this.#admitAll();
    });
  }

  describe(target: string, setting: EvidenceSetting): void {
    this.#enqueue({ format: EVIDENCE_FORMAT, target, setting });
  }

  /** Records which exchanges each check of a target used. Call it after the target's last exchange. */
  conclude(target: string, uses: EvidenceUses): void {
    this.#uses.set(target, uses);
    this.#enqueue({ format: EVIDENCE_FORMAT, target, uses });
  }

  /** Records an exchange; `check` is the requirement whose check sent the request. */
  record(target: string, exchange: Exchange, check: string | null = null): void {
    if (this.#failure !== null) return;
    const recorded = this.#redactor.redactExchange(exchange);
    this.#enqueue({
      target,
      exchange: recorded,
      check,
      tokens: this.#redactor
        .takeNewTokens()
        .map(({ token, label }) => this.#redactedFacts(tokenFactsOf(token, label, this.#knownParts))),
    });
  }

  /** Resolves when the queue is short. Await it between many calls of `record` to bound memory. */
  ready(): Promise<void> {
    const hasRoom = this.#queuedBytes <= MAX_QUEUED_BYTES && this.#waiters.length === 0;
    if (hasRoom || this.#failure !== null) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Writes the queue and closes the file. Returns its index. Throws EvidenceError if anything was not written. */
  async close(): Promise<EvidenceIndex> {
    await this.#pumping;
    await this.#compressBatch();
    this.#gzip.end();
    await this.#written;
    if (this.#failure === null) return { uses: this.#uses, repetitions: this.#repetitions };
    const reason = messageOf(this.#failure);
    throw new EvidenceError(`the evidence could not be written to ${this.#file}: ${reason}`);
  }

  // The claims of a token may contain another secret.
  #redactedFacts(facts: SecretFacts): SecretFacts {
    const jwt = facts.token?.jwt;
    if (facts.token === null || jwt == null) return facts;
    const redacted = mapStrings(jwt, (text) => this.#redactor.redact(text));
    return { ...facts, token: { ...facts.token, jwt: redacted } };
  }

  #enqueue(entry: Queued): void {
    this.#queue.push(entry);
    this.#queuedBytes += sizeOf(entry);
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    // Yields first, so that the caller can process the answer before anything is written.
    await turn();
    for (let entry = this.#queue.shift(); entry !== undefined; entry = this.#queue.shift()) {
      await this.#writeEntry(entry).catch((error: unknown) => {
        this.#failure ??= error;
      });
      this.#queuedBytes -= sizeOf(entry);
      if (this.#queuedBytes <= MAX_QUEUED_BYTES) await this.#admitInTurn();
    }
    this.#pumping = null;
  }

  async #writeEntry(entry: Queued): Promise<void> {
    if (!('exchange' in entry)) return this.#write(`${JSON.stringify(entry)}\n`);
    const body = entry.exchange.answer?.body ?? null;
    const bodyHash = body === null ? null : sha256(body);
    const head = JSON.stringify(lineOf(entry, bodyHash ?? ''));
    if (body === null || bodyHash === null) return this.#write(`${head}\n`);
    if (this.#hashes.has(bodyHash)) {
      this.#repetitions.push({ target: entry.target, number: entry.exchange.number, sha256: bodyHash });
      return this.#write(`${head}\n`);
    }
    this.#hashes.add(bodyHash);
    // `body` is the last member of the head, and null there.
    const [key, pieces] = jsonOf(body);
    await this.#write(`${head.slice(0, -'null}'.length)}{"${key}":"`);
    for (const piece of pieces) await this.#write(piece, 'latin1');
    await this.#write('"}}\n');
  }

  async #write(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<void> {
    const length = Buffer.byteLength(text, encoding);
    if (length > BATCH_BYTES - this.#batchLength) await this.#compressBatch();
    if (length > BATCH_BYTES) await this.#compress(Buffer.from(text, encoding));
    else this.#batchLength += this.#batch.write(text, this.#batchLength, encoding);
  }

  async #compressBatch(): Promise<void> {
    await this.#compress(this.#batch.subarray(0, this.#batchLength));
    this.#batchLength = 0;
  }

  // Resolves when gzip has read the bytes or is closed.
  async #compress(bytes: Buffer): Promise<void> {
    if (this.#failure !== null || this.#gzip.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#gzip.off('close', done);
        resolve();
      };
      this.#gzip.on('close', done);
      this.#gzip.write(bytes, done);
    });
  }

  // Admits one waiter per event loop turn, in the order of recording: the requests caused by one answer are
  // sent before the next waiter continues, so a replay sees the same requests in the same order.
  async #admitInTurn(): Promise<void> {
    for (let admit = this.#waiters.shift(); admit !== undefined; admit = this.#waiters.shift()) {
      admit();
      await turn();
    }
  }

  #admitAll(): void {
    for (const admit of this.#waiters.splice(0)) admit();
  }
}

/** Bytes of a body that are encoded at a time. A multiple of three, so that pieces of base64 join without padding. */
const PIECE_BYTES = 81_918;

/** Bytes of a body from which on it is written as base64 if escapes would make it longer than that. */
const LARGE_BYTES = 1_048_576;

/**
 * A body as a member and the text of its JSON string in Latin-1: `text`, or `base64` if it is not UTF-8. A reader needs
 * memory for the whole line, so a large body of escapes is written as base64, too.
 */
function jsonOf(body: Uint8Array): [key: 'text' | 'base64', pieces: Iterable<string>] {
  const bytes = bufferOf(body);
  return isUtf8(bytes) &&
    (bytes.length < LARGE_BYTES || escapedLength(bytes) <= Math.ceil(bytes.length / 3) * 4)
    ? ['text', piecesOf(bytes, escapedText)]
    : ['base64', piecesOf(bytes, (piece) => piece.toString('base64'))];
}

function escapedLength(bytes: Buffer): number {
  let length = 0;
  for (const piece of piecesOf(bytes, escapedText)) length += piece.length;
  return length;
}

function* piecesOf(bytes: Buffer, encode: (piece: Buffer) => string): Generator<string> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield encode(bytes.subarray(at, at + PIECE_BYTES));
}

/**
 * Read as Latin-1, each byte is one character. JSON escapes only ASCII characters of it, so that the bytes of all others
 * are still UTF-8 when they are written as Latin-1.
 */
function escapedText(piece: Buffer): string {
  return JSON.stringify(piece.toString('latin1')).slice(1, -1);
}

function sizeOf(entry: Queued): number {
  return HEAD_BYTES + ('exchange' in entry ? (entry.exchange.answer?.body.length ?? 0) : 0);
}

function lineOf({ target, exchange, check, tokens }: Recorded, bodyHash: string): EvidenceLine {
  const { redacted: _, startedAt, answer, ...others } = exchange;
  return {
    format: EVIDENCE_FORMAT,
    target,
    check,
    startedAt: new Date(startedAt).toISOString(),
    ...others,
    answer: answer === null ? null : headOf(answer, bodyHash),
    tokens,
    body: null,
  };
}

function headOf({ body, bodyBytesOnWire, ...head }: HttpAnswer, bodyHash: string): EvidenceLine['answer'] {
  return { ...head, body: { sha256: bodyHash, bytes: body.length, bytesOnWire: bodyBytesOnWire } };
}
