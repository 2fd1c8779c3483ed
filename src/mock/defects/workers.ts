import { refuseToken } from '../conforming/token.ts';
import { type Defect, defectsOf } from '../defect.ts';
import { type Change, composeChanges, type ReceivedRequest, type Service, wrap } from '../pipeline.ts';
import type { Client } from '../scenario/scenario.ts';
import { changePositions, refusePages } from '../step-changes.ts';

type Fields = ReadonlyMap<string, string>;

/** Distributes connections over workers in turn, as a load balancer does. */
export function workersOf(workers: number): (request: ReceivedRequest) => number {
  const known = new WeakMap<object, number>();
  let connections = 0;
  return ({ connection }) => {
    const worker = known.get(connection) ?? connections++ % workers;
    known.set(connection, worker);
    return worker;
  };
}

/** Remembers connections over which a token request was refused, and refuses later requests over them. */
function rememberRefusals(refuse: (isKnown: (request: ReceivedRequest) => boolean) => Change): Change {
  const refused = new WeakSet<object>();
  return composeChanges(
    refuse(({ connection }) => refused.has(connection)),
    wrap('token', (token) => async (request, service) => {
      const answer = await token(request, service);
      if (answer.status !== 200) refused.add(request.connection);
      return answer;
    }),
  );
}

/** Replaces fields of a token request that follows one of a `known` client over the same connection. */
function replaceFields(
  replace: (fields: Fields, known: Client, service: Service) => Readonly<Record<string, string>>,
): Change {
  const clients = new WeakMap<object, Client>();
  const connections = new WeakMap<Fields, object>();
  return composeChanges(
    wrap('form', (form) => (request, service) => {
      const fields = form(request, service);
      connections.set(fields, request.connection);
      return fields;
    }),
    wrap('grant', (grant) => (fields, service) => {
      const connection = connections.get(fields) ?? {};
      const known = clients.get(connection);
      const replaced = known === undefined ? {} : replace(fields, known, service);
      const granted = grant(new Map([...fields, ...Object.entries(replaced)]), service);
      clients.set(connection, granted.client);
      return granted;
    }),
  );
}

/** One of two workers has another record at each position. */
function orderOfOneWorker(recordAt: (position: number, total: number) => number): Change {
  return (steps) => {
    const workerOf = workersOf(2);
    return changePositions((positions, { request, total }) =>
      workerOf(request) === 1 ? positions.map((position) => recordAt(position, total)) : positions,
    )(steps);
  };
}

/** Breaches of single workers behind a load balancer: which one answers depends on the connection. */
export const workerDefects: readonly Defect[] = defectsOf({
  'worker-forgets-signing-key': {
    sentence: 'One of five workers has an old signing key: it refuses every token.',
    keywords: ['401', 'connections'],
    must: ['authorization/accepted'],
    needs: { order: true },
    apply: (steps) => {
      const workerOf = workersOf(5);
      return wrap('authorize', (authorize) => async (request, service) => {
        return (await authorize(request, service)) && workerOf(request) !== 3;
      })(steps);
    },
  },
  'worker-knows-own-tokens-only': {
    sentence: 'Each of two workers keeps tokens in its memory: a token is refused by the other one.',
    keywords: ['401', 'connections'],
    must: ['authorization/accepted'],
    may: ['token/accepted-until-expiry'],
    needs: { order: true },
    difficulty: 'hidden',
    apply: (steps) => {
      const workerOf = workersOf(2);
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
        wrap('authorize', (authorize) => async (request, service) => {
          if (!(await authorize(request, service))) return false;
          const token = service.steps.bearer(request, service) ?? '';
          return issuedBy.get(token) === workerOf(request);
        }),
      )(steps);
    },
  },
  'worker-refuses-linked-pages': {
    sentence: 'One of six workers answers linked pages with 401, whatever the token.',
    keywords: ['401', 'connections'],
    must: ['authorization/accepted'],
    may: ['traversal/followable'],
    needs: { order: true },
    apply: (steps) => {
      const workerOf = workersOf(6);
      return refusePages(
        401,
        'invalid_token',
        (page) => workerOf(page.request) === 4 && page.skip > 0,
      )(steps);
    },
  },
  'worker-open-without-token': {
    sentence: 'Four of eight workers do not check tokens at all.',
    keywords: ['without an authorization header'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page', 'authorization/token-integrity', 'authorization/scheme'],
    needs: { order: true },
    apply: (steps) => {
      const workerOf = workersOf(8);
      return wrap('authorize', (authorize) => async (request, service) => {
        return workerOf(request) >= 4 || (await authorize(request, service));
      })(steps);
    },
  },
  'worker-answers-token-201': {
    sentence: 'Four of eight workers answer a token request with 201.',
    keywords: ['201'],
    must: ['token/issued'],
    needs: { order: true },
    apply: (steps) => {
      const workerOf = workersOf(8);
      return wrap('token', (token) => async (request, service) => {
        const answer = await token(request, service);
        const isChanged = answer.status === 200 && workerOf(request) >= 4;
        return isChanged ? { ...answer, status: 201 } : answer;
      })(steps);
    },
  },
  'token-connection-stays-refused': {
    sentence: 'After a refused token request, correct ones over the same connection are refused.',
    keywords: ['invalid_client'],
    must: ['token/issued'],
    needs: { wholeSuite: true, order: true },
    apply: rememberRefusals((isKnown) =>
      wrap('form', (form) => (request, service) => {
        if (isKnown(request)) refuseToken(401, 'invalid_client', 'the session has no client');
        return form(request, service);
      }),
    ),
  },
  'list-connection-stays-refused': {
    sentence: 'After a refused token request, list calls over the same connection are refused.',
    keywords: ['401'],
    must: ['authorization/accepted'],
    needs: { wholeSuite: true, order: true },
    apply: rememberRefusals((isKnown) =>
      wrap('authorize', (authorize) => async (request, service) => {
        return !isKnown(request) && (await authorize(request, service));
      }),
    ),
  },
  'token-bound-to-a-connection': {
    sentence: 'A token is accepted only over the connection on which a list call carried it first.',
    keywords: ['401', 'connection'],
    must: ['authorization/accepted'],
    may: ['token/accepted-until-expiry'],
    needs: { order: true },
    apply: (steps) => {
      const firstOf = new Map<string, object>();
      return wrap('authorize', (authorize) => async (request, service) => {
        if (!(await authorize(request, service))) return false;
        const token = service.steps.bearer(request, service) ?? '';
        const first = firstOf.get(token) ?? request.connection;
        firstOf.set(token, first);
        return first === request.connection;
      })(steps);
    },
  },
  'client-known-by-connection': {
    sentence: 'After a valid token request, its client is used for unknown clients on the same connection.',
    keywords: ['client_id'],
    must: ['token/client'],
    needs: { wholeSuite: true, order: true },
    apply: replaceFields((fields, known, service) =>
      service.steps.findClient(fields.get('client_id'), service) === undefined
        ? { client_id: known.clientId, client_secret: known.clientSecret }
        : {},
    ),
  },
  'secret-checked-once-by-connection': {
    sentence: 'After a valid token request, the secret of its client is not checked on the same connection.',
    keywords: ['client_secret'],
    must: ['token/secret'],
    may: ['token/provider-isolation'],
    needs: { wholeSuite: true, order: true },
    apply: replaceFields((fields, known) =>
      fields.get('client_id') === known.clientId ? { client_secret: known.clientSecret } : {},
    ),
  },
  'grant-type-remembered-by-connection': {
    sentence: 'After a valid token request, grant_type may be left out on the same connection.',
    keywords: ['without grant_type'],
    must: ['token/grant-type'],
    needs: { suite: 'certify', order: true },
    apply: replaceFields((fields) => (fields.has('grant_type') ? {} : { grant_type: 'client_credentials' })),
  },
  'client-remembered-by-connection': {
    sentence: 'After a valid token request, client_id and client_secret may be empty on the same connection.',
    keywords: ['empty client_id'],
    must: ['token/client'],
    needs: { suite: 'certify', order: true },
    apply: replaceFields((fields, known) =>
      fields.get('client_id') === '' && fields.get('client_secret') === ''
        ? { client_id: known.clientId, client_secret: known.clientSecret }
        : {},
    ),
  },
  'worker-reverses-order': {
    sentence: 'One of two workers gives the list in the reverse order.',
    keywords: ['record'],
    must: ['traversal/no-duplicates'],
    may: ['traversal/by-parameters'],
    needs: { order: true },
    apply: orderOfOneWorker((position, total) => total - 1 - position),
  },
  'worker-begins-in-the-middle': {
    sentence: 'One of two workers gives the list from its middle on, and then the records before it.',
    keywords: ['record'],
    must: ['traversal/no-duplicates'],
    may: ['traversal/by-parameters'],
    needs: { order: true },
    apply: orderOfOneWorker((position, total) => (position + Math.floor(total / 2)) % total),
  },
});
