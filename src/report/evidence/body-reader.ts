import { createHash } from 'node:crypto';
import type { Json } from '../../core/results.ts';
import type { BodyExcerpt, ExchangeView, PageFacts, ReportEntry } from '../report-data.ts';
import { type ExcerptSize, excerptJson, excerptText, type Marks, NO_MARKS } from './excerpt.ts';
import { type ListFacts, listFacts, requestFacts } from './page-facts.ts';

/** Excerpt limits for exchanges that a violation cites. */
const CITED: ExcerptSize = { head: 2, line: 400, lines: 60 };
/** Excerpt limits for all other exchanges. */
const PLAIN: ExcerptSize = { head: 1, line: 160, lines: 12 };
/** Longer bodies are shown as text, because parsing takes too long. */
const PARSED_BYTES = 1_048_576;
/** Most bodies in the cache: the same lists and error answers occur many times. */
const MAX_CACHED = 1_024;
/** Hash characters that identify a body within a run. */
const KEY_CHARACTERS = 16;

interface ReadBody {
  readonly body: BodyExcerpt;
  readonly list: ListFacts | null;
}

/** Reads bodies for a report; equal bodies only once. */
export class BodyReader {
  readonly #known = new Map<string, ReadBody>();

  /**
   * Returns the excerpt and the facts of a body for a report.
   *
   * @param hash of the body, from `hashOf`
   * @param marks what to mark in a cited body; null if it is not cited
   * @param bytes returns the body; not called if an equal body was read before
   */
  read(
    hash: string,
    { requestTarget, status }: Pick<ExchangeView, 'requestTarget' | 'status'>,
    marks: Marks | null,
    bytes: () => Uint8Array,
  ): { readonly body: BodyExcerpt; readonly page: PageFacts | null } {
    const size = marks === null ? PLAIN : CITED;
    const ok = status === 200;
    const readNow = (): ReadBody => readBody(hash, bytes(), { size, marks: marks ?? NO_MARKS, ok });
    const isCacheable = marks === null || marks === NO_MARKS;
    const read = isCacheable ? this.#cached(`${size.lines} ${ok} ${hash}`, readNow) : readNow();
    return {
      body: read.body,
      page: read.list === null ? null : { ...requestFacts(requestTarget), ...read.list },
    };
  }

  #cached(key: string, readNow: () => ReadBody): ReadBody {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const result = readNow();
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    this.#known.set(key, result);
    return result;
  }
}

/**
 * The SHA-256 of the body of an exchange in hexadecimal: the recorded one, or else computed from the bytes.
 */
export function hashOf({ bodyHash }: ReportEntry, body: () => Uint8Array): string {
  return bodyHash ?? createHash('sha256').update(body()).digest('hex');
}

function readBody(
  hash: string,
  bytes: Uint8Array,
  { size, marks, ok }: { readonly size: ExcerptSize; readonly marks: Marks; readonly ok: boolean },
): ReadBody {
  const text = new TextDecoder().decode(bytes.subarray(0, PARSED_BYTES));
  const value = bytes.length <= PARSED_BYTES ? parseJson(text) : undefined;
  const excerpt = value === undefined ? excerptText(text, size) : excerptJson(text, marks, size, ok);
  return {
    body: { key: hash.slice(0, KEY_CHARACTERS), bytes: bytes.length, cut: excerpt.cut, lines: excerpt.lines },
    list: value === undefined || !ok ? null : listFacts(value),
  };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
