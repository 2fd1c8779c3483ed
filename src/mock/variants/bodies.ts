import { type Change, composeChanges, wrap } from '../pipeline.ts';
import { changeEnvelope, changeItems, changePositions, changeRecordAt, changeText } from '../step-changes.ts';
import { type Variant, variantsOf } from '../variant.ts';

function contentType(value: string | undefined): Change {
  return wrap('pageAnswer', (pageAnswer) => (body, page, service) => ({
    ...pageAnswer(body, page, service),
    headers: value === undefined ? {} : { 'Content-Type': value },
  }));
}

/** JSON with all non-ASCII characters as escapes, as some serialisers write it. */
function escapeNonAscii(json: string): string {
  return json.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const AWKWARD_NAMES = [
  '<script>alert(1)</script>',
  '\u001b[31mred\u001b[0m',
  'line\nend, tab\t, quote " and backslash \\',
  '\u202eright to left',
  'nul \u0000 inside',
  '👩‍👩‍👧 family',
  '=1+1',
  '',
];

/** Identifiers that differ in letter case, accent form, spaces or leading zeros only. */
function similarIdentifier(record: number): string {
  const stem = Math.floor(record / 8);
  const forms = [
    `key-${stem}a`,
    `KEY-${stem}A`,
    `key-${stem}\u00e9`,
    `key-${stem}e\u0301`,
    ` key-${stem}a`,
    `key-0${stem}a`,
    `key-${stem}a `,
    `key-${stem}\u0430`,
  ];
  return forms[record % forms.length] ?? '';
}

const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '0',
];

/** Unusual but conforming bodies and records. */
export const bodyVariants: readonly Variant[] = variantsOf({
  'envelope-member-order': {
    sentence: 'The members of the envelope are in the order count, nextPageLink, items.',
    apply: wrap('envelope', () => ({ items, nextPageLink, count }) => ({ count, nextPageLink, items })),
  },
  'envelope-further-members': {
    sentence: 'The envelope and the items have additional members, some of them null or nested.',
    apply: composeChanges(
      changeEnvelope((members) => ({
        '@odata.context': '$metadata#printers',
        ...members,
        previousPageLink: null,
        warnings: [],
      })),
      changeItems((members, record) => ({
        location: { floor: record % 9 },
        ...members,
        model: null,
        tags: ['a'],
      })),
    ),
  },
  'further-members-twice': {
    sentence: 'An additional member is given twice, in the envelope and in every item.',
    apply: changeText((json) =>
      json.replace(/^\{/, '{"trace":"a","trace":"b",').replaceAll('{"id":', '{"model":1,"model":2,"id":'),
    ),
  },
  'further-members-twice-within': {
    sentence: 'An additional member of every item is an object with a duplicate name.',
    apply: changeText((json) => json.replaceAll('{"id":', '{"place":{"id":1,"id":2},"id":')),
  },
  'body-indented': {
    sentence: 'The body is indented JSON with CRLF line ends.',
    apply: changeText((json) => JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', '\r\n')),
  },
  'body-escaped': {
    sentence: 'Characters beyond ASCII are written as escapes.',
    apply: changeText(escapeNonAscii),
  },
  'body-slashes-escaped': {
    sentence: 'All slashes are escaped with a backslash, also in links.',
    apply: changeText((json) => json.replaceAll('/', '\\/')),
  },
  'body-white-space-around': {
    sentence: 'White space precedes and follows the JSON.',
    apply: changeText((json) => ` \n\t${json}\r\n\n`),
  },
  'content-type-without-charset': {
    sentence: 'The Content-Type is application/json without a charset.',
    apply: contentType('application/json'),
  },
  'content-type-vendor': {
    sentence: 'The Content-Type is a vendor-specific JSON type.',
    apply: contentType('application/vnd.provider.list+json; odata.metadata=minimal'),
  },
  'content-type-missing': {
    sentence: 'The list answer has no Content-Type.',
    apply: contentType(undefined),
  },
  'content-type-text': {
    sentence: 'The Content-Type is text/plain although the body is JSON.',
    apply: contentType('text/plain; charset=utf-8'),
  },
  'names-awkward': {
    sentence: 'Names contain markup, control characters, terminal escapes or emoji, or are empty.',
    apply: changeItems((members, record) => ({
      ...members,
      displayName: AWKWARD_NAMES[record % AWKWARD_NAMES.length],
    })),
  },
  'names-lone-surrogate': {
    sentence: 'Some names contain half of a surrogate pair, written as an escape.',
    apply: changeItems((members, record) =>
      record % 50 === 3 ? { ...members, displayName: 'half \ud83d' } : members,
    ),
  },
  'names-long': {
    sentence: 'Names are 2000 characters long.',
    apply: changeItems((members) => ({ ...members, displayName: 'long '.repeat(400) })),
  },
  'names-all-equal': {
    sentence: 'All printers have the same name and the same agent.',
    apply: changeItems((members) => ({ ...members, displayName: 'Printer', agent: 'agent' })),
  },
  'ids-look-alike': {
    sentence: 'Identifiers differ only in letter case, accent form or spaces.',
    apply: changeItems((members, record) => ({ ...members, id: similarIdentifier(record) })),
  },
  'ids-numbers': {
    sentence: 'Identifiers are strings of digits above 2^53 that differ in the last digit.',
    apply: changeItems((members, record) => ({
      ...members,
      id: String(9_007_199_254_740_992n + BigInt(record)),
    })),
  },
  'ids-prototype-names': {
    sentence: 'The first identifiers are names such as __proto__ and constructor.',
    apply: changeItems((members, record) => ({ ...members, id: PROTOTYPE_NAMES[record] ?? members['id'] })),
  },
  'ids-paths': {
    sentence:
      'Identifiers are long paths with spaces, slashes and percent signs, equal in the first 300 characters.',
    apply: changeItems((members, record) => ({ ...members, id: `${'/unit %2F'.repeat(34)}${record}` })),
  },
  'rows-reversed-on-each-page': {
    sentence: 'The records of each page are given in reverse; which records are on which page is as usual.',
    apply: changePositions((rows) => rows.toReversed()),
  },
  'rows-shuffled-on-each-page': {
    sentence: 'The records of each page are in an order of their own, which changes with each answer.',
    apply: (steps) => {
      let answers = 0;
      return changePositions((rows) => {
        const first = ++answers % Math.max(1, rows.length);
        return [...rows.slice(first), ...rows.slice(0, first)];
      })(steps);
    },
  },
  'order-reversed': {
    sentence: 'The list is ordered from the last record to the first.',
    apply: changeRecordAt((position, page) => page.total - 1 - position),
  },
  'order-by-page-size': {
    sentence: 'The order of the records depends on the page size; the set of records does not.',
    apply: changeRecordAt((position, page) => (position + page.pageSize) % page.total),
  },
  'item-members-in-changing-order': {
    sentence: 'The order of the members changes from item to item.',
    apply: changeItems((members, record) =>
      record % 2 === 0 ? Object.fromEntries(Object.entries(members).reverse()) : members,
    ),
  },
});
