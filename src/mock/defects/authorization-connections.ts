import {
  amongWorkers,
  bearerOf,
  bindTokens,
  demand,
  refuseNext,
  rememberRefusals,
} from '../authorization-changes.ts';
import { defectsWith, having, subtle, wholeSuiteInOrder } from '../catalogue-rows.ts';
import { type Change, composeChanges, onceAtATime, withState, wrap } from '../changes.ts';
import { refusePages } from '../page-changes.ts';
import { problem, sessionOf } from '../pipeline.ts';

/** Refuses a list call with a valid token while another one is in progress, of the same token or of any. */
function refuseWhileBusy(of: 'token' | 'all', status: number, why: string): Change {
  return withState(Set<string>, (busy) =>
    wrap('receive', (receive) => async (request, service) => {
      if ((await sessionOf(request, service)) === undefined) return receive(request, service);
      const key = of === 'all' ? of : bearerOf(request, service);
      return onceAtATime(busy, key, {
        refuse: () => problem(status, why),
        work: () => receive(request, service),
      });
    }),
  );
}

const ofConnections = having({ keywords: ['401', 'connection'], may: ['token/accepted-until-expiry'] });

/** Defects that the connection decides about, as with several workers behind a load balancer. */
export const connectionDefects = defectsWith({
  keywords: ['401', 'connections'],
  must: ['authorization/accepted'],
  needs: { order: true },
})({
  'list-calls-at-once-500': having({ keywords: ['500'] })
    .hidden('A list call is answered 500 while another one is in progress: both use one database session.')
    .by(refuseWhileBusy('all', 500, 'a second operation was started on this session')),
  'list-calls-of-a-token-at-once-409': having({ keywords: ['409'] })
    .subtle('A list call is answered 409 while another one with the same token is in progress.')
    .by(refuseWhileBusy('token', 409, 'another call is in progress')),
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
  'list-connection-stays-refused': having({ keywords: ['401'], ...wholeSuiteInOrder })
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
});
