import { Buffer } from 'node:buffer';
import type { Exchange, Header, HttpAnswer, HttpRequest } from '../core/exchange.ts';
import { credentialsIn } from './credentials.ts';
import type { RecordedExchange } from './evidence-entry.ts';
import { Replacement } from './replacement.ts';
import type { Found, Pattern } from './scanner.ts';
import { Scanner } from './scanner.ts';
import { base64Forms, formsOf } from './secret-forms.ts';
import { TextCache } from './text-cache.ts';
import { readingsOf } from './unescape.ts';

/** Characters below which a secret is looked for only where it stands alone. */
const SHORT = 6;
/** Characters in common from which an unknown bearer credential counts as an altered copy of a known one. */
const KINSHIP = 6;
/** Characters of a secret that are looked for: without so much of its beginning, the rest is of no use. */
const MOST_CHARACTERS = 65_536;
/** Bytes looked at in one go, since undoing escapes takes several times the memory of the text. */
const WINDOW_BYTES = 262_144;
/** Bytes of the longest escape for one byte: `&#00000065;`. */
const LONGEST_ESCAPE = 12;

/**
 * Replaces every secret it knows by its label in square brackets: as it is, in lower and in upper case, in base64,
 * base64url and base32 with whatever stands around it, in hexadecimal, in UTF-16, form-encoded, and with any of its
 * characters escaped as in URLs, JSON, programs, HTML or quoted-printable, or broken by header folding.
 *
 * A secret of fewer than six characters is replaced only where no letter, digit, `_` or `-` touches it, and
 * not in base64: it would shred every text otherwise. An empty one is ignored. Overlapping secrets are
 * removed together, under the label of the longest.
 *
 * A text must be redacted whole, and before anything is cut from it: half a secret is not recognised.
 */
export class Redactor {
  readonly #scanner = new Scanner();
  readonly #labels = new Map<string, string>();
  /** Secrets in lower and in upper case, by these texts. */
  readonly #otherCases = new Map<string, Pattern>();
  #longestForm = 0;
  #tokenCount: number;
  #alteredCount = 0;
  /** Texts, and values of headers, with what becomes of them as long as no secret is added. */
  readonly #texts = new TextCache();
  readonly #headerValues = new TextCache();
  /** Headers with what becomes of them: a run meets the same objects again and again. */
  #headers = new WeakMap<Header, Header>();
  readonly #learned = new WeakSet<Exchange>();
  readonly #newTokens: { readonly token: string; readonly label: string }[] = [];
  #beforeMore: () => void = () => undefined;

  /** @param tokensBefore Labels of tokens that are taken: the first is `token-1` and so on beyond these. */
  constructor(tokensBefore = 0) {
    this.#tokenCount = tokensBefore;
  }

  /** Has a function called whenever another secret is about to be removed, so that what came before it can be finished. */
  onMore(finish: () => void): void {
    this.#beforeMore = finish;
  }

  /** Makes a secret known. The first label given to a secret stays. */
  add(whole: string, label: string): void {
    const secret = telling(whole);
    if (secret === '' || this.#labels.has(secret)) return;
    this.#labels.set(secret, label);
    // A secret that is another one in the other letter case goes by its own label from now on.
    const otherCase = this.#otherCases.get(secret);
    if (otherCase !== undefined) {
      this.#beforeMore();
      otherCase.label = label;
    }
    if (secret.length < SHORT) {
      this.#addPattern({ bytes: Buffer.from(secret), label, wholeToken: true });
      return;
    }
    this.#addForms(formsOf(secret), label);
    for (const text of new Set([secret.toLowerCase(), secret.toUpperCase()])) {
      if (this.#labels.has(text) || this.#otherCases.has(text)) continue;
      const pattern = { bytes: Buffer.from(text), label, wholeToken: false };
      this.#otherCases.set(text, pattern);
      this.#addPattern(pattern);
    }
  }

  /** Makes a pair known as Basic authentication writes it: base64 of `id:secret`, form-encoded or not. */
  addBasic(id: string, secret: string, label: string): void {
    if (secret === '') return;
    const pairs = [`${id}:${secret}`, `${formEncoded(id)}:${formEncoded(secret)}`];
    for (const pair of pairs) this.#addForms(base64Forms(Buffer.from(pair)), label);
  }

  /** Makes an access token known, as `token-1`, `token-2` and so on; returns its label. */
  addToken(whole: string): string {
    const token = telling(whole);
    const known = this.#labels.get(token);
    if (known !== undefined) return known;
    this.#tokenCount += 1;
    const label = `token-${this.#tokenCount}`;
    this.add(token, label);
    this.#newTokens.push({ token, label });
    return label;
  }

  /** Makes a token known under the label that it had in an earlier run. */
  adoptToken(token: string, label: string): void {
    this.#tokenCount = Math.max(this.#tokenCount, Number(/^token-(\d+)$/.exec(label)?.[1] ?? 0));
    this.add(token, label);
  }

  /** The tokens that became known since this was last asked, in order. */
  takeNewTokens(): readonly { readonly token: string; readonly label: string }[] {
    return this.#newTokens.splice(0);
  }

  /** The text without its secrets; the same string where it holds none. */
  redact(text: string): string {
    return this.#texts.get(text) ?? this.#texts.set(text, this.#redacted(text));
  }

  /**
   * Like `redact`, of a sentence that Assay itself wrote: a secret of one or two characters stays, since the words of
   * any sentence would be torn by it.
   */
  redactWords(text: string): string {
    return this.#scanner.withoutTiny(() => this.#redacted(text));
  }

  /** The bytes without their secrets; the same array where they hold none. */
  redactBytes(bytes: Uint8Array): Uint8Array {
    const replacement = new Replacement(bytes);
    const overlap = this.#longestForm * LONGEST_ESCAPE;
    for (let at = 0; at < bytes.length; at += WINDOW_BYTES) {
      const end = Math.min(bytes.length, at + WINDOW_BYTES + overlap);
      const found = this.#findIn(bytes, Math.max(0, at - 1), at + WINDOW_BYTES, end);
      for (const one of found.sort((a, b) => a.start - b.start || b.end - a.end)) replacement.take(one);
    }
    return replacement.done();
  }

  /**
   * The exchange without its secrets, in its request, its answer and its failure. What the exchange itself
   * betrays is learned first.
   */
  redactExchange(exchange: Exchange): RecordedExchange {
    this.learn(exchange);
    return this.redactLearned(exchange);
  }

  /** The same of an exchange that was learned from already. */
  redactLearned(exchange: Exchange): RecordedExchange {
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
   * Makes known the bearer credentials of the request that look like altered copies of known secrets. The tokens of
   * its answer are known by then: they are added when the answer is read, before it is recorded.
   */
  learn(exchange: Exchange): void {
    // An exchange is redacted twice in a row: when it is kept and when it is written.
    if (this.#learned.has(exchange)) return;
    this.#learned.add(exchange);
    for (const credential of credentialsIn(exchange.request.headers)) {
      if (this.#labels.has(telling(credential)) || !this.#isKin(credential)) continue;
      this.#alteredCount += 1;
      this.add(credential, `altered-token-${this.#alteredCount}`);
    }
  }

  /** The request without the secrets that are known by now. */
  redactRequest(request: HttpRequest): HttpRequest {
    return {
      ...request,
      target: this.redact(request.target),
      headers: this.#redactHeaders(request.headers),
      body: request.body === null ? null : this.redact(request.body),
    };
  }

  // What begins at the very edge of a later window was seen whole, with its neighbour, in the one before; what begins
  // behind `until` is seen in the next one.
  #findIn(bytes: Uint8Array, from: number, until: number, to: number): Found[] {
    const part = bytes.subarray(from, to);
    const found: Found[] = [];
    const keep = (start: number, end: number, label: string): void => {
      const edge = start === 0 && from > 0;
      if (!edge && from + start < until) found.push({ start: from + start, end: from + end, label });
    };
    for (const { start, end, label } of this.#scanner.find(part, part.length)) keep(start, end, label);
    // With its neighbours, what is found with an escape in it lies within this.
    const reach = this.#longestForm + 2;
    for (const { bytes: plain, length, starts, ...stretch } of readingsOf(part, reach)) {
      for (const one of this.#scanner.find(plain, length)) {
        const start = starts[one.start] ?? 0;
        const end = starts[one.end] ?? part.length;
        // What touches the edge of a stretch holds no escape, and its neighbour was not seen.
        const cut = (start === stretch.from && start > 0) || (end === stretch.to && end < part.length);
        if (!cut) keep(start, end, one.label);
      }
    }
    return found;
  }

  #redactAnswer(answer: HttpAnswer): HttpAnswer {
    return {
      ...answer,
      statusText: this.redact(answer.statusText),
      headers: this.#redactHeaders(answer.headers),
      body: this.redactBytes(answer.body),
    };
  }

  // The same ones where they hold no secret: a run has very many, and all of them are kept.
  #redactHeaders(headers: readonly Header[]): readonly Header[] {
    const redacted = headers.map((header) => this.#redactHeader(header));
    return redacted.every((header, index) => header === headers[index]) ? headers : redacted;
  }

  #redactHeader(header: Header): Header {
    const known = this.#headers.get(header);
    if (known !== undefined) return known;
    const redacted = this.#headerRedacted(header);
    this.#headers.set(header, redacted);
    return redacted;
  }

  #headerRedacted(header: Header): Header {
    const [name, value] = header;
    const shown = this.redact(name);
    const told = this.#headerValues.get(value) ?? this.#headerValues.set(value, this.#redactValue(value));
    return shown === name && told === value ? header : [shown, told];
  }

  // Node joins the lines of a folded header with the blanks left in, so a value is also read without them.
  #redactValue(value: string): string {
    const redacted = this.redact(value);
    if (redacted !== value || !/\s/.test(value)) return redacted;
    const compact = value.replace(/\s+/g, '');
    const redactedCompact = this.redact(compact);
    return redactedCompact === compact ? value : redactedCompact;
  }

  #redacted(text: string): string {
    const bytes = Buffer.from(text);
    const redacted = this.redactBytes(bytes);
    return redacted === bytes ? text : Buffer.from(redacted).toString('utf8');
  }

  #isKin(credential: string): boolean {
    if (credential.length < KINSHIP) return false;
    const start = credential.slice(0, KINSHIP).toLowerCase();
    const end = credential.slice(-KINSHIP).toLowerCase();
    for (const secret of this.#labels.keys()) {
      if (secret.length < KINSHIP) continue;
      const known = secret.toLowerCase();
      if (known.startsWith(start) || known.endsWith(end)) return true;
    }
    return false;
  }

  #addForms(forms: readonly Uint8Array[], label: string): void {
    const distinct = new Map(forms.map((form) => [Buffer.from(form).toString('latin1'), form]));
    for (const bytes of distinct.values()) {
      this.#addPattern({ bytes, label, wholeToken: false });
    }
  }

  #addPattern(pattern: Pattern): void {
    this.#beforeMore();
    this.#longestForm = Math.max(this.#longestForm, pattern.bytes.length);
    this.#scanner.add(pattern);
    this.#texts.clear();
    this.#headerValues.clear();
    this.#headers = new WeakMap();
  }
}

/** What is looked for of a secret. */
function telling(secret: string): string {
  return secret.slice(0, MOST_CHARACTERS);
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
