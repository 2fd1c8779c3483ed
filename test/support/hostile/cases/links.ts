import type { Call } from '../altering-proxy.ts';
import { servers } from '../hostile.ts';
import { json, link, lists, onList, records, status } from '../hostile-behaviours.ts';

const host = (origin: string): string => origin.slice('http://'.length);
const following = (call: Call): boolean => call.target.includes('skip');

/** Servers whose links lead nowhere, in circles, or to other places. */
export const links = [
  ...servers({
    'lets its links grow fourfold from page to page': link(
      (right, { target }) => `${right}&x=${'a'.repeat(3 * target.length)}`,
    ),
    'gives a link whose escapes are none': link(() => '/v1/printers?$count=true&$skip=%zz%'),
    'links every page to itself': lists(json((members, call) => ({ ...members, nextPageLink: call.target }))),
    'links two pages to each other': lists(
      json((members, call) => ({
        ...members,
        nextPageLink: call.target.includes('skip=7')
          ? '/v1/printers?$count=true&$pagesize=7&$skip=14'
          : '/v1/printers?$count=true&$pagesize=7&$skip=7',
      })),
    ),
    'links on endlessly, a new link each time': lists(
      json((members, call) => ({
        ...members,
        nextPageLink: `/v1/printers?$count=true&$pagesize=7&$skip=${call.number}`,
      })),
    ),
    'invents records and links endlessly, and counts on': lists(
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
    'gives the first page for every page': records((item, index) => ({ ...item, id: `first-${index}` })),
    'refuses to follow its own links': onList((call) => (following(call) ? status(400)(call) : call.answer)),
    'forgets the token during a traversal': onList((call) =>
      following(call) ? status(401)(call) : call.answer,
    ),
    'answers its links with a page of HTML': onList((call) =>
      following(call) ? status(200, [], '<html>')(call) : call.answer,
    ),
    'closes the connection where its links are followed': onList((call) => {
      if (!following(call)) return call.answer;
      call.socket.end();
      return null;
    }),
  }),
  ...servers(
    {
      'links to another origin': link((right, { third }) => third + right),
      'links to another origin, scheme left out': link((right, { third }) => third.slice(5) + right),
      'links to another origin, with its own name as user': link(
        (right, { own, third }) => `http://${host(own)}@${host(third)}${right}`,
      ),
      'links to itself with a user and a password': link(
        (right, { own }) => `http://user:pass@${host(own)}${right}`,
      ),
      'links to another origin with backslashes': link((right, { third }) => `\\\\${host(third)}${right}`),
      'links to another origin with a slash and a backslash': link(
        (right, { third }) => `/\\${host(third)}${right}`,
      ),
      'hides another origin behind a tab': link((right, { third }) => `/\t/${host(third)}${right}`),
      'hides another origin behind a line break': link(
        (right, { third }) => `http:\n//${host(third)}${right}`,
      ),
      'hides another origin behind its own and a hash': link(
        (right, { own, third }) => `${own}#@${host(third)}${right}`,
      ),
      'links to another origin with one slash': link((right, { third }) => `http:/${host(third)}${right}`),
      'links to another origin with no slash': link((right, { third }) => `http:${host(third)}${right}`),
      'writes the address of another origin as one number': link(
        (right, { third }) => `http://2130706433:${new URL(third).port}${right}`,
      ),
      'links to another port of the same machine by name': link(
        (right, { third }) => `http://localhost:${new URL(third).port}${right}`,
      ),
      'links to an address of version 6': link(
        (right, { third }) => `http://[::ffff:127.0.0.1]:${new URL(third).port}${right}`,
      ),
      'links to another origin with wide letters': link(
        (right, { third }) => `//１２７.０.０.１:${new URL(third).port}${right}`,
      ),
      'links to itself by another scheme': link((right, { own }) => own.replace('http:', 'https:') + right),
      'links to another port of its own': link(
        (right, { own }) => `http://127.0.0.1:${(Number(new URL(own).port) % 60_000) + 1024}${right}`,
      ),
      'links to a file': link(() => 'file:///etc/passwd'),
      'links to a script': link(() => 'javascript:alert(1)'),
      'links to a page of data': link(() => 'data:application/json,{"items":[]}'),
      'links to the token endpoint': link(() => '/connect/token?$skip=7'),
      'links above its list by dots': link(
        (right) => `/v1/printers/../../connect/token${right.slice(right.indexOf('?'))}`,
      ),
      'links above its list by encoded dots': link(
        (right) => `/v1/printers/%2e%2e/%2e%2e/admin${right.slice(right.indexOf('?'))}`,
      ),
      'puts a header into its link': link((right) => `${right} HTTP/1.1\r\nX-Injected: yes\r\n\r\n`),
      'puts a NUL into its link': link((right) => `${right}\0`),
      'puts a blank into its link': link((right) => `${right}&x=a b`),
      'links with 9 KB': link((right) => `${right}&x=${'a'.repeat(9000)}`),
      'links with 2 MB': link((right) => `${right}&x=${'a'.repeat(2_000_000)}`),
      'gives an empty link': link(() => ''),
      'gives a link of one blank': link(() => ' '),
      'gives a number for a link': link(() => 7),
      'gives an object for a link': link((right) => ({ href: right })),
      'gives an array for a link': link((right) => [right]),
      'gives true for a link': link(() => true),
    },
    { steady: true },
  ),
];
