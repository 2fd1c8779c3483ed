/** A node of a JSON text with its offset, in the shape of the yaml package's nodes. */
export interface JsonNode {
  /** Offset of its first character. */
  readonly range: readonly [number];
  /** The elements of a list or the members of an object. */
  readonly items?: readonly (JsonNode | JsonMember)[];
}

interface JsonMember {
  readonly key: JsonNode & { readonly value: string };
  readonly value: JsonNode;
}

/**
 * The object in a JSON text; null if it is not JSON, or if YAML could read it differently (duplicate keys,
 * unusual numbers). A JSON file then needs no YAML parser.
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

/** The nodes of a JSON text. */
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
    // The key and its colon.
    next += 2;
    return { key: { range: [index], value: JSON.parse(key) as string }, value: read() };
  };
  return read();
}

const BLANKS = /("(?:[^"\\]|\\.)*")|\s+/gu;
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu;
