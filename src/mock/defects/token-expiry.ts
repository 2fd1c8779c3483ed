import { breaks, defectsWith, hidden, plain, subtle, type Traits } from '../catalogue-rows.ts';
import { type Change, rewrite, sessionOf, withState, wrap } from '../pipeline.ts';
import { acceptLonger, admit, demand, type RequestTest, reuseTokens } from '../token-changes.ts';

/** Common members of defects that a run finds which waits for a token to expire. */
export const ofExpiry = {
  keywords: ['token'],
  must: ['token/refused-after-expiry'],
  needs: { expiry: true },
} satisfies Traits;

/** Tokens of that lifetime in seconds. */
export function lifetime(seconds: number): Change {
  return wrap('lifetime', () => () => seconds);
}

/** Refuses a token for some requests after so many seconds. */
function endEarlier(seconds: number, where: RequestTest): Change {
  return demand(async (request, service) => {
    const session = await sessionOf(request, service);
    const isOver = session !== undefined && session.expiresAt - service.now() < (3600 - seconds) * 1000;
    return !(isOver && where(request, service));
  });
}

/** Refuses a token once its uses so far, in milliseconds of the provider's clock, say so. */
function endSessions(
  hasEnded: (now: number, uses: { readonly firstUse: number; readonly lastUse: number }) => boolean,
): Change {
  return withState(Map<string, { readonly firstUse: number; readonly lastUse: number }>, (uses) =>
    rewrite('current', (isCurrent, _session, token, service) => {
      const now = service.now();
      const known = uses.get(token) ?? { firstUse: now, lastUse: now };
      if (!isCurrent || hasEnded(now, known)) return false;
      uses.set(token, { ...known, lastUse: now });
      return true;
    }),
  );
}

/** Accepts every issued token for some queries. */
export function ignoreExpiry(where: RequestTest): Change {
  return admit(
    async (request, service) => where(request, service) && (await sessionOf(request, service)) !== undefined,
  );
}

/** Tokens whose validity ends earlier or later than expires_in says. */
export const tokenExpiryDefects = defectsWith(ofExpiry)({
  'expires-at-half': breaks('token/accepted-until-expiry')
    .plain('A token is refused after half an hour, although expires_in says 3600 seconds.')
    .by(lifetime(1800)),
  'expires-after-fifty-minutes': breaks('token/accepted-until-expiry')
    .hidden('A token is refused after fifty minutes, although expires_in says 3600 seconds.')
    .by(lifetime(3000)),
  'session-idle-for-forty-minutes': breaks('token/accepted-until-expiry')
    .hidden('A token is refused once it was not used for forty minutes, after it was used before.')
    .by(endSessions((now, { lastUse }) => now > lastUse + 2_400_000)),
  'session-ends-after-a-quarter': breaks('token/accepted-until-expiry')
    .hidden('A token is refused a quarter of an hour after its first use.')
    .by(endSessions((now, { firstUse }) => now > firstUse + 900_000)),
  'session-unused-for-forty-minutes': breaks('token/accepted-until-expiry', 'no earlier call')
    .hidden('A token is refused if it is used first when it is older than forty minutes.')
    .by(
      wrap('current', (current) => {
        const begun = new Set<string>();
        return (session, token, service) => {
          if (session.expiresAt - service.now() > 1_200_000) begun.add(token);
          return begun.has(token) && current(session, token, service);
        };
      }),
    ),
  'expires-at-half-behind-first-page': breaks('token/accepted-until-expiry')
    .subtle('A token is refused after half an hour by pages behind the first one.')
    .by(endEarlier(1800, ({ query }) => query.includes('skip='))),
  'expires-at-three-quarters-with-page-size': breaks('token/accepted-until-expiry')
    .subtle('A token is refused after 45 minutes if $pagesize and $count are given.')
    .by(endEarlier(2700, ({ query }) => query.includes('pagesize=') && query.includes('count='))),
  'expires-after-two-hours': hidden(
    'A token is accepted for two hours, although expires_in says 3600 seconds.',
  ).by(lifetime(7200)),
  'expiry-unchecked': plain('A token is always accepted after its validity ended.').by(
    wrap('current', () => () => true),
  ),
  'expired-refused-with-records': subtle(
    'A call with an expired token is answered 401, but the body holds the records.',
  ).by(
    rewrite('unauthorized', async (answer, request, service) => {
      const resource = service.steps.route(request, service);
      if (resource === undefined || (await sessionOf(request, service)) === undefined) return answer;
      return { ...service.steps.list(request, resource, service), status: answer.status };
    }),
  ),
  'expiry-tolerance-fifteen-minutes': subtle(
    'A token is accepted for fifteen minutes after its validity ended.',
  ).by(acceptLonger(900)),
  'expiry-check-remembered': subtle(
    'A token that was valid once is accepted after its validity ended, from a cache of validations.',
  ).by(
    withState(Set<string>, (validated) =>
      rewrite('current', (isCurrent, _session, token) => {
        if (isCurrent) validated.add(token);
        return validated.has(token);
      }),
    ),
  ),
  'expiry-counts-from-first-use': subtle('The validity of a token begins with its first use.').by(
    withState(Map<string, number>, (begins) =>
      rewrite('current', (_isCurrent, _session, token, { now }) => {
        const begin = begins.get(token) ?? now();
        begins.set(token, begin);
        return now() < begin + 3_600_000;
      }),
    ),
  ),
  'expiry-unchecked-with-count': subtle(
    'A token is always accepted after its validity ended if $count is given.',
  ).by(ignoreExpiry(({ query }) => query.includes('count=true'))),
  'expiry-unchecked-for-counted-default': subtle(
    'A token is always accepted after its validity ended by $count=true alone.',
  ).by(ignoreExpiry(({ query }) => query === '$count=true')),
  'expiry-unchecked-far-down-the-list': subtle(
    'A token is always accepted after its validity ended from record 1000 on.',
  ).by(ignoreExpiry(({ query }) => Number(/skip=(\d+)/u.exec(query)?.[1] ?? 0) >= 1000)),
  'token-reused-constant-expires-in': breaks('token/accepted-until-expiry', 'expires_in')
    .having({ may: ['token/validity'] })
    .subtle(
      'One cached token is issued repeatedly with a constant expires_in, so it is refused before its stated validity ends.',
    )
    .by(reuseTokens),
});
