import { Buffer } from 'node:buffer';
import fc from 'fast-check';

/** An answer of a token endpoint that contains a token in some form. */
export interface TokenAnswer {
  /** Description of the form, for test failures. */
  readonly shape: string;
  readonly token: string;
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

type Body = (token: string, text: string) => string | Buffer;

const letters = (alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALL = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const jwt = fc.tuple(fc.uuid(), letters(`${ALL}-_`, 43, 43)).map(([subject, signature]) => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: subject, exp: 1_900_000_000 })}.${signature}`;
});

/** Typical tokens. */
const usual = fc.oneof(
  letters('0123456789abcdef', 32, 64),
  letters('0123456789ABCDEF', 32, 40),
  letters(`${ALL}+/`, 32, 88).map((text) => `${text}==`),
  letters(`${ALL}-_`, 24, 64),
  letters(`${LOWER}234567`, 32, 52),
  letters(`${ALL}-._~+/`, 24, 64),
  fc.uuid(),
  jwt,
);
/** Tokens that are valid in a JSON string. */
const any = fc.oneof(usual, fc.string({ unit: 'grapheme', minLength: 12, maxLength: 60 }));

/** The token in JSON with some characters as \uNNNN. */
function escaped(text: string): string {
  return [...Array(text.length).keys()]
    .map((at) => text.charCodeAt(at))
    .map((unit, at) =>
      at % 3 === 0
        ? `\\u${unit.toString(16).padStart(4, '0')}`
        : JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
    )
    .join('');
}

const REST = '"token_type":"Bearer","expires_in":3600,"scope":"printers.read"';
const DECOYS = Array.from(
  { length: 20 },
  (_one, index) => `"d${index}":{"access_token":"decoy-${index}-0123456789"}`,
);

/** Bodies from which the client reads a token. */
const RIGHT: { readonly [shape: string]: Body } = {
  'as specified': (token) => `{"access_token":${JSON.stringify(token)},${REST}}`,
  'escaped value': (token) => `{"access_token":"${escaped(token)}",${REST}}`,
  'escaped name': (token) => `{"access\\u005ftoken" :\n "${escaped(token)}",${REST}}`,
  'blanks behind the name': (token) => `{"access_token"${' '.repeat(90)}:${JSON.stringify(token)},${REST}}`,
  'behind decoys': (token) => `{${DECOYS.join()},"access_token":${JSON.stringify(token)},${REST}}`,
  'repeated elsewhere': (token) =>
    `{"access_token":${JSON.stringify(token)},"id_token":"${escaped(token)}","token_type":"Bearer ${escaped(token)}"}`,
  'beside an error': (token) => `{"error":"invalid_client","access_token":${JSON.stringify(token)}}`,
};

/** Bodies with the token in other places. */
const WRONG: { readonly [shape: string]: Body } = {
  accessToken: (_token, text) => `{"accessToken":"${text}",${REST}}`,
  id_token: (_token, text) => `{"id_token":"${text}","refresh_token":"${text}",${REST}}`,
  'repeated in the scope': (token, text) =>
    `{"access_token":"${token}","scope":"printers.read ${token} ${text}"}`,
  array: (_token, text) => `{"access_token":["${text}"],${REST}}`,
  'bare array': (_token, text) => `["${text}",{"x":"${text}"}]`,
  'bare string': (_token, text) => `"${text}"`,
  nested: (_token, text) => `{"data":{"access_token":"${text}",${REST}}}`,
  'member name': (_token, text) => `{"tokens":{"${text}":{"active":true}}}`,
  'twice given': (_token, text) => `{"access_token":"first-${text}","access_token":"${text}",${REST}}`,
  'repeated in an error': (_token, text) =>
    `{"token":"${text}","error":"bad","error_description":"you hold ${text}."}`,
  'in token_type': (_token, text) => `{"token_type":"Bearer ${text}","scope":"x ${text}","expires_in":1}`,
  'JSON in JSON': (_token, text) => JSON.stringify({ body: `{"access_token":"${text}"}` }),
  'in a link': (_token, text) => `{"redirect":"https://a.example/#access_token=${text}&state=1"}`,
  'too deep': (_token, text) => `${'['.repeat(120)}{"access_token":"${text}"}${']'.repeat(120)}`,
  'form-encoded': (_token, text) => `access_token=${text}&expires_in=3600&token_type=Bearer`,
  'XML element': (_token, text) => `<?xml version="1.0"?><token><access_token>${text}</access_token></token>`,
  'XML attribute': (_token, text) => `<token access_token="${text}" expires_in='3600'/>`,
  'single quotes': (_token, text) => `{'access_token': '${text}', 'expires_in': 3600}`,
  unquoted: (_token, text) => `{access_token: ${text}, expires_in: 3600}`,
  YAML: (_token, text) => `access_token: ${text}\nexpires_in: 3600\n`,
  HTML: (_token, text) => `<!doctype html><title>Token</title><p>Your token is <code>${text}</code>.`,
  'plain text': (_token, text) => text,
  truncated: (_token, text) => `{"token_type":"Bearer","access_token":"${text}`,
  'truncated elsewhere': (_token, text) => `{"accessToken":"${text}","expires_in":36`,
  'garbage behind': (_token, text) => `{"access_token":"${text}"},,}`,
  'byte order mark': (_token, text) => `\ufeff{"access_token":"${text}",${REST}}`,
  JSONP: (_token, text) => `callback({"access_token":"${text}",${REST}})`,
  'UTF-16': (_token, text) => Buffer.from(`{"access_token":"${text}",${REST}}`, 'utf16le'),
  'UTF-16, big end first': (_token, text) =>
    Buffer.from(`\ufeff{"access_token":"${text}"}`, 'utf16le').swap16(),
  'UTF-32': (_token, text) => Buffer.from([...text].map((letter) => `${letter}\0\0\0`).join('')),
  'Latin-1': (_token, text) =>
    Buffer.from(`{"name":"\xe9","access_token":"${text}","jwt":"${text}"}`, 'latin1'),
};

/** Headers that contain the token. */
const HEADERS = [
  'X-Auth-Token',
  'X-Whatever',
  'Server',
  'ETag',
  'Authorization',
  'Cache-Control',
  'X-Session',
];

/** Transformations that a provider may apply to a token. */
const WRITINGS: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => token,
  (token) => Buffer.from(token).toString('base64'),
  (token) => Buffer.from(token).toString('base64url'),
  (token) => Buffer.from(token).toString('hex'),
  (token) => encodeURIComponent(token),
  (token) => [...Buffer.from(token)].map((byte) => `%${byte.toString(16)}`).join(''),
  (token) => token.toUpperCase(),
];

const bodies = (
  among: { readonly [shape: string]: Body },
  tokens: fc.Arbitrary<string>,
): fc.Arbitrary<TokenAnswer> =>
  fc
    .record({
      shape: fc.constantFrom(...Object.keys(among)),
      token: tokens,
      status: fc.constantFrom(200, 200, 200, 201, 400, 401, 500),
      writing: fc.constantFrom(...WRITINGS),
    })
    .map(({ shape, token, status, writing }) => ({
      shape,
      token,
      status,
      reason: 'OK',
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(among[shape]?.(token, writing(token)) ?? ''),
    }));

const headers: fc.Arbitrary<TokenAnswer> = fc
  .record({
    token: usual,
    name: fc.constantFrom('Set-Cookie', 'Location', 'reason', ...HEADERS),
    writing: fc.constantFrom(...WRITINGS),
    status: fc.constantFrom(200, 302, 401),
  })
  .map(({ token, name, writing, status }) => {
    const text = writing(token);
    const value =
      name === 'Location'
        ? `https://a.example/cb#access_token=${text}&x=1`
        : name === 'Set-Cookie'
          ? `sid=${text}; Path=/; HttpOnly`
          : text;
    return {
      shape: `header ${name}`,
      token,
      status,
      reason: name === 'reason' ? text : 'OK',
      headers: name === 'reason' ? [] : [[name, value] as const],
      body: Buffer.from('{"error":"see_header"}'),
    };
  });

/** Answers with tokens in every shape, encoding and place. */
export const tokenAnswers: fc.Arbitrary<TokenAnswer> = fc.oneof(
  { weight: 3, arbitrary: bodies(RIGHT, any) },
  { weight: 5, arbitrary: bodies(WRONG, usual) },
  { weight: 2, arbitrary: headers },
);
