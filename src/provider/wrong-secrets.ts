import { createHash } from 'node:crypto';
import { sha256 } from '../core/sha256.ts';
import { swapCase } from '../core/text.ts';
import type { Credentials } from '../target/target.ts';
import type { CredentialsPlace } from './wrong-requests.ts';

/** A value of client_secret that is not the client's. */
export interface WrongSecret {
  /** What a token request with it is, to follow "a token request". */
  readonly description: string;
  /** Null if the field is left out. */
  readonly secret: string | null;
  /** The name of the field; client_secret if left out. */
  readonly field?: string;
  /** Whether the request has no scope either. */
  readonly isWithoutScope?: boolean;
  /** Where the credentials are; in the form if left out. */
  readonly by?: CredentialsPlace;
}

/**
 * The faulty comparison that an altered secret reveals: one that ignores case, accepts a beginning of the secret, ignores
 * what follows it, or compares only some characters.
 */
type Alteration = 'case' | 'beginning' | 'continued' | 'changed' | 'other' | 'rare';

/** A secret similar to the client's, with the label that replaces it in all outputs. */
interface AlteredSecret extends WrongSecret {
  readonly alteration: Alteration;
  readonly secret: string;
  readonly label: string;
  /** The shell expression that derives it from `$CLIENT_SECRET`. */
  readonly shell: string;
}

/** Characters of a secret that some old hash functions read; they ignore the rest. */
const READ_BY_OLD_HASHES = 8;

/** Characters that separate groups of others. */
const SEPARATORS = /[-_ .]/gu;

/**
 * Variations of a secret that a faulty provider might accept, of each kind the most likely first. A variation that equals
 * the secret or an earlier variation is left out: other letter case of a secret without letters, or `~` in place of `~`.
 */
export function alteredSecrets(secret: string): readonly AlteredSecret[] {
  const start = secret.slice(0, READ_BY_OLD_HASHES);
  const middle = Math.floor(secret.length / 2);
  const isSeparated = secret.search(SEPARATORS) >= 0;
  const swapped = Math.max(
    0,
    [...secret].findIndex((letter, index) => letter !== secret[index + 1]),
  );
  const altered: readonly AlteredSecret[] = [
    {
      alteration: 'case',
      description: 'with the client_secret in other letter case',
      secret: swapCase(secret),
      label: 'client-secret in other case',
      shell: "$(tr 'a-zA-Z' 'A-Za-z' <<<\"$CLIENT_SECRET\")",
    },
    {
      alteration: 'beginning',
      description: 'with the client_secret shortened by its last character',
      secret: secret.slice(0, -1),
      label: 'client-secret shortened',
      shell: '${CLIENT_SECRET%?}',
    },
    {
      alteration: 'continued',
      description: 'with the client_secret followed by one more character',
      secret: `${secret}x`,
      label: 'client-secret extended',
      shell: '${CLIENT_SECRET}x',
    },
    {
      alteration: 'case',
      description: 'with the client_secret in capital letters',
      secret: secret.toUpperCase(),
      label: 'client-secret in capitals',
      shell: '${CLIENT_SECRET^^}',
    },
    {
      alteration: 'case',
      description: 'with the client_secret in lower case',
      secret: secret.toLowerCase(),
      label: 'client-secret in lower case',
      shell: '${CLIENT_SECRET,,}',
    },
    {
      // Collations that ignore accents ignore this mark after any character.
      alteration: 'other',
      description: 'with the client_secret with an accent on its first character',
      secret: `${secret.slice(0, 1)}\u0301${secret.slice(1)}`,
      label: 'client-secret with an accent',
      shell: "${CLIENT_SECRET:0:1}$(printf '\\u0301')${CLIENT_SECRET:1}",
    },
    {
      alteration: 'changed',
      description: 'with another first character in the client_secret',
      secret: `~${secret.slice(1)}`,
      label: 'client-secret with another first character',
      shell: '~${CLIENT_SECRET:1}',
    },
    {
      alteration: 'changed',
      description: 'with another character in the middle of the client_secret',
      secret: `${secret.slice(0, middle)}~${secret.slice(middle + 1)}`,
      label: 'client-secret with another character in the middle',
      shell: `\${CLIENT_SECRET:0:${middle}}~\${CLIENT_SECRET:${middle + 1}}`,
    },
    {
      alteration: 'changed',
      description: 'with another last character in the client_secret',
      secret: `${secret.slice(0, -1)}~`,
      label: 'client-secret with another last character',
      shell: '${CLIENT_SECRET%?}~',
    },
    {
      alteration: 'changed',
      description: 'with the first eight characters of the client_secret and others after them',
      secret: `${start}${'x'.repeat(Math.max(0, secret.length - start.length))}`,
      label: 'client-secret with another end',
      shell: `\${CLIENT_SECRET:0:${start.length}}${'x'.repeat(Math.max(0, secret.length - start.length))}`,
    },
    {
      alteration: 'changed',
      description: 'with another first half of the client_secret',
      secret: '~'.repeat(middle) + secret.slice(middle),
      label: 'client-secret with another first half',
      shell: `${'~'.repeat(middle)}\${CLIENT_SECRET:${middle}}`,
    },
    {
      // Two: with one, the redactor might take `=39` before the rest for the second character in quoted-printable.
      alteration: 'other',
      description: 'with the client_secret without its first two characters',
      secret: secret.slice(2),
      label: 'client-secret without its beginning',
      shell: '${CLIENT_SECRET:2}',
    },
    {
      // Keys that people type are often compared without what separates their groups.
      alteration: 'other',
      description: `with the client_secret ${isSeparated ? 'without its separators' : 'with a hyphen in the middle'}`,
      secret: isSeparated
        ? secret.replaceAll(SEPARATORS, '')
        : `${secret.slice(0, middle)}-${secret.slice(middle)}`,
      label: `client-secret ${isSeparated ? 'without separators' : 'with a hyphen'}`,
      shell: isSeparated
        ? '${CLIENT_SECRET//[-_ .]/}'
        : `\${CLIENT_SECRET:0:${middle}}-\${CLIENT_SECRET:${middle}}`,
    },
    {
      alteration: 'other',
      description: 'with the SHA-256 hash of the client_secret in hexadecimal',
      secret: sha256(secret),
      label: 'client-secret as SHA-256',
      shell: '$(printf %s "$CLIENT_SECRET" | sha256sum | cut -c1-64)',
    },
    {
      alteration: 'other',
      description: 'with the MD5 hash of the client_secret in hexadecimal',
      secret: createHash('md5').update(secret).digest('hex'),
      label: 'client-secret as MD5',
      shell: '$(printf %s "$CLIENT_SECRET" | md5sum | cut -c1-32)',
    },
    {
      // A sum of the characters does not notice it.
      alteration: 'rare',
      description: 'with two neighbouring characters of the client_secret exchanged',
      secret: `${secret.slice(0, swapped)}${secret.slice(swapped + 1, swapped + 2)}${secret.slice(swapped, swapped + 1)}${secret.slice(swapped + 2)}`,
      label: 'client-secret with two characters exchanged',
      shell: `\${CLIENT_SECRET:0:${swapped}}\${CLIENT_SECRET:${swapped + 1}:1}\${CLIENT_SECRET:${swapped}:1}\${CLIENT_SECRET:${swapped + 2}}`,
    },
    {
      // Unicode normalization (NFKC) makes it the usual one.
      alteration: 'rare',
      description: 'with the first character of the client_secret in full width',
      secret: secret.replace(/^[!-~]/, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
      label: 'client-secret with a full-width character',
      shell: '$(printf "\\\\u$(printf %x $((0xfee0 + $(printf %d "\'$CLIENT_SECRET"))))")${CLIENT_SECRET:1}',
    },
    {
      // A server that decodes the form twice reads the usual one.
      alteration: 'rare',
      description: 'with a percent-escape as the text of the first character of the client_secret',
      secret: secret.replace(/^[!-~]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      label: 'client-secret with a percent-escape',
      shell: '$(printf %%%x "\'$CLIENT_SECRET")${CLIENT_SECRET:1}',
    },
  ];
  return altered.filter(
    (one, index) =>
      one.secret !== secret && altered.findIndex(({ secret: same }) => same === one.secret) === index,
  );
}

/**
 * Wrong secrets. Each shows another way to compare secrets wrongly: not at all, not if absent or empty, without letter
 * case, by a prefix in either direction, as a pattern, in another form.
 */
export interface WrongSecrets {
  /** Secrets that break most providers, first the one that is like no secret. */
  readonly likely: readonly [WrongSecret, ...WrongSecret[]];
  /** Further secrets by what they show; any of a kind also shows that secrets are not compared at all. */
  readonly altered: { readonly [alteration in Alteration]: readonly WrongSecret[] };
}

/** @param unrelated text that the first of them is made of */
export function wrongSecrets(
  { clientId, clientSecret: secret }: Credentials,
  unrelated: string,
): WrongSecrets {
  const other = unrelated.padEnd(secret.length, 'x').slice(0, Math.max(8, secret.length));
  const altered = alteredSecrets(secret);
  const of = (kind: Alteration): readonly WrongSecret[] =>
    altered.filter(({ alteration }) => alteration === kind);
  // A client of a test system may have its client_id, or a word such as null, as its secret.
  const withoutRight = (secrets: readonly WrongSecret[]): readonly WrongSecret[] =>
    secrets.filter((one) => one.secret !== secret);
  return {
    likely: [
      { description: 'with a made-up client_secret', secret: other },
      { description: 'without client_secret', secret: null },
      { description: 'with an empty client_secret', secret: '' },
    ],
    altered: {
      case: of('case'),
      beginning: of('beginning'),
      continued: [
        ...of('continued'),
        { description: 'with the client_secret followed by a blank', secret: `${secret} ` },
        {
          description: 'with the client_secret followed by NUL and other characters',
          secret: `${secret}\0x`,
        },
        { description: 'with the client_secret followed by a line end', secret: `${secret}\n` },
      ],
      rare: withoutRight([
        ...of('rare'),
        { description: 'with the client_secret followed by ; and another character', secret: `${secret};x` },
        { description: 'with a line before the client_secret', secret: `x\n${secret}` },
        // Its MD5 hash is 0 for a comparison of PHP that reads numbers.
        { description: 'with 240610708 as its client_secret', secret: '240610708' },
        ...(/^[0-9]+$/.test(secret)
          ? [{ description: 'with a 0 before the client_secret', secret: `0${secret}` }]
          : []),
      ]),
      changed: of('changed'),
      other: withoutRight([
        { description: 'with % as its client_secret', secret: '%' },
        { description: "with ' or '1'='1 as its client_secret", secret: "' or '1'='1" },
        {
          description: 'with as many _ as its client_secret has characters',
          secret: '_'.repeat(secret.length),
        },
        { description: 'with .* as its client_secret', secret: '.*' },
        { description: 'with an array as its client_secret', secret: other, field: 'client_secret[]' },
        { description: 'with a blank before the client_secret', secret: ` ${secret}` },
        ...of('other'),
        { description: 'with * as its client_secret', secret: '*' },
        { description: 'with the client_id as its client_secret', secret: clientId },
        { description: 'with null as its client_secret', secret: 'null' },
        { description: 'with an object as its client_secret', secret: other, field: 'client_secret[$ne]' },
        {
          description: 'with a made-up client_secret and without scope',
          secret: other,
          isWithoutScope: true,
        },
        // A provider may also read them there, and leave the check to what reads the form.
        { description: 'by HTTP Basic with a made-up client_secret', secret: other, by: 'basic' },
        { description: 'as a JSON body with a made-up client_secret', secret: other, by: 'json' },
        { description: 'by GET with a made-up client_secret', secret: other, by: 'get' },
      ]),
    },
  };
}
