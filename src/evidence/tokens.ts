import { Buffer } from 'node:buffer';
import type { Header } from '../core/exchange.ts';

const MEMBER = /"(?:access_token|refresh_token|id_token)"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")/gs;
/** Tokens taken from one body: one is the rule, and a provider must not be able to fill the memory with them. */
const MOST_TOKENS = 16;
/** Bytes looked at in one go, and how far the next piece reaches back: the longest token found across an edge. */
const WINDOW_BYTES = 1_048_576;
const OVERLAP_BYTES = 131_072;

/**
 * The tokens that a body hands out. Read by pattern and not as JSON, because a broken answer may hold a valid
 * token: the exchange is recorded before anybody has judged it.
 */
export function tokensIn(body: Uint8Array): readonly string[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const tokens = new Set<string>();
  for (let at = 0; at < bytes.length; at += WINDOW_BYTES) {
    const window = bytes.subarray(Math.max(0, at - OVERLAP_BYTES), at + WINDOW_BYTES);
    if (!window.includes('_token"')) continue;
    for (const [, literal] of window.toString('utf8').matchAll(MEMBER)) {
      const token = parsedString(literal ?? '');
      if (token !== '') tokens.add(token);
      if (tokens.size === MOST_TOKENS) return [...tokens];
    }
  }
  return [...tokens];
}

function parsedString(literal: string): string {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : '';
  } catch {
    return literal.slice(1, -1);
  }
}

/** What stands behind the scheme in each Authorization header, such as the token behind `Bearer`. */
export function credentialsIn(headers: readonly Header[]): readonly string[] {
  return (
    headers
      .filter(([name]) => name.toLowerCase() === 'authorization')
      .map(([, value]) => /^\S+\s+(.+)$/s.exec(value.trim())?.[1] ?? value.trim())
      // The scheme alone is no credential, whatever it resembles.
      .filter((credential) => credential.toLowerCase() !== 'bearer')
  );
}
