import type { Hostile } from '../hostile.ts';
import { body, count, json, lists } from '../spoil.ts';

const DIGITS = 1_000_000;

/** Servers whose JSON is valid but ambiguous or meaningless. */
export const values: readonly Hostile[] = [
  { id: 'count-1e400', does: 'counts 1e400 records', how: count('1e400') },
  { id: 'count-beyond-double', does: 'counts 2^53 + 1 records', how: count('9007199254740993') },
  {
    id: 'count-alternating',
    does: 'counts 2^53 records and 2^53 + 1 in turn, which are one double',
    how: lists(
      body((text, { number }) =>
        text.replace(/"count":\d+/, `"count":${number % 2 === 0 ? '9007199254740992' : '9007199254740993'}`),
      ),
    ),
  },
  {
    id: 'count-fraction-hidden',
    does: 'counts a fraction that a double drops',
    how: lists(body((text) => text.replace(/"count":(\d+)/, '"count":$1.00000000000000000001'))),
  },
  {
    id: 'count-million-digits',
    does: 'counts with a million digits',
    how: count('9'.repeat(DIGITS)),
    bomb: true,
  },
  {
    id: 'count-exponent-huge',
    does: 'counts with an exponent of a thousand digits',
    how: count(`1e${'9'.repeat(1000)}`),
  },
  {
    id: 'count-leading-zero',
    does: 'begins its count with a zero',
    how: lists(body((text) => text.replace('"count":', '"count":0'))),
  },
  { id: 'count-nan', does: 'counts NaN', how: count('NaN') },
  { id: 'count-hex', does: 'counts in hexadecimal', how: count('0x3c') },
  { id: 'count-negative', does: 'counts -1', how: count('-1') },
  { id: 'count-text', does: 'counts with a text', how: count('"60"') },
  { id: 'count-object', does: 'counts with an object', how: count('{"$numberLong":"60"}') },
  {
    id: 'count-never-the-same',
    does: 'counts one more each time',
    how: lists(
      json((members, { number }) => ('count' in members ? { ...members, count: 1000 + number } : members)),
    ),
  },
  { id: 'count-grows-away', does: 'counts 10^15 more than there are', how: count('1000000000000060') },
  {
    id: 'twice-items',
    does: 'gives items twice, empty the second time',
    how: lists(body((text) => `${text.slice(0, -1)},"items":[]}`)),
  },
  {
    id: 'twice-items-escaped',
    does: 'gives items twice, once with an escape in its name',
    how: lists(body((text) => `${text.slice(0, -1)},"\\u0069tems":[]}`)),
  },
  {
    id: 'twice-count',
    does: 'gives count twice, right the second time',
    how: lists(body((text) => text.replace(/"count":(\d+)/, '"count":1,"count":$1'))),
  },
  {
    id: 'twice-link',
    does: 'gives nextPageLink twice',
    how: lists(
      body((text) => text.replace('"nextPageLink":', '"nextPageLink":"/v1/printers","nextPageLink":')),
    ),
  },
  {
    id: 'twice-id',
    does: 'gives the id of each record twice',
    how: lists(body((text) => text.replaceAll('{"id":', '{"id":"same","id":'))),
  },
  {
    id: 'proto-items',
    does: 'puts the list below __proto__',
    how: lists(body((text) => `{"__proto__":${text}}`)),
  },
  {
    id: 'proto-constructor',
    does: 'puts the list below constructor.prototype',
    how: lists(body((text) => `{"constructor":{"prototype":${text}}}`)),
  },
  {
    id: 'proto-id',
    does: 'gives the ids of its records below __proto__',
    how: lists(body((text) => text.replaceAll(/\{"id":("[^"]*")/g, '{"__proto__":{"id":$1}'))),
  },
  {
    id: 'items-object',
    does: 'gives its records as an object with a length',
    how: lists(
      json((members) => ({ ...members, items: { ...members.items, length: members.items?.length } })),
    ),
  },
  {
    id: 'items-null',
    does: 'gives null for items',
    how: lists(json((members) => ({ ...members, items: null }))),
  },
  {
    id: 'items-text',
    does: 'gives its records as a text of JSON',
    how: lists(json((members) => ({ ...members, items: JSON.stringify(members.items) }))),
  },
  {
    id: 'items-nulls',
    does: 'gives null endlesslyy record',
    how: lists(json((members) => ({ ...members, items: members.items?.map(() => null) }))),
  },
  {
    id: 'items-nested',
    does: 'gives every record in an array of its own',
    how: lists(json((members) => ({ ...members, items: members.items?.map((item) => [item]) }))),
  },
  {
    id: 'items-one-id',
    does: 'gives every record the same id',
    how: lists(
      json((members) => ({ ...members, items: members.items?.map((item) => ({ ...item, id: 'same' })) })),
    ),
  },
  {
    id: 'items-ids-objects',
    does: 'gives objects for ids',
    how: lists(
      json((members) => ({
        ...members,
        items: members.items?.map((item) => ({ ...item, id: { toString: item.id } })),
      })),
    ),
  },
  {
    id: 'items-ids-fresh',
    does: 'makes up a new id each time',
    how: lists(
      json((members, { number }) => ({
        ...members,
        items: members.items?.map((item) => ({ ...item, id: `${item.id}-${number}` })),
      })),
    ),
  },
  {
    id: 'items-shuffled',
    does: 'gives other records each time',
    how: lists(
      json((members, { number }) => ({
        ...members,
        items: members.items?.map((item, index) => ({
          ...item,
          id: `r-${(index * 7919 + number * 104_729) % 997}`,
        })),
      })),
    ),
  },
  {
    id: 'envelope-array',
    does: 'gives its records without an envelope',
    how: lists(json((members) => members.items)),
  },
  {
    id: 'envelope-text',
    does: 'puts its envelope in a text',
    how: lists(body((text) => JSON.stringify(text))),
  },
  { id: 'envelope-null', does: 'answers null', how: lists(body(() => 'null')) },
  {
    id: 'envelope-error',
    does: 'answers 200 with an error',
    how: lists(body(() => '{"error":{"code":"500","message":"Internal"}}')),
  },
  {
    id: 'names-script',
    does: 'puts scripts and terminal escapes into what it breaks',
    how: lists(
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
];
