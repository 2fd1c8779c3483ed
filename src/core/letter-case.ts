/** A text with every letter in the other case: equal to itself where it has none. */
export function swapCase(text: string): string {
  return [...text]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}

/**
 * Whether a text is a UUID, in any of the forms that parsers of UUIDs read: its letter case says nothing then (RFC 9562,
 * section 4).
 */
export function isUuid(text: string): boolean {
  return /^(?:urn:uuid:)?[{(]?[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}[)}]?$/i.test(
    text,
  );
}
