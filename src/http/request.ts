import type { Failure, Header, HttpRequest } from '../core/exchange.ts';
import { headerOf } from '../core/exchange.ts';
import { packageVersion } from '../core/package-file.ts';
import { failure } from './failure.ts';
import { HeaderCache } from './header-cache.ts';

let userAgent: string | null = null;

/**
 * The request as it goes on the wire: the headers given, in their order and spelling, between those that HTTP
 * needs and nobody gave (Host, User-Agent, Accept-Encoding, Connection, Content-Length).
 *
 * @param known headers of requests before, to be given again where they are equal
 */
export function asSent(request: HttpRequest, known = new HeaderCache()): HttpRequest {
  const { headers } = request;
  const absent = (name: string): boolean => headerOf(headers, name) === null;
  const sent: Header[] = [];
  if (absent('host')) sent.push(['Host', request.origin.replace(/^https?:\/\//, '')]);
  sent.push(...headers);
  if (absent('user-agent')) sent.push(['User-Agent', agentName()]);
  if (absent('accept-encoding')) sent.push(['Accept-Encoding', 'gzip, deflate, br']);
  if (absent('connection')) sent.push(['Connection', 'keep-alive']);
  if (needsLength(request) && absent('content-length') && absent('transfer-encoding')) {
    sent.push(['Content-Length', String(Buffer.byteLength(request.body ?? ''))]);
  }
  return { ...request, headers: sent.map(([name, value]) => known.shared(name, value)) };
}

function needsLength({ method, body }: HttpRequest): boolean {
  return body !== null || method === 'POST' || method === 'PUT' || method === 'PATCH';
}

function agentName(): string {
  userAgent ??= `assay/${packageVersion()}`;
  return userAgent;
}

/**
 * What keeps the request from being put on a wire as it stands; null where nothing does. A target must begin
 * with a slash (in front of a proxy anything else could name another host) and be printable ASCII, because
 * HTTP has no spelling for the rest and re-encoding it would no longer be what was asked for.
 */
export function unsendable({ origin, target, method, headers }: HttpRequest): Failure | null {
  if (!target.startsWith('/')) {
    return failure(
      'malformed',
      `nothing was sent to ${origin}: the request target does not begin with a slash`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(target)) {
    const what = 'the request target holds a space, a control character or a character outside ASCII';
    return failure('malformed', `nothing was sent to ${origin}: ${what}`);
  }
  if (!/^[A-Za-z!#$%&'*+.^_`|~-]+$/.test(method) || method === 'CONNECT') {
    return failure('malformed', `nothing was sent to ${origin}: the method cannot be sent`);
  }
  const odd = headers.find(([name, value]) => !isHeader(name, value));
  if (odd === undefined) return null;
  return failure(
    'malformed',
    `nothing was sent to ${origin}: HTTP does not allow the header ${quote(odd[0])}`,
  );
}

function isHeader(name: string, value: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function quote(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : '(unprintable)';
}
