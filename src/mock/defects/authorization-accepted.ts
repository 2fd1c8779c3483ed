import { breach, defectsWith, hidden, plain, subtle } from '../defect.ts';
import { isCounted } from '../page-tests.ts';
import { type Change, composeChanges, counting, everyNth, wrap } from '../pipeline.ts';
import { changeCount, changePageAnswer, onPages, refusePages } from '../step-changes.ts';
import { changeTokenBody, endTokens, headerOf, noteIssued, restrictTokens } from '../token-changes.ts';
import { parameterOf } from './authorization-gate.ts';

function withStatus(status: number): Change {
  return changePageAnswer((answer) => ({ ...answer, status }));
}

/** Defects that refuse a valid token. */
export const acceptedDefects = defectsWith({ keywords: ['401'], must: ['authorization/accepted'] })({
  'authorization-always-refused': plain('Every list call is answered 401, even with a token just issued.').by(
    wrap('authorize', () => async () => false),
  ),
  'authorization-other-scheme-demanded': plain(
    'The token is accepted under the scheme Token only; as Bearer it is answered 401.',
  ).by(
    wrap('bearer', () => (request) => /^Token (.*)$/.exec(headerOf(request))?.[1]),
    { may: ['authorization/scheme'] },
  ),
  'authorization-query-demanded': plain(
    'The token is accepted in the query only; in the Authorization header it is answered 401.',
  ).by(
    wrap('bearer', () => (request, service) => parameterOf(request, service, 'access_token')),
    { may: ['authorization/scheme'] },
  ),
  'authorization-first-use-refused': subtle(
    'Every token is answered 401 at its first use, because it is not replicated yet.',
  ).by(counting((count) => restrictTokens((token) => count(token) > 1))),
  'token-with-line-end': hidden('Every access_token ends with a line feed, which no header can carry.').by(
    changeTokenBody((members) => ({ ...members, access_token: `${members['access_token']}\n` })),
    { keywords: ['u+000a'] },
  ),
  'token-wrapped': subtle('Every access_token is wrapped after 76 characters, as Base64 in mails is.').by(
    changeTokenBody((members) => ({
      ...members,
      access_token: String(members['access_token']).replace(/.{76}/g, '$&\r\n'),
    })),
    { keywords: ['u+000d'], needs: { tokens: 'jwt' } },
  ),
  'list-answered-206': hidden('A page that is not the whole list has status 206 instead of 200.').by(
    onPages(({ positions, total }) => positions.length < total)(withStatus(206)),
    { keywords: ['206'], may: ['traversal/followable'] },
  ),
  'counted-list-answered-206': hidden(
    'A page with a count has status 206 instead of 200, as if it were a range.',
  ).by(onPages(isCounted)(withStatus(206)), { keywords: ['206'] }),
  'list-refuses-accept-json': plain('A list call that accepts application/json is answered 406.').by(
    wrap('list', (list) => (request, resource, service) => {
      return request.headers['accept'] === 'application/json'
        ? { status: 406, headers: {}, body: '' }
        : list(request, resource, service);
    }),
    { keywords: ['406'] },
  ),
});

/** Refuses every call with tokens of the first provider that `isLost` selects when they are issued. */
function loseTokens(isLost: () => boolean): Change {
  return endTokens((ended) =>
    noteIssued(({ token }, { client }, { clients }) => {
      if (client === clients[0] && isLost()) ended.add(token);
    }),
  );
}

/** Defects that show in the first call of a kind only, or in all except the first. */
export const firstCallDefects = defectsWith({
  keywords: ['403'],
  must: ['authorization/accepted'],
  needs: { order: true },
})({
  'linked-page-forbidden-at-first': subtle(
    'A page with $skip is answered 403 when it is requested for the first time, and 200 after that.',
  ).by(
    counting((count) =>
      refusePages(403, 'forbidden', ({ skip, request }) => skip > 0 && count(request.target) === 1),
    ),
  ),
  'token-forbidden-at-first': subtle(
    'The first call with each token except the first one is answered 403.',
  ).by(
    counting((count) =>
      refusePages(403, 'forbidden', ({ request }) => {
        const isFirst = count(headerOf(request)) === 1;
        return count() > 1 && isFirst;
      }),
    ),
  ),
  'third-token-lost': subtle('The third token of the first provider is never accepted.').by(
    counting((count) => loseTokens(() => count() === 3)),
    { keywords: ['every list call'] },
  ),
  'token-after-refusal-lost': subtle(
    'The first token of the first provider after a refused token request is never accepted.',
  ).by(
    (steps) => {
      let state: 'none refused' | 'to be lost' | 'lost' = 'none refused';
      return composeChanges(
        wrap('grant', (grant) => (form, service) => {
          try {
            return grant(form, service);
          } catch (error) {
            if (state === 'none refused') state = 'to be lost';
            throw error;
          }
        }),
        loseTokens(() => {
          const isLost = state === 'to be lost';
          if (isLost) state = 'lost';
          return isLost;
        }),
      )(steps);
    },
    { keywords: ['every list call'] },
  ),
  'list-forbidden-every-fifth-call': subtle('Every fifth list call with a valid token is answered 403.').by(
    everyNth(5, (isTurn) => refusePages(403, 'forbidden', isTurn)),
  ),
  'list-203-for-later-tokens': subtle(
    'A page has status 203 instead of 200, except with the first token.',
  ).by(
    (steps) => {
      let first: string | null = null;
      return changePageAnswer((answer, { request }) => {
        const header = headerOf(request);
        first ??= header;
        return header === first ? answer : { ...answer, status: 203 };
      })(steps);
    },
    { keywords: ['203'], may: ['traversal/followable'] },
  ),
  'count-other-when-repeated': breach(
    'count/stable',
    'count',
    'repeated',
  )(
    'count is two too high when a page is requested again.',
    counting((number) =>
      changeCount((count, { request }) => (number(request.target) === 1 ? count : count + 2)),
    ),
  ),
  'count-of-page-when-repeated': breach(
    'count/stable',
    'count',
    'repeated',
  )(
    'count is the number of records on the page when a page is requested for the second time.',
    counting((number) =>
      changeCount((count, { request, pageSize, total, skip }) =>
        number(request.target) === 2 ? Math.min(pageSize, total - skip) : count,
      ),
    ),
  ),
});
