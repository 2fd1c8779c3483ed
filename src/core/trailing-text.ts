/** The text without all of this character at its end. A pattern such as `=+$` takes quadratic time on hostile text. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
