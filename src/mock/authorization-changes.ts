import { getOrMake } from '../core/maps.ts';
import { type Change, composeChanges, rewrite, withState, wrap } from './changes.ts';
import { all } from './page-changes.ts';
import type { Answer, ReceivedRequest, Service } from './pipeline.ts';

export type RequestTest = (request: ReceivedRequest, service: Service) => boolean;

type AuthorizationTest = (...given: Parameters<RequestTest>) => boolean | Promise<boolean>;

export function lacks(name: string): RequestTest {
  return ({ headers }) => headers[name] === undefined;
}

export const isAnonymous = lacks('authorization');

/** The value of a header; `''` if there is none. */
export function headerOf(request: ReceivedRequest, name = 'authorization'): string {
  return request.headers[name]?.toString() ?? '';
}

export function queryValue(request: ReceivedRequest, name: string): string | undefined {
  return new URLSearchParams(request.query).get(name) ?? undefined;
}

export function bearerOf(request: ReceivedRequest, service: Service): string {
  return service.steps.bearer(request, service) ?? '';
}

/** Also authorizes the requests that pass a test. */
export function admit(test: AuthorizationTest): Change {
  return rewrite('authorize', (isAuthorized, request, service) => isAuthorized || test(request, service));
}

/** Accepts requests without an Authorization header that pass the tests. */
export function openGate(...open: readonly RequestTest[]): Change {
  return admit(all(isAnonymous, ...open));
}

/** Refuses authorized requests that do not pass a test. */
export function demand(test: AuthorizationTest): Change {
  return rewrite('authorize', (isAuthorized, request, service) => isAuthorized && test(request, service));
}

/** Answers calls without a valid token. */
export function answerUnauthorized(answer: Answer): Change {
  return wrap('unauthorized', () => () => answer);
}

/** Gives the records in the body of refusals, with the status of a refusal, to requests that pass a test. */
export function refuseWithRecords(test: AuthorizationTest): Change {
  return rewrite('unauthorized', async (answer, request, service) => {
    const resource = service.steps.route(request, service);
    if (resource === undefined || !(await test(request, service))) return answer;
    return { ...service.steps.list(request, resource, service), status: answer.status };
  });
}

/** Also accepts a token from another place if there is no Bearer header, in requests that pass the tests. */
export function acceptTokenFrom(
  find: (request: ReceivedRequest) => string | undefined,
  ...where: readonly RequestTest[]
): Change {
  return rewrite('bearer', (token, request, service) => {
    if (token !== undefined) return token;
    const given = find(request);
    return given !== undefined && all(...where)(request, service) ? given : undefined;
  });
}

/** Accepts the token that the first group of a pattern finds in the Authorization header. */
export function acceptHeader(pattern: RegExp, ...where: readonly RequestTest[]): Change {
  return acceptTokenFrom((request) => headerOf(request).match(pattern)?.[1], ...where);
}

export function placeOf(request: ReceivedRequest): { readonly skip: number; readonly pageSize: number } {
  return {
    skip: Number(queryValue(request, '$skip') ?? '0'),
    pageSize: Number(queryValue(request, '$pagesize') ?? '500'),
  };
}

export const isBehindFirst: RequestTest = (request) => placeOf(request).skip > 0;

/** Admits requests that pass the tests, too, once so many with the same key were authorized. */
export function admitAfter(
  uses: number,
  keyOf: (request: ReceivedRequest) => unknown,
  ...where: readonly RequestTest[]
): Change {
  return withState(Map<unknown, number>, (authorized) =>
    rewrite('authorize', (isAuthorized, request, service) => {
      const key = keyOf(request);
      const earlier = authorized.get(key) ?? 0;
      if (isAuthorized) authorized.set(key, earlier + 1);
      return isAuthorized || (earlier >= uses && all(...where)(request, service));
    }),
  );
}

/** Gives a page that was requested so often with a token to every caller that passes the tests. */
export function cacheFromUse(least: number, ...where: readonly RequestTest[]): Change {
  return admitAfter(least, ({ target }) => target, ...where);
}

export function admitFromThirdPage(test: (token: string) => boolean): Change {
  return admit((request) => {
    const { skip, pageSize } = placeOf(request);
    const token = /^Bearer (\S+)$/.exec(headerOf(request))?.[1] ?? '';
    return skip >= 2 * pageSize && test(token);
  });
}

type WorkerOf = (request: ReceivedRequest) => number;

/** A change of some of several workers, over which connections are distributed in turn, as by a load balancer. */
export function amongWorkers(workers: number, change: (workerOf: WorkerOf) => Change): Change {
  return withState(WeakMap<object, number>, (known) => {
    let connections = 0;
    return change(({ connection }) => getOrMake(known, connection, () => connections++ % workers));
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
      const connections = getOrMake(used, bearerOf(request, service), () => new Set());
      if (connections.size < most) connections.add(request.connection);
      return connections.has(request.connection);
    }),
  );
}
