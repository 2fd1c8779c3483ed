/** The text without all of this character at its end. A pattern such as `=+$` takes quadratic time on hostile text. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** The regular expression for a complete match of a glob: `*` matches any characters, `?` a single one. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/[\\^$.*+?()[\]{}|]/gu, (character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : `\\${character}`;
  });
  return new RegExp(`^${source}$`, 'u');
}

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

/** A text as one word of a POSIX shell, in single quotes. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
