import type { Header } from '../core/exchange.ts';

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
