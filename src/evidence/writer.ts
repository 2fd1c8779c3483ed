import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { Gzip } from 'node:zlib';
import { createGzip } from 'node:zlib';
import type { Exchange } from '../core/exchange.ts';
import { mapStrings } from '../core/json-text.ts';
import { messageOf } from '../core/system-error.ts';
import { BatchWriter } from './batch-writer.ts';
import type {
  EvidenceEntry,
  EvidenceLine,
  EvidenceSetting,
  EvidenceUses,
  SettingLine,
  UsesLine,
} from './line.ts';
import { EVIDENCE_FORMAT, EvidenceError } from './line.ts';
import type { Redactor } from './redaction/redactor.ts';
import { type KnownParts, type SecretFacts, tokenFactsOf } from './secret-facts.ts';

/** Most bytes of queued exchanges before `ready` applies backpressure. */
const MAX_QUEUED_BYTES = 8_388_608;
/** Estimated size of an exchange without its body, in bytes. */
const HEAD_BYTES = 2_048;

/** An exchange in the queue. Its body is hashed when it is written. */
type Recorded = Omit<EvidenceEntry, 'bodyHash'>;
/** A queued exchange that still contains secrets. */
type Unredacted = Omit<Recorded, 'exchange'> & { readonly unredacted: Exchange };
type Ready = Recorded | SettingLine | UsesLine;
type Queued = Unredacted | Ready;

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
  readonly #onEntry: (entry: EvidenceEntry) => void;
  // Level 1 is three times as fast as the default; the file is a third larger.
  readonly #gzip: Gzip = createGzip({ level: 1, chunkSize: 65_536 });
  readonly #written: Promise<void>;
  readonly #hashes = new Set<string>();
  readonly #knownParts: KnownParts = new Map();
  readonly #queue: Queued[] = [];
  /** Sizes of the queued exchanges in bytes, including the one being written. */
  readonly #queuedSizes: number[] = [];
  /** Number of entries at the head of the queue that are already redacted. */
  #redactedCount = 0;
  readonly #waiters: (() => void)[] = [];
  readonly #batches = new BatchWriter((batch) => this.#compress(batch));
  #queuedBytes = 0;
  #pumping: Promise<void> | null = null;
  #failure: unknown = null;

  /**
   * Opens the file and replaces an existing one; its folder must exist.
   *
   * @param redactor secrets added later are removed only from exchanges recorded later
   * @param onEntry called with each exchange just before it is written; must not throw
   */
  constructor(file: string, redactor: Redactor, onEntry: (entry: EvidenceEntry) => void = () => undefined) {
    this.#file = file;
    this.#redactor = redactor;
    this.#onEntry = onEntry;
    // Exchanges are redacted when they are written, but only with the secrets known when they were recorded.
    redactor.onBeforeAdd(() => this.#redactAll());
    this.#written = pipeline(this.#gzip, createWriteStream(file)).catch((error: unknown) => {
      this.#failure ??= error;
      this.#admitAll();
    });
  }

  /** Records the input of testing a target. */
  describe(target: string, setting: EvidenceSetting): void {
    this.#enqueue({ format: EVIDENCE_FORMAT, target, setting });
  }

  /** Records which exchanges each check of a target used. Call it after the target's last exchange. */
  conclude(target: string, uses: EvidenceUses): void {
    this.#enqueue({ format: EVIDENCE_FORMAT, target, uses });
  }

  /**
   * Records an exchange of a target.
   *
   * @param note note of the harness
   * @param check the requirement whose check sent the request
   */
  record(target: string, exchange: Exchange, note: string | null = null, check: string | null = null): void {
    if (this.#failure !== null) return;
    this.#redactor.learn(exchange);
    this.#enqueue({
      target,
      unredacted: exchange,
      note: note === null ? null : this.#redactor.redact(note),
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

  /**
   * Writes the queue and closes the file.
   *
   * @throws EvidenceError if anything could not be written
   */
  async close(): Promise<void> {
    await this.#pumping;
    await this.#batches.end();
    this.#gzip.end();
    await this.#written;
    if (this.#failure === null) return;
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
    this.#queuedSizes.push(sizeOf(entry));
    this.#queuedBytes += sizeOf(entry);
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    // Yields first, so that the caller can process the answer before anything is written.
    await turn();
    for (let entry = this.#next(); entry !== null; entry = this.#next()) {
      await this.#writeEntry(entry).catch((error: unknown) => {
        this.#failure ??= error;
      });
      this.#queuedBytes -= this.#queuedSizes.shift() ?? 0;
      if (this.#queuedBytes <= MAX_QUEUED_BYTES) await this.#admitInTurn();
    }
    this.#pumping = null;
  }

  #next(): Ready | null {
    const next = this.#queue.shift();
    if (next === undefined) return null;
    this.#redactedCount = Math.max(0, this.#redactedCount - 1);
    return this.#redacted(next);
  }

  #redactAll(): void {
    for (; this.#redactedCount < this.#queue.length; this.#redactedCount++) {
      const queued = this.#queue[this.#redactedCount];
      if (queued !== undefined) this.#queue[this.#redactedCount] = this.#redacted(queued);
    }
  }

  #redacted(queued: Queued): Ready {
    if (!('unredacted' in queued)) return queued;
    const { unredacted, ...rest } = queued;
    return { ...rest, exchange: this.#redactor.redactLearned(unredacted) };
  }

  async #writeEntry(entry: Ready): Promise<void> {
    if (!('exchange' in entry)) {
      await this.#batches.text(`${JSON.stringify(entry)}\n`);
      return;
    }
    const body = entry.exchange.answer?.body ?? null;
    const bodyHash = body === null ? null : hash('sha256', body);
    this.#onEntry({ ...entry, bodyHash });
    const head = JSON.stringify(lineOf(entry, bodyHash ?? ''));
    if (body === null || bodyHash === null || this.#hashes.has(bodyHash)) {
      await this.#batches.text(`${head}\n`);
      return;
    }
    this.#hashes.add(bodyHash);
    // `body` is the last member of the head, and null there.
    await this.#batches.text(head.slice(0, -'null}'.length));
    await this.#batches.body(body);
    await this.#batches.text('}\n');
  }

  // Resolves when gzip has read the batch or is closed.
  async #compress(batch: Uint8Array): Promise<void> {
    if (this.#failure !== null || this.#gzip.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#gzip.off('close', done);
        resolve();
      };
      this.#gzip.on('close', done);
      this.#gzip.write(batch, done);
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

function sizeOf(entry: Queued): number {
  return HEAD_BYTES + ('unredacted' in entry ? (entry.unredacted.answer?.body.length ?? 0) : 0);
}

function lineOf({ target, exchange, note, check, tokens }: Recorded, sha256: string): EvidenceLine {
  const { number, request, answer, failure, firstByteMs, durationMs, connection, retry } = exchange;
  const { method, origin, headers, body } = request;
  return {
    format: EVIDENCE_FORMAT,
    target,
    number,
    note,
    check,
    startedAt: new Date(exchange.startedAt).toISOString(),
    firstByteMs,
    durationMs,
    connection,
    ...(exchange.tls === undefined ? {} : { tls: exchange.tls }),
    retry,
    request: { method, origin, target: request.target, headers, body },
    answer:
      answer === null
        ? null
        : {
            status: answer.status,
            statusText: answer.statusText,
            httpVersion: answer.httpVersion,
            headers: answer.headers,
            body: { sha256, bytes: answer.body.length, bytesOnWire: answer.bodyBytesOnWire },
          },
    failure,
    tokens,
    body: null,
  };
}
