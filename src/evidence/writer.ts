import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { Gzip } from 'node:zlib';
import { createGzip } from 'node:zlib';
import type { Exchange } from '../core/exchange.ts';
import { BatchWriter } from './batch-writer.ts';
import type { EvidenceEntry } from './evidence-entry.ts';
import type { EvidenceLine, EvidenceSetting, EvidenceUses, SettingLine, UsesLine } from './line.ts';
import { EVIDENCE_FORMAT, EvidenceError } from './line.ts';
import { mapStrings } from './map-strings.ts';
import type { Redactor } from './redactor.ts';
import { type KnownParts, type SecretFacts, tokenFactsOf } from './secret-facts.ts';

/** Bytes of bodies that may wait to be written before `ready` asks for patience. */
const WAITING_BYTES = 8_388_608;
/** What an exchange takes besides its body, roughly. */
const HEAD_BYTES = 2_048;

/** An exchange that waits to be written: only then is its body counted. */
type Recorded = Omit<EvidenceEntry, 'bodyHash'>;
/** One whose secrets are still in it. */
type Taken = Omit<Recorded, 'exchange'> & { readonly taken: Exchange };
type Ready = Recorded | SettingLine | UsesLine;
type Waiting = Taken | Ready;

/**
 * Writes exchanges to evidence.ndjson.gz as the run goes, secrets removed. A body is written once: later
 * exchanges with the same one refer to it by its hash.
 *
 * `record` never blocks and never throws. What cannot be written (a full disk) is dropped and told by `close`,
 * so that a run still ends with its verdicts.
 */
export class EvidenceWriter {
  readonly #file: string;
  readonly #redactor: Redactor;
  readonly #onEntry: (entry: EvidenceEntry) => void;
  // Level 1: thrice as fast as the usual one, for a file a third larger.
  readonly #gzip: Gzip = createGzip({ level: 1, chunkSize: 65_536 });
  readonly #written: Promise<void>;
  readonly #hashes = new Set<string>();
  readonly #knownParts: KnownParts = new Map();
  readonly #queue: Waiting[] = [];
  /** What each of them counts, and the one that is being written. */
  readonly #weights: number[] = [];
  /** How many at the beginning of the queue hold no secrets any more. */
  #redactedCount = 0;
  readonly #waiters: (() => void)[] = [];
  readonly #batches = new BatchWriter((batch) => this.#compress(batch));
  #waitingBytes = 0;
  #pumping: Promise<void> | null = null;
  #failure: unknown = null;

  /**
   * Opens the file, replacing one that is there; its folder must exist.
   *
   * @param redactor Secrets that become known later are removed from what is recorded later.
   * @param onEntry Told every exchange when it is about to be written. Must not throw.
   */
  constructor(file: string, redactor: Redactor, onEntry: (entry: EvidenceEntry) => void = () => undefined) {
    this.#file = file;
    this.#redactor = redactor;
    this.#onEntry = onEntry;
    // Secrets are removed when an exchange is written, which is soon, but only those that were known when it was taken.
    redactor.onMore(() => this.#redactAll());
    this.#written = pipeline(this.#gzip, createWriteStream(file)).catch((error: unknown) => {
      this.#failure ??= error;
      this.#admitAll();
    });
  }

  /** Takes what the named target is judged with. */
  describe(target: string, setting: EvidenceSetting): void {
    this.#enqueue({ format: EVIDENCE_FORMAT, target, setting });
  }

  /** Takes which exchanges each check of the named target took answers of; expected after its last exchange. */
  conclude(target: string, uses: EvidenceUses): void {
    this.#enqueue({ format: EVIDENCE_FORMAT, target, uses });
  }

  /**
   * Takes an exchange of the named target; `note` is what the harness has to say of it, `check` the requirement
   * whose check asked first.
   */
  record(target: string, exchange: Exchange, note: string | null = null, check: string | null = null): void {
    if (this.#failure !== null) return;
    this.#redactor.learn(exchange);
    this.#enqueue({
      target,
      taken: exchange,
      note: note === null ? null : this.#redactor.redact(note),
      check,
      tokens: this.#redactor
        .takeNewTokens()
        .map(({ token, label }) => this.#tellable(tokenFactsOf(token, label, this.#knownParts))),
    });
  }

  /** Resolves when little waits to be written. Whoever records much awaits it, and memory stays flat. */
  ready(): Promise<void> {
    const room = this.#waitingBytes <= WAITING_BYTES && this.#waiters.length === 0;
    if (room || this.#failure !== null) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /**
   * Writes what waits and closes the file.
   *
   * @throws EvidenceError where anything could not be written.
   */
  async close(): Promise<void> {
    await this.#pumping;
    await this.#batches.end();
    this.#gzip.end();
    await this.#written;
    if (this.#failure === null) return;
    const reason = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
    throw new EvidenceError(`the evidence could not be written to ${this.#file}: ${reason}`);
  }

  // Whatever a provider writes into a token may hold another secret.
  #tellable(facts: SecretFacts): SecretFacts {
    const jwt = facts.token?.jwt;
    if (facts.token === null || jwt == null) return facts;
    const redacted = mapStrings(jwt, (text) => this.#redactor.redact(text));
    return { ...facts, token: { ...facts.token, jwt: redacted } };
  }

  #enqueue(entry: Waiting): void {
    this.#queue.push(entry);
    this.#weights.push(weight(entry));
    this.#waitingBytes += weight(entry);
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    // A turn is left to the caller, in which the answer is read: recording costs it no writing.
    await turn();
    for (let entry = this.#next(); entry !== null; entry = this.#next()) {
      await this.#writeEntry(entry).catch((error: unknown) => {
        this.#failure ??= error;
      });
      this.#waitingBytes -= this.#weights.shift() ?? 0;
      if (this.#waitingBytes <= WAITING_BYTES) await this.#admitInTurn();
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
      const waiting = this.#queue[this.#redactedCount];
      if (waiting !== undefined) this.#queue[this.#redactedCount] = this.#redacted(waiting);
    }
  }

  #redacted(waiting: Waiting): Ready {
    if (!('taken' in waiting)) return waiting;
    const { taken, ...rest } = waiting;
    return { ...rest, exchange: this.#redactor.redactLearned(taken) };
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
    // `body` is the last member and null in the head.
    await this.#batches.text(head.slice(0, -'null}'.length));
    await this.#batches.body(body);
    await this.#batches.text('}\n');
  }

  // Resolves when gzip has read the batch, or reads nothing any more.
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

  // Each in a turn of its own, in the order of recording: what an answer sets going has come to rest before the next
  // one, so that a replay, which can do no other, sees the same requests in the same order.
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

function weight(entry: Waiting): number {
  return HEAD_BYTES + ('taken' in entry ? (entry.taken.answer?.body.length ?? 0) : 0);
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
