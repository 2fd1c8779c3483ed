import { Buffer } from 'node:buffer';
import type { Exchange } from '../core/exchange.ts';

/** Receives an answer of status 200 before it is read; returns whether it began another request. */
export type Prefetch = (exchange: Exchange) => boolean;

/** The context of a page request in a traversal. */
export interface PageContext {
  readonly prefetch?: Prefetch;
  /** Number of the exchange whose answer holds the link. */
  readonly after?: number;
}

const NAME = Buffer.from('"nextPageLink"');
/** The end of the name. A search that begins with the rare letter x is faster than one for a quote. */
const ENDING = NAME.subarray(3);
/** Bytes after the name within which the link has to end. */
const REACH = 2_048;

/**
 * The nextPageLink of a body that is not parsed yet, if the name occurs once and the link has no escapes; null
 * otherwise. Only for requesting the next page early: the parsed body decides what the link is.
 */
export function earlyLink(body: Uint8Array): string | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const at = bytes.lastIndexOf(NAME);
  if (at < 0 || bytes.indexOf(ENDING) !== at + 3) return null;
  const after = bytes.toString('latin1', at + NAME.length, at + NAME.length + REACH);
  return /^\s*:\s*"([!#-[\]-~]+)"/.exec(after)?.[1] ?? null;
}
