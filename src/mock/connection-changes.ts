import { admit, bearerOf, demand, type RequestTest } from './authorization-changes.ts';
import { type Change, composeChanges, rewrite, withState } from './changes.ts';
import { all } from './page-tests.ts';
import type { ReceivedRequest, Service } from './pipeline.ts';
import type { Credentials } from './scenario/scenario.ts';
import { type Form, replaceFields } from './token-changes.ts';

type WorkerOf = (request: ReceivedRequest) => number;

/** A change of some of several workers, over which connections are distributed in turn, as by a load balancer. */
export function amongWorkers(workers: number, change: (workerOf: WorkerOf) => Change): Change {
  return withState(WeakMap<object, number>, (known) => {
    let connections = 0;
    return change(({ connection }) => {
      const worker = known.get(connection) ?? connections++ % workers;
      known.set(connection, worker);
      return worker;
    });
  });
}

/** Opens the gate to requests that pass the test, over connections on which a token was requested. */
export function openAfterTokenRequest(where: RequestTest): Change {
  return withState(WeakSet<object>, (connections) =>
    composeChanges(
      rewrite('token', (answer, { connection }) => {
        if (answer.status === 200) connections.add(connection);
        return answer;
      }),
      admit(all(({ connection }) => connections.has(connection), where)),
    ),
  );
}

/** Remembers connections over which a token request was refused, and refuses later requests over them. */
export function rememberRefusals(refuse: (isKnown: (request: ReceivedRequest) => boolean) => Change): Change {
  return withState(WeakSet<object>, (refused) =>
    composeChanges(
      refuse(({ connection }) => refused.has(connection)),
      rewrite('token', (answer, request) => {
        if (answer.status !== 200) refused.add(request.connection);
        return answer;
      }),
    ),
  );
}

/** Replaces fields of a token request that follows one of a `known` client over the same connection. */
export function replaceLaterFields(
  replace: (fields: Form, known: Credentials, service: Service) => Readonly<Record<string, string>>,
): Change {
  return withState(WeakMap<Form, object>, (connections) =>
    withState(WeakMap<object, Credentials>, (clients) => {
      const connectionOf = (fields: Form): object => connections.get(fields) ?? {};
      return composeChanges(
        rewrite('form', (fields, request) => {
          connections.set(fields, request.connection);
          return fields;
        }),
        replaceFields((fields, service) => {
          const known = clients.get(connectionOf(fields));
          return known === undefined ? {} : replace(fields, known, service);
        }),
        rewrite('grant', (granted, fields) => {
          clients.set(connectionOf(fields), granted.client);
          return granted;
        }),
      );
    }),
  );
}

/** Refuses the list call that follows a refused one over the same connection, whatever its token is, and not the next one. */
export const refuseNext = withState(Map<object, 'refused' | 'spoiled'>, (last) =>
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
export function bindTokens(most: number): Change {
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
