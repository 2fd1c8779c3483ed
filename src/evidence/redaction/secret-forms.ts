import { Buffer } from 'node:buffer';

/**
 * The byte sequences that may encode a secret in a text: as it is, form-encoded, escaped twice, in base64 and base32
 * with any neighbours (also of the form-encoded and JSON forms), in hexadecimal, in UTF-16, and with its UTF-8 read
 * as Latin-1, as in HTTP headers. Forms with one layer of escapes are found by unescaping the text.
 */
export function formsOf(secret: string): readonly Buffer[] {
  const misread = Buffer.from(secret).toString('latin1');
  const texts = [
    secret,
    misread,
    JSON.stringify(misread).slice(1, -1),
    secret.replaceAll(' ', '+'),
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
  ];
  const forms: Buffer[] = texts.map((text) => Buffer.from(text));
  for (const text of new Set([secret, encodedField(secret), JSON.stringify(secret).slice(1, -1)]))
    forms.push(...base64Forms(Buffer.from(text)));
  forms.push(...base32Forms(Buffer.from(secret)));
  const hexadecimal = Buffer.from(secret).toString('hex');
  forms.push(Buffer.from(hexadecimal), Buffer.from(hexadecimal.toUpperCase()));
  // Without one byte at an end, the two byte orders of ASCII are the same.
  const utf16 = Buffer.from(secret, 'utf16le');
  forms.push(utf16.subarray(0, -1), Buffer.from(utf16).swap16().subarray(1));
  return forms;
}

/** A text as the value of a field of application/x-www-form-urlencoded. */
export function encodedField(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/**
 * The part of a base64 or base64url text that depends only on these bytes, for each of the three offsets in a
 * group. It finds `id:secret`, JSON or a JWT payload that contains the secret.
 */
export function base64Forms(bytes: Buffer): readonly Buffer[] {
  const fixedParts = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    return encoded.slice(first, last);
  });
  const complete = bytes.toString('base64').replace(/=+$/, '');
  const standard = [complete, ...fixedParts].filter((text) => text.length >= SHORTEST_BASE64);
  const url = standard.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...standard, ...url].map((text) => Buffer.from(text));
}

// Shorter texts occur by chance in any longer base64 text.
const SHORTEST_BASE64 = 6;

const BASE32 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');

/** The parts of base32 (RFC 4648, 6) that no neighbour changes, in both letter cases, for each of the five offsets. */
function base32Forms(bytes: Buffer): readonly Buffer[] {
  const fixedParts = [0, 1, 2, 3, 4].map((offset) => {
    const first = Math.ceil((offset * 8) / 5);
    const last = Math.floor(((offset + bytes.length) * 8) / 5);
    return base32(Buffer.concat([Buffer.alloc(offset), bytes])).slice(first, last);
  });
  return [base32(bytes), ...fixedParts].flatMap((text) => [
    Buffer.from(text),
    Buffer.from(text.toLowerCase()),
  ]);
}

function base32(bytes: Buffer): string {
  const text = Buffer.alloc(Math.ceil((bytes.length * 8) / 5));
  let bits = 0;
  let value = 0;
  let length = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text[length++] = BASE32[(value >> (bits - 5)) & 31] ?? 0;
  }
  if (bits > 0) text[length] = BASE32[(value << (5 - bits)) & 31] ?? 0;
  return text.toString('latin1');
}

/** Marks where a quoted text was truncated. */
export const CUT = '…';

/** Shortest prefix of a secret that is redacted, in characters. Shorter ones occur by chance. */
const MIN_PREFIX = 6;

/** Replaces prefixes of secrets before an ellipsis by `[secret]`. Not by a label: several tokens may share a prefix. */
export function redactCutSecrets(text: string, secrets: Iterable<string>): string {
  const pieces = text.split(CUT);
  const secretList = [...secrets];
  return pieces
    .map((piece, index) => (index === pieces.length - 1 ? piece : redactPrefix(piece, secretList)))
    .join(CUT);
}

function redactPrefix(piece: string, secrets: readonly string[]): string {
  let longest = 0;
  for (const whole of secrets) {
    const secret = whole.slice(0, piece.length).toWellFormed();
    for (const form of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      ...base64Forms(Buffer.from(secret)).map((one) => one.toString('latin1')),
    ])
      longest = Math.max(longest, prefixLengthAtEnd(piece, form));
  }
  return longest === 0 ? piece : `${piece.slice(0, -longest)}[secret]`;
}

/** Length of the longest prefix of the secret that the text ends with; 0 if it is shorter than MIN_PREFIX. */
function prefixLengthAtEnd(piece: string, secret: string): number {
  const start = secret.slice(0, MIN_PREFIX);
  if (start.length < MIN_PREFIX) return 0;
  // From the start, so that the longest prefix is found first.
  for (let at = piece.indexOf(start); at !== -1; at = piece.indexOf(start, at + 1))
    if (secret.startsWith(piece.slice(at))) return piece.length - at;
  return 0;
}
