import { Buffer } from 'node:buffer';
import type { Exchange } from '../core/exchange.ts';

/** Told an answer of status 200 before it is read; true where it set another request going. */
export type Prefetch = (exchange: Exchange) => boolean;

/** How a page is asked for in a traversal. */
export interface PageContext {
  readonly prefetch?: Prefetch;
  /** Number of the exchange that gave its link. */
  readonly after?: number;
}

const NAME = Buffer.from('"nextPageLink"');
/** What the name ends with: its first letter is rare, while there are quotes everywhere, and looking for them takes long. */
const ENDING = NAME.subarray(3);
/** Bytes after the name in which the link has to end. */
const REACH = 2_048;

/**
 * The nextPageLink of a body that nobody has parsed yet, where it stands there once and plainly; null otherwise. Only
 * good for asking early: what the link is, the parsed body tells.
 */
export function earlyLink(body: Uint8Array): string | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const at = bytes.lastIndexOf(NAME);
  if (at < 0 || bytes.indexOf(ENDING) !== at + 3) return null;
  const after = bytes.toString('latin1', at + NAME.length, at + NAME.length + REACH);
  return /^\s*:\s*"([!#-[\]-~]+)"/.exec(after)?.[1] ?? null;
}
