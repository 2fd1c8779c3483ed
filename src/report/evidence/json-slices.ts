/** A member of an object: its name decoded, its value as it was written. */
export interface MemberSlice {
  readonly name: string;
  readonly value: string;
}

/**
 * The members of an object, doubled names and all, each value as it was written.
 *
 * @param text the object, from brace to brace; valid JSON
 */
export function splitMembers(text: string): readonly MemberSlice[] {
  return splitElements(text).map((slice) => {
    const end = stringEnd(slice, 0);
    return {
      name: String(JSON.parse(slice.slice(0, end))),
      value: slice.slice(slice.indexOf(':', end) + 1).trim(),
    };
  });
}

/**
 * What stands between the commas of an array or object, as it was written.
 *
 * Counts brackets in place of recursion, so that no depth of nesting exhausts the stack.
 *
 * @param text from bracket to bracket; valid JSON
 */
export function splitElements(text: string): readonly string[] {
  const slices: string[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if ((character === ',' && depth === 1) || depth === 0) {
      slices.push(text.slice(from, at).trim());
      from = at + 1;
      if (depth === 0) break;
    }
  }
  return slices.length === 1 && slices[0] === '' ? [] : slices;
}

/** The position after the string that begins at `from`. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
