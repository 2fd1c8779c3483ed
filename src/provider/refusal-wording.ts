import { type Exchange, type HttpAnswer, headerOf, headerValues } from '../core/exchange.ts';
import { isJsonObject, parsedJson } from '../core/json-text.ts';

/** Whether a refusal says that the scope of the token is too small (RFC 6750, 3.1). */
export function isAboutScope(answer: HttpAnswer): boolean {
  return (answer.status === 401 || answer.status === 403) && wordingOf(answer).includes('insufficient_scope');
}

/** Challenges with which a browser or an intranet asks for a password (RFC 7617, RFC 7616, RFC 4559). */
const SITE_CHALLENGE = /^(?:basic|digest|negotiate|ntlm)\b/i;

/** Whether a refusal asks for a password, and not for a token. */
export function asksForPassword({ headers }: HttpAnswer): boolean {
  const challenges = headerValues(headers, 'www-authenticate');
  return (
    challenges.some((value) => SITE_CHALLENGE.test(value)) &&
    !challenges.some((value) => /\bbearer\b/i.test(value))
  );
}

/** Whether a refusal mentions a tenant. */
export function isAboutTenant(answer: HttpAnswer): boolean {
  return wordingOf(answer).includes('tenant');
}

/** Bytes of a refusal in which words are looked for. */
export const MAX_WORDING_BYTES = 16_384;

/** What a refusal says of its reason, in lower case: its challenge and its body. */
export function wordingOf({ headers, body }: HttpAnswer): string {
  const challenge = headerOf(headers, 'www-authenticate') ?? '';
  return `${challenge}\n${new TextDecoder().decode(body.subarray(0, MAX_WORDING_BYTES))}`.toLowerCase();
}

/** Whether an answer is a web page, whatever its status. */
export function isHtml(answer: HttpAnswer): boolean {
  const type = headerOf(answer.headers, 'content-type') ?? '';
  if (/\bjson\b/iu.test(type)) return false;
  const start = readText(answer).slice(0, 200);
  if (/^\s*<(?:!doctype\s+html|html|head|body)\b/iu.test(start)) return true;
  // PHP sends JSON as text/html by default.
  return /text\/html|application\/xhtml/iu.test(type) && !/^\s*[{[]/.test(start);
}

export function readText({ body }: HttpAnswer): string {
  return new TextDecoder().decode(body);
}

/** The error code of RFC 6749 that an answer gives; null if it gives none. */
export function oauthError(answer: HttpAnswer): string | null {
  const body = parsedJson(readText(answer));
  const code = isJsonObject(body) ? body['error'] : undefined;
  return typeof code === 'string' && /^[\w.-]{1,60}$/u.test(code) ? code : null;
}

/** What a request was answered, as a clause. */
export function answered({ request, answer }: Exchange): string {
  return `${request.method} ${request.origin}${request.target} was answered ${answer?.status}`;
}
