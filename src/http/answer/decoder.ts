import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

const MAX_CODINGS = 4;

/**
 * The content codings of an answer in the order in which they were applied, without `identity`. Null if one
 * is unknown or if there are more than MAX_CODINGS, which only an attack sends.
 */
export function codingsOf(headers: readonly (readonly [string, string])[]): readonly string[] | null {
  const codings = headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return codings.length <= MAX_CODINGS && codings.every(isKnown) ? codings : null;
}

function isKnown(coding: string): boolean {
  return ['gzip', 'x-gzip', 'deflate', 'br'].includes(coding);
}

/**
 * A stream that undoes one of the codings that `codingsOf` returns.
 *
 * @param first the first bytes of the coded data
 */
export function decoderFor(coding: string, first: Buffer): Transform {
  if (coding === 'br') return createBrotliDecompress();
  if (coding !== 'deflate') return createGunzip();
  // `deflate` means the zlib format (RFC 9110, 8.4.1.2), but many servers send raw deflate data. Only the zlib format
  // begins with method 8 and a window of at most 32 KiB.
  return ((first[0] ?? 0) & 0x8f) === 0x08 ? createInflate() : createInflateRaw();
}
