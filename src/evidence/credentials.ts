import type { Header } from '../core/exchange.ts';

/** The credentials after the scheme in each Authorization header, such as the token after `Bearer`. */
export function credentialsIn(headers: readonly Header[]): readonly string[] {
  return (
    headers
      .filter(([name]) => name.toLowerCase() === 'authorization')
      .map(([, value]) => /^\S+\s+(.+)$/s.exec(value.trim())?.[1] ?? value.trim())
      // A scheme without credentials is not a credential.
      .filter((credential) => credential.toLowerCase() !== 'bearer')
  );
}
