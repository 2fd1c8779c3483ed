/** A member of an object: decoded name and unchanged value. */
export interface MemberSlice {
  readonly name: string;
  readonly value: string;
}

/**
 * The members of an object, including duplicate names; each value is unchanged.
 *
 * @param text the object from brace to brace; valid JSON
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
 * The unchanged parts between the commas of an array or object.
 *
 * Counts brackets instead of using recursion, so that deep nesting does not exhaust the stack.
 *
 * @param text from bracket to bracket; valid JSON
 */
export function splitElements(text: string): readonly string[] {
  const slices: string[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = stringEnd(text, at) - 1;
    else if (character === 0x5b || character === 0x7b) depth += 1;
    else if (character === 0x5d || character === 0x7d) depth -= 1;
    else if (character !== COMMA) continue;
    if ((character === COMMA && depth === 1) || depth === 0) {
      slices.push(text.slice(from, at).trim());
      from = at + 1;
      if (depth === 0) break;
    }
  }
  return slices.length === 1 && slices[0] === '' ? [] : slices;
}

const QUOTE = 0x22;
const COMMA = 0x2c;

/** The position after the string that begins at `from`. */
function stringEnd(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    // A quote ends the string unless an odd number of backslashes precedes it.
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length + 1;
}
