/** A text with every letter in the other case; unchanged if it has no letters. */
export function swapCase(text: string): string {
  return [...text]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}

/**
 * Whether a text is a UUID in any form that UUID parsers read. Their letter case is not significant (RFC 9562,
 * section 4).
 */
export function isUuid(text: string): boolean {
  return /^(?:urn:uuid:)?[{(]?[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}[)}]?$/i.test(
    text,
  );
}
