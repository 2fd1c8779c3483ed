import { Buffer } from 'node:buffer';
import {
  type Exchange,
  type Header,
  type HttpAnswer,
  type HttpRequest,
  headerValues,
} from '../../core/exchange.ts';
import type { RecordedExchange } from '../line.ts';
import { isOfPublicText, isPublicHeader, isPublicWord, resemblesPublicText } from './public-texts.ts';
import { type Found, type Pattern, Scanner } from './scanner.ts';
import { base64Forms, encodedField, formsOf } from './secret-forms.ts';
import { LONGEST_ESCAPE, readingsOf } from './unescape.ts';

/** Secrets shorter than this many characters are replaced only as whole words. */
const MIN_SUBSTRING_CHARACTERS = 6;
/** Secrets of at most this many characters occur in any sentence. */
const MAX_TINY_CHARACTERS = 2;
/** A bearer credential that shares so many first or last characters with a secret is an altered copy of it. */
const SHARED_CHARACTERS = 6;
/** Longest part of a secret that is searched for, in characters. Without this prefix, the rest is useless. */
const MAX_SEARCHED_CHARACTERS = 65_536;
/** Most redacted texts that are kept, and their most characters. */
const MAX_TEXTS = 1_024;
const MAX_TEXT_CHARACTERS = 1_024;
/** Bytes searched at a time. Undoing escapes takes several times the memory of the text. */
const WINDOW_BYTES = 262_144;

/**
 * Replaces every known secret by its label in square brackets. It finds a secret as it is, in lower or upper
 * case, in base64, base64url or base32 with any neighbours, in hexadecimal, in UTF-16, form-encoded, with
 * characters escaped as in URLs, JSON, programs, HTML or quoted-printable, and broken by header folding.
 *
 * A secret of fewer than six characters is replaced only if no letter, digit, `_` or `-` is next to it, and
 * not in base64; otherwise it would damage every text. An empty secret is ignored. Overlapping secrets are
 * replaced together by the label of the longest. A part of a text of the API stays, such as `secret` in `client_secret=`.
 *
 * Redact a text before you truncate it: part of a secret is not recognised.
 */
export class Redactor {
  readonly #scanner = new Scanner();
  readonly #labels = new Map<string, string>();
  /** Patterns of secrets in lower and upper case, by their text. */
  readonly #otherCases = new Map<string, Pattern>();
  /** Headers and paths recur in every exchange. */
  readonly #redactedTexts = new Map<string, string>();
  #longestForm = 0;
  /** Secrets that are the same as a part of a public text. */
  readonly #public = new Set<string>();
  #tokenCount: number;
  #alteredCount = 0;
  readonly #newTokens: { readonly token: string; readonly label: string }[] = [];

  /** `tokensBefore` is the number of token labels in use: the first new one is `token-1` plus this number. */
  constructor(tokensBefore = 0) {
    this.#tokenCount = tokensBefore;
  }

  /** Adds a secret. Its first label stays. */
  add(whole: string, label: string): void {
    const secret = searchedPart(whole);
    if (secret === '' || this.#labels.has(secret)) return;
    this.#labels.set(secret, label);
    this.#redactedTexts.clear();
    if (resemblesPublicText(secret)) this.#public.add(secret);
    // The secret equals another secret in the other letter case: from now on it has its own label.
    const otherCase = this.#otherCases.get(secret);
    if (otherCase !== undefined) otherCase.label = label;
    const isCommon = secret.length <= MAX_TINY_CHARACTERS || isPublicWord(secret);
    if (secret.length < MIN_SUBSTRING_CHARACTERS) {
      this.#addPattern({ bytes: Buffer.from(secret), label, wholeToken: true, isCommon });
      return;
    }
    this.#addForms(formsOf(secret), label, isCommon);
    for (const text of new Set([secret.toLowerCase(), secret.toUpperCase()])) {
      if (this.#labels.has(text) || this.#otherCases.has(text)) continue;
      const pattern = { bytes: Buffer.from(text), label, wholeToken: false, isCommon };
      this.#otherCases.set(text, pattern);
      this.#addPattern(pattern);
    }
  }

  /** Adds a client id and secret as in Basic authentication: base64 of `id:secret`, form-encoded or not. */
  addBasic(id: string, secret: string, label: string): void {
    if (secret === '') return;
    this.#redactedTexts.clear();
    const pairs = [`${id}:${secret}`, `${encodedField(id)}:${encodedField(secret)}`];
    for (const pair of pairs) this.#addForms(base64Forms(Buffer.from(pair)), label);
  }

  /** Adds an access token as `token-1`, `token-2` and so on. Returns its label. */
  addToken(whole: string): string {
    const token = searchedPart(whole);
    const known = this.#labels.get(token);
    if (known !== undefined) return known;
    this.#tokenCount += 1;
    const label = `token-${this.#tokenCount}`;
    this.add(token, label);
    this.#newTokens.push({ token, label });
    return label;
  }

  /** Adds a token with its label from an earlier run. */
  adoptToken(token: string, label: string): void {
    this.#tokenCount = Math.max(this.#tokenCount, Number(/^token-(\d+)$/.exec(label)?.[1] ?? 0));
    this.add(token, label);
  }

  /** Returns the tokens added since the last call, in order. */
  takeNewTokens(): readonly { readonly token: string; readonly label: string }[] {
    return this.#newTokens.splice(0);
  }

  /** Returns the text without secrets; the same string if it contains none. */
  redact(text: string): string {
    const known = this.#redactedTexts.get(text);
    if (known !== undefined) return known;
    const redacted = this.#redacted(text);
    if (this.#redactedTexts.size >= MAX_TEXTS) this.#redactedTexts.clear();
    if (text.length <= MAX_TEXT_CHARACTERS) this.#redactedTexts.set(text, redacted);
    return redacted;
  }

  #redacted(text: string): string {
    const bytes = Buffer.from(text);
    const redacted = this.redactBytes(bytes);
    return redacted === bytes ? text : Buffer.from(redacted).toString('utf8');
  }

  /** Like `redact`, for a sentence of Assay: secrets of one or two characters and words of the API stay, as they occur in any. */
  redactWords(text: string): string {
    return this.#scanner.withoutCommon(() => this.#redacted(text));
  }

  /** Returns the bytes without secrets; the same array if they contain none. */
  redactBytes(bytes: Uint8Array): Uint8Array {
    const replacement = new Replacement();
    const overlap = this.#longestForm * LONGEST_ESCAPE;
    for (let at = 0; at < bytes.length && !replacement.isFull; at += WINDOW_BYTES) {
      const end = Math.min(bytes.length, at + WINDOW_BYTES + overlap);
      replacement.add(this.#findIn(bytes, Math.max(0, at - 1), at + WINDOW_BYTES, end));
    }
    return replacement.in(bytes);
  }

  /** Returns the exchange without secrets in request, answer and failure. Calls `learn` first. */
  redactExchange(exchange: Exchange): RecordedExchange {
    this.learn(exchange);
    const { request, answer, failure } = exchange;
    return {
      ...exchange,
      request: this.redactRequest(request),
      answer: answer === null ? null : this.#redactAnswer(answer),
      failure: failure === null ? null : { ...failure, message: this.redactWords(failure.message) },
      redacted: true,
    };
  }

  /**
   * Adds bearer credentials of the request that look like altered copies of known secrets. Tokens of its
   * answer are already known: they are added when the answer is read, before it is recorded.
   */
  learn(exchange: Exchange): void {
    for (const credential of credentialsIn(exchange.request.headers)) {
      if (this.#labels.has(searchedPart(credential)) || !this.#looksAltered(credential)) continue;
      this.#alteredCount += 1;
      this.add(credential, `altered-token-${this.#alteredCount}`);
    }
  }

  redactRequest(request: HttpRequest): HttpRequest {
    return {
      ...request,
      target: this.redact(request.target),
      headers: this.#redactHeaders(request.headers),
      body: request.body === null ? null : this.redact(request.body),
    };
  }

  // Skips matches at the start of a later window, which the previous window found together with the byte
  // before them, and matches that begin after `until`, which the next window finds.
  #findIn(bytes: Uint8Array, from: number, until: number, to: number): Found[] {
    const part = bytes.subarray(from, to);
    // A match that contains an escape lies within this distance of it, neighbours included.
    const reach = this.#longestForm + 2;
    const escaped = readingsOf(part, reach).flatMap(({ bytes: plain, starts, from: begin }) =>
      this.#scanner
        .find(plain)
        .filter((match) => !this.#isPublic(plain, match))
        .map(({ start, end, label }) => ({ start: starts[start] ?? 0, end: starts[end] ?? 0, label }))
        // At an edge, a match contains no escape, and the byte next to it is unknown.
        .filter(
          ({ start, end }) =>
            (start > begin || start === 0) && (end < (starts[plain.length] ?? 0) || end === part.length),
        ),
    );
    return [...this.#scanner.find(part), ...escaped]
      .filter((match) => !this.#isPublic(part, match))
      .map(({ start, end, label }) => ({ start: from + start, end: from + end, label }))
      .filter(({ start }) => start < until && (start > from || from === 0));
  }

  #isPublic(bytes: Uint8Array, match: Found): boolean {
    return this.#public.size > 0 && isOfPublicText(bytes, match);
  }

  #redactAnswer(answer: HttpAnswer): HttpAnswer {
    return {
      ...answer,
      statusText: this.redact(answer.statusText),
      headers: this.#redactHeaders(answer.headers),
      body: this.redactBytes(answer.body),
    };
  }

  // Returns the same array if no header contains a secret: a run keeps very many headers.
  #redactHeaders(headers: readonly Header[]): readonly Header[] {
    const redacted = headers.map((header) => this.#redactHeader(header));
    return redacted.every((header, index) => header === headers[index]) ? headers : redacted;
  }

  #redactHeader(header: Header): Header {
    const [name, value] = header;
    const redactedName = isPublicHeader(name) ? name : this.redact(name);
    const redactedValue = this.#redactValue(value);
    return redactedName === name && redactedValue === value ? header : [redactedName, redactedValue];
  }

  // Node joins folded header lines and keeps the blanks, so the value is also searched without them.
  #redactValue(value: string): string {
    const redacted = this.redact(value);
    if (redacted !== value || !/\s/.test(value)) return redacted;
    const compact = value.replace(/\s+/g, '');
    const redactedCompact = this.redact(compact);
    return redactedCompact === compact ? value : redactedCompact;
  }

  #looksAltered(credential: string): boolean {
    if (credential.length < SHARED_CHARACTERS) return false;
    const start = credential.slice(0, SHARED_CHARACTERS).toLowerCase();
    const end = credential.slice(-SHARED_CHARACTERS).toLowerCase();
    for (const secret of this.#labels.keys()) {
      if (secret.length < SHARED_CHARACTERS) continue;
      const known = secret.toLowerCase();
      if (known.startsWith(start) || known.endsWith(end)) return true;
    }
    return false;
  }

  #addForms(forms: readonly Uint8Array[], label: string, isCommon = false): void {
    const distinct = new Map(forms.map((form) => [Buffer.from(form).toString('latin1'), form]));
    for (const bytes of distinct.values()) this.#addPattern({ bytes, label, wholeToken: false, isCommon });
  }

  #addPattern(pattern: Pattern): void {
    this.#longestForm = Math.max(this.#longestForm, pattern.bytes.length);
    this.#scanner.add(pattern);
  }
}

function searchedPart(secret: string): string {
  return secret.slice(0, MAX_SEARCHED_CHARACTERS);
}

/** The credentials after the scheme in each Authorization header, such as the token after `Bearer`. */
function credentialsIn(headers: readonly Header[]): readonly string[] {
  return (
    headerValues(headers, 'authorization')
      .map((value) => /^\S+\s+(.+)$/s.exec(value.trim())?.[1] ?? value.trim())
      // A scheme without credentials is not a credential.
      .filter((credential) => credential.toLowerCase() !== 'bearer')
  );
}

/** Most matches replaced in one text. A text with more is an attack on memory, and the rest of it is left out. */
const MOST_REPLACED = 100_000;

/** Matches to be replaced by their labels; overlapping ones together, by the label of the longest. */
export class Replacement {
  readonly #joined: { start: number; end: number; label: string; longest: number }[] = [];

  /** Whether there are so many matches that the rest of the text is left out. */
  get isFull(): boolean {
    return this.#joined.length > MOST_REPLACED;
  }

  /** Adds matches that start after those of earlier calls, in any order. */
  add(matches: readonly Found[]): void {
    for (const { start, end, label } of matches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      const last = this.#joined.at(-1);
      const length = end - start;
      if (last === undefined || start >= last.end) {
        this.#joined.push({ start, end, label, longest: length });
        continue;
      }
      last.end = Math.max(last.end, end);
      if (length > last.longest) Object.assign(last, { label, longest: length });
    }
  }

  /** The text with the matches replaced; the text itself if there are none. */
  in(source: Uint8Array): Uint8Array {
    if (this.#joined.length === 0) return source;
    const parts: Uint8Array[] = [];
    let at = 0;
    for (const { start, end, label } of this.#joined.slice(0, MOST_REPLACED)) {
      parts.push(source.subarray(at, start), Buffer.from(`[${label}]`));
      at = end;
    }
    const rest = source.subarray(at);
    parts.push(
      this.isFull ? Buffer.from(`[${rest.length} more bytes, left out for the secrets in them]`) : rest,
    );
    return Buffer.concat(parts);
  }
}
