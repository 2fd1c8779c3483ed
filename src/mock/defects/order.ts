import { problem } from '../conforming/gate.ts';
import { type Defect, type DefectDraft, defectsWith } from '../defect.ts';
import { type Page, type ReceivedRequest, Refused, type Service, valuesOf, wrap } from '../pipeline.ts';

/** Whether a request is for a page behind the first one. */
function isWithin({ query }: ReceivedRequest): boolean {
  return /(\$|%24)skip=[1-9]/.test(query);
}

function tokenOf({ request }: Page, service: Service): string {
  return service.steps.bearer(request, service) ?? '';
}

/** Uses after which a cache takes a page in. */
const CACHED_FROM = 2;

/** A cache that holds linked pages once they were given twice, and asks those that `admits` for no valid token then. */
function cacheOpenTo(admits: (request: ReceivedRequest) => boolean): DefectDraft['apply'] {
  return wrap('authorize', (authorize) => {
    const given = new Map<string, number>();
    return async (request, service) => {
      const uses = given.get(request.target) ?? 0;
      if (!(await authorize(request, service))) return uses >= CACHED_FROM && admits(request);
      if (isWithin(request)) given.set(request.target, uses + 1);
      return true;
    };
  });
}

const ofOrder = { needs: { order: true } } satisfies Partial<DefectDraft>;

/** Breaches that only the order of requests shows. */
export const orderDefects: readonly Defect[] = defectsWith(ofOrder, {
  'link-works-once': {
    sentence: 'Each nextPageLink carries a number that can be used once: followed again it is answered 410.',
    keywords: ['410'],
    must: ['traversal/followable'],
    difficulty: 'hidden',
    apply: (steps) => {
      const used = new Set<string>();
      let links = 0;
      return {
        ...steps,
        linkParameters: (page, service) => [
          ...steps.linkParameters(page, service),
          ['once', String(++links)],
        ],
        pageSize: (page, service) => {
          const [number] = valuesOf(page, 'once');
          if (number !== undefined && used.has(number)) throw new Refused(problem(410, 'this link was used'));
          if (number !== undefined) used.add(number);
          return steps.pageSize(page, service);
        },
      };
    },
  },
  'refusal-spoils-next-call': {
    sentence:
      'After a refused call of a linked page the next call of that page with a valid token is refused.',
    keywords: ['401'],
    must: ['authorization/accepted'],
    apply: wrap('authorize', (authorize) => {
      const spoilt = new Set<string>();
      return async (request, service) => {
        if (await authorize(request, service)) return !spoilt.delete(request.target);
        if (isWithin(request)) spoilt.add(request.target);
        return false;
      };
    }),
  },
  'cache-open-without-token-after-two-uses': {
    sentence:
      'A cache keyed by URL alone takes linked pages in at their second use, ' +
      'and gives them without an Authorization header from then on.',
    keywords: ['authorization'],
    must: ['authorization/required-on-every-page'],
    may: ['authorization/required'],
    apply: cacheOpenTo((request) => request.headers['authorization'] === undefined),
  },
  'cache-open-to-any-token-after-two-uses': {
    sentence:
      'A cache takes linked pages in at their second use, and gives them to any token from then on, ' +
      'also to one that was not issued.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    apply: cacheOpenTo((request) => request.headers['authorization'] !== undefined),
  },
  'page-size-of-the-call-before': {
    sentence: 'Without $pagesize the page size of the previous call with the same token is used.',
    keywords: ['500'],
    must: ['page-size/default'],
    apply: wrap('pageSize', (pageSize) => {
      const last = new Map<string, number>();
      return (page, service) => {
        const token = tokenOf(page, service);
        const isGiven = valuesOf(page, '$pagesize').length > 0;
        const size = isGiven ? pageSize(page, service) : (last.get(token) ?? pageSize(page, service));
        if (isGiven) last.set(token, size);
        return size;
      };
    }),
  },
  'link-again-gives-the-next-page': {
    sentence:
      'A link that a token has followed before gives the page after the one that this token followed last.',
    keywords: ['other records'],
    must: ['traversal/by-parameters'],
    apply: wrap('skip', (skip) => {
      const followed = new Set<string>();
      const last = new Map<string, number>();
      return (page, service) => {
        const offset = skip(page, service);
        // In the spelling of links.
        if (!/^\$count=true&\$pagesize=\d+&\$skip=/.test(page.request.query)) return offset;
        const token = tokenOf(page, service);
        const key = `${token} ${page.request.query}`;
        const given = followed.has(key) ? (last.get(token) ?? 0) + page.pageSize : offset;
        followed.add(key);
        last.set(token, given);
        return given;
      };
    }),
  },
  'other-token-gets-an-empty-page': {
    sentence:
      'From its third use on a first page is empty for a token if another one was given it just before.',
    keywords: ['0 records'],
    must: ['page-size/filled'],
    apply: wrap('slice', (slice) => {
      const uses = new Map<string, readonly string[]>();
      return (page, service) => {
        const { target } = page.request;
        const isCached = page.counting && page.skip === 0 && valuesOf(page, '$pagesize').length > 0;
        const token = tokenOf(page, service);
        const before = uses.get(target) ?? [];
        uses.set(target, [...before, token]);
        const isLost = isCached && before.length > 1 && before.at(-1) !== token;
        return isLost ? [] : slice(page, service);
      };
    }),
  },
});
