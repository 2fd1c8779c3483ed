const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];

/** Whether a body is empty, or a JSON object or array without its end. */
export function isTruncatedJson(body: Uint8Array): boolean {
  if (body.length === 0) return true;
  let depth = 0;
  let quoted = false;
  let opened = false;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index] ?? 0;
    if (quoted) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) quoted = false;
    } else if (OPENING.includes(byte)) {
      depth++;
      opened = true;
    } else if (!opened) {
      // White space or a byte order mark may come first; anything else is not an object or array.
      if (byte > 0x20 && byte < 0x80) return false;
    } else if (byte === QUOTE) quoted = true;
    else if (CLOSING.includes(byte)) depth--;
  }
  return opened && depth > 0;
}
