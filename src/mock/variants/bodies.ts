import { type Answer, type Change, composeChanges, counting, wrap } from '../pipeline.ts';
import {
  changeEnvelope,
  changeItems,
  changePageAnswer,
  changePositions,
  changeRecordAt,
  changeText,
  setItemMembers,
} from '../step-changes.ts';
import { type Variant, variant, variantsOf } from '../variant.ts';

function contentType(value: string | undefined): Change {
  const headers: Answer['headers'] = value === undefined ? {} : { 'Content-Type': value };
  return changePageAnswer((answer) => ({ ...answer, headers }));
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
  'envelope-member-order': variant(
    'The members of the envelope are in the order count, nextPageLink, items.',
  ).by(
    wrap('envelope', () => ({ items, nextPageLink, count }) => ({ count, nextPageLink, items })),
  ),
  'envelope-further-members': variant(
    'The envelope and the items have additional members, some of them null or nested.',
  ).by(
    composeChanges(
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
  ),
  'further-members-twice': variant(
    'An additional member is given twice, in the envelope and in every item.',
  ).by(
    changeText((json) =>
      json.replace(/^\{/, '{"trace":"a","trace":"b",').replaceAll('{"id":', '{"model":1,"model":2,"id":'),
    ),
  ),
  'further-members-twice-within': variant(
    'An additional member of every item is an object with a duplicate name.',
  ).by(changeText((json) => json.replaceAll('{"id":', '{"place":{"id":1,"id":2},"id":'))),
  'body-indented': variant('The body is indented JSON with CRLF line ends.').by(
    changeText((json) => JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', '\r\n')),
  ),
  'body-escaped': variant('Characters beyond ASCII are written as escapes.').by(changeText(escapeNonAscii)),
  'body-slashes-escaped': variant('All slashes are escaped with a backslash, also in links.').by(
    changeText((json) => json.replaceAll('/', '\\/')),
  ),
  'body-white-space-around': variant('White space precedes and follows the JSON.').by(
    changeText((json) => ` \n\t${json}\r\n\n`),
  ),
  'content-type-without-charset': variant('The Content-Type is application/json without a charset.').by(
    contentType('application/json'),
  ),
  'content-type-vendor': variant('The Content-Type is a vendor-specific JSON type.').by(
    contentType('application/vnd.provider.list+json; odata.metadata=minimal'),
  ),
  'content-type-missing': variant('The list answer has no Content-Type.').by(contentType(undefined)),
  'content-type-text': variant('The Content-Type is text/plain although the body is JSON.').by(
    contentType('text/plain; charset=utf-8'),
  ),
  'names-awkward': variant(
    'Names contain markup, control characters, terminal escapes or emoji, or are empty.',
  ).by(
    changeItems((members, record) => ({
      ...members,
      displayName: AWKWARD_NAMES[record % AWKWARD_NAMES.length],
    })),
  ),
  'names-lone-surrogate': variant('Some names contain half of a surrogate pair, written as an escape.').by(
    changeItems((members, record) =>
      record % 50 === 3 ? { ...members, displayName: 'half \ud83d' } : members,
    ),
  ),
  'names-long': variant('Names are 2000 characters long.').by(
    setItemMembers({ displayName: 'long '.repeat(400) }),
  ),
  'names-all-equal': variant('All printers have the same name and the same agent.').by(
    setItemMembers({ displayName: 'Printer', agent: 'agent' }),
  ),
  'ids-look-alike': variant('Identifiers differ only in letter case, accent form or spaces.').by(
    changeItems((members, record) => ({ ...members, id: similarIdentifier(record) })),
  ),
  'ids-numbers': variant('Identifiers are strings of digits above 2^53 that differ in the last digit.').by(
    changeItems((members, record) => ({
      ...members,
      id: String(9_007_199_254_740_992n + BigInt(record)),
    })),
  ),
  'ids-prototype-names': variant('The first identifiers are names such as __proto__ and constructor.').by(
    changeItems((members, record) => ({ ...members, id: PROTOTYPE_NAMES[record] ?? members['id'] })),
  ),
  'ids-paths': variant(
    'Identifiers are long paths with spaces, slashes and percent signs, equal in the first 300 characters.',
  ).by(changeItems((members, record) => ({ ...members, id: `${'/unit %2F'.repeat(34)}${record}` }))),
  'rows-reversed-on-each-page': variant(
    'The records of each page are given in reverse; which records are on which page is as usual.',
  ).by(changePositions((rows) => rows.toReversed())),
  'rows-shuffled-on-each-page': variant(
    'The records of each page are in an order of their own, which changes with each answer.',
  ).by(
    counting((count) =>
      changePositions((rows) => {
        const first = count() % Math.max(1, rows.length);
        return [...rows.slice(first), ...rows.slice(0, first)];
      }),
    ),
  ),
  'order-reversed': variant('The list is ordered from the last record to the first.').by(
    changeRecordAt((position, page) => page.total - 1 - position),
  ),
  'order-by-page-size': variant(
    'The order of the records depends on the page size; the set of records does not.',
  ).by(changeRecordAt((position, page) => (position + page.pageSize) % page.total)),
  'item-members-in-changing-order': variant('The order of the members changes from item to item.').by(
    changeItems((members, record) =>
      record % 2 === 0 ? Object.fromEntries(Object.entries(members).reverse()) : members,
    ),
  ),
});
