import { setTimeout as wait } from 'node:timers/promises';
import { getOrMake } from '../../core/maps.ts';
import { bearerOf, demand, type RequestTest } from '../authorization-changes.ts';
import { defectsWith, having, hidden, plain, subtle, type Traits } from '../catalogue-rows.ts';
import {
  answerListCalls,
  type Change,
  composeChanges,
  counting,
  rewrite,
  withState,
  wrap,
} from '../changes.ts';
import { isFollowed } from '../page-changes.ts';
import { problem, sessionOf, valuesOf } from '../pipeline.ts';
import { endTokens, lifetime, noteIssued, restrictTokens, reuseTokens } from '../token-changes.ts';

/** Refuses a token for some requests after so many seconds. */
function endEarlier(seconds: number, where: RequestTest): Change {
  return demand(async (request, service) => {
    const session = await sessionOf(request, service);
    const isOver = session !== undefined && session.expiresAt - service.now() < (3600 - seconds) * 1000;
    return !(isOver && where(request, service));
  });
}

type TokenUses = Readonly<{ firstUse: number; lastUse: number }>;

/** Refuses a token once its uses so far, in milliseconds of the provider's clock, say so. */
function endSessions(hasEnded: (now: number, uses: TokenUses) => boolean): Change {
  return withState(Map<string, TokenUses>, (uses) =>
    rewrite('current', (isCurrent, _session, token, service) => {
      const now = service.now();
      const known = uses.get(token) ?? { firstUse: now, lastUse: now };
      if (!isCurrent || hasEnded(now, known)) return false;
      uses.set(token, { ...known, lastUse: now });
      return true;
    }),
  );
}

/** One of so many servers, which answer list calls in turn, refuses tokens that are younger in real milliseconds. */
function knownLate(servers: number, delayMs: number): Change {
  return withState(Map<string, number>, (issuedAt) =>
    counting((count) =>
      composeChanges(
        noteIssued(({ token }) => {
          issuedAt.set(token, performance.now());
        }),
        demand((request, service) => {
          const ageMs = performance.now() - (issuedAt.get(bearerOf(request, service)) ?? 0);
          return count() % servers !== 0 || ageMs >= delayMs;
        }),
      ),
    ),
  );
}

const beginsLate = defectsWith({
  keywords: ['401'],
  must: ['authorization/accepted'],
  may: ['token/accepted-until-expiry'],
  needs: { order: true },
})({
  'token-known-late-to-one-of-two-servers': hidden(
    'One of two servers refuses a token in the first 300 milliseconds.',
  ).by(knownLate(2, 300)),
  'token-known-late-to-one-of-three-servers': hidden(
    'One of three servers refuses a token in the first 900 milliseconds.',
  ).by(knownLate(3, 900)),
  'token-known-after-sixty-milliseconds': subtle('A token is refused in the first 60 milliseconds.').by(
    knownLate(1, 60),
  ),
  'token-known-after-half-a-second': hidden('A token is refused in the first 500 milliseconds.').by(
    knownLate(1, 500),
  ),
});

const earlyExpiry = defectsWith({
  keywords: ['token'],
  must: ['token/accepted-until-expiry'],
  needs: { expiry: true },
})({
  'expires-at-half': plain(
    'A token is refused after half an hour, although expires_in says 3600 seconds.',
  ).by(lifetime(1800)),
  'expires-after-fifty-minutes': hidden(
    'A token is refused after fifty minutes, although expires_in says 3600 seconds.',
  ).by(lifetime(3000)),
  'session-idle-for-forty-minutes': hidden(
    'A token is refused once it was not used for forty minutes, after it was used before.',
  ).by(endSessions((now, { lastUse }) => now > lastUse + 2_400_000)),
  'session-ends-after-a-quarter': hidden('A token is refused a quarter of an hour after its first use.').by(
    endSessions((now, { firstUse }) => now > firstUse + 900_000),
  ),
  'session-unused-for-forty-minutes': having({ keywords: ['no earlier call'] })
    .hidden('A token is refused if it is used first when it is older than forty minutes.')
    .by(
      withState(Set<string>, (begun) =>
        rewrite('current', (isCurrent, session, token, service) => {
          if (session.expiresAt - service.now() > 1_200_000) begun.add(token);
          return begun.has(token) && isCurrent;
        }),
      ),
    ),
  'expires-at-half-behind-first-page': subtle(
    'A token is refused after half an hour by pages behind the first one.',
  ).by(endEarlier(1800, ({ query }) => query.includes('skip='))),
  'expires-at-three-quarters-with-page-size': subtle(
    'A token is refused after 45 minutes if $pagesize and $count are given.',
  ).by(endEarlier(2700, ({ query }) => query.includes('pagesize=') && query.includes('count='))),
  'token-reused-constant-expires-in': having({ keywords: ['expires_in'], may: ['token/validity'] })
    .subtle(
      'One cached token is issued repeatedly with a constant expires_in, so it is refused before its stated validity ends.',
    )
    .by(reuseTokens),
});

const ofEarlyEnd = {
  keywords: ['expires_in', '401'],
  must: ['token/accepted-until-expiry'],
  needs: { wholeSuite: true, order: true },
} satisfies Traits;

function endAfterCalls(most: number): Change {
  return counting((count) => restrictTokens((token) => count(token) <= most));
}

/** Refuses each token after `most` calls with another status than 401. */
function refuseAfterCalls(most: number, status: number): Change {
  return counting((count) =>
    answerListCalls((request, service) => {
      return count(bearerOf(request, service)) > most ? problem(status, 'the session is over') : undefined;
    }),
  );
}

/** Refuses each token after it was used for `most` different requests. */
function endAfterTargets(most: number): Change {
  return withState(Map<string, Set<string>>, (used) =>
    demand((request, service) => {
      const targets = getOrMake(used, bearerOf(request, service), () => new Set());
      return targets.add(request.target).size <= most;
    }),
  );
}

/** Refuses tokens after a call with a page size for which `isEnd` is true. */
function endAtPageSize(isEnd: (pageSize: string) => boolean): Change {
  return endTokens((ended) =>
    wrap('pageSize', (pageSize) => (page, service) => {
      if (valuesOf(page, '$pagesize').some(isEnd)) ended.add(bearerOf(page.request, service));
      return pageSize(page, service);
    }),
  );
}

/** The client of a token in force, and when it was issued, in milliseconds since the provider started. */
type HeldToken = Readonly<{ clientId: string; issuedAt: number }>;

/** Each token request of any client ends the tokens that `isEnded` selects, by their number after the newest. */
function endAtRequests(isEnded: (held: HeldToken, by: HeldToken, newerTokens: number) => boolean): Change {
  return withState(Map<string, HeldToken>, (inForce) =>
    composeChanges(
      wrap('issue', (issue) => async (grant, service) => {
        const by = { clientId: grant.client.clientId, issuedAt: performance.now() };
        const held = [...inForce];
        for (const [index, [token, one]] of held.entries())
          if (isEnded(one, by, held.length - index)) inForce.delete(token);
        const issued = await issue(grant, service);
        inForce.set(issued.token, by);
        return issued;
      }),
      restrictTokens((token) => inForce.has(token)),
    ),
  );
}

/** Each call with a token ends the tokens that were used neither within `ms` milliseconds nor within so many calls. */
function sweepUnused({ ms, calls }: { readonly ms: number; readonly calls: number }): Change {
  return endTokens((ended) => {
    const used = new Map<string, { readonly at: number; readonly call: number }>();
    let call = 0;
    return rewrite('current', (isCurrent, _session, token) => {
      const now = performance.now();
      call += 1;
      if (!ended.has(token)) used.set(token, { at: now, call });
      for (const [other, last] of used)
        if (now - last.at > ms && call - last.call > calls) {
          ended.add(other);
          used.delete(other);
        }
      return isCurrent;
    });
  });
}

/** Each call with a token ends the newer ones of the same client that were used. */
const endNewer = withState(Array<{ readonly token: string; readonly clientId: string }>, (issued) => {
  const used = new Set<string>();
  return composeChanges(
    noteIssued(({ token }, { client }) => issued.push({ token, clientId: client.clientId })),
    endTokens((ended) =>
      rewrite('current', (isCurrent, { clientId }, token) => {
        if (!isCurrent || ended.has(token)) return isCurrent;
        const place = issued.findIndex((one) => one.token === token);
        for (const newer of issued.slice(place + 1))
          if (newer.clientId === clientId && used.has(newer.token)) ended.add(newer.token);
        used.add(token);
        return isCurrent;
      }),
    ),
  );
});

function delayAnswers(latencyMs: number): Change {
  return rewrite('respond', async (answer) => {
    await wait(latencyMs);
    return answer;
  });
}

/** Tokens that calls, token requests or a few seconds end. */
const earlyEnds = defectsWith(ofEarlyEnd)({
  'token-ends-after-twenty-calls': subtle(
    'A token is accepted for twenty calls only, although expires_in says 3600 seconds.',
  ).by(endAfterCalls(20)),
  'token-ends-after-thirty-calls-of-an-expiry-run': having({ needs: { expiry: true, ...ofEarlyEnd.needs } })
    .subtle('A token is accepted for thirty calls only, also in a run that waits for a token to expire.')
    .by(endAfterCalls(30)),
  'token-ends-after-thirty-calls-with-400': having({ keywords: ['expires_in', '400'] })
    .subtle('A token is accepted for thirty calls only; later ones are answered 400.')
    .by(refuseAfterCalls(30, 400)),
  'token-ends-after-fifty-calls-with-404': having({ keywords: ['expires_in', '404'] })
    .subtle('A token is accepted for fifty calls only; later ones are answered 404.')
    .by(refuseAfterCalls(50, 404)),
  'token-ends-after-forty-targets': subtle(
    'A token is accepted for forty different request targets only.',
  ).by(endAfterTargets(40)),
  'token-ends-at-last-page': subtle('A token is refused after it obtained the last page of the list.').by(
    endTokens((ended) =>
      rewrite('more', (isMore, page, service) => {
        if (page.skip > 0 && !isFollowed(page, service)) ended.add(bearerOf(page.request, service));
        return isMore;
      }),
    ),
  ),
  'token-ended-by-refused-page-size': subtle(
    'A token is refused after a call whose page size was refused, as by an error handler that ends the session.',
  ).by(endAtPageSize((pageSize) => !/^[1-9]\d*$/.test(pageSize))),
  'token-ended-by-page-size-above-maximum': subtle(
    'A token is refused after a call with a page size above 500, as by a firewall.',
  ).by(endAtPageSize((pageSize) => Number(pageSize) > 500)),
  'token-ended-by-other-client': having({ keywords: ['second provider', '401'] })
    .subtle('A token request of one client ends the tokens of the other.')
    .by(endAtRequests((held, by) => held.clientId !== by.clientId)),
  'token-old-ended-by-other-client': having({ keywords: ['second provider', '401'] })
    .subtle('A token request of one client ends the tokens of the other that are older than 0.2 seconds.')
    .by(endAtRequests((held, by) => held.clientId !== by.clientId && by.issuedAt - held.issuedAt > 200)),
  'token-fourth-newest-ended-by-other-client': having({ keywords: ['second provider', '401'] })
    .subtle('A token request of one client ends the tokens of the other but for the four newest of both.')
    .by(endAtRequests((held, by, newerTokens) => held.clientId !== by.clientId && newerTokens >= 4)),
  'token-unused-swept': having({ keywords: ['not been used', '401'] })
    .subtle(
      'A call with a token removes the other tokens that were not used for 0.2 seconds; answers take 10 milliseconds.',
    )
    .by(sweepUnused({ ms: 200, calls: 0 }), delayAnswers(10)),
  'token-unused-evicted': having({ keywords: ['not been used', '401'] })
    .subtle('The cache of tokens drops a token that was not used in the last sixteen calls with others.')
    .by(sweepUnused({ ms: 0, calls: 16 })),
  'token-ended-by-use-of-older': having({ keywords: ['older token', '401'] })
    .subtle('A call with a token ends the newer tokens of its client that were used before.')
    .by(endNewer),
  'token-ends-after-many-calls': having({
    keywords: ['expires_in', '150 list calls'],
    needs: { ...ofEarlyEnd.needs, suite: 'certify' },
  })
    .subtle('A token is accepted for 150 calls only, although expires_in says 3600 seconds.')
    .by(endAfterCalls(150)),
  'token-ends-after-a-moment': having({
    // On a slow machine the token expires before the first call.
    may: ['authorization/accepted'],
    // Otherwise a run on a fast machine ends before the token.
    needs: { ...ofEarlyEnd.needs, tokens: 'opaque' },
  })
    .subtle(
      'A token is refused 0.25 seconds after it was issued, although expires_in says 3600 seconds; answers take 10 milliseconds.',
    )
    .by(lifetime(0.25), delayAnswers(10)),
  'token-ends-after-a-few-answers': having({ needs: { ...ofEarlyEnd.needs, tokens: 'opaque' } })
    .subtle(
      'A token is refused 0.45 seconds after it was issued, although expires_in says 3600 seconds; answers take 70 milliseconds.',
    )
    .by(lifetime(0.45), delayAnswers(70)),
  'token-ends-after-seconds': having({ needs: { ...ofEarlyEnd.needs, tokens: 'opaque' } })
    .subtle(
      'A token is refused 1.2 seconds after it was issued, although expires_in says 3600 seconds; answers take 60 milliseconds.',
    )
    .by(lifetime(1.2), delayAnswers(60)),
});

/** Defects that refuse a token before its validity begins or ends. */
export const earlyEndDefects = [...earlyExpiry, ...beginsLate, ...earlyEnds];
