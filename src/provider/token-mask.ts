import { Buffer, isUtf8 } from 'node:buffer';
import { bufferOf, type Exchange, type Header, type HttpAnswer } from '../core/exchange.ts';
import type { Target } from '../target/target.ts';
import { isSecretHeader } from '../target/target.ts';
import { readJson } from './json-reader.ts';
import { type JsonPosition, rewritten } from './json-rewriter.ts';
import { ambiguousNames, assignmentIn, isTokenRequest, tokenGivenBy } from './token-answer.ts';

/** Members of the outermost object whose values are shown: they say how a token is used, or why there is none. */
const HARMLESS: ReadonlySet<string> = new Set(['token_type', 'scope', 'error', 'error_description']);
/** A lifetime given as a string, which breaks token/shape: a number that would be shown if it were one. */
const LIFETIME_AS_STRING = /^-?\d{1,10}(?:\.\d{1,3})?$/;
/** Characters of the longest value of these in which masked ones are looked for. */
const MAX_SEARCHED_CHARACTERS = 2048;
/** Characters of the longest member name that is shown: a longer one may be a token. */
const MAX_NAME_CHARACTERS = 19;
/** Longer names of RFC 6749 and of products. */
const LONG_NAMES: ReadonlySet<string> = new Set([
  'refresh_token_expires_in',
  'access_token_expires_in',
  'refresh_token_expires_at',
]);
/** Digits of the longest number that is shown. */
const MAX_NUMBER_CHARACTERS = 15;
/** Characters of a masked value from which it is looked for in the values that are shown. */
const SHORTEST_SOUGHT = 6;

/**
 * Masks whatever may be a credential in an answer of the token endpoint, before anything reads it. Member names, types and
 * lengths stay. So do the one token that the client uses, and long cookies that come with it, which the redactor has to know
 * (see {@link longCookiesOf}). Every other exchange is returned as it is.
 */
export function maskTokenAnswer(exchange: Exchange, { limits, credentials }: Target): Exchange {
  const { answer } = exchange;
  if (answer === null || !isTokenRequest(exchange.request)) return exchange;
  const token = tokenGivenBy(exchange, limits.maxJsonDepth);
  const opaque = new OpaqueText(credentials.scope.split(/\s+/));
  const masked = {
    ...answer,
    statusText: opaque.maskOpaque(answer.statusText),
    headers: answer.headers.map((header) =>
      token !== null && hasLongCookie(header) ? maskAttributes(header, opaque) : maskHeader(header, opaque),
    ),
    body: maskBody(answer, token, opaque, limits.maxJsonDepth),
  };
  return { ...exchange, answer: masked };
}

/** Characters of the shortest cookie that is kept, and redacted: a shorter one occurs by chance in other texts. */
const LONG_COOKIE = 16;
/** What replaces such a cookie in evidence, in square brackets. */
export const COOKIE_LABEL = 'token-cookie';

/** The values of the long cookies of a token answer, which may be credentials; in a replay, their label. */
export function longCookiesOf({ request, answer }: Exchange): readonly string[] {
  if (answer === null || !isTokenRequest(request)) return [];
  return answer.headers.filter(hasLongCookie).map(([, value]) => cookieIn(value));
}

/** Whether a header of a token answer sets a long cookie. */
export function hasLongCookie([name, value]: Header): boolean {
  const cookie = cookieIn(value);
  const isLong = cookie.length >= LONG_COOKIE && !cookie.includes(MASK);
  return name.toLowerCase() === 'set-cookie' && (isLong || cookie === `[${COOKIE_LABEL}]`);
}

/** The header of a cookie, of which name and value are kept. */
function maskAttributes([name, value]: Header, opaque: OpaqueText): Header {
  const end = value.indexOf(';');
  return end === -1 ? [name, value] : [name, value.slice(0, end) + opaque.maskOpaque(value.slice(end))];
}

function cookieIn(header: string): string {
  const [pair = ''] = header.split(';', 1);
  return pair.slice(pair.indexOf('=') + 1).trim();
}

function maskHeader([name, value]: Header, opaque: OpaqueText): Header {
  if (name.toLowerCase() === 'location') return [name, maskUrl(value, opaque)];
  const isSecret = isSecretHeader(name) && !name.toLowerCase().startsWith('www-');
  return [opaque.maskOpaque(name), isSecret ? opaque.maskWords(value) : opaque.maskOpaque(value)];
}

/** Scheme, user, host with port, and the rest of an absolute URL. */
const ABSOLUTE_URL = /^(https?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)(.*)$/is;

/** A URL with everything masked that may be a credential. An address is none: it shows where a redirect leads. */
function maskUrl(url: string, opaque: OpaqueText): string {
  const [, scheme, user, host, rest] = ABSOLUTE_URL.exec(url) ?? [];
  if (scheme === undefined || host === undefined || rest === undefined) return opaque.maskOpaque(url);
  const labels = host.split('.').map((label) => opaque.maskOpaque(label));
  return `${scheme}${user === undefined ? '' : `${maskAll(user)}@`}${labels.join('.')}${opaque.maskOpaque(rest)}`;
}

function maskBody(answer: HttpAnswer, token: string | null, opaque: OpaqueText, depth: number): Uint8Array {
  const bytes = bufferOf(answer.body);
  if (isUtf8(bytes)) {
    const read = readJson(answer, depth);
    return read.ok
      ? maskJson(bytes, token, ambiguousNames(bytes, read, depth), opaque)
      : Buffer.from(maskText(bytes.toString('utf8'), token, opaque));
  }
  const masked = Buffer.from(maskText(bytes.toString('latin1'), token, opaque), 'latin1');
  // Keeps the body from becoming valid UTF-8: 0xff never occurs in it.
  for (const [at, byte] of bytes.entries()) if (byte >= 0x80) masked[at] = 0xff;
  return masked;
}

/** The text with all words masked except known ones and the token. */
function maskText(text: string, token: string | null, opaque: OpaqueText): string {
  const assignment = token === null ? null : assignmentIn(text);
  if (assignment === null || assignment.token !== token) return opaque.maskWords(text);
  return (
    opaque.maskWords(text.slice(0, assignment.from)) +
    text.slice(assignment.from, assignment.to) +
    opaque.maskWords(text.slice(assignment.to))
  );
}

/**
 * The JSON text with its values masked. Two passes: what is masked in one place must not be shown in another.
 *
 * @param ambiguous names of which it is open which value counts: none of their values is shown
 */
function maskJson(
  text: Buffer,
  token: string | null,
  ambiguous: ReadonlySet<string>,
  opaque: OpaqueText,
): Buffer {
  /** Values that are masked, to be masked where other values repeat them. */
  const sought = new Set<string>();
  const isShown = (value: string, { depth, name, isMember }: JsonPosition): boolean => {
    if (depth !== 1 || !isMember || ambiguous.has(name ?? '')) return false;
    return HARMLESS.has(name ?? '') || (name === 'expires_in' && LIFETIME_AS_STRING.test(value));
  };
  const masked = (value: string): string => {
    if (value.length >= SHORTEST_SOUGHT && !isWording(value)) sought.add(value);
    const holdsToken = token !== null && assignmentIn(value)?.token === token;
    return holdsToken ? maskText(value, token, opaque) : maskAll(value);
  };
  const pass = (show: (value: string) => string): Buffer =>
    rewritten(text, {
      maxStringBytes: Number.POSITIVE_INFINITY,
      name: (name) => (name.length <= MAX_NAME_CHARACTERS || LONG_NAMES.has(name) ? null : maskAll(name)),
      number: ({ name, isMember }, written) => {
        const isShort = written.length <= MAX_NUMBER_CHARACTERS;
        return isShort || (isMember && name === 'expires_in') ? null : written.replace(/\d/g, '1');
      },
      text: (value, place) => {
        if (place.isMember && place.name === 'access_token' && value === token) return null;
        const made = isShown(value, place) ? show(value) : masked(value);
        // What did not change stays as it was written.
        return made === value ? null : made;
      },
    });
  pass(String);
  return pass((value) => opaque.maskOpaque(without(sought, value)));
}

// Letters and digits only: what separates them decides whether a scope is a list.
function without(values: ReadonlySet<string>, text: string): string {
  if (text.length > MAX_SEARCHED_CHARACTERS) return text;
  let left = text;
  for (const value of values)
    if (left.includes(value)) left = left.replaceAll(value, value.replace(/\w/g, maskAll));
  return left;
}

/** Replaces each masked character. */
const MASK = '*';

/** Characters that separate words in a text of any kind: they show its structure and nothing of a credential. */
const WORD = /[^\s{}[\]()<>"'`:,;=&/|\ufeff]+/g;
/** Characters that a token may consist of (RFC 6750, 2.1), those of percent escapes included. */
const RUN = /[\w.~+/%=-]{16,}/g;
/** Letters in one piece, beyond which they are not a word of any language. */
const MAX_WORD_CHARACTERS = 20;

/** Words that token endpoints, proxies and frameworks use, and that no token consists of. */
const VOCABULARY: ReadonlySet<string> = new Set(
  `access_token refresh_token id_token token token_type expires_in expires expiry scope scopes bearer null true false
  error error_description error_uri invalid_request invalid_client invalid_grant unauthorized_client
  unsupported_grant_type invalid_scope access_denied server_error temporarily_unavailable client_credentials
  grant_type client_id client_secret accesstoken expiresin tokentype 3600 0 1
  xml version encoding utf-8 standalone doctype html head body title meta charset content name link rel href style
  script div span p a b i h1 h2 h3 hr br center pre table tr td th ul li form input lang en class id amp lt gt quot apos nbsp
  not found bad gateway request unauthorized forbidden internal server service unavailable too many requests timeout
  method allowed moved permanently temporarily error: the is was of and or to for no this that please try again later
  application json text plain octet-stream x-www-form-urlencoded problem problem+json
  no-store no-cache private public max-age must-revalidate stale-while-revalidate stale-if-error immutable
  includesubdomains preload strict-origin-when-cross-origin path domain secure httponly samesite strict lax none
  nginx apache cloudflare kestrel microsoft-iis`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
/** HTTP status codes. */
const STATUS = /^[1-5]\d\d$/;

/** Characters of the shortest known text that is kept within a longer one: fewer may stand in a token by chance. */
const SHORTEST_KNOWN = 8;

/** Masks in texts of a provider what may be a credential; every character by an asterisk. */
class OpaqueText {
  readonly #known: ReadonlySet<string>;
  readonly #within: RegExp | null;

  /** @param known words that are kept, whatever they look like */
  constructor(known: readonly string[]) {
    this.#known = new Set(known);
    const within = known.filter((word) => word.length >= SHORTEST_KNOWN);
    const longestFirst = within.sort((one, other) => other.length - one.length).map(quoted);
    this.#within = longestFirst.length === 0 ? null : new RegExp(`(${longestFirst.join('|')})`);
  }

  /** The text with every word masked that is neither known nor part of its structure. */
  maskWords(text: string): string {
    return text.replace(WORD, (word) => {
      const bare = word.replace(/(?<![.!?])[.!?]+$/, '').toLowerCase();
      return VOCABULARY.has(bare) || STATUS.test(word) || this.#known.has(word) ? word : maskAll(word);
    });
  }

  /** The text with everything masked that looks like a credential: 16 characters and more in one piece that are not words. */
  maskOpaque(text: string): string {
    const pieces = this.#within === null ? [text] : text.split(this.#within);
    // Known words have odd indexes.
    return pieces
      .map((piece, place) =>
        place % 2 === 1
          ? piece
          : piece.replace(RUN, (run) => (isDirective(run) || isWording(run) ? run : maskAll(run))),
      )
      .join('');
  }
}

function maskAll(text: string): string {
  return MASK.repeat(text.length);
}

/** Whether a text consists of nothing but words: in lower case, capitalised or in upper case, as in `oauth2` or `IIS`. */
function isWording(text: string): boolean {
  return text
    .split(/[^A-Za-z0-9]+/)
    .every((part) => part.length <= MAX_WORD_CHARACTERS && /^(?:[A-Z]?[a-z]*|[A-Z]*)\d{0,2}$/.test(part));
}

/** Whether it is a directive of a header such as `max-age=31536000`, or a known word. */
function isDirective(run: string): boolean {
  const [name = '', value = '0', ...more] = run.toLowerCase().split('=');
  return VOCABULARY.has(name) && more.length === 0 && /^\d{1,10}$/.test(value);
}

function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
