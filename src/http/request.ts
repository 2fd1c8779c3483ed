import { type Failure, type Header, type HttpRequest, headerOf } from '../core/exchange.ts';
import { packageVersion } from '../core/package-file.ts';
import { failure } from './failure.ts';

let userAgent: string | null = null;

/**
 * The request as sent: the given headers, in their order and spelling, plus those that HTTP needs and the
 * caller omitted (Host, User-Agent, Accept-Encoding, Connection, Content-Length).
 */
export function asSent(request: HttpRequest): HttpRequest {
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
  return { ...request, headers: sent };
}

function needsLength({ method, body }: HttpRequest): boolean {
  return body !== null || method === 'POST' || method === 'PUT' || method === 'PATCH';
}

function agentName(): string {
  userAgent ??= `assay/${packageVersion()}`;
  return userAgent;
}

/**
 * Why the request cannot be sent unchanged; null if it can. A target must begin with a slash (through a
 * proxy, anything else could name another host) and be printable ASCII, because other characters would have
 * to be re-encoded.
 */
export function unsendable({ origin, target, method, headers }: HttpRequest): Failure | null {
  if (!target.startsWith('/')) {
    return failure(
      'malformed',
      `nothing was sent to ${origin}: the request target does not begin with a slash`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(target)) {
    const reason = 'the request target contains a space, a control character or a character outside ASCII';
    return failure('malformed', `nothing was sent to ${origin}: ${reason}`);
  }
  if (!/^[A-Za-z!#$%&'*+.^_`|~-]+$/.test(method) || method === 'CONNECT') {
    return failure('malformed', `nothing was sent to ${origin}: the method cannot be sent`);
  }
  const invalid = headers.find(([name, value]) => !isHeader(name, value));
  if (invalid === undefined) return null;
  return failure(
    'malformed',
    `nothing was sent to ${origin}: HTTP does not allow the header ${quote(invalid[0])}`,
  );
}

function isHeader(name: string, value: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function quote(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : '(unprintable)';
}

/**
 * Whether Assay may send requests to `origin`. Every request passes this function.
 *
 * An origin is accepted only if it is in the canonical form of `URL.origin` and equals an allowed origin.
 * Nothing is normalised, so lenient parsing (backslashes, tabs, userinfo, default ports, IDN) cannot widen
 * the check.
 */
export function mayContact(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes(origin) && isOrigin(origin);
}

/** Whether a text is an http or https origin in canonical form, such as `https://api.acme.example:8443`. */
export function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
