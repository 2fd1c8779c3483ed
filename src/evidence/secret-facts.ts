import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { unusualIndexIn } from '../core/bearer-token.ts';
import { bufferOf, type Exchange, type HttpAnswer } from '../core/exchange.ts';
import { mapStrings } from '../core/json-text.ts';
import { jwtOf } from '../core/jwt.ts';
import { getOrMake } from '../core/maps.ts';
import type { Json } from '../core/results.ts';
import { swapCase, withoutTrailing } from '../core/text.ts';
import {
  alterationAt,
  firstLetters,
  lastPartOf,
  mayBeBase32,
  opaquePlaces,
  signaturePlaces,
} from '../core/token-alteration.ts';

/** What a replay needs to make a stand-in that every check treats like the secret; nothing that helps to use it. */
export interface SecretFacts {
  /** Label of the secret without brackets. */
  readonly label: string;
  readonly length: number;
  /** Whether it contains lower-case letters of ASCII; `upper` likewise. */
  readonly lower: boolean;
  readonly upper: boolean;
  /** Whether it contains other letters in lower and in upper case. Left out if it contains none, and by earlier builds. */
  readonly otherLetters?: readonly [lower: boolean, upper: boolean];
  /**
   * Only for secrets that are no tokens: one character for each kind of others that it contains, {@link MARKS}. Left out if it
   * contains none, and by earlier builds.
   */
  readonly marks?: string;
  /** Only for tokens: what the altered copies depend on. */
  readonly token: TokenFacts | null;
}

/** What checks that alter a token depend on. */
interface TokenFacts {
  /**
   * The prefix up to the second letter or digit that differs from the first: altered copies put these in other
   * positions. Empty if the prefix would reveal much of the token; the whole token if it consists of blanks.
   */
  readonly lead: string;
  /**
   * For each place that checks alter: the index of the character that is altered there, and whether the second letter or
   * digit of the prefix replaces it, not the first. Earlier builds left this out.
   */
  readonly alterations?: readonly (readonly [index: number, bySecond: boolean])[];
  /** Whether it may be base32. Earlier builds left this out. */
  readonly base32?: boolean;
  /** The separator before the last part of a token of several parts, and the length of this part. Earlier builds left this out. */
  readonly lastPart?: readonly [separator: string, length: number];
  /** A character that no bearer token has, and its index. Left out if there is none, and by earlier builds. */
  readonly unusual?: readonly [index: number, character: string];
  /** Number of `=` at the end. */
  readonly padding: number;
  /** For a JWT: header, payload (times and audience with values, others as 0), and the lengths of the parts. */
  readonly jwt: {
    readonly header: { readonly [name: string]: Json };
    readonly payload: { readonly [name: string]: Json };
    readonly lengths: readonly [header: number, payload: number, signature: number];
    /** Labels of the first tokens with the same header and with the same payload. */
    readonly like: readonly [header: string, payload: string];
  } | null;
}

/** Claims that identify nobody: the lifetime of a token and the service it is for. */
const RECORDED_CLAIMS = new Set(['exp', 'iat', 'nbf', 'aud']);
/** Header members that describe how a token is made. */
const RECORDED_HEADERS = new Set(['alg', 'typ', 'cty']);
/** Shortest token whose prefix is recorded, and longest recorded prefix, in characters. */
const MIN_TOKEN_WITH_LEAD = 16;
const MAX_LEAD = 4;
/** A character that base32 does not use. */
const NOT_IN_BASE32 = '0';
const WORD_CHARACTER = /[A-Za-z0-9_-]/;

/**
 * Kinds of characters that decide which altered copies of a client secret are sent, and how a form spells it: separators, the
 * tilde, and others that a form escapes. Each has the character that stands for it.
 */
const MARKS: readonly (readonly [mark: string, kind: RegExp])[] = [
  ['-', /[-_ .]/],
  ['~', /~/],
  ['+', /[^\w.~*-]/],
];

/** The facts of a secret that is no token. */
export function secretFactsOf(secret: string, label: string): SecretFacts {
  const marks = MARKS.map(([mark, kind]) => (kind.test(secret) ? mark : '')).join('');
  return { ...lettersOf(secret, label), ...(marks === '' ? {} : { marks }) };
}

function lettersOf(secret: string, label: string): SecretFacts {
  const others = secret.replaceAll(/[a-z]/gi, '');
  const otherLetters = [others !== others.toUpperCase(), others !== others.toLowerCase()] as const;
  return {
    label,
    length: secret.length,
    lower: /[a-z]/.test(secret),
    upper: /[A-Z]/.test(secret),
    ...(otherLetters.includes(true) ? { otherLetters } : {}),
    token: null,
  };
}

/** The label of the first token with each header and payload. */
export type KnownParts = Map<string, string>;

/** The facts of an access token. `known` collects its parts for later tokens. */
export function tokenFactsOf(token: string, label: string, known: KnownParts = new Map()): SecretFacts {
  const lead = recordedLead(token);
  const jwt = jwtIn(token, label, known);
  const [first] = firstLetters(lead);
  const alterations =
    first === undefined
      ? []
      : alteredPlaces(token, jwt?.lengths ?? null).map((place) => {
          const { index, letter } = alterationAt(token, place) ?? { index: 0, letter: first };
          return [index, letter !== first] as const;
        });
  const padding = token.length - withoutTrailing(token, '=').length;
  const part = jwt === null ? lastPartOf(token) : null;
  const unusual = unusualIndexIn(token);
  return {
    ...lettersOf(token, label),
    token: {
      lead,
      alterations,
      base32: mayBeBase32(token),
      ...(part === null ? {} : { lastPart: [part.separator, token.length - part.start] }),
      ...(unusual === -1 ? {} : { unusual: [unusual, token[unusual] ?? ''] }),
      padding,
      jwt,
    },
  };
}

/** A made-up secret of the same shape. Its letters depend only on the label, so it reveals nothing. */
function standInFor(facts: SecretFacts): string {
  const { label, length, token } = facts;
  if (token?.jwt != null) return jwtStandIn(label, token, token.jwt);
  const lead = token?.lead ?? '';
  const first = [...lead].find((letter) => WORD_CHARACTER.test(letter))?.toLowerCase() ?? '';
  const alphabet = alphabetWithout(first, facts);
  const letters = drawn(label, length, alphabet);
  const padding = token?.padding ?? 0;
  const other = token?.base32 === false ? NOT_IN_BASE32 : '';
  const unpadded = (lead + other + letters.slice(lead.length + other.length)).slice(0, length - padding);
  const made = withSeparator(unpadded + '='.repeat(padding), token?.lastPart ?? null);
  if (token === null) return withMarks(made, facts.marks ?? '');
  return withAlterationsOf(withUnusual(made, token, lead.length), token, alphabet);
}

/** The text with the marks after its first character, or in place of it if there is no room. */
function withMarks(text: string, marks: string): string {
  const start = text.length > marks.length ? 1 : 0;
  return (text.slice(0, start) + marks + text.slice(start + marks.length)).slice(0, text.length);
}

/** The text with the character that no bearer token has, unless it would be before an index. */
function withUnusual(text: string, { unusual }: TokenFacts, from: number): string {
  const [index, character] = unusual ?? [-1, ''];
  return index < from ? text : text.slice(0, index) + character + text.slice(index + 1);
}

/** The text with a separator before its last part. */
function withSeparator(text: string, part: readonly [separator: string, length: number] | null): string {
  if (part === null) return text;
  const [separator, length] = part;
  const start = text.length - length;
  return text.slice(0, start - separator.length) + separator + text.slice(start);
}

function alteredPlaces(token: string, lengths: readonly [number, number, number] | null): readonly number[] {
  if (lengths === null) return opaquePlaces(token);
  const start = lengths[0] + lengths[1] + 2;
  return signaturePlaces(token.slice(start)).map((place) => start + place);
}

/** Changes letters of a stand-in so that checks alter it as they alter the token. */
function withAlterationsOf(made: string, facts: TokenFacts, alphabet: string): string {
  const letters = firstLetters(facts.lead);
  let text = made;
  for (const [number, place] of alteredPlaces(made, facts.jwt?.lengths ?? null).entries()) {
    const [index, bySecond] = facts.alterations?.[number] ?? [0, false];
    // The prefix is that of the token.
    if (index < facts.lead.length) continue;
    const letter = letters[bySecond ? 1 : 0];
    const isAltered = (tried: string): boolean => {
      const alteration = alterationAt(tried, place);
      return alteration?.index === index && alteration.letter === letter;
    };
    text =
      spelledWith([...new Set([place, index])], text, [
        ...alphabet,
        ...letters,
        ...letters.map(swapCase),
      ]).find(isAltered) ?? text;
  }
  return text;
}

/** The text, and what it becomes with other letters at the indices. */
function spelledWith(
  [index, ...others]: readonly number[],
  text: string,
  letters: readonly string[],
): readonly string[] {
  if (index === undefined) return [text];
  return [text[index] ?? '', ...letters].flatMap((letter) =>
    spelledWith(others, text.slice(0, index) + letter + text.slice(index + 1), letters),
  );
}

function recordedLead(token: string): string {
  if (token.trim() === '') return token.slice(0, MIN_TOKEN_WITH_LEAD);
  const lead = leadOf(token);
  return token.length >= MIN_TOKEN_WITH_LEAD && lead.length <= MAX_LEAD ? lead : '';
}

function leadOf(token: string): string {
  let first: string | null = null;
  for (let at = 0; at < token.length; at++) {
    const letter = token[at] ?? '';
    if (!WORD_CHARACTER.test(letter)) continue;
    if (first !== null && letter.toLowerCase() !== first) return token.slice(0, at + 1);
    first ??= letter.toLowerCase();
  }
  return token;
}

function jwtIn(token: string, label: string, known: KnownParts): TokenFacts['jwt'] {
  const jwt = jwtOf(token);
  if (jwt === null) return null;
  const [header, payload, signature] = jwt.parts;
  for (const part of [header, payload]) if (!known.has(part)) known.set(part, label);
  return {
    header: withRecordedValues(jwt.header, RECORDED_HEADERS),
    payload: withRecordedValues(jwt.payload, RECORDED_CLAIMS),
    lengths: [header.length, payload.length, signature.length],
    like: [known.get(header) ?? label, known.get(payload) ?? label],
  };
}

function withRecordedValues(
  members: { readonly [name: string]: Json },
  names: ReadonlySet<string>,
): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, names.has(name) ? value : 0]),
  );
}

function jwtStandIn(label: string, facts: TokenFacts, jwt: NonNullable<TokenFacts['jwt']>): string {
  const [header, payload, signature] = jwt.lengths;
  const alphabet = alphabetWithout('e', { lower: true, upper: true });
  const letters = drawn(label, signature - facts.padding, alphabet);
  const [likeHeader, likePayload] = jwt.like;
  const signed = `${encoded(jwt.header, header, likeHeader)}.${encoded(jwt.payload, payload, likePayload)}`;
  const made = `${signed}.${letters}${'='.repeat(facts.padding)}`;
  return withAlterationsOf(withUnusual(made, facts, signed.length + 1), facts, alphabet);
}

// Blanks after the JSON give the part its original length and make it different from the parts of other tokens.
function encoded(members: { readonly [name: string]: Json }, length: number, like: string): string {
  const text = JSON.stringify(members);
  const blanks = Math.max(0, Math.floor((length * 3) / 4) - Buffer.byteLength(text));
  return Buffer.from(text + drawn(like, blanks, ' \t\n\r')).toString('base64url');
}

function alphabetWithout(
  letter: string,
  {
    lower,
    upper,
    otherLetters: [otherLower, otherUpper] = [false, false],
  }: Omit<SecretFacts, 'label' | 'length' | 'token'>,
): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const others = 'àéîõü';
  const all = [
    lower ? letters : '',
    upper ? letters.toUpperCase() : '',
    // As many as of ASCII, so that a short stand-in has both.
    otherLower ? others.repeat(5) : '',
    otherUpper ? others.repeat(5).toUpperCase() : '',
  ].join('');
  return [...(all || '0123456789')].filter((one) => one.toLowerCase() !== letter).join('');
}

function drawn(label: string, length: number, alphabet: string): string {
  let text = '';
  for (let block = 0; text.length < length; block++) {
    const bytes = createHash('sha256').update(`stand-in ${label} ${block}`).digest();
    for (const byte of bytes) text += alphabet[byte % alphabet.length] ?? '';
  }
  return text.slice(0, length);
}

/** Replaces the labels in evidence by stand-ins for the secrets, so that a replay can send, alter and recognise them. */
export class Restorer {
  readonly #standIns = new Map<string, string>();

  /** Creates and returns the stand-in of a secret. The first facts of a label count. */
  learn(facts: SecretFacts): string {
    return getOrMake(this.#standIns, `[${facts.label}]`, () => standInFor(facts));
  }

  text(text: string): string {
    if (!text.includes('[')) return text;
    return text.replace(LABEL, (bracketed) => this.#standIns.get(bracketed) ?? bracketed);
  }

  /** The value with the labels in all its strings replaced. */
  value<Value>(value: Value): Value {
    return mapStrings(value, (text) => this.text(text));
  }

  /** The answer of an exchange with the labels in headers and body replaced; null if there is no answer. */
  answer({ answer }: Exchange): HttpAnswer | null {
    if (answer === null) return null;
    return {
      ...answer,
      statusText: this.text(answer.statusText),
      headers: answer.headers.map(([name, value]) => [this.text(name), this.text(value)] as const),
      body: this.#bytes(answer.body),
    };
  }

  // Latin-1 maps every byte to one character; a stand-in is written as in JSON, and its bytes are UTF-8.
  #bytes(bytes: Uint8Array): Uint8Array {
    const body = bufferOf(bytes);
    const containsLabel = [...this.#standIns.keys()].some((label) => body.includes(label));
    if (!containsLabel) return bytes;
    const restored = body.toString('latin1').replace(LABEL, (bracketed) => {
      const standIn = this.#standIns.get(bracketed);
      return standIn === undefined
        ? bracketed
        : Buffer.from(JSON.stringify(standIn).slice(1, -1)).toString('latin1');
    });
    return Buffer.from(restored, 'latin1');
  }
}

const LABEL = /\[[a-z][^[\]]{0,200}\]/g;
