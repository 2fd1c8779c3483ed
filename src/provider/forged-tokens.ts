import {
  type AlteredToken,
  alter,
  encoded,
  hmacScript,
  hmacSigned,
  inShell,
  tokensAlteredAtEnds,
  unsigned,
} from './altered-tokens.ts';
import { type Jwt, jwtOf } from './jwt.ts';

/** The client that a token was issued to. */
interface TokenOwner {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Texts that programs take for a token by mistake, or that a stub accepts. */
const WORDS = ['null', 'undefined', 'test', '*', 'true'];

/** Keys that examples and tutorials sign with. */
const GUESSABLE_KEYS = ['secret', 'your-256-bit-secret', 'password', 'changeme', 'key', '123456'];

/**
 * Further tokens that a provider must refuse, too many for every run. A JWT signed with a key that anybody can guess, or
 * that the client knows, is one that was not issued: its payload differs from that of the issued one.
 */
export function forgedTokens(token: string, owner: TokenOwner): readonly AlteredToken[] {
  const { clientId, clientSecret } = owner;
  const jwt = jwtOf(token);
  const plain = (how: string, text: string, shell = `'${text}'`): AlteredToken => ({
    ...alter(how, text, shell),
    isSecret: false,
  });
  const empty = { ...plain('that is empty, in an empty Authorization header', ''), authorization: '' };
  const [first = '', second = '', ...words] = WORDS;
  const wordOf = (word: string): AlteredToken => plain(`that is the word ${word}`, word);
  const common = [
    empty,
    wordOf(first),
    // A header cannot carry every character that these may hold.
    plain('that is the client_id', encodeURIComponent(clientId)),
    alter('followed by a blank and a word', `${token} x`, '$TOKEN x'),
    plain('that is the client_secret', encodeURIComponent(clientSecret), '$CLIENT_SECRET'),
    wordOf(second),
    ...words.map(wordOf),
  ];
  const ends = tokensAlteredAtEnds(token);
  if (jwt === null) return inTurn(ends, common);
  const [, payload, signature] = jwt.parts;
  const { kid: _kid, ...nameless } = jwt.header;
  const [guessed = '', ...guessable] = GUESSABLE_KEYS;
  const guess = (key: string): AlteredToken =>
    alter(
      `with an edited payload, signed with the key ${key}`,
      forged(jwt, key),
      shellForged(jwt, JSON.stringify(key)),
    );
  const forgeries = [
    guess(guessed),
    alter(
      'whose header names an unknown key',
      `${encoded({ ...jwt.header, kid: 'assay' })}.${payload}.${signature}`,
      inShell('[w({...r(h),kid:"assay"}),p,s].join(".")'),
    ),
    alter(
      'whose header says ES256, with a signature of zeros',
      `${encoded({ ...jwt.header, alg: 'ES256' })}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
      inShell('[w({...r(h),alg:"ES256"}),p,Buffer.alloc(64).toString("base64url")].join(".")'),
    ),
    alter(
      'whose header says alg None, without a signature',
      unsigned(jwt, 'None'),
      inShell('w({...r(h),alg:"None"})+"."+p+"."'),
    ),
    alter(
      'whose header names an empty file as its key, signed with an empty key',
      hmacSigned({ ...jwt, header: { ...jwt.header, kid: NO_KEY_FILE } }, ''),
      inShell(hmacScript(jwt, '""', `,kid:"${NO_KEY_FILE}"`)),
    ),
    ...guessable.map(guess),
    alter(
      'whose header says alg NONE, without a signature',
      unsigned(jwt, 'NONE'),
      inShell('w({...r(h),alg:"NONE"})+"."+p+"."'),
    ),
    alter(
      'with an edited payload, signed with the client_id as its key',
      forged(jwt, clientId),
      shellForged(jwt, JSON.stringify(clientId)),
    ),
  ];
  if ('kid' in jwt.header)
    forgeries.splice(
      3,
      0,
      alter(
        'whose header names no key',
        `${encoded(nameless)}.${payload}.${signature}`,
        inShell('[w({...r(h),kid:undefined}),p,s].join(".")'),
      ),
    );
  return inTurn([...ends, ...forgeries], common);
}

/** A JWT with another payload, signed with the client_secret, which the client knows; none if the token is no JWT. */
export function tokensSignedWithSecret(token: string, clientSecret: string): readonly AlteredToken[] {
  const jwt = jwtOf(token);
  if (jwt === null) return [];
  return [
    alter(
      'with an edited payload, signed with the client_secret as its key',
      forged(jwt, clientSecret),
      shellForged(jwt, 'process.argv[2]', ' "$CLIENT_SECRET"'),
    ),
  ];
}

/** Items of both lists in turn, so that each share has some of both. */
function inTurn<Item>(some: readonly Item[], others: readonly Item[]): readonly Item[] {
  const longest = Math.max(some.length, others.length);
  return Array.from({ length: longest }, (_none, index) => [some[index], others[index]])
    .flat()
    .filter((one) => one !== undefined);
}

/** A key file that is empty wherever it is read. */
const NO_KEY_FILE = '../../../../../../dev/null';

/** The token with a further claim, signed with a key by HMAC. The claim differs from token to token, also in a replay. */
function forged(jwt: Jwt, key: string): string {
  return hmacSigned(jwt, key, encoded({ ...jwt.payload, assay: jwt.parts[2] }));
}

/** @param key the key as an expression of the script */
function shellForged(jwt: Jwt, key: string, further = ''): string {
  return inShell(hmacScript(jwt, key, '', 'w({...r(p),assay:s})'), further);
}
