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
export class OpaqueText {
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

  /**
   * The text with everything masked that looks like a credential: 16 characters and more in one piece that are not
   * words.
   */
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

/** The text with every character masked. */
export function maskAll(text: string): string {
  return MASK.repeat(text.length);
}

/**
 * Whether a text consists of nothing but words: in lower case, capitalised or in upper case, as in `oauth2` or `IIS`.
 */
export function isWording(text: string): boolean {
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
