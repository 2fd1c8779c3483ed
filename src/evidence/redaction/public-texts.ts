import { bufferOf } from '../../core/exchange.ts';

const FIELDS = [
  'grant_type',
  'client_id',
  'client_secret',
  'scope',
  'access_token',
  'expires_in',
  'token_type',
];

const MEMBERS = [...FIELDS, 'items', 'nextpagelink', 'count', 'id', 'displayname', 'agent'];

/**
 * Texts of the API that stand in every run, in lower case. What lies within one of them, in any letter case, reveals nothing,
 * even if a secret is the same word.
 */
const PUBLIC_TEXTS = [
  ...FIELDS.filter((name) => name !== 'scope'),
  ...[...FIELDS, 'token', 'count', 'pagesize', 'skip', 'password'].map((name) => `${name}=`),
  ...MEMBERS.map((name) => `"${name}":`),
  ...['client_credentials', 'grant_type=password', 'jwt-bearer', '"bearer"', 'bearer ', 'bearer%20'],
  ...['/connect', '/token', '/printers', 'http://', 'https://', 'charset=utf-8'],
  ...['application/json', 'application/x-www-form-urlencoded'],
];

/** Names of request headers, in lower case. */
const PUBLIC_HEADERS = ['accept', 'authorization', 'connection', 'content-type', 'tenant', 'user-agent'];

const LONGEST = Math.max(...PUBLIC_TEXTS.map(({ length }) => length));

const PUBLIC_WORDS = new Set(PUBLIC_TEXTS.flatMap((text) => [...text.split(/\W+/), ...text.split(/[\W_]+/)]));

export function isPublicHeader(name: string): boolean {
  return PUBLIC_HEADERS.includes(name.toLowerCase());
}

/** Whether a secret is, in some letter case, a word of a public text. */
export function isPublicWord(secret: string): boolean {
  return PUBLIC_WORDS.has(secret.toLowerCase());
}

/** Whether a secret is the same in some letter case as a part of a public text. */
export function resemblesPublicText(secret: string): boolean {
  const text = secret.toLowerCase();
  return PUBLIC_TEXTS.some((one) => one.includes(text));
}

/** Whether bytes of a text are a part of a public text, and not the whole of it. */
export function isOfPublicText(
  bytes: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const from = Math.max(0, start - LONGEST);
  const around = bufferOf(bytes)
    .toString('latin1', from, end + LONGEST)
    .toLowerCase();
  return PUBLIC_TEXTS.some((text) => {
    if (text.length <= end - start) return false;
    const at = around.indexOf(text, Math.max(0, end - from - text.length));
    return at !== -1 && at + from <= start;
  });
}
