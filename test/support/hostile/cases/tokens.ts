import type { Behaviour, Call } from '../altering-proxy.ts';
import { servers } from '../hostile.ts';
import {
  body,
  expires,
  header,
  json,
  lists,
  onList,
  onToken,
  records,
  status,
  tokens,
} from '../hostile-behaviours.ts';

function secretsIn({ head, body: form }: Call): { readonly token: string; readonly secret: string } {
  return {
    token: /^authorization: bearer (.*)$/im.exec(head)?.[1] ?? '',
    secret: new URLSearchParams(form).get('client_secret') ?? '',
  };
}

const token = (change: (right: string) => unknown): Behaviour =>
  tokens(json((members) => ({ ...members, access_token: change(members.access_token ?? '') })));

/** Servers with unusable tokens, endless throttling, or echoed requests. */
export const tokenCases = [
  ...servers({
    'issues tokens of one letter': token(() => 'a'),
    'issues tokens and refuses every one': onList(status(401)),
    'refuses every second list call as unauthorised': onList((call) =>
      call.number % 2 === 0 ? status(401)(call) : call.answer,
    ),
    'knows no token any more after twenty list calls': onList((call) =>
      call.number > 20 ? status(401)(call) : call.answer,
    ),
    'issues tokens that expired a minute ago': expires('-60'),
    'issues tokens that expire at once': expires('0'),
    'asks for a year of patience after ten list calls': onList((call) =>
      call.number > 10 ? status(429, [['Retry-After', '31536000']])(call) : call.answer,
    ),
    'refuses list calls and repeats the token in body, header and reason': onList((call) => {
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
    'refuses token requests and repeats the secret in every form': onToken((call) => {
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
    'puts the token into its links and its count': lists(
      json((members, call) => {
        const { token: heard } = secretsIn(call);
        return {
          ...members,
          count: heard,
          nextPageLink: `${call.third}/v1/printers?token=${encodeURIComponent(heard)}`,
        };
      }),
    ),
    'puts the token into its records and breaks them': records((item, _index, call) => ({
      ...item,
      displayName: secretsIn(call).token,
      agent: [secretsIn(call).token],
    })),
    'repeats the secret letter by letter in JSON escapes': onToken((call) => {
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
    'repeats the token in a folded header': onList((call) => {
      const { token: heard } = secretsIn(call);
      const folded = `${heard.slice(0, 12)}\r\n ${heard.slice(12)}`;
      return header('X-Folded', folded)({ ...call, answer: { ...call.answer, status: 500 } });
    }),
  }),
  ...servers(
    {
      'puts a header into its tokens': token((right) => `${right}\r\nX-Injected: yes`),
      'puts letters into its tokens that no header may hold': token((right) => `${right}\u4e2d\u202e`),
      'puts a NUL into its tokens': token((right) => `${right}\0`),
      'issues a blank for a token': token(() => ' '),
      'issues an empty token': token(() => ''),
      'issues tokens of a megabyte': token((right) => right + 'a'.repeat(1_000_000)),
      'issues tokens of one letter, 900,000 times': token(() => 'a'.repeat(900_000)),
      'puts 300,000 spaces between its scopes': tokens(
        json((members) => ({ ...members, scope: `a${' '.repeat(300_000)}b` })),
      ),
      'issues a number for a token': token(() => 12_345_678),
      'issues an object for a token': token((right) => ({ value: right })),
      'gives access_token twice': tokens(
        body((text) => text.replace('"access_token":', '"access_token":"another-token","access_token":')),
      ),
      'issues its token below __proto__': tokens(body((text) => `{"__proto__":${text}}`)),
      'refuses every token request with a page of HTML': onToken(status(403, [], '<html>no</html>')),
      'gives expires_in as a text': expires('"3600"'),
      'gives expires_in a fraction that a double drops': expires('3600.00000000000000000001'),
      'issues tokens that last 1e400 seconds': expires('1e400'),
      'gives its scopes as an array': tokens(
        json((members) => ({ ...members, scope: String(members['scope']).split(' ') })),
      ),
      'asks to come back in a year': onList(status(429, [['Retry-After', '31536000']])),
      'gives a moment for Retry-After, as a number': onList(status(503, [['Retry-After', '1795255200']])),
      'asks to come back at the end of the century': onToken(
        status(429, [['Retry-After', 'Fri, 31 Dec 2100 23:59:59 GMT']]),
      ),
      'asks to come back soon': onList(status(429, [['Retry-After', 'soon']])),
      'asks to come back yesterday': onToken(status(503, [['Retry-After', '-86400']])),
      'answers everything with 429': status(429),
      'answers every list call with 503': onList(status(503)),
    },
    { steady: true },
  ),
];
