import { createHash } from 'node:crypto';
import type { Json } from '../../core/results.ts';
import type { BodyExcerpt, ExchangeView, PageFacts, ReportEntry } from '../report-data.ts';
import { type ExcerptSize, excerptJson, excerptText, type Marks, NO_MARKS } from './excerpt.ts';
import { type ListFacts, listFacts, requestFacts } from './page-facts.ts';

/** Limits for exchanges that a violation cites. */
const CITED: ExcerptSize = { head: 2, line: 400, lines: 60 };
/** Limits for all others. */
const PLAIN: ExcerptSize = { head: 1, line: 160, lines: 12 };
/** Of longer bodies only the first characters are shown: parsing them would take too long. */
const PARSED_BYTES = 1_048_576;
/** Size of the cache of bodies: the same lists and error answers occur many times. */
const MOST_REMEMBERED = 1_024;
/** Characters of a hash that identify a body within a run. */
const KEY = 16;

interface Read {
  readonly body: BodyExcerpt;
  readonly list: ListFacts | null;
}

/** Reads bodies for a report; equal bodies only once. */
export class BodyReader {
  readonly #known = new Map<string, Read>();

  /**
   * What a report shows of a body.
   *
   * @param hash of the body, as `hashOf` gives it
   * @param marks what to show of a body that is cited; null if it is not
   * @param bytes returns the body; not called if an equal one was read before
   */
  read(
    hash: string,
    { requestTarget, status }: Pick<ExchangeView, 'requestTarget' | 'status'>,
    marks: Marks | null,
    bytes: () => Uint8Array,
  ): { readonly body: BodyExcerpt; readonly page: PageFacts | null } {
    const size = marks === null ? PLAIN : CITED;
    const ok = status === 200;
    const make = (): Read => readBody(hash, bytes(), { size, marks: marks ?? NO_MARKS, ok });
    const again = marks === null || marks === NO_MARKS;
    const read = again ? this.#remembered(`${size.lines} ${ok} ${hash}`, make) : make();
    return {
      body: read.body,
      page: read.list === null ? null : { ...requestFacts(requestTarget), ...read.list },
    };
  }

  #remembered(key: string, make: () => Read): Read {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    this.#known.set(key, made);
    return made;
  }
}

/** The SHA-256 of the body of an exchange, in hexadecimal: as recorded, or else of these bytes. */
export function hashOf({ bodyHash }: ReportEntry, body: () => Uint8Array): string {
  return bodyHash ?? createHash('sha256').update(body()).digest('hex');
}

function readBody(
  hash: string,
  bytes: Uint8Array,
  { size, marks, ok }: { readonly size: ExcerptSize; readonly marks: Marks; readonly ok: boolean },
): Read {
  const text = new TextDecoder().decode(bytes.subarray(0, PARSED_BYTES));
  const value = bytes.length <= PARSED_BYTES ? parsed(text) : undefined;
  const excerpt = value === undefined ? excerptText(text, size) : excerptJson(text, marks, size, ok);
  return {
    body: { key: hash.slice(0, KEY), bytes: bytes.length, cut: excerpt.cut, lines: excerpt.lines },
    list: value === undefined || !ok ? null : listFacts(value),
  };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
