import { setTimeout as wait } from 'node:timers/promises';
import { problem } from '../conforming/gate.ts';
import { TOKEN_VALIDITY_SECONDS } from '../conforming/token.ts';
import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import {
  type Change,
  composeChanges,
  type ReceivedRequest,
  type Service,
  valuesOf,
  wrap,
} from '../pipeline.ts';
import { reuseTokens } from '../step-changes.ts';

/** At this rate two hours of the provider's clock take four seconds. */
export const CLOCK_RATE = 1800;

function lifetimeDefect(difficulty: Difficulty, seconds: number, words: string): DefectDraft {
  return {
    sentence: `A token is ${words}, although expires_in says ${TOKEN_VALIDITY_SECONDS} seconds.`,
    keywords: ['token'],
    must: [seconds < TOKEN_VALIDITY_SECONDS ? 'token/accepted-until-expiry' : 'token/refused-after-expiry'],
    needs: { expiry: true, clockRate: CLOCK_RATE },
    difficulty,
    apply: wrap('lifetime', () => () => seconds),
  };
}

/** A defect by which every issued token is accepted for some queries. */
export function uncheckedExpiryDefect(
  where: string,
  opens: (request: ReceivedRequest, service: Service) => boolean,
): DefectDraft {
  return {
    sentence: `A token is always accepted after its validity ended ${where}.`,
    keywords: ['token'],
    must: ['token/refused-after-expiry'],
    needs: { expiry: true, clockRate: CLOCK_RATE },
    apply: wrap('authorize', (authorize) => async (request, service) => {
      const token = service.steps.bearer(request, service);
      const isIssued = token !== undefined && (await service.steps.resolve(token, service)) !== undefined;
      return (isIssued && opens(request, service)) || authorize(request, service);
    }),
  };
}

/** Refuses each token after `most` calls. */
function expireAfterCalls(most: number): Change {
  return (steps) => {
    const calls = new Map<string, number>();
    return wrap('current', (current) => (session, token, service) => {
      const made = (calls.get(token) ?? 0) + 1;
      calls.set(token, made);
      return made <= most && current(session, token, service);
    })(steps);
  };
}

/** The same with another status than 401. */
function refuseAfterCalls(most: number, status: number): Change {
  return (steps) => {
    const calls = new Map<string, number>();
    return wrap('list', (list) => (request, resource, service) => {
      const token = service.steps.bearer(request, service) ?? '';
      const made = (calls.get(token) ?? 0) + 1;
      calls.set(token, made);
      return made <= most ? list(request, resource, service) : problem(status, 'the session is over');
    })(steps);
  };
}

/** Refuses each token after it was used for `most` different requests. */
function expireAfterTargets(most: number): Change {
  return (steps) => {
    const used = new Map<string, Set<string>>();
    return wrap('authorize', (authorize) => async (request, service) => {
      const token = service.steps.bearer(request, service) ?? '';
      const targets = used.get(token) ?? new Set();
      used.set(token, targets.add(request.target));
      return targets.size <= most && authorize(request, service);
    })(steps);
  };
}

/** Refuses tokens after they obtained a page within the list that has none behind it. */
const expireAtLastPage: Change = (steps) => {
  const over = new Set<string>();
  return composeChanges(
    wrap('more', (more) => (page, service) => {
      const isMore = more(page, service);
      if (!isMore && page.skip > 0) over.add(service.steps.bearer(page.request, service) ?? '');
      return isMore;
    }),
    wrap('current', (current) => (session, token, service) => {
      return !over.has(token) && current(session, token, service);
    }),
  )(steps);
};

/** Refuses tokens after a call with a page size for which `isEnd` is true. */
function expireAtPageSize(isEnd: (pageSize: string) => boolean): Change {
  return (steps) => {
    const over = new Set<string>();
    return composeChanges(
      wrap('pageSize', (pageSize) => (page, service) => {
        if (valuesOf(page, '$pagesize').some(isEnd))
          over.add(service.steps.bearer(page.request, service) ?? '');
        return pageSize(page, service);
      }),
      wrap(
        'current',
        (current) => (session, token, service) => !over.has(token) && current(session, token, service),
      ),
    )(steps);
  };
}

/** A token in force, whose client and age decide whether a later token request ends it. */
interface HeldToken {
  readonly clientId: string;
  /** Milliseconds since the provider started. */
  readonly issuedAt: number;
}

/** Each token request of any client ends the tokens that `isEnded` selects, by their number after the newest. */
function endAtRequests(isEnded: (held: HeldToken, by: HeldToken, newerTokens: number) => boolean): Change {
  return (steps) => {
    const inForce = new Map<string, HeldToken>();
    return composeChanges(
      wrap('issue', (issue) => async (grant, service) => {
        const by = { clientId: grant.client.clientId, issuedAt: performance.now() };
        const held = [...inForce];
        for (const [index, [token, one]] of held.entries())
          if (isEnded(one, by, held.length - index)) inForce.delete(token);
        const issued = await issue(grant, service);
        inForce.set(issued.token, by);
        return issued;
      }),
      wrap('current', (current) => (session, token, service) => {
        return inForce.has(token) && current(session, token, service);
      }),
    )(steps);
  };
}

/** Tokens of that lifetime in seconds, from a provider that takes `latencyMs` for each answer. */
function endAfter(seconds: number, latencyMs: number): Change {
  return composeChanges(
    wrap('lifetime', () => () => seconds),
    wrap('respond', (respond) => async (answer, request, service) => {
      await wait(latencyMs);
      return respond(answer, request, service);
    }),
  );
}

/** Tokens that expire too early or too late. */
export const tokenExpiryDefects: readonly Defect[] = defectsOf({
  'expires-at-half': lifetimeDefect('plain', 1800, 'refused after half an hour'),
  'expires-after-fifty-minutes': lifetimeDefect('hidden', 3000, 'refused after fifty minutes'),
  'expires-after-two-hours': lifetimeDefect('hidden', 7200, 'accepted for two hours'),
  'expiry-unchecked': {
    sentence: 'A token is always accepted after its validity ended.',
    keywords: ['token'],
    must: ['token/refused-after-expiry'],
    needs: { expiry: true, clockRate: CLOCK_RATE },
    difficulty: 'plain',
    apply: wrap('current', () => () => true),
  },
  'expired-refused-with-records': {
    sentence: 'A call with an expired token is answered 401, but the body holds the records.',
    keywords: ['token'],
    must: ['token/refused-after-expiry'],
    needs: { expiry: true, clockRate: CLOCK_RATE },
    apply: wrap('unauthorized', (unauthorized) => async (request, service) => {
      const answer = await unauthorized(request, service);
      const { steps } = service;
      const token = steps.bearer(request, service);
      const resource = steps.route(request, service);
      if (token === undefined || resource === undefined) return answer;
      const expired = (await steps.resolve(token, service)) !== undefined;
      return expired ? { ...steps.list(request, resource, service), status: answer.status } : answer;
    }),
  },
  'expiry-tolerance-fifteen-minutes': {
    sentence: 'A token is accepted for fifteen minutes after its validity ended.',
    keywords: ['token'],
    must: ['token/refused-after-expiry'],
    needs: { expiry: true, clockRate: CLOCK_RATE },
    apply: wrap(
      'current',
      (current) => (session, token, service) =>
        current({ ...session, expiresAt: session.expiresAt + 900_000 }, token, service),
    ),
  },
  'expiry-check-remembered': {
    sentence:
      'A token that was valid once is accepted after its validity ended, from a cache of validations.',
    keywords: ['token'],
    must: ['token/refused-after-expiry'],
    needs: { expiry: true, clockRate: CLOCK_RATE },
    apply: wrap('current', (current) => {
      const validated = new Set<string>();
      return (session, token, service) => {
        if (current(session, token, service)) validated.add(token);
        return validated.has(token);
      };
    }),
  },
  'expiry-unchecked-with-count': uncheckedExpiryDefect('if $count is given', ({ query }) =>
    query.includes('count=true'),
  ),
  'expiry-unchecked-far-down-the-list': uncheckedExpiryDefect(
    'from record 1000 on',
    ({ query }) => Number(/skip=(\d+)/u.exec(query)?.[1] ?? 0) >= 1000,
  ),
  'token-reused-constant-expires-in': {
    sentence:
      'One cached token is issued repeatedly with a constant expires_in, so it is refused before its stated validity ends.',
    keywords: ['expires_in'],
    must: ['token/accepted-until-expiry'],
    may: ['token/validity'],
    needs: { expiry: true, clockRate: CLOCK_RATE },
    apply: reuseTokens,
  },
  'token-ends-after-twenty-calls': {
    sentence: 'A token is accepted for twenty calls only, although expires_in says 3600 seconds.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: expireAfterCalls(20),
  },
  'token-ends-after-thirty-calls-of-an-expiry-run': {
    sentence: 'A token is accepted for thirty calls only, also in a run that waits for a token to expire.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { expiry: true, clockRate: CLOCK_RATE, wholeSuite: true, order: true },
    apply: expireAfterCalls(30),
  },
  'token-ends-after-thirty-calls-with-400': {
    sentence: 'A token is accepted for thirty calls only; later ones are answered 400.',
    keywords: ['expires_in', '400'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: refuseAfterCalls(30, 400),
  },
  'token-ends-after-fifty-calls-with-404': {
    sentence: 'A token is accepted for fifty calls only; later ones are answered 404.',
    keywords: ['expires_in', '404'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: refuseAfterCalls(50, 404),
  },
  'token-ends-after-forty-targets': {
    sentence: 'A token is accepted for forty different request targets only.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: expireAfterTargets(40),
  },
  'token-ends-at-last-page': {
    sentence: 'A token is refused after it obtained the last page of the list.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: expireAtLastPage,
  },
  'token-ended-by-refused-page-size': {
    sentence:
      'A token is refused after a call whose page size was refused, as by an error handler that ends the session.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: expireAtPageSize((pageSize) => !/^[1-9]\d*$/.test(pageSize)),
  },
  'token-ended-by-page-size-above-maximum': {
    sentence: 'A token is refused after a call with a page size above 500, as by a firewall.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: expireAtPageSize((pageSize) => Number(pageSize) > 500),
  },
  'token-ended-by-other-client': {
    sentence: 'A token request of one client ends the tokens of the other.',
    keywords: ['second provider', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: endAtRequests((held, by) => held.clientId !== by.clientId),
  },
  'token-old-ended-by-any-client': {
    sentence: 'A token request of any client ends all tokens that are older than 0.2 seconds.',
    keywords: ['second provider', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: endAtRequests((held, by) => by.issuedAt - held.issuedAt > 200),
  },
  'token-fourth-newest-ended': {
    sentence: 'A provider keeps the four newest tokens of all clients together.',
    keywords: ['second provider', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: endAtRequests((_held, _by, newerTokens) => newerTokens >= 4),
  },
  'token-ends-after-many-calls': {
    sentence: 'A token is accepted for 150 calls only, although expires_in says 3600 seconds.',
    keywords: ['expires_in', '150 list calls'],
    must: ['token/accepted-until-expiry'],
    needs: { suite: 'certify', wholeSuite: true, order: true },
    apply: expireAfterCalls(150),
  },
  'token-ends-after-a-moment': {
    sentence:
      'A token is refused 0.25 seconds after it was issued, although expires_in says 3600 seconds; answers take 10 milliseconds.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    // On a slow machine the token expires before the first call.
    may: ['authorization/accepted'],
    // Otherwise a run on a fast machine ends before the token.
    needs: { tokens: 'opaque', wholeSuite: true, order: true },
    apply: endAfter(0.25, 10),
  },
  'token-ends-after-seconds': {
    sentence:
      'A token is refused 1.2 seconds after it was issued, although expires_in says 3600 seconds; answers take 60 milliseconds.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { tokens: 'opaque', wholeSuite: true, order: true },
    apply: endAfter(1.2, 60),
  },
});
