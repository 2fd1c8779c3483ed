import { bearerOf, demand } from '../authorization-changes.ts';
import { breaks, defectsWith, having, subtle } from '../catalogue-rows.ts';
import { amongWorkers, rememberRefusals, replaceLaterFields } from '../connection-changes.ts';
import { type Change, composeChanges, rewrite, withState, wrap } from '../pipeline.ts';
import type { Credentials } from '../scenario/scenario.ts';
import { changePositions, onPages, refusePages } from '../step-changes.ts';
import { refuseRequests } from '../token-request-changes.ts';

/** Refuses the list call that follows a refused one over the same connection, whatever its token is, and not the next one. */
const refuseNext = withState(Map<object, 'refused' | 'spoiled'>, (last) =>
  composeChanges(
    demand(({ connection }) => {
      if (last.get(connection) !== 'refused') return true;
      last.set(connection, 'spoiled');
      return false;
    }),
    rewrite('unauthorized', (answer, { connection }) => {
      if (last.get(connection) === 'spoiled') last.delete(connection);
      else last.set(connection, 'refused');
      return answer;
    }),
  ),
);

/** Accepts a token only over the first so many connections on which list calls carried it. */
function bindTokens(most: number): Change {
  return withState(Map<string, Set<object>>, (used) =>
    demand((request, service) => {
      const token = bearerOf(request, service);
      const connections = used.get(token) ?? new Set();
      used.set(token, connections);
      if (connections.size < most) connections.add(request.connection);
      return connections.has(request.connection);
    }),
  );
}

const ofConnections = having({ keywords: ['401', 'connection'], may: ['token/accepted-until-expiry'] });

/** Both fields that identify a client. */
function identityOf({ clientId, clientSecret }: Credentials): Readonly<Record<string, string>> {
  return { client_id: clientId, client_secret: clientSecret };
}

/** One of two workers has another record at each position. */
function orderOfOneWorker(recordAt: (position: number, total: number) => number): Change {
  return amongWorkers(2, (workerOf) =>
    onPages(({ request }) => workerOf(request) === 1)(
      changePositions((position, { total }) => recordAt(position, total)),
    ),
  );
}

/** Breaches of single workers behind a load balancer: which one answers depends on the connection. */
export const workerDefects = defectsWith({
  keywords: ['401', 'connections'],
  must: ['authorization/accepted'],
  needs: { order: true },
})({
  'worker-forgets-signing-key': subtle(
    'One of five workers has an old signing key: it refuses every token.',
  ).by(amongWorkers(5, (workerOf) => demand((request) => workerOf(request) !== 3))),
  'worker-knows-own-tokens-only': having({ may: ['token/accepted-until-expiry'] })
    .hidden('Each of two workers keeps tokens in its memory: a token is refused by the other one.')
    .by(
      amongWorkers(2, (workerOf) => {
        const issuedBy = new Map<string, number>();
        let current = 0;
        return composeChanges(
          wrap('token', (token) => (request, service) => {
            current = workerOf(request);
            return token(request, service);
          }),
          wrap('issue', (issue) => async (grant, service) => {
            const worker = current;
            const issued = await issue(grant, service);
            issuedBy.set(issued.token, worker);
            return issued;
          }),
          demand((request, service) => issuedBy.get(bearerOf(request, service)) === workerOf(request)),
        );
      }),
    ),
  'worker-refuses-linked-pages': having({ may: ['traversal/followable'] })
    .subtle('One of six workers answers linked pages with 401, whatever the token.')
    .by(
      amongWorkers(6, (workerOf) =>
        refusePages(401, 'invalid_token', ({ request, skip }) => workerOf(request) === 4 && skip > 0),
      ),
    ),
  'worker-open-without-token': breaks('authorization/required', 'without an authorization header')
    .having({
      may: ['authorization/required-on-every-page', 'authorization/token-integrity', 'authorization/scheme'],
    })
    .subtle('Four of eight workers do not check tokens at all.')
    .by(
      amongWorkers(8, (workerOf) =>
        wrap('authorize', (authorize) => async (request, service) => {
          return workerOf(request) >= 4 || (await authorize(request, service));
        }),
      ),
    ),
  'worker-answers-token-201': breaks('token/issued', '201')
    .subtle('Four of eight workers answer a token request with 201.')
    .by(
      amongWorkers(8, (workerOf) =>
        rewrite('token', (answer, request) =>
          answer.status === 200 && workerOf(request) >= 4 ? { ...answer, status: 201 } : answer,
        ),
      ),
    ),
  'token-connection-stays-refused': breaks('token/issued', 'invalid_client')
    .having({ needs: { wholeSuite: true, order: true } })
    .subtle('After a refused token request, correct ones over the same connection are refused.')
    .by(
      rememberRefusals((isKnown) =>
        refuseRequests(401, 'invalid_client', 'the session has no client', isKnown),
      ),
    ),
  'list-connection-stays-refused': having({ keywords: ['401'], needs: { wholeSuite: true, order: true } })
    .subtle('After a refused token request, list calls over the same connection are refused.')
    .by(rememberRefusals((isKnown) => demand((request) => !isKnown(request)))),
  'list-connection-refuses-next': ofConnections
    .subtle(
      'After a refused list call, the next one over the same connection is refused with a valid token, too.',
    )
    .by(refuseNext),
  'token-bound-to-a-connection': ofConnections
    .subtle('A token is accepted only over the connection on which a list call carried it first.')
    .by(bindTokens(1)),
  'token-bound-to-three-connections': ofConnections
    .subtle('A token is accepted only over the first three connections on which list calls carried it.')
    .by(bindTokens(3)),
  'token-bound-to-six-connections': ofConnections
    .subtle('A token is accepted only over the first six connections on which list calls carried it.')
    .by(bindTokens(6)),
  'client-known-by-connection': breaks('token/client', 'client_id')
    .having({ needs: { wholeSuite: true, order: true } })
    .subtle('After a valid token request, its client is used for unknown clients on the same connection.')
    .by(
      replaceLaterFields((fields, known, service) =>
        service.steps.findClient(fields.get('client_id'), service) === undefined ? identityOf(known) : {},
      ),
    ),
  'secret-checked-once-by-connection': breaks('token/secret', 'client_secret')
    .having({ may: ['token/provider-isolation'], needs: { wholeSuite: true, order: true } })
    .subtle('After a valid token request, the secret of its client is not checked on the same connection.')
    .by(
      replaceLaterFields((fields, known) =>
        fields.get('client_id') === known.clientId ? { client_secret: known.clientSecret } : {},
      ),
    ),
  'grant-type-remembered-by-connection': breaks('token/grant-type', 'without grant_type')
    .having({ needs: { wholeSuite: true, order: true } })
    .subtle('After a valid token request, grant_type may be left out on the same connection.')
    .by(
      replaceLaterFields((fields) => (fields.has('grant_type') ? {} : { grant_type: 'client_credentials' })),
    ),
  'client-id-remembered-by-connection': breaks('token/client', 'without client_id')
    .having({ needs: { wholeSuite: true, order: true } })
    .subtle('After a valid token request, client_id may be left out on the same connection.')
    .by(
      replaceLaterFields((fields, known) => (fields.has('client_id') ? {} : { client_id: known.clientId })),
    ),
  'secret-remembered-by-connection': breaks('token/secret', 'without client_secret')
    .having({ needs: { wholeSuite: true, order: true } })
    .subtle('After a valid token request, client_secret may be left out on the same connection.')
    .by(
      replaceLaterFields((fields, known) =>
        fields.get('client_id') === known.clientId && !fields.has('client_secret')
          ? { client_secret: known.clientSecret }
          : {},
      ),
    ),
  'client-remembered-by-connection': breaks('token/client', 'empty client_id')
    .having({ needs: { suite: 'certify', order: true } })
    .subtle('After a valid token request, client_id and client_secret may be empty on the same connection.')
    .by(
      replaceLaterFields((fields, known) =>
        fields.get('client_id') === '' && fields.get('client_secret') === '' ? identityOf(known) : {},
      ),
    ),
  'worker-reverses-order': breaks('traversal/no-duplicates', 'record')
    .having({ may: ['traversal/by-parameters'] })
    .subtle('One of two workers gives the list in the reverse order.')
    .by(orderOfOneWorker((position, total) => total - 1 - position)),
  'worker-begins-in-the-middle': breaks('traversal/no-duplicates', 'record')
    .having({ may: ['traversal/by-parameters'] })
    .subtle('One of two workers gives the list from its middle on, and then the records before it.')
    .by(orderOfOneWorker((position, total) => (position + Math.floor(total / 2)) % total)),
});
