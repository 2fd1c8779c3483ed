import { servers } from '../hostile.ts';
import { body, count, json, lists, records } from '../hostile-behaviours.ts';

const DIGITS = 1_000_000;

/** Servers whose JSON is valid but ambiguous or meaningless. */
export const values = [
  ...servers({
    'counts 2^53 records and 2^53 + 1 in turn, which are one double': lists(
      body((text, { number }) =>
        text.replace(/"count":\d+/, `"count":${number % 2 === 0 ? '9007199254740992' : '9007199254740993'}`),
      ),
    ),
    'counts one more each time': lists(
      json((members, { number }) => ('count' in members ? { ...members, count: 1000 + number } : members)),
    ),
    'makes up a new id each time': records((item, _index, { number }) => ({
      ...item,
      id: `${item.id}-${number}`,
    })),
    'gives other records each time': records((item, index, { number }) => ({
      ...item,
      id: `r-${(index * 7919 + number * 104_729) % 997}`,
    })),
  }),
  ...servers(
    {
      'counts 1e400 records': count('1e400'),
      'counts 2^53 + 1 records': count('9007199254740993'),
      'counts a fraction that a double drops': lists(
        body((text) => text.replace(/"count":(\d+)/, '"count":$1.00000000000000000001')),
      ),
      'counts with a million digits': { how: count('9'.repeat(DIGITS)), bomb: 34 },
      'counts with an exponent of a thousand digits': count(`1e${'9'.repeat(1000)}`),
      'begins its count with a zero': lists(body((text) => text.replace('"count":', '"count":0'))),
      'counts NaN': count('NaN'),
      'counts in hexadecimal': count('0x3c'),
      'counts -1': count('-1'),
      'counts with a text': count('"60"'),
      'counts with an object': count('{"$numberLong":"60"}'),
      'counts 10^15 more than there are': count('1000000000000060'),
      'gives items twice, empty the second time': lists(body((text) => `${text.slice(0, -1)},"items":[]}`)),
      'gives items twice, once with an escape in its name': lists(
        body((text) => `${text.slice(0, -1)},"\\u0069tems":[]}`),
      ),
      'gives count twice, right the second time': lists(
        body((text) => text.replace(/"count":(\d+)/, '"count":1,"count":$1')),
      ),
      'gives nextPageLink twice': lists(
        body((text) => text.replace('"nextPageLink":', '"nextPageLink":"/v1/printers","nextPageLink":')),
      ),
      'gives the id of each record twice': lists(
        body((text) => text.replaceAll('{"id":', '{"id":"same","id":')),
      ),
      'puts the list below __proto__': lists(body((text) => `{"__proto__":${text}}`)),
      'puts the list below constructor.prototype': lists(
        body((text) => `{"constructor":{"prototype":${text}}}`),
      ),
      'gives the ids of its records below __proto__': lists(
        body((text) => text.replaceAll(/\{"id":("[^"]*")/g, '{"__proto__":{"id":$1}')),
      ),
      'gives its records as an object with a length': lists(
        json((members) => ({ ...members, items: { ...members.items, length: members.items?.length } })),
      ),
      'gives null for items': lists(json((members) => ({ ...members, items: null }))),
      'gives its records as a text of JSON': lists(
        json((members) => ({ ...members, items: JSON.stringify(members.items) })),
      ),
      'gives null for every record': records(() => null),
      'gives every record in an array of its own': records((item) => [item]),
      'gives every record the same id': records((item) => ({ ...item, id: 'same' })),
      'gives objects for ids': records((item) => ({ ...item, id: { toString: item.id } })),
      'gives its records without an envelope': lists(json((members) => members.items)),
      'puts its envelope in a text': lists(body((text) => JSON.stringify(text))),
      'answers null': lists(body(() => 'null')),
      'answers 200 with an error': lists(body(() => '{"error":{"code":"500","message":"Internal"}}')),
      'puts scripts and terminal escapes into what it breaks': lists(
        json((members) => ({
          ...members,
          count: '</script><img src=x onerror=alert(1)>\u001b[31m\u202e',
          items: members.items?.map((item) => ({
            ...item,
            agent: ['<script>alert(1)</script>\u001b[2J\u0007'],
          })),
        })),
      ),
    },
    { steady: true },
  ),
];
