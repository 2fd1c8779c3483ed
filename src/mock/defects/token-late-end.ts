import { getOrMake } from '../../core/maps.ts';
import {
  admit,
  headerOf,
  isBehindFirst,
  lacks,
  placeOf,
  type RequestTest,
  refuseWithRecords,
} from '../authorization-changes.ts';
import { defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import { type Change, rewrite, withState, wrap } from '../changes.ts';
import { type ReceivedRequest, type Service, sessionOf } from '../pipeline.ts';
import { acceptLonger, lifetime } from '../token-changes.ts';

/** Accepts a token for so many seconds from its first use, if that was before its end, and in any case until its end. */
function acceptFromFirstUse(seconds: number): Change {
  return withState(Map<string, number>, (uses) =>
    rewrite('current', (isCurrent, _session, token, { now }) => {
      if (isCurrent && !uses.has(token)) uses.set(token, now());
      return isCurrent || now() < (uses.get(token) ?? Number.NEGATIVE_INFINITY) + seconds * 1000;
    }),
  );
}

async function hasIssuedToken(request: ReceivedRequest, service: Service): Promise<boolean> {
  return (await sessionOf(request, service)) !== undefined;
}

/** Accepts every issued token for some queries. */
function ignoreExpiry(where: RequestTest): Change {
  return admit((request, service) => where(request, service) && hasIssuedToken(request, service));
}

/** Defects that accept a token after its validity ended. */
export const lateEndDefects = defectsWith({
  keywords: ['token'],
  must: ['token/refused-after-expiry'],
  needs: { expiry: true },
})({
  'expires-after-two-hours': hidden(
    'A token is accepted for two hours, although expires_in says 3600 seconds.',
  ).by(lifetime(7200)),
  'expiry-unchecked': plain('A token is always accepted after its validity ended.').by(
    wrap('current', () => () => true),
  ),
  'expired-refused-with-records': subtle(
    'A call with an expired token is answered 401, but the body holds the records.',
  ).by(refuseWithRecords(hasIssuedToken)),
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
        return now() < getOrMake(begins, token, now) + 3_600_000;
      }),
    ),
  ),
  'validation-cached-for-an-hour': subtle(
    'A token is accepted for an hour from its first use, from a cache of validations.',
  ).by(acceptFromFirstUse(3600)),
  'session-of-twenty-minutes': subtle(
    'A token that is first used shortly before its end is accepted for twenty minutes more.',
  ).by(acceptFromFirstUse(1200)),
  'expiry-unchecked-with-count': subtle(
    'A token is always accepted after its validity ended if $count is given.',
  ).by(ignoreExpiry(({ query }) => query.includes('count=true'))),
  'expiry-unchecked-for-counted-default': subtle(
    'A token is always accepted after its validity ended by $count=true alone.',
  ).by(ignoreExpiry(({ query }) => query === '$count=true')),
  'expiry-unchecked-far-down-the-list': subtle(
    'A token is always accepted after its validity ended from record 1000 on.',
  ).by(ignoreExpiry(({ query }) => Number(/skip=(\d+)/u.exec(query)?.[1] ?? 0) >= 1000)),
  'expiry-unchecked-for-small-pages': having({ needs: { expiry: true, suite: 'certify' }, records: 20 })
    .subtle('A token is always accepted after its validity ended if $pagesize is at most 20.')
    .by(ignoreExpiry((request) => placeOf(request).pageSize >= 1 && placeOf(request).pageSize <= 20)),
  'expiry-unchecked-behind-skip': subtle(
    'A token is always accepted after its validity ended if $skip is given.',
  ).by(ignoreExpiry(isBehindFirst)),
  'expiry-unchecked-without-tenant': having({ needs: { expiry: true, suite: 'certify' } })
    .subtle('A token is always accepted after its validity ended if the call has no Tenant header.')
    .by(ignoreExpiry(lacks('tenant'))),
  'expiry-unchecked-for-bearer-in-lower-case': having({ needs: { expiry: true, suite: 'certify' } })
    .hidden('A token is always accepted after its validity ended if the scheme is written bearer.')
    .by(
      rewrite('bearer', (token, request) => token ?? /^bearer (\S+)$/.exec(headerOf(request))?.[1]),
      ignoreExpiry((request) => headerOf(request).startsWith('bearer ')),
    ),
  'second-client-token-never-expires': subtle('A token of the second client never expires.').by(
    rewrite(
      'current',
      (isCurrent, { clientId }, _token, { otherCredentials }) =>
        isCurrent || clientId === otherCredentials.clientId,
    ),
  ),
});
