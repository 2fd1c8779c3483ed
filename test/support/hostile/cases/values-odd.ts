import type { Hostile } from '../hostile.ts';
import { body, count, header, json, lists, onList, onToken, status, tokens } from '../spoil.ts';

function expires(literal: string): Hostile['how'] {
  return tokens(body((text) => text.replace(/"expires_in":\d+/, `"expires_in":${literal}`)));
}

function ids(change: (id: string, index: number) => unknown): Hostile['how'] {
  return lists(
    json((members) => ({
      ...members,
      items: members.items?.map((item, index) => ({ ...item, id: change(item.id, index) })),
    })),
  );
}

/** Servers with values on which parsers have failed. */
export const odder: readonly Hostile[] = [
  { id: 'count-minus-zero', does: 'counts -0', how: count('-0') },
  { id: 'count-1e2', does: 'counts 1e2 where there are 60', how: count('1e2') },
  { id: 'count-1e309', does: 'counts 1e309', how: count('1e309') },
  { id: 'count-plus', does: 'counts +60', how: count('+60') },
  { id: 'count-true', does: 'counts true', how: count('true') },
  { id: 'count-denormal', does: 'counts 5e-324', how: count('5e-324') },
  { id: 'ids-surrogates', does: 'gives half a surrogate pair endlesslyy id', how: ids(() => '\ud800') },
  {
    id: 'count-surrogate',
    does: 'counts half a surrogate pair where there are 60',
    how: count('"\\ud800"'),
  },
  { id: 'ids-proto', does: 'gives every record the id __proto__', how: ids(() => '__proto__') },
  { id: 'ids-empty', does: 'gives every record an empty id', how: ids(() => '') },
  { id: 'ids-true', does: 'gives true endlesslyy id', how: ids(() => true) },
  { id: 'ids-nul', does: 'gives every record the id NUL', how: ids(() => '\0') },
  {
    id: 'ids-numbers',
    does: 'gives numbers for ids, two of which are one double',
    how: ids((_id, index) => 2 ** 53 + index),
  },
  {
    id: 'ids-normalised',
    does: 'spells one id in two ways that look the same, on every page',
    how: ids((_id, index) => (index % 2 === 0 ? '\u00e9' : 'e\u0301')),
  },
  {
    id: 'keys-by-the-thousand',
    does: 'gives 50,000 further members and no list',
    how: lists(
      body(() => `{${Array.from({ length: 50_000 }, (_none, index) => `"k${index}":0`).join(',')}}`),
    ),
  },
  {
    id: 'names-of-members-hostile',
    does: 'gives members named as markup and escapes, and no list',
    how: lists(
      body(() => '{"<script>alert(1)</script>":1,"\\u001b[2J":2,"\\u202e":3,"__proto__":{"items":[]},"":4}'),
    ),
  },
  { id: 'expires-1e99', does: 'issues tokens that last 1e99 seconds', how: expires('1e99') },
  { id: 'expires-object', does: 'gives an object for expires_in', how: expires('{"valueOf":3600}') },
  { id: 'expires-minus-zero', does: 'issues tokens that last -0 seconds', how: expires('-0') },
  {
    id: 'token-newline',
    does: 'ends its tokens with a line break',
    how: tokens(json((members) => ({ ...members, access_token: `${members.access_token}\n` }))),
  },
  {
    id: 'token-array',
    does: 'issues two tokens in an array',
    how: tokens(json((members) => ({ ...members, access_token: [members.access_token, 'x'] }))),
  },
  {
    id: 'token-with-error',
    does: 'gives a token and an error at once for any secret',
    how: onToken(
      status(200, [], '{"error":"invalid_client","access_token":"aaaaaaaaaaaaaaaa","expires_in":3600}'),
    ),
  },
  {
    id: 'token-redirect-loop',
    does: 'redirects token requests to themselves',
    how: onToken((call) => status(307, [['Location', call.own + call.target]])(call)),
  },
  {
    id: 'retry-after-past',
    does: 'asks to come back in the last century',
    how: onList(status(429, [['Retry-After', 'Wed, 31 Dec 1969 23:59:59 GMT']])),
  },
  {
    id: 'retry-after-1e99',
    does: 'asks to come back in 1e99 seconds',
    how: onList(status(503, [['Retry-After', '1e99']])),
  },
  {
    id: 'retry-after-digits',
    does: 'asks to come back in a number of 500 digits',
    how: onList(status(429, [['Retry-After', '9'.repeat(500)]])),
  },
  {
    id: 'retry-after-nan',
    does: 'asks to come back in NaN seconds',
    how: onToken(status(429, [['Retry-After', 'NaN']])),
  },
  {
    id: 'retry-after-clock',
    does: 'asks for patience by a clock that runs backwards',
    how: onList((call) =>
      status(503, [
        ['Date', new Date(Date.UTC(2030 - call.number, 0)).toUTCString()],
        ['Retry-After', new Date(Date.UTC(2030, 0)).toUTCString()],
      ])(call),
    ),
  },
  {
    id: 'clock-jumps',
    does: 'lets its clock jump by decades, and counts one less than there are',
    how: lists((call) => {
      const changed = header(
        'Date',
        new Date(Date.UTC(1970 + ((call.number * 37) % 200), 0)).toUTCString(),
      )(call);
      if (changed === null || Buffer.isBuffer(changed)) return changed;
      return { ...changed, body: Buffer.from(changed.body.toString().replace(/"count":60/, '"count":59')) };
    }),
  },
  {
    id: 'answers-swapped',
    does: 'answers each list call as the one before deserved',
    how: (() => {
      let before: Buffer | null = null;
      return lists((call) => {
        const given = before ?? Buffer.from('{"items":[],"count":0}');
        before = call.answer.body;
        return { ...call.answer, body: given };
      });
    })(),
  },
];
