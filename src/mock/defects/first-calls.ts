import { problem } from '../conforming/gate.ts';
import { type Defect, defectsOf } from '../defect.ts';
import { type Change, type Page, Refused, wrap } from '../pipeline.ts';
import { changeCount } from '../step-changes.ts';
import { headerOf } from './authorization-token-location.ts';

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

/** Defects that show in the first call of a kind only, or in all but the first. */
export const firstCallDefects: readonly Defect[] = defectsOf({
  'linked-page-forbidden-at-first': {
    sentence:
      'A page with $skip is answered 403 when it is requested for the first time, and 200 after that.',
    keywords: ['403'],
    must: ['authorization/accepted'],
    needs: { order: true },
    apply: forbidPages(() => {
      const isFirst = firstTimes();
      return ({ skip, request }) => skip > 0 && isFirst(request.target);
    }),
  },
  'token-forbidden-at-first': {
    sentence: 'The first call with each token but the first one is answered 403.',
    keywords: ['403'],
    must: ['authorization/accepted'],
    needs: { order: true },
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
    must: ['authorization/accepted'],
    needs: { order: true },
    apply: loseTokens(() => {
      let issued = 0;
      return () => ++issued === 3;
    }),
  },
  'token-after-refusal-lost': {
    sentence: 'The first token of the first provider after a refused token request is never accepted.',
    keywords: ['every list call'],
    must: ['authorization/accepted'],
    needs: { order: true },
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
    must: ['authorization/accepted'],
    needs: { order: true },
    apply: forbidPages(() => {
      let calls = 0;
      return () => ++calls % 5 === 0;
    }),
  },
  'list-203-for-later-tokens': {
    sentence: 'A page has status 203 instead of 200, except with the first token.',
    keywords: ['203'],
    must: ['authorization/accepted'],
    may: ['traversal/followable'],
    needs: { order: true },
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
    needs: { order: true },
    apply: (steps) => {
      const isFirst = firstTimes();
      return changeCount((count, { request }) => (isFirst(request.target) ? count : count + 2))(steps);
    },
  },
});
