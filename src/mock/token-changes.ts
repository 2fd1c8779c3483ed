import { all } from './page-tests.ts';
import {
  type Change,
  composeChanges,
  counting,
  type Grant,
  type Issued,
  type ReceivedRequest,
  refuseToken,
  rewrite,
  type Service,
  type Session,
  type Steps,
  sessionOf,
  withState,
  wrap,
} from './pipeline.ts';
import { changeRecordAt, type Members, onPages } from './step-changes.ts';

/** The fields of a token request. */
export type Form = Parameters<Steps['grant']>[0];

/** Selects requests. */
export type RequestTest = (request: ReceivedRequest, service: Service) => boolean;

type AuthorizationTest = (...given: Parameters<RequestTest>) => boolean | Promise<boolean>;

/** Whether a request lacks a header. */
export function lacks(name: string): RequestTest {
  return ({ headers }) => headers[name] === undefined;
}

/** Whether a request has no Authorization header. */
export const isAnonymous = lacks('authorization');

/** The value of a header; `''` if there is none. */
export function headerOf(request: ReceivedRequest, name = 'authorization'): string {
  return request.headers[name]?.toString() ?? '';
}

/** A parameter of the query, as a form reads it. */
export function queryValue(request: ReceivedRequest, name: string): string | undefined {
  return new URLSearchParams(request.query).get(name) ?? undefined;
}

/** The token of a request; `''` if there is none. */
export function bearerOf(request: ReceivedRequest, service: Service): string {
  return service.steps.bearer(request, service) ?? '';
}

/** Also authorizes the requests that pass a test. */
export function admit(test: AuthorizationTest): Change {
  return rewrite('authorize', (isAuthorized, request, service) => isAuthorized || test(request, service));
}

/** Refuses authorized requests that do not pass a test. */
export function demand(test: AuthorizationTest): Change {
  return rewrite('authorize', (isAuthorized, request, service) => isAuthorized && test(request, service));
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

/**
 * Also accepts tokens that were not issued, if `find` returns a session for them. Calls `note` with the session of
 * each issued token that is used.
 */
export function acceptTokens(
  find: (token: string, service: Service) => Session | undefined,
  note: (token: string, session: Session) => void = () => {},
): Change {
  return rewrite('resolve', (session, token, service) => {
    if (session !== undefined) note(token, session);
    return session ?? find(token, service);
  });
}

/** Also accepts the tokens that the test selects, as tokens of the first client that never expire. */
export function acceptAsFirstClient(isAccepted: (token: string) => boolean): Change {
  return acceptTokens((token, { credentials: { clientId, scope } }) =>
    isAccepted(token) ? { clientId, scope, expiresAt: Number.POSITIVE_INFINITY } : undefined,
  );
}

/** Whether two texts have the same length and so many same characters at each end. */
export function hasSameEnds(given: string, real: string, characters: number): boolean {
  return (
    given.length === real.length &&
    given.slice(0, characters) === real.slice(0, characters) &&
    given.slice(-characters) === real.slice(-characters)
  );
}

/** Decides about issued tokens that have not expired. */
export function restrictTokens(isAccepted: (token: string, session: Session) => boolean): Change {
  return rewrite('current', (isCurrent, session, token) => isAccepted(token, session) && isCurrent);
}

/** Accepts tokens for some seconds after their validity ended. */
export function acceptLonger(seconds: number): Change {
  return wrap(
    'current',
    (current) => (session, token, service) =>
      current({ ...session, expiresAt: session.expiresAt + 1000 * seconds }, token, service),
  );
}

/** Refuses the tokens in a set, which `change` fills. */
export function endTokens(change: (ended: Set<string>) => Change): Change {
  return withState(Set<string>, (ended) =>
    composeChanges(
      change(ended),
      restrictTokens((token) => !ended.has(token)),
    ),
  );
}

/** Makes a change of pages for some tokens, by their number in the order of their first use, from 0. */
export function onTokens(isChanged: (number: number) => boolean): (change: Change) => Change {
  return (change) =>
    withState(Map<string, number>, (numbers) =>
      onPages(({ request }, service) => {
        const token = bearerOf(request, service);
        const number = numbers.get(token) ?? numbers.size;
        numbers.set(token, number);
        return isChanged(number);
      })(change),
    );
}

/** Calls `note` with each issued token. */
export function noteIssued(note: (issued: Issued, grant: Grant, service: Service) => void): Change {
  return rewrite('issue', (issued, grant, service) => {
    note(issued, grant, service);
    return issued;
  });
}

/** Issues the same token to a client until it expires. */
export const reuseTokens: Change = wrap('issue', (issue) => {
  const cached = new Map<string, Issued>();
  return async (grant, service) => {
    const key = `${grant.client.clientId} ${grant.scope}`;
    const known = cached.get(key);
    if (known !== undefined && known.expiresAt > service.now()) return known;
    const fresh = await issue(grant, service);
    cached.set(key, fresh);
    return fresh;
  };
});

/**
 * Servers that answer in turn and cache a token each until it expires. `ages` are those of their first tokens at the first
 * request, in seconds.
 */
export function tokensOfCaches(...ages: readonly number[]): Change {
  return wrap('issue', (issue) => {
    const cached = new Map<string, { readonly issued: Promise<Issued>; readonly expiresAt: number }>();
    let requests = 0;
    let startedAt: number | null = null;
    return (grant, service) => {
      const server = requests++ % ages.length;
      const key = `${server} ${grant.client.clientId}`;
      const now = service.now();
      startedAt ??= now;
      const known = cached.get(key);
      if (known !== undefined && now < known.expiresAt) return known.issued;
      const issuedAt = known === undefined ? startedAt - 1000 * (ages[server] ?? 0) : now;
      const expiresAt = issuedAt + 3_600_000;
      const issued = issue(grant, service).then((one) => ({ ...one, expiresAt }));
      cached.set(key, { issued, expiresAt });
      return issued;
    };
  });
}

/** Changes a member of a token answer. */
export function changeTokenMember(name: string, change: (value: unknown) => unknown): Change {
  return rewrite('tokenBody', (answer) => ({ ...answer, [name]: change(answer[name]) }));
}

/** Sets members of a token answer. */
export function setTokenMembers(members: Members): Change {
  return rewrite('tokenBody', (answer) => ({ ...answer, ...members }));
}

/** Gives answers that issue a token another status. */
export function setTokenStatus(status: number): Change {
  return rewrite('tokenAnswer', (answer) => ({ ...answer, status }));
}

/** Changes the text of token answers. */
export function changeTokenText(change: (json: string) => string): Change {
  return rewrite('tokenAnswer', (answer) => ({ ...answer, body: change(String(answer.body)) }));
}

/** Replaces fields of token requests before they are checked. */
export function replaceFields(
  replace: (form: Form, service: Service) => Readonly<Record<string, string>>,
): Change {
  return wrap(
    'grant',
    (grant) => (form, service) =>
      grant(new Map([...form, ...Object.entries(replace(form, service))]), service),
  );
}

/** Takes the client of some token requests for the first one. */
export function takeForFirstClient(where: (form: Form, service: Service) => boolean): Change {
  return replaceFields((form, service) => {
    const { clientId, clientSecret } = service.credentials;
    return where(form, service) ? { client_id: clientId, client_secret: clientSecret } : {};
  });
}

/** Refuses token requests before their form is read. */
export function refuseRequests(
  status: number,
  error: string,
  description: string,
  where: RequestTest,
): Change {
  return wrap('form', (form) => (request, service) => {
    if (where(request, service)) refuseToken(status, error, description);
    return form(request, service);
  });
}

/** Refuses valid token requests of the first client whose number, from 1, is selected. */
export function refuseGrants(
  isRefused: (number: number) => boolean,
  status: number,
  error: string,
  description = 'the client obtains no token now',
): Change {
  return counting((count) =>
    rewrite('grant', (granted, _form, service) => {
      const isOfFirst = granted.client.clientId === service.credentials.clientId;
      if (isOfFirst && isRefused(count())) refuseToken(status, error, description);
      return granted;
    }),
  );
}

/** Makes a change of list calls for the second client only. */
export function forSecondClient(change: Change): Change {
  return withState(WeakSet<ReceivedRequest>, (theirs) =>
    composeChanges(
      onPages(({ request }) => theirs.has(request))(change),
      rewrite('authorize', async (isAuthorized, request, service) => {
        const session = await sessionOf(request, service);
        if (session?.clientId === service.otherCredentials.clientId) theirs.add(request);
        return isAuthorized;
      }),
    ),
  );
}

/** Gives the second client 900 records that the first one never sees, with a change of these list calls. */
export function listOfSecondClient(change: Change = composeChanges()): Change {
  return forSecondClient(
    composeChanges(
      wrap('total', () => () => 900),
      changeRecordAt((position) => position + 5000),
      change,
    ),
  );
}
