import { MAX_PAGE_SIZE } from '../core/page-size.ts';
import type { Json } from '../core/results.ts';

/** The parameters of list calls that the specification names (4.2, 4.3). */
export const LIST_PARAMETERS: readonly string[] = ['$count', '$pagesize', '$skip'];

/** One parameter of a query, decoded once. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/** A nextPageLink that was read. */
type Link = UsableLink | UnusableLink;

interface UnusableLink {
  readonly kind: 'unusable';
  /** Half a sentence. */
  readonly why: string;
  /** The limit of the target file that alone keeps it from being followed. */
  readonly limit?: 'maxLinkLength';
}

export interface UsableLink {
  /** `absolute` breaks link/relative, but can be followed: it points to the list itself. */
  readonly kind: 'relative' | 'absolute';
  /** The request target that follows it. */
  readonly target: string;
  readonly parameters: readonly Parameter[];
}

/** The address of a list: origin, the base's own path (`''` or `/int`) and the list path (`/v1/printers`). */
export interface ListAddress {
  readonly origin: string;
  readonly basePath: string;
  readonly listPath: string;
  /** Characters of the longest link that is followed. */
  readonly longestLink: number;
}

// RFC 3986, appendix B.
const REFERENCE = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

/**
 * Reads a nextPageLink (2.3: a relative link, list path plus query). The list path may be written with or without its leading
 * slash, with or without the base's own path, or left out; otherwise RFC 3986 resolves it against the list's address. A link to
 * any other place is unusable, and nothing is sent there.
 */
export function readLink(link: string, address: ListAddress): Link {
  const { longestLink: longest } = address;
  if (link.length <= longest) return readReference(link, address, false);
  // Its beginning shows where it points, which may be the more serious fault.
  const start = readReference(link.slice(0, longest), address, true);
  const why = `it is longer than ${longest} characters (limits.maxLinkLength)`;
  return start.kind === 'unusable' ? start : { kind: 'unusable', why, limit: 'maxLinkLength' };
}

/** @param cut whether it is the beginning of a link: then messages do not quote it, since it may end in part of a secret */
function readReference(link: string, address: ListAddress, cut: boolean): Link {
  if (/[\u0000-\u0020\u007f\\]/.test(link))
    return {
      kind: 'unusable',
      why: 'it holds characters that no link may hold (white space, control characters or a backslash)',
    };
  const [, scheme, authority, path = '', query = ''] = REFERENCE.exec(link) ?? [];
  const absolute = scheme !== undefined || authority !== undefined;
  const target = pathOf(path, address, absolute);
  const wrongPath = `its path is ${cut ? 'another one' : path} instead of the list path ${address.listPath}`;
  if (absolute && originOf(scheme, authority, address.origin) !== address.origin) {
    // Without slashes, a host and a port look like a scheme and a path.
    const port = authority === undefined ? /^\d+(?=\/|$)/.exec(path)?.[0] : undefined;
    const other = `another origin than ${address.origin}`;
    const words =
      port === undefined
        ? originWords(scheme, authority ?? '', other)
        : `it begins with a host and a port, ${scheme}:${port}`;
    const why = cut ? `it leads to ${other}` : words;
    const isPathWrong = target === null && port === undefined;
    return { kind: 'unusable', why: isPathWrong ? `${why}, and ${wrongPath}` : why };
  }
  if (target === null) return { kind: 'unusable', why: wrongPath };
  return {
    kind: absolute ? 'absolute' : 'relative',
    target: asciiOnly(`${target}?${query}`),
    parameters: readQuery(query),
  };
}

function originWords(scheme: string | undefined, authority: string, other: string): string {
  return scheme === undefined
    ? `it begins with //, so ${authority} is the host: ${other}`
    : `it leads to ${scheme}://${authority}, ${other}`;
}

/** What the nextPageLink of a page leads to; null if it cannot be followed. */
export function usableLink(link: Json | undefined, address: ListAddress): UsableLink | null {
  const read = typeof link !== 'string' || link === '' ? null : readLink(link, address);
  return read === null || read.kind === 'unusable' ? null : read;
}

/** Its parameters, even if its path is wrong; null if it cannot be read. */
export function linkParameters(link: Json | undefined, address: ListAddress): readonly Parameter[] | null {
  if (typeof link !== 'string' || link === '') return null;
  return usableLink(link, address)?.parameters ?? parametersOf(link);
}

/** The parameters of a request target or of a link, wherever it leads; none if it has no query. */
export function parametersOf(target: string): readonly Parameter[] {
  const question = target.indexOf('?');
  return readQuery(question < 0 ? '' : (target.slice(question + 1).split('#', 1)[0] ?? ''));
}

export function valuesOf(parameters: readonly Parameter[], name: string): readonly string[] {
  return parameters.filter((parameter) => parameter.name === name).map(({ value }) => value);
}

/** The value of a parameter that is given once, as {@link wholeNumber} reads it; null otherwise. */
export function wholeNumberIn(parameters: readonly Parameter[], name: string): number | null {
  const values = valuesOf(parameters, name);
  return values.length === 1 ? wholeNumber(values[0] ?? '') : null;
}

/** A whole number of at most 15 digits, which may be negative; null for any other text. */
export function wholeNumber(text: string): number | null {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The `$skip` of a query, 0 if it has none; null if it is no whole number or given more than once. */
export function offsetIn(parameters: readonly Parameter[]): number | null {
  return valuesOf(parameters, '$skip').length === 0 ? 0 : wholeNumberIn(parameters, '$skip');
}

/** The parameters of a query in their order; `%24count` and `$count` are the same name. */
function readQuery(query: string): readonly Parameter[] {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      return equals < 0
        ? { name: decode(part), value: '' }
        : { name: decode(part.slice(0, equals)), value: decode(part.slice(equals + 1)) };
    });
}

/** The query in a form that does not depend on the order and spelling of its parameters: to detect loops. */
export function canonicalQuery(target: string): string {
  return parametersOf(target)
    .map(({ name, value }) => JSON.stringify([name, value]))
    .sort()
    .join('&');
}

function pathOf(path: string, address: ListAddress, absolute: boolean): string | null {
  const full = address.basePath + address.listPath;
  if (path === '' && !absolute) return full;
  // The usual case.
  if (path === full) return path;
  const plain = normal(path);
  // A client that follows it removes dot segments (RFC 3986, section 5.2.4).
  if (plain === normal(full)) return /\/\.\.?(?:\/|$)/.test(path) ? full : path;
  if (absolute) return null;
  const spellings = [plain, `/${plain}`];
  if (spellings.includes(normal(address.listPath)) || spellings.includes(normal(full))) return full;
  const resolved = path.startsWith('/') ? path : full.slice(0, full.lastIndexOf('/') + 1) + path;
  return normal(resolved) === normal(full) ? full : null;
}

// Equal paths by RFC 3986, section 6.2.2: letters that need no escape, and dot segments.
function normal(path: string): string {
  const plain = path.replace(/%([0-9a-f]{2})/gi, (written, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : written.toUpperCase();
  });
  const kept: string[] = [];
  const segments = plain.split('/');
  for (const segment of segments) {
    if (segment === '..') {
      if (kept.length > 1) kept.pop();
    } else if (segment !== '.') kept.push(segment);
  }
  // Dots at the end leave the slash before them.
  if (/^\.\.?$/.test(segments.at(-1) ?? '')) kept.push('');
  return kept.join('/');
}

function originOf(scheme: string | undefined, authority: string | undefined, own: string): string | null {
  if (authority === undefined || authority.includes('@')) return null;
  const origin = `${scheme ?? new URL(own).protocol.slice(0, -1)}://${authority}`;
  return URL.canParse(origin) ? new URL(origin).origin : null;
}

// A link may hold letters beyond ASCII (an IRI); they are sent as UTF-8, percent-encoded.
function asciiOnly(target: string): string {
  return target.replace(/[^\u0021-\u007e]+/gu, (letters) => encodeURIComponent(letters.toWellFormed()));
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Whether a request target has parameters that the specification does not name: such a link may be bound to its token. */
export function hasFurtherParameters(target: string): boolean {
  return parametersOf(target).some(({ name }) => !LIST_PARAMETERS.includes(name));
}

/** Whether the query of a request target has a parameter of that decoded name. */
export function hasParameter(target: string, parameter: string): boolean {
  return parametersOf(target).some(({ name }) => name === parameter);
}

/** Whether a request target asks for a page size other than one of 1 to 500, for which nothing is specified (8). */
export function hasUnspecifiedPageSize(target: string): boolean {
  const parameters = parametersOf(target);
  if (!hasParameter(target, '$pagesize')) return false;
  const size = wholeNumberIn(parameters, '$pagesize');
  return size === null || size < 1 || size > MAX_PAGE_SIZE;
}
