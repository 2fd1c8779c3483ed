import { Buffer } from 'node:buffer';
import type { Header } from '../core/exchange.ts';

const MEMBER = /"(?:access_token|refresh_token|id_token)"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")/gs;
/** Tokens taken from one body: one is the rule, and a provider must not be able to fill the memory with them. */
const MOST_TOKENS = 16;

/**
 * The tokens that a body hands out. Read by pattern and not as JSON, because a broken answer may hold a valid
 * token: the exchange is recorded before anybody has judged it.
 */
export function tokensIn(body: Uint8Array): readonly string[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!bytes.includes('_token"')) return [];
  const tokens: string[] = [];
  for (const [, literal] of bytes.toString('utf8').matchAll(MEMBER)) {
    const token = parsedString(literal ?? '');
    if (token !== '') tokens.push(token);
    if (tokens.length === MOST_TOKENS) break;
  }
  return tokens;
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
