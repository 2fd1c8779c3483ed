import { problem } from '../conforming/gate.ts';
import { breach, defectsWith, hidden, subtle } from '../defect.ts';
import { has } from '../page-tests.ts';
import {
  type Change,
  composeChanges,
  counting,
  type ReceivedRequest,
  Refused,
  valuesOf,
  wrap,
} from '../pipeline.ts';
import { addLinkParameter } from '../step-changes.ts';
import { bearerOf } from '../token-changes.ts';

/** Whether a request is for a page behind the first one. */
export function isBehindFirst({ query }: ReceivedRequest): boolean {
  return /(\$|%24)skip=[1-9]/.test(query);
}

/** Uses after which a cache takes a page in. */
const CACHED_FROM = 2;

/** A cache that holds linked pages once they were given twice, and asks those that `admits` for no valid token then. */
function cacheOpenTo(admits: (request: ReceivedRequest) => boolean): Change {
  return wrap('authorize', (authorize) => {
    const given = new Map<string, number>();
    return async (request, service) => {
      const uses = given.get(request.target) ?? 0;
      if (!(await authorize(request, service))) return uses >= CACHED_FROM && admits(request);
      if (isBehindFirst(request)) given.set(request.target, uses + 1);
      return true;
    };
  });
}

/** Breaches that only the order of requests shows. */
export const orderDefects = defectsWith({
  keywords: ['401'],
  must: ['authorization/accepted'],
  needs: { order: true },
})({
  'link-works-once': hidden(
    'Each nextPageLink carries a number that can be used once: followed again it is answered 410.',
  ).by(
    composeChanges(
      counting((count) => addLinkParameter('once', () => count())),
      wrap('pageSize', (pageSize) => {
        const used = new Set<string>();
        return (page, service) => {
          const [number] = valuesOf(page, 'once');
          if (number !== undefined && used.has(number)) throw new Refused(problem(410, 'this link was used'));
          if (number !== undefined) used.add(number);
          return pageSize(page, service);
        };
      }),
    ),
    { keywords: ['410'], must: ['traversal/followable'] },
  ),
  'refusal-spoils-next-call': subtle(
    'After a refused call of a linked page the next call of that page with a valid token is refused.',
  ).by(
    wrap('authorize', (authorize) => {
      const spoilt = new Set<string>();
      return async (request, service) => {
        if (await authorize(request, service)) return !spoilt.delete(request.target);
        if (isBehindFirst(request)) spoilt.add(request.target);
        return false;
      };
    }),
  ),
  'cache-open-without-token-after-two-uses': subtle(
    'A cache keyed by URL alone takes linked pages in at their second use, ' +
      'and gives them without an Authorization header from then on.',
  ).by(
    cacheOpenTo((request) => request.headers['authorization'] === undefined),
    {
      keywords: ['authorization'],
      must: ['authorization/required-on-every-page'],
      may: ['authorization/required'],
    },
  ),
  'cache-open-to-any-token-after-two-uses': breach('authorization/token-integrity', 'token')(
    'A cache takes linked pages in at their second use, and gives them to any token from then on, ' +
      'also to one that was not issued.',
    cacheOpenTo((request) => request.headers['authorization'] !== undefined),
  ),
  'page-size-of-the-call-before': breach('page-size/default', '500')(
    'Without $pagesize the page size of the previous call with the same token is used.',
    wrap('pageSize', (pageSize) => {
      const last = new Map<string, number>();
      return (page, service) => {
        const token = bearerOf(page.request, service);
        const isGiven = has('$pagesize')(page, service);
        const size = isGiven ? pageSize(page, service) : (last.get(token) ?? pageSize(page, service));
        if (isGiven) last.set(token, size);
        return size;
      };
    }),
  ),
  'link-again-gives-the-next-page': breach('traversal/by-parameters', 'other records')(
    'A link that a token has followed before gives the page after the one that this token followed last.',
    wrap('skip', (skip) => {
      const followed = new Set<string>();
      const last = new Map<string, number>();
      return (page, service) => {
        const offset = skip(page, service);
        // In the spelling of links.
        if (!/^\$count=true&\$pagesize=\d+&\$skip=/.test(page.request.query)) return offset;
        const token = bearerOf(page.request, service);
        const key = `${token} ${page.request.query}`;
        const given = followed.has(key) ? (last.get(token) ?? 0) + page.pageSize : offset;
        followed.add(key);
        last.set(token, given);
        return given;
      };
    }),
  ),
  'other-token-gets-an-empty-page': breach('page-size/filled', '0 records')(
    'From its third use on a first page is empty for a token if another one was given it just before.',
    wrap('slice', (slice) => {
      const uses = new Map<string, readonly string[]>();
      return (page, service) => {
        const { target } = page.request;
        const isCached = page.counting && page.skip === 0 && has('$pagesize')(page, service);
        const token = bearerOf(page.request, service);
        const before = uses.get(target) ?? [];
        uses.set(target, [...before, token]);
        const isLost = isCached && before.length > 1 && before.at(-1) !== token;
        return isLost ? [] : slice(page, service);
      };
    }),
  ),
});
