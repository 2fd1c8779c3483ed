import { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { KeptBodies } from './kept-bodies.ts';
import type { EvidenceLine, EvidenceSetting, SettingLine } from './line.ts';
import { EVIDENCE_FORMAT, EvidenceError } from './line.ts';
import type { EvidenceEntry } from './recorded.ts';

const LF = 0x0a;

/**
 * Reads evidence.ndjson.gz, entry by entry in the order of writing, each with the bytes of its body. The file
 * is read twice: first for which bodies are referred to again, so that only those are kept in memory, and these no
 * longer than they are needed.
 *
 * @throws EvidenceError where the file is missing, cut off, or no evidence.
 */
export async function* readEvidence(file: string): AsyncGenerator<EvidenceEntry> {
  const kept = new KeptBodies(await repeatedBodies(file));
  for await (const line of linesOf(file)) {
    const body = bodyOf(line, kept, file);
    if (line.answer !== null && line.body !== null) kept.keep(line.answer.body.sha256, body);
    yield entryOf(line, body);
  }
}

/** A line of evidence without the bytes of its body, or what a target was judged with. */
export type EvidenceHead =
  | { readonly kind: 'exchange'; readonly line: Omit<EvidenceLine, 'body'> }
  | { readonly kind: 'setting'; readonly target: string; readonly setting: EvidenceSetting };

/**
 * Reads evidence.ndjson.gz without the bodies of its answers.
 *
 * @throws EvidenceError where the file is missing, cut off, or no evidence.
 */
export async function* readEvidenceHeads(file: string): AsyncGenerator<EvidenceHead> {
  for await (const line of everyLine(file)) {
    if ('setting' in line) yield { kind: 'setting', target: line.target, setting: line.setting };
    else yield { kind: 'exchange', line };
  }
}

/** How often each body is referred to after it was given. */
async function repeatedBodies(file: string): Promise<Map<string, number>> {
  const wanted = new Map<string, number>();
  for await (const { answer, body } of linesOf(file)) {
    if (answer !== null && body === null)
      wanted.set(answer.body.sha256, (wanted.get(answer.body.sha256) ?? 0) + 1);
  }
  return wanted;
}

async function* linesOf(file: string): AsyncGenerator<EvidenceLine> {
  for await (const line of everyLine(file)) if (!('setting' in line)) yield line;
}

async function* everyLine(file: string): AsyncGenerator<EvidenceLine | SettingLine> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  // A failing source does not end what it is piped into.
  source.on('error', (error) => gunzip.destroy(error));
  let number = 0;
  try {
    for await (const text of lines(source.pipe(gunzip))) {
      number += 1;
      yield parsedLine(text, file, number);
    }
  } catch (error) {
    if (error instanceof EvidenceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new EvidenceError(`the evidence in ${file} cannot be read after line ${number}: ${reason}`);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

// Not node:readline: it also breaks lines at U+2028 and U+2029, which JSON allows inside a string.
async function* lines(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      pieces.push(chunk.subarray(from, end));
      yield Buffer.concat(pieces).toString('utf8');
      pieces = [];
      from = end + 1;
    }
    pieces.push(chunk.subarray(from));
  }
  const rest = Buffer.concat(pieces).toString('utf8');
  if (rest !== '') yield rest;
}

function parsedLine(text: string, file: string, number: number): EvidenceLine | SettingLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value === 'object' && value !== null && 'format' in value && value.format === EVIDENCE_FORMAT) {
    return value as EvidenceLine | SettingLine;
  }
  throw new EvidenceError(`line ${number} of ${file} is not in the format ${EVIDENCE_FORMAT}`);
}

function bodyOf(line: EvidenceLine, kept: KeptBodies, file: string): Uint8Array {
  if (line.answer === null) return new Uint8Array();
  if (line.body !== null) {
    return 'text' in line.body ? Buffer.from(line.body.text) : Buffer.from(line.body.base64, 'base64');
  }
  const body = kept.take(line.answer.body.sha256);
  if (body !== undefined) return body;
  throw new EvidenceError(
    `${file} refers to the body ${line.answer.body.sha256}, which no earlier line holds`,
  );
}

function entryOf(line: EvidenceLine, body: Uint8Array): EvidenceEntry {
  const { answer } = line;
  return {
    target: line.target,
    note: line.note,
    check: line.check ?? null,
    tokens: line.tokens ?? [],
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
              body,
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
