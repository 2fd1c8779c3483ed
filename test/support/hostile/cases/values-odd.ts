import type { Behaviour } from '../altering-proxy.ts';
import { servers } from '../hostile.ts';
import {
  body,
  count,
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

function ids(change: (id: string, index: number) => unknown): Behaviour {
  return records((item, index) => ({ ...item, id: change(item.id, index) }));
}

/** Servers with values on which parsers have failed. */
export const odder = [
  ...servers({
    'gives numbers for ids, two of which are one double': ids((_id, index) => 2 ** 53 + index),
    'spells one id in two ways that look the same, on every page': ids((_id, index) =>
      index % 2 === 0 ? '\u00e9' : 'e\u0301',
    ),
    'asks for patience by a clock that runs backwards': onList((call) =>
      status(503, [
        ['Date', new Date(Date.UTC(2030 - call.number, 0)).toUTCString()],
        ['Retry-After', new Date(Date.UTC(2030, 0)).toUTCString()],
      ])(call),
    ),
    'lets its clock jump by decades, and counts one less than there are': lists((call) => {
      const changed = header(
        'Date',
        new Date(Date.UTC(1970 + ((call.number * 37) % 200), 0)).toUTCString(),
      )(call);
      if (changed === null || Buffer.isBuffer(changed)) return changed;
      return { ...changed, body: Buffer.from(changed.body.toString().replace(/"count":60/, '"count":59')) };
    }),
    'answers each list call as the one before deserved': (() => {
      let before: Buffer | null = null;
      return lists((call) => {
        const given = before ?? Buffer.from('{"items":[],"count":0}');
        before = call.answer.body;
        return { ...call.answer, body: given };
      });
    })(),
  }),
  ...servers(
    {
      'counts -0': count('-0'),
      'counts 1e2 where there are 60': count('1e2'),
      'counts 1e309': count('1e309'),
      'counts +60': count('+60'),
      'counts true': count('true'),
      'counts 5e-324': count('5e-324'),
      'gives half a surrogate pair for every id': ids(() => '\ud800'),
      'counts half a surrogate pair where there are 60': count('"\\ud800"'),
      'gives every record the id __proto__': ids(() => '__proto__'),
      'gives every record an empty id': ids(() => ''),
      'gives true for every id': ids(() => true),
      'gives every record the id NUL': ids(() => '\0'),
      'gives 50,000 further members and no list': lists(
        body(() => `{${Array.from({ length: 50_000 }, (_none, index) => `"k${index}":0`).join(',')}}`),
      ),
      'gives members named as markup and escapes, and no list': lists(
        body(
          () => '{"<script>alert(1)</script>":1,"\\u001b[2J":2,"\\u202e":3,"__proto__":{"items":[]},"":4}',
        ),
      ),
      'issues tokens that last 1e99 seconds': expires('1e99'),
      'gives an object for expires_in': expires('{"valueOf":3600}'),
      'issues tokens that last -0 seconds': expires('-0'),
      'ends its tokens with a line break': tokens(
        json((members) => ({ ...members, access_token: `${members.access_token}\n` })),
      ),
      'issues two tokens in an array': tokens(
        json((members) => ({ ...members, access_token: [members.access_token, 'x'] })),
      ),
      'gives a token and an error at once for any secret': onToken(
        status(200, [], '{"error":"invalid_client","access_token":"aaaaaaaaaaaaaaaa","expires_in":3600}'),
      ),
      'redirects token requests to themselves': onToken((call) =>
        status(307, [['Location', call.own + call.target]])(call),
      ),
      'asks to come back in the last century': onList(
        status(429, [['Retry-After', 'Wed, 31 Dec 1969 23:59:59 GMT']]),
      ),
      'asks to come back in 1e99 seconds': onList(status(503, [['Retry-After', '1e99']])),
      'asks to come back in a number of 500 digits': onList(status(429, [['Retry-After', '9'.repeat(500)]])),
      'asks to come back in NaN seconds': onToken(status(429, [['Retry-After', 'NaN']])),
    },
    { steady: true },
  ),
];
