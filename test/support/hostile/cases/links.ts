import type { Call } from '../front.ts';
import type { Hostile } from '../hostile.ts';
import { json, link, lists, onList, status } from '../spoil.ts';

const host = (origin: string): string => origin.slice('http://'.length);
const following = (call: Call): boolean => call.target.includes('skip');

function away(id: string, does: string, where: (call: Call, right: string) => unknown): Hostile {
  return { id: `link-${id}`, does, how: link((right, call) => where(call, right)) };
}

/** Servers whose links lead nowhere, in circles, or to other places. */
export const links: readonly Hostile[] = [
  away('to-third', 'links to another origin', ({ third }, right) => third + right),
  away(
    'to-third-schemeless',
    'links to another origin, scheme left out',
    ({ third }, right) => third.slice(5) + right,
  ),
  away(
    'to-third-userinfo',
    'links to another origin, with its own name as user',
    ({ own, third }, right) => `http://${host(own)}@${host(third)}${right}`,
  ),
  away(
    'to-own-userinfo',
    'links to itself with a user and a password',
    ({ own }, right) => `http://user:pass@${host(own)}${right}`,
  ),
  away(
    'to-third-backslash',
    'links to another origin with backslashes',
    ({ third }, right) => `\\\\${host(third)}${right}`,
  ),
  away(
    'to-third-mixed',
    'links to another origin with a slash and a backslash',
    ({ third }, right) => `/\\${host(third)}${right}`,
  ),
  away(
    'to-third-tab',
    'hides another origin behind a tab',
    ({ third }, right) => `/\t/${host(third)}${right}`,
  ),
  away(
    'to-third-newline',
    'hides another origin behind a line break',
    ({ third }, right) => `http:\n//${host(third)}${right}`,
  ),
  away(
    'to-third-fragment',
    'hides another origin behind its own and a hash',
    ({ own, third }, right) => `${own}#@${host(third)}${right}`,
  ),
  away(
    'to-third-one-slash',
    'links to another origin with one slash',
    ({ third }, right) => `http:/${host(third)}${right}`,
  ),
  away(
    'to-third-no-slash',
    'links to another origin with no slash',
    ({ third }, right) => `http:${host(third)}${right}`,
  ),
  away(
    'to-third-number',
    'writes the address of another origin as one number',
    ({ third }, right) => `http://2130706433:${new URL(third).port}${right}`,
  ),
  away(
    'to-third-name',
    'links to another port of the same machine by name',
    ({ third }, right) => `http://localhost:${new URL(third).port}${right}`,
  ),
  away(
    'to-third-ipv6',
    'links to an address of version 6',
    ({ third }, right) => `http://[::ffff:127.0.0.1]:${new URL(third).port}${right}`,
  ),
  away(
    'to-third-wide',
    'links to another origin with wide letters',
    ({ third }, right) => `//１２７.０.０.１:${new URL(third).port}${right}`,
  ),
  away(
    'to-https',
    'links to itself by another scheme',
    ({ own }, right) => own.replace('http:', 'https:') + right,
  ),
  away(
    'to-other-port',
    'links to another port of its own',
    ({ own }, right) => `http://127.0.0.1:${(Number(new URL(own).port) % 60_000) + 1024}${right}`,
  ),
  away('to-file', 'links to a file', () => 'file:///etc/passwd'),
  away('to-script', 'links to a script', () => 'javascript:alert(1)'),
  away('to-data', 'links to a page of data', () => 'data:application/json,{"items":[]}'),
  away('to-token', 'links to the token endpoint', () => '/connect/token?$skip=7'),
  away(
    'to-above',
    'links above its list by dots',
    (_call, right) => `/v1/printers/../../connect/token${right.slice(right.indexOf('?'))}`,
  ),
  away(
    'to-above-encoded',
    'links above its list by encoded dots',
    (_call, right) => `/v1/printers/%2e%2e/%2e%2e/admin${right.slice(right.indexOf('?'))}`,
  ),
  away(
    'with-crlf',
    'puts a header into its link',
    (_call, right) => `${right} HTTP/1.1\r\nX-Injected: yes\r\n\r\n`,
  ),
  away('with-nul', 'puts a NUL into its link', (_call, right) => `${right}\0`),
  away('with-space', 'puts a blank into its link', (_call, right) => `${right}&x=a b`),
  away('long', 'links with 9 KB', (_call, right) => `${right}&x=${'a'.repeat(9000)}`),
  away('very-long', 'links with 8 MB', (_call, right) => `${right}&x=${'a'.repeat(8_000_000)}`),
  away(
    'growing',
    'lets its links grow fourfold from page to page',
    ({ target }, right) => `${right}&x=${'a'.repeat(3 * target.length)}`,
  ),
  away('empty', 'gives an empty link', () => ''),
  away('blank', 'gives a link of one blank', () => ' '),
  away('number', 'gives a number for a link', () => 7),
  away('object', 'gives an object for a link', (_call, right) => ({ href: right })),
  away('array', 'gives an array for a link', (_call, right) => [right]),
  away('true', 'gives true for a link', () => true),
  away('bad-escapes', 'gives a link whose escapes are none', () => '/v1/printers?$count=true&$skip=%zz%'),
  {
    id: 'link-to-itself',
    does: 'links every page to itself',
    how: lists(json((members, call) => ({ ...members, nextPageLink: call.target }))),
  },
  {
    id: 'link-in-circles',
    does: 'links two pages to each other',
    how: lists(
      json((members, call) => ({
        ...members,
        nextPageLink: call.target.includes('skip=7')
          ? '/v1/printers?$count=true&$pagesize=7&$skip=14'
          : '/v1/printers?$count=true&$pagesize=7&$skip=7',
      })),
    ),
  },
  {
    id: 'link-fresh-for-ever',
    does: 'links on endlessly, a new link each time',
    how: lists(
      json((members, call) => ({
        ...members,
        nextPageLink: `/v1/printers?$count=true&$pagesize=7&$skip=${call.number}`,
      })),
    ),
  },
  {
    id: 'link-records-for-ever',
    does: 'invents records and links endlessly, and counts on',
    how: lists(
      json((members, { number }) => ({
        ...members,
        count: number * 1000,
        nextPageLink: `/v1/printers?$count=true&$pagesize=7&$skip=${number * 7}`,
        items: Array.from({ length: 7 }, (_one, index) => ({
          id: `x-${number}-${index}`,
          displayName: 'n',
          agent: 'a',
        })),
      })),
    ),
  },
  {
    id: 'link-replayed',
    does: 'gives the first page endlesslyy page',
    how: lists(
      json((members, call) =>
        following(call)
          ? { ...members, items: members.items?.map((item, index) => ({ ...item, id: `first-${index}` })) }
          : { ...members, items: members.items?.map((item, index) => ({ ...item, id: `first-${index}` })) },
      ),
    ),
  },
  {
    id: 'link-refused',
    does: 'refuses to follow its own links',
    how: onList((call) => (following(call) ? status(400)(call) : call.answer)),
  },
  {
    id: 'link-unauthorised',
    does: 'forgets the token during a traversal',
    how: onList((call) => (following(call) ? status(401)(call) : call.answer)),
  },
  {
    id: 'link-html',
    does: 'answers its links with a page of HTML',
    how: onList((call) => (following(call) ? status(200, [], '<html>')(call) : call.answer)),
  },
  {
    id: 'link-drops',
    does: 'closes the connection where its links are followed',
    how: onList((call) => {
      if (!following(call)) return call.answer;
      call.socket.end();
      return null;
    }),
  },
];
