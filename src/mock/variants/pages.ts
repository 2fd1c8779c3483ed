import { sha256 } from '../../core/sha256.ts';
import { bearerOf } from '../authorization-changes.ts';
import { variant, variantsOf } from '../catalogue-rows.ts';
import { type Change, counting, rewrite, wrap } from '../changes.ts';
import {
  addLinkParameter,
  changeEnvelope,
  changeItems,
  changeLink,
  changeLinkParameters,
  changeLinkValue,
  changeRecordAt,
  changeText,
  numberedLinks,
  onPages,
  requestedSize,
  setItemMembers,
} from '../page-changes.ts';
import { type Answer, problem, type ReceivedRequest, Refused, type Service, valuesOf } from '../pipeline.ts';

function queryOf(link: string): string {
  return link.slice(link.indexOf('?'));
}

/** A text that stands for the token of a request. */
function markOf(request: ReceivedRequest, service: Service): string {
  return sha256(bearerOf(request, service)).slice(0, 16);
}

const encodedNames = changeLink((link) => link.replaceAll('$', '%24'));

/** The part of the link behind the last slash of its path. */
const lastSegment = changeLink((link) => link.replace(/^[^?]*\//, ''));

const withBasePath = changeLink((link, _page, service) => service.basePath + link);

const basePath = { basePath: '/int' };

/** Unusual but conforming links and counts. */
export const linkVariants = variantsOf({
  'link-names-encoded': variant('The parameter names of nextPageLink are written with %24.').by(encodedNames),
  'link-size-uncapped': variant(
    'nextPageLink repeats a requested page size above 500, while pages hold 500 records.',
  ).by(
    changeLinkValue('$pagesize', (size, page) => {
      const requested = requestedSize(page);
      return Number(requested) > 500 ? String(requested) : size;
    }),
  ),
  'link-names-as-requested': variant('nextPageLink spells its names with %24 if the request does.').by(
    onPages(({ parameters }) => parameters.some(({ rawName }) => rawName.startsWith('%24')))(encodedNames),
  ),
  'link-names-half-encoded': variant('Only $skip is written with %24 in nextPageLink.').by(
    changeLink((link) => link.replace('$skip', '%24skip')),
  ),
  'link-order-reversed': variant('nextPageLink gives $skip first and $count last.').by(
    changeLinkParameters((parameters) => parameters.toReversed()),
  ),
  'link-further-parameters': variant(
    'nextPageLink has additional parameters, one of them opaque and one without a value.',
  ).by(
    changeLinkParameters((parameters) => [
      ['api-version', '2024-05-01'],
      ...parameters,
      ['session', 'bG9uZyBvcGFxdWU%3D'],
      ['flag', ''],
    ]),
  ),
  'link-bound-to-token': variant('A nextPageLink can be followed only with the token that obtained it.', {
    // Milliseconds; long enough for another token to be issued during a traversal.
    options: { latencyMs: 10 },
  }).by(
    addLinkParameter('for', ({ request }, service) => markOf(request, service)),
    wrap('pageSize', (pageSize) => (page, service) => {
      const [owner] = valuesOf(page, 'for');
      if (owner !== undefined && owner !== markOf(page.request, service))
        throw new Refused(problem(403, 'this link was given to another token'));
      return pageSize(page, service);
    }),
  ),
  'link-new-each-time': variant(
    'Each nextPageLink carries a number that no other one carries; all of them can be followed at any time.',
  ).by(numberedLinks),
  'link-trailing-ampersand': variant('The query of nextPageLink ends with an ampersand.').by(
    changeLink((link) => `${link}&`),
  ),
  'link-without-leading-slash': variant('nextPageLink begins with v1, without a slash.').by(
    changeLink((link) => link.slice(1)),
  ),
  'link-query-only': variant('nextPageLink is only a query, relative to the list.').by(changeLink(queryOf)),
  'link-last-segment': variant('nextPageLink is the last segment of the path with the query.').by(
    lastSegment,
  ),
  'base-path-left-out': variant('The base URL has a path, and nextPageLink does not contain it.', {
    options: basePath,
  }).by(),
  'base-path-given': variant('The base URL has a path, and nextPageLink begins with it.', {
    options: basePath,
  }).by(withBasePath),
  'base-path-link-without-slash': variant(
    'The base URL has a path, and nextPageLink begins with v1, without a slash.',
    { options: basePath },
  ).by(changeLink((link) => link.slice(1))),
  'base-path-link-query-only': variant('The base URL has a path, and nextPageLink is only a query.', {
    options: basePath,
  }).by(changeLink(queryOf)),
  'base-path-link-last-segment': variant(
    'The base URL has a path, and nextPageLink is the last segment of the path with the query.',
    { options: basePath },
  ).by(lastSegment),
  'base-path-deep': variant(
    'The base URL has a path of two segments, one of them v1 as in the path of the list.',
    { options: { basePath: '/gateway/v1' } },
  ).by(withBasePath),
  'link-null-at-end': variant('nextPageLink is null instead of missing.').by(
    rewrite('link', (link) => link ?? null),
  ),
  'count-null-when-disabled': variant('count is null if it is not enabled.').by(
    rewrite('count', (count) => count ?? null),
  ),
  'count-always': variant('count is given whether or not it is enabled.').by(
    wrap('count', () => (page) => page.total),
  ),
  'count-with-fraction-digits': variant('count is written as 1234.0, which is also an integer.').by(
    changeText((json) => json.replace(/"count":(\d+)\}$/, '"count":$1.0}')),
  ),
});

function contentType(value: string | undefined): Change {
  const headers: Answer['headers'] = value === undefined ? {} : { 'Content-Type': value };
  return rewrite('pageAnswer', (answer) => ({ ...answer, headers }));
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
export const bodyVariants = variantsOf({
  'envelope-member-order': variant(
    'The members of the envelope are in the order count, nextPageLink, items.',
  ).by(
    wrap('envelope', () => ({ items, nextPageLink, count }) => ({ count, nextPageLink, items })),
  ),
  'envelope-further-members': variant(
    'The envelope and the items have additional members, some of them null or nested.',
  ).by(
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
    changeItems((members, record) => ({ ...members, id: String(9_007_199_254_740_992n + BigInt(record)) })),
  ),
  'ids-prototype-names': variant('The first identifiers are names such as __proto__ and constructor.').by(
    changeItems((members, record) => ({ ...members, id: PROTOTYPE_NAMES[record] ?? members['id'] })),
  ),
  'ids-paths': variant(
    'Identifiers are long paths with spaces, slashes and percent signs, equal in the first 300 characters.',
  ).by(changeItems((members, record) => ({ ...members, id: `${'/unit %2F'.repeat(34)}${record}` }))),
  'rows-reversed-on-each-page': variant(
    'The records of each page are given in reverse; which records are on which page is as usual.',
  ).by(rewrite('positions', (rows) => rows.toReversed())),
  'rows-shuffled-on-each-page': variant(
    'The records of each page are in an order of their own, which changes with each answer.',
  ).by(
    counting((count) =>
      rewrite('positions', (rows) => {
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
