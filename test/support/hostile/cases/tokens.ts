import type { Call } from '../front.ts';
import type { Hostile } from '../hostile.ts';
import { header, json, lists, onList, onToken, status, tokens } from '../spoil.ts';

function secretsIn({ head, body }: Call): { readonly token: string; readonly secret: string } {
  return {
    token: /^authorization: bearer (.*)$/im.exec(head)?.[1] ?? '',
    secret: new URLSearchParams(body).get('client_secret') ?? '',
  };
}

const token = (change: (right: string) => unknown): Hostile['how'] =>
  tokens(json((members) => ({ ...members, access_token: change(members.access_token ?? '') })));

const expires = (value: unknown): Hostile['how'] =>
  tokens(json((members) => ({ ...members, expires_in: value })));

/** Servers with unusable tokens, endless throttling, or echoed requests. */
export const tokenCases: readonly Hostile[] = [
  {
    id: 'token-crlf',
    does: 'puts a header into its tokens',
    how: token((right) => `${right}\r\nX-Injected: yes`),
  },
  {
    id: 'token-unicode',
    does: 'puts letters into its tokens that no header may hold',
    how: token((right) => `${right}\u4e2d\u202e`),
  },
  { id: 'token-nul', does: 'puts a NUL into its tokens', how: token((right) => `${right}\0`) },
  { id: 'token-blank', does: 'issues a blank for a token', how: token(() => ' ') },
  { id: 'token-empty', does: 'issues an empty token', how: token(() => '') },
  {
    id: 'token-long',
    does: 'issues tokens of a megabyte',
    how: token((right) => right + 'a'.repeat(1_000_000)),
  },
  {
    id: 'token-of-one-letter-repeated',
    does: 'issues tokens of one letter, 900,000 times',
    how: token(() => 'a'.repeat(900_000)),
  },
  {
    id: 'scope-of-spaces',
    does: 'puts 300,000 spaces between its scopes',
    how: tokens(json((members) => ({ ...members, scope: `a${' '.repeat(300_000)}b` }))),
  },
  { id: 'token-number', does: 'issues a number for a token', how: token(() => 12_345_678) },
  { id: 'token-object', does: 'issues an object for a token', how: token((right) => ({ value: right })) },
  { id: 'token-one-letter', does: 'issues tokens of one letter', how: token(() => 'a') },
  {
    id: 'token-twice',
    does: 'gives access_token twice',
    how: tokens((call) => ({
      ...call.answer,
      body: Buffer.from(
        call.answer.body
          .toString()
          .replace('"access_token":', '"access_token":"another-token","access_token":'),
      ),
    })),
  },
  {
    id: 'token-proto',
    does: 'issues its token below __proto__',
    how: tokens((call) => ({ ...call.answer, body: Buffer.from(`{"__proto__":${call.answer.body}}`) })),
  },
  { id: 'token-unusable', does: 'issues tokens and refuses every one', how: onList(status(401)) },
  {
    id: 'token-forgotten',
    does: 'refuses every second list call as unauthorised',
    how: onList((call) => (call.number % 2 === 0 ? status(401)(call) : call.answer)),
  },
  {
    id: 'token-forgotten-later',
    does: 'knows no token any more after twenty list calls',
    how: onList((call) => (call.number > 20 ? status(401)(call) : call.answer)),
  },
  {
    id: 'token-for-nobody',
    does: 'refuses every token request with a page of HTML',
    how: onToken(status(403, [], '<html>no</html>')),
  },
  { id: 'expires-negative', does: 'issues tokens that expired a minute ago', how: expires(-60) },
  { id: 'expires-zero', does: 'issues tokens that expire at once', how: expires(0) },
  { id: 'expires-text', does: 'gives expires_in as a text', how: expires('3600') },
  {
    id: 'expires-fraction-hidden',
    does: 'gives expires_in a fraction that a double drops',
    how: tokens((call) => ({
      ...call.answer,
      body: Buffer.from(
        call.answer.body.toString().replace(/"expires_in":\d+/, '"expires_in":3600.00000000000000000001'),
      ),
    })),
  },
  {
    id: 'expires-1e400',
    does: 'issues tokens that last 1e400 seconds',
    how: tokens((call) => ({
      ...call.answer,
      body: Buffer.from(call.answer.body.toString().replace(/"expires_in":\d+/, '"expires_in":1e400')),
    })),
  },
  {
    id: 'scope-array',
    does: 'gives its scopes as an array',
    how: tokens(json((members) => ({ ...members, scope: String(members['scope']).split(' ') }))),
  },
  {
    id: 'retry-after-year',
    does: 'asks to come back in a year',
    how: onList(status(429, [['Retry-After', '31536000']])),
  },
  {
    id: 'retry-after-epoch',
    does: 'gives a moment for Retry-After, as a number',
    how: onList(status(503, [['Retry-After', '1795255200']])),
  },
  {
    id: 'retry-after-date',
    does: 'asks to come back at the end of the century',
    how: onToken(status(429, [['Retry-After', 'Fri, 31 Dec 2100 23:59:59 GMT']])),
  },
  {
    id: 'retry-after-nonsense',
    does: 'asks to come back soon',
    how: onList(status(429, [['Retry-After', 'soon']])),
  },
  {
    id: 'retry-after-negative',
    does: 'asks to come back yesterday',
    how: onToken(status(503, [['Retry-After', '-86400']])),
  },
  { id: 'throttled-always', does: 'answers everything with 429', how: status(429) },
  {
    id: 'throttled-later',
    does: 'asks for a year of patience after ten list calls',
    how: onList((call) =>
      call.number > 10 ? status(429, [['Retry-After', '31536000']])(call) : call.answer,
    ),
  },
  { id: 'unavailable-always', does: 'answers every list call with 503', how: onList(status(503)) },
  {
    id: 'echo-in-errors',
    does: 'refuses list calls and repeats the token in body, header and reason',
    how: onList((call) => {
      const { token: heard } = secretsIn(call);
      return {
        status: 500,
        reason: `no ${heard}`,
        headers: [
          ['X-Echo', heard],
          ['X-Basic', Buffer.from(`client:${heard}`).toString('base64')],
        ],
        body: Buffer.from(`${call.head}\n${encodeURIComponent(heard)}`),
      };
    }),
  },
  {
    id: 'echo-secret',
    does: 'refuses token requests and repeats the secret in every form',
    how: onToken((call) => {
      const { secret } = secretsIn(call);
      const description = `${secret} ${Buffer.from(secret).toString('base64')} ${encodeURIComponent(secret)}`;
      return {
        status: 400,
        reason: `no ${secret}`,
        headers: [['WWW-Authenticate', `Bearer error_description="${description}"`]],
        body: Buffer.from(
          JSON.stringify({ error: 'invalid_client', error_description: description, form: call.body }),
        ),
      };
    }),
  },
  {
    id: 'echo-in-link',
    does: 'puts the token into its links and its count',
    how: lists(
      json((members, call) => {
        const { token: heard } = secretsIn(call);
        return {
          ...members,
          count: heard,
          nextPageLink: `${call.third}/v1/printers?token=${encodeURIComponent(heard)}`,
        };
      }),
    ),
  },
  {
    id: 'echo-in-records',
    does: 'puts the token into its records and breaks them',
    how: lists(
      json((members, call) => ({
        ...members,
        items: members.items?.map((item) => ({
          ...item,
          displayName: secretsIn(call).token,
          agent: [secretsIn(call).token],
        })),
      })),
    ),
  },
  {
    id: 'echo-escaped',
    does: 'repeats the secret letter by letter in JSON escapes',
    how: onToken((call) => {
      const escaped = [...secretsIn(call).secret]
        .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('');
      return {
        status: 200,
        reason: 'OK',
        headers: [],
        body: Buffer.from(
          `{"access_token":["${escaped}"],"token_type":"${escaped}","expires_in":"${escaped}","scope":"${escaped}"}`,
        ),
      };
    }),
  },
  {
    id: 'echo-folded',
    does: 'repeats the token in a folded header',
    how: onList((call) => {
      const { token: heard } = secretsIn(call);
      const folded = `${heard.slice(0, 12)}\r\n ${heard.slice(12)}`;
      return header('X-Folded', folded)({ ...call, answer: { ...call.answer, status: 500 } });
    }),
  },
];
