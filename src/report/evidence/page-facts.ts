import type { Json } from '../../core/results.ts';
import type { PageFacts } from '../report-data.ts';

/** The parameters of a list request. */
export type RequestFacts = Pick<PageFacts, 'path' | 'requestedSize' | 'skip' | 'counted'>;

/** The contents of a list answer, regardless of the request. */
export type ListFacts = Omit<PageFacts, keyof RequestFacts>;

/** Facts for charts from the target of a list request. */
export function requestFacts(requestTarget: string): RequestFacts {
  const [path = '', query = ''] = split(requestTarget);
  const parameters = new Map(query.split('&').map(parameter));
  const size = parameters.get('$pagesize');
  return {
    path,
    requestedSize: size === undefined ? null : /^\d{1,9}$/u.test(size) ? Number(size) : Number.NaN,
    skip: /^\d{1,12}$/u.test(parameters.get('$skip') ?? '') ? Number(parameters.get('$skip')) : 0,
    counted: parameters.get('$count') === 'true',
  };
}

/** Facts for charts from a list answer; null if the body is not a list envelope. */
export function listFacts(body: Json): ListFacts | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const envelope = body as { readonly [name: string]: Json };
  const items = envelope['items'];
  if (!Array.isArray(items)) return null;
  const count = envelope['count'];
  const link = envelope['nextPageLink'];
  const ids = hashesOf(items);
  return {
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

// Used only in charts, not for verdicts, so 32 bits are enough.
function hashesOf(items: readonly Json[]): Int32Array {
  const hashes = new Int32Array(items.length);
  let length = 0;
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) continue;
    const id = (item as { readonly [name: string]: Json })['id'];
    if (typeof id !== 'string' && typeof id !== 'number') continue;
    hashes[length] = hashOf(String(id));
    length += 1;
  }
  return hashes.slice(0, length);
}

function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash;
}
