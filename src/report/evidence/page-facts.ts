import type { Json } from '../../core/results.ts';
import type { PageFacts } from '../data.ts';

/** Reads what pictures need of a list answer; null where the body is no list envelope. */
export function pageFacts(requestTarget: string, body: Json): PageFacts | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const envelope = body as { readonly [name: string]: Json };
  const items = envelope['items'];
  if (!Array.isArray(items)) return null;
  const [path = '', query = ''] = split(requestTarget);
  const parameters = new Map(query.split('&').map(parameter));
  const asked = parameters.get('$pagesize');
  const count = envelope['count'];
  const link = envelope['nextPageLink'];
  const ids = Int32Array.from(items.flatMap(hashOf));
  return {
    path,
    asked: asked === undefined ? null : /^\d{1,9}$/u.test(asked) ? Number(asked) : Number.NaN,
    skip: /^\d{1,12}$/u.test(parameters.get('$skip') ?? '') ? Number(parameters.get('$skip')) : 0,
    counted: parameters.get('$count') === 'true',
    items: items.length,
    count: typeof count === 'number' ? count : null,
    linked: link !== undefined && link !== null,
    linkedSkip: typeof link === 'string' ? skipOf(link) : null,
    doubled: ids.length - new Set(ids).size,
    ids,
  };
}

function skipOf(link: string): number | null {
  const skips = (split(link)[1] ?? '')
    .split('&')
    .map(parameter)
    .filter(([name]) => name === '$skip');
  const [[, skip = ''] = []] = skips;
  return skips.length === 1 && /^\d{1,12}$/u.test(skip) ? Number(skip) : null;
}

function split(requestTarget: string): readonly [string, string] {
  const question = requestTarget.indexOf('?');
  return question < 0
    ? [requestTarget, '']
    : [requestTarget.slice(0, question), requestTarget.slice(question + 1)];
}

function parameter(part: string): readonly [string, string] {
  const equals = part.indexOf('=');
  const name = equals < 0 ? part : part.slice(0, equals);
  return [decoded(name), equals < 0 ? '' : decoded(part.slice(equals + 1))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Only to tell records apart in a picture, so 32 bits do; verdicts do not come from here.
function hashOf(item: Json): readonly number[] {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return [];
  const id = (item as { readonly [name: string]: Json })['id'];
  if (typeof id !== 'string' && typeof id !== 'number') return [];
  let hash = 0x811c9dc5;
  for (const character of String(id)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return [hash];
}
