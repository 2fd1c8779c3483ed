import { problem } from '../conforming/gate.ts';
import { type Defect, type DefectDraft, defectsWith } from '../defect.ts';
import { type Change, type Page, Refused, wrap } from '../pipeline.ts';
import { changeCount } from '../step-changes.ts';
import { parameterOf } from './authorization-gate.ts';
import { headerOf } from './authorization-token-location.ts';

const ofAcceptance = { must: ['authorization/accepted'] } satisfies Partial<DefectDraft>;

/** Defects that refuse a valid token. */
export const acceptedDefects: readonly Defect[] = defectsWith(ofAcceptance, {
  'authorization-always-refused': {
    sentence: 'Every list call is answered 401, even with a token just issued.',
    keywords: ['401'],
    difficulty: 'plain',
    apply: wrap('authorize', () => async () => false),
  },
  'authorization-other-scheme-demanded': {
    sentence: 'The token is accepted under the scheme Token only; as Bearer it is answered 401.',
    keywords: ['401'],
    may: ['authorization/scheme'],
    difficulty: 'plain',
    apply: wrap('bearer', () => (request) => {
      const header = request.headers['authorization'];
      return typeof header === 'string' && header.startsWith('Token ') ? header.slice(6) : undefined;
    }),
  },
  'authorization-query-demanded': {
    sentence: 'The token is accepted in the query only; in the Authorization header it is answered 401.',
    keywords: ['401'],
    may: ['authorization/scheme'],
    difficulty: 'plain',
    apply: wrap('bearer', () => (request, service) => parameterOf(request, service, 'access_token')),
  },
  'authorization-first-use-refused': {
    sentence: 'Every token is answered 401 at its first use, because it is not replicated yet.',
    keywords: ['401'],
    apply: wrap('current', (current) => {
      const seen = new Set<string>();
      return (session, token, service) => {
        const known = seen.has(token);
        seen.add(token);
        return known && current(session, token, service);
      };
    }),
  },
  'list-answered-206': {
    sentence: 'A page that is not the whole list has status 206 instead of 200.',
    keywords: ['206'],
    may: ['traversal/followable'],
    difficulty: 'hidden',
    apply: wrap('pageAnswer', (pageAnswer) => (body, page, service) => {
      const answer = pageAnswer(body, page, service);
      return page.positions.length < page.total ? { ...answer, status: 206 } : answer;
    }),
  },
  'counted-list-answered-206': {
    sentence: 'A page with a count has status 206 instead of 200, as if it were a range.',
    keywords: ['206'],
    difficulty: 'hidden',
    apply: wrap('pageAnswer', (pageAnswer) => (body, page, service) => {
      const answer = pageAnswer(body, page, service);
      return page.counting ? { ...answer, status: 206 } : answer;
    }),
  },
  'list-refuses-accept-json': {
    sentence: 'A list call that accepts application/json is answered 406.',
    keywords: ['406'],
    difficulty: 'plain',
    apply: wrap('list', (list) => (request, resource, service) => {
      const accept = request.headers['accept'];
      return accept === 'application/json'
        ? { status: 406, headers: {}, body: '' }
        : list(request, resource, service);
    }),
  },
});

/** Refuses pages of which `isRefused` says so, with 403. */
function forbidPages(isRefused: () => (page: Page) => boolean): Change {
  return wrap('skip', (skip) => {
    const decide = isRefused();
    return (page, service) => {
      const value = skip(page, service);
      if (decide({ ...page, skip: value })) throw new Refused(problem(403, 'forbidden'));
      return value;
    };
  });
}

/** Says of each key whether it was asked about before. */
function firstTimes(): (key: string) => boolean {
  const seen = new Set<string>();
  return (key) => {
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  };
}

/** Refuses every call with a token of the first provider if `isLost` says so when it is issued. */
function loseTokens(isLost: () => () => boolean): Change {
  return (steps) => {
    const decide = isLost();
    const lost = new Set<string>();
    return {
      ...steps,
      issue: async (grant, service) => {
        const issued = await steps.issue(grant, service);
        if (grant.client === service.clients[0] && decide()) lost.add(issued.token);
        return issued;
      },
      current: (session, token, service) => !lost.has(token) && steps.current(session, token, service),
    };
  };
}

const ofFirstCalls = {
  must: ['authorization/accepted'],
  needs: { order: true },
} satisfies Partial<DefectDraft>;

/** Defects that show in the first call of a kind only, or in all except the first. */
export const firstCallDefects: readonly Defect[] = defectsWith(ofFirstCalls, {
  'linked-page-forbidden-at-first': {
    sentence:
      'A page with $skip is answered 403 when it is requested for the first time, and 200 after that.',
    keywords: ['403'],
    apply: forbidPages(() => {
      const isFirst = firstTimes();
      return ({ skip, request }) => skip > 0 && isFirst(request.target);
    }),
  },
  'token-forbidden-at-first': {
    sentence: 'The first call with each token except the first one is answered 403.',
    keywords: ['403'],
    apply: forbidPages(() => {
      const isFirst = firstTimes();
      let isAny = false;
      return ({ request }) => {
        const isRefused = isFirst(headerOf(request)) && isAny;
        isAny = true;
        return isRefused;
      };
    }),
  },
  'third-token-lost': {
    sentence: 'The third token of the first provider is never accepted.',
    keywords: ['every list call'],
    apply: loseTokens(() => {
      let issued = 0;
      return () => ++issued === 3;
    }),
  },
  'token-after-refusal-lost': {
    sentence: 'The first token of the first provider after a refused token request is never accepted.',
    keywords: ['every list call'],
    apply: (steps) => {
      let refusals = 0;
      const lose = loseTokens(() => {
        let wasLost = false;
        return () => {
          const isLost = refusals > 0 && !wasLost;
          wasLost ||= isLost;
          return isLost;
        };
      });
      return lose({
        ...steps,
        grant: (form, service) => {
          try {
            return steps.grant(form, service);
          } catch (error) {
            refusals += 1;
            throw error;
          }
        },
      });
    },
  },
  'list-forbidden-every-fifth-call': {
    sentence: 'Every fifth list call with a valid token is answered 403.',
    keywords: ['403'],
    apply: forbidPages(() => {
      let calls = 0;
      return () => ++calls % 5 === 0;
    }),
  },
  'list-203-for-later-tokens': {
    sentence: 'A page has status 203 instead of 200, except with the first token.',
    keywords: ['203'],
    may: ['traversal/followable'],
    apply: wrap('pageAnswer', (pageAnswer) => {
      let first: string | null = null;
      return (body, page, service) => {
        const header = headerOf(page.request);
        first ??= header;
        const answer = pageAnswer(body, page, service);
        return header === first ? answer : { ...answer, status: 203 };
      };
    }),
  },
  'count-other-when-repeated': {
    sentence: 'count is two too high when a page is requested again.',
    keywords: ['count', 'repeated'],
    must: ['count/stable'],
    apply: (steps) => {
      const isFirst = firstTimes();
      return changeCount((count, { request }) => (isFirst(request.target) ? count : count + 2))(steps);
    },
  },
  'count-of-page-when-repeated': {
    sentence: 'count is the number of records on the page when a page is requested for the second time.',
    keywords: ['count', 'repeated'],
    must: ['count/stable'],
    apply: (steps) => {
      const seen = new Map<string, number>();
      return changeCount((count, { request, pageSize, total, skip }) => {
        const times = (seen.get(request.target) ?? 0) + 1;
        seen.set(request.target, times);
        return times === 2 ? Math.min(pageSize, total - skip) : count;
      })(steps);
    },
  },
});
