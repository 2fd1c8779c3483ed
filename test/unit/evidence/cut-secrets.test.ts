import { describe, expect, it } from 'vitest';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';

const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2lnbmF0dXJl';

function knowing(...tokens: readonly string[]): SecretRegistry {
  const secrets = new SecretRegistry();
  for (const token of tokens) secrets.addToken(token);
  return secrets;
}

describe('a sentence of Assay', () => {
  it.each([6, 20, TOKEN.length - 1])('contains no %d characters of a truncated token', (length) => {
    const cut = `the link is "/v1/printers?token=${TOKEN.slice(0, length)}…: it is absolute`;
    expect(knowing(TOKEN).redactWords(cut)).toBe('the link is "/v1/printers?token=[secret]…: it is absolute');
  });

  it('contains no escaped prefix of a secret', () => {
    const secret = 'a"b c/d\\e&f=g+h';
    const secrets = new SecretRegistry();
    secrets.add(secret, 'client-secret', '$CLIENT_SECRET');
    for (const form of [encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      expect(secrets.redactWords(`quoted ${form.slice(0, 14)}… and ${secret}.`)).toBe(
        'quoted [secret]… and [client-secret].',
      );
  });

  it('keeps text that is no prefix of a secret, and shorter prefixes', () => {
    for (const text of ['a long text…', `ends in ${TOKEN.slice(0, 5)}…`, `${TOKEN.slice(2, 12)}…`, '…'])
      expect(knowing(TOKEN).redactWords(text)).toBe(text);
  });

  it('keeps its words if a token is one letter; evidence does not', () => {
    const secrets = knowing('a', 'is', 'abc');
    expect(secrets.redactWords('a list call is answered by abc')).toBe(
      'a list call is answered by [token-3]',
    );
    expect(secrets.redact('Bearer a')).toBe('Bearer [token-1]');
    expect(secrets.redact('Bearer is')).toBe('Bearer [token-2]');
  });
});
