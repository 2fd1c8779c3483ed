/** A part of a JSON text: where it begins, and what it holds, in the shape that yaml gives its nodes. */
export interface JsonNode {
  /** Offset of its first character. */
  readonly range: readonly [number];
  /** Of a list its elements, of an object its members. */
  readonly items?: readonly (JsonNode | JsonMember)[];
}

interface JsonMember {
  readonly key: JsonNode & { readonly value: string };
  readonly value: JsonNode;
}

/**
 * The object that a text is in JSON; null where it is none, or where YAML may read it otherwise: with a key that stands
 * twice, or a number that is not written as JavaScript writes it. Whoever needs no YAML need not load it.
 */
export function plainJson(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return JSON.stringify(value) === text.replaceAll(BLANKS, '$1') ? value : null;
  } catch {
    return null;
  }
}

/** Where the parts of a text begin that is JSON. */
export function nodesOf(text: string): JsonNode {
  const tokens = [...text.matchAll(TOKENS)];
  let next = 0;
  const read = (): JsonNode => {
    const { 0: token, index } = tokens[next++] as RegExpExecArray;
    if (token !== '{' && token !== '[') return { range: [index] };
    const items: (JsonNode | JsonMember)[] = [];
    while (!/^[}\]]$/u.test(tokens[next]?.[0] ?? '}')) {
      items.push(token === '{' ? member() : read());
      if (tokens[next]?.[0] === ',') next++;
    }
    next++;
    return { range: [index], items };
  };
  const member = (): JsonMember => {
    const { 0: key, index } = tokens[next] as RegExpExecArray;
    // The key itself, and the colon behind it.
    next += 2;
    return { key: { range: [index], value: JSON.parse(key) as string }, value: read() };
  };
  return read();
}

const BLANKS = /("(?:[^"\\]|\\.)*")|\s+/gu;
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu;
