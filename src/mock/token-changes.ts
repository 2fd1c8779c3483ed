import { createHmac } from 'node:crypto';
import { getOrMake } from '../core/maps.ts';
import { bearerOf, type RequestTest } from './authorization-changes.ts';
import { strictlyDecoded } from './base64url.ts';
import { type Change, composeChanges, counting, rewrite, withState, wrap } from './changes.ts';
import { changeRecordAt, type Members, onPages } from './page-changes.ts';
import {
  type Grant,
  type Issued,
  type ReceivedRequest,
  refuseToken,
  type Service,
  type Session,
  type Steps,
  sessionOf,
} from './pipeline.ts';
import type { Credentials } from './scenario/scenario.ts';

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

export const isInForce = ({ expiresAt }: Session, service: Service): boolean => expiresAt > service.now();

/** Also accepts a text that resembles an issued token which is still valid. */
export function acceptSimilarTokens(recognise: (given: string, issued: string) => boolean): Change {
  return withState(Array<{ readonly token: string; readonly session: Session }>, (known) =>
    composeChanges(
      noteIssued(({ token, expiresAt }, { client, scope }) => {
        known.push({ token, session: { clientId: client.clientId, scope, expiresAt } });
      }),
      acceptTokens(
        (given, service) =>
          known.find(({ token, session }) => isInForce(session, service) && recognise(given, token))?.session,
      ),
    ),
  );
}

/** Keeps the sessions of tokens that were used, each by a part of its token, so that other tokens with this part get it too. */
export function cacheSessions(
  keyOf: (token: string) => string,
  isKept: (session: Session, service: Service) => boolean,
): Change {
  return withState(Map<string, Session>, (cached) =>
    acceptTokens(
      (token, service) => {
        const session = cached.get(keyOf(token));
        return session !== undefined && isKept(session, service) ? session : undefined;
      },
      (token, session) => cached.set(keyOf(token), session),
    ),
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

export function lifetime(seconds: number): Change {
  return wrap('lifetime', () => () => seconds);
}

export function acceptLonger(seconds: number): Change {
  return wrap('current', (current) => (session, token, service) => {
    return current({ ...session, expiresAt: session.expiresAt + 1000 * seconds }, token, service);
  });
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
        return isChanged(getOrMake(numbers, bearerOf(request, service), () => numbers.size));
      })(change),
    );
}

export function noteIssued(note: (issued: Issued, grant: Grant, service: Service) => void): Change {
  return rewrite('issue', (issued, grant, service) => {
    note(issued, grant, service);
    return issued;
  });
}

/** Issues the same token to a client until it expires. */
export const reuseTokens = reuseTokensFor(3600);

/** Issues the token of a client and a scope again for so many seconds. */
export function reuseTokensFor(seconds: number): Change {
  return wrap('issue', (issue) => {
    const cached = new Map<string, Issued>();
    return async (grant, service) => {
      const key = `${grant.client.clientId} ${grant.scope}`;
      const known = cached.get(key);
      if (known !== undefined && known.expiresAt - (3600 - seconds) * 1000 > service.now()) return known;
      const fresh = await issue(grant, service);
      cached.set(key, fresh);
      return fresh;
    };
  });
}

/** Counts expires_in down to the end of the token. */
export const countDown = rewrite('tokenBody', (members, issued, _grant, service) => ({
  ...members,
  expires_in: Math.round((issued.expiresAt - service.now()) / 1000),
}));

const VALIDITY_MS = 3_600_000;

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
      const first = startedAt - 1000 * (ages[server] ?? 0) + VALIDITY_MS;
      // The first token of a client that requests one late may have expired by then.
      const expiresAt = known === undefined && now < first ? first : now + VALIDITY_MS;
      const issued = issue(grant, { ...service, now: () => expiresAt - VALIDITY_MS });
      cached.set(key, { issued, expiresAt });
      return issued;
    };
  });
}

export function changeTokenMember(name: string, change: (value: unknown) => unknown): Change {
  return rewrite('tokenBody', (answer) => ({ ...answer, [name]: change(answer[name]) }));
}

export function setTokenMembers(members: Members): Change {
  return rewrite('tokenBody', (answer) => ({ ...answer, ...members }));
}

export function setTokenStatus(status: number): Change {
  return rewrite('tokenAnswer', (answer) => ({ ...answer, status }));
}

export function changeTokenText(change: (json: string) => string): Change {
  return rewrite('tokenAnswer', (answer) => ({ ...answer, body: change(String(answer.body)) }));
}

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
  const total = wrap('total', () => () => 900);
  const records = changeRecordAt((position) => position + 5000);
  return forSecondClient(composeChanges(total, records, change));
}

export type Form = Parameters<Steps['grant']>[0];

/** Replaces fields of token requests before they are checked. */
export function replaceFields(
  replace: (form: Form, service: Service) => Readonly<Record<string, string>>,
): Change {
  return wrap('grant', (grant) => (form, service) => {
    return grant(new Map([...form, ...Object.entries(replace(form, service))]), service);
  });
}

/** Takes the client of some token requests for the first one. */
export function takeForFirstClient(where: (form: Form, service: Service) => boolean): Change {
  return replaceFields((form, service) => {
    const { clientId, clientSecret } = service.credentials;
    return where(form, service) ? { client_id: clientId, client_secret: clientSecret } : {};
  });
}

/** Refuses token requests before their form is read. */
export function refuseRequests(status: number, error: string, why: string, where: RequestTest): Change {
  return wrap('form', (form) => (request, service) => {
    if (where(request, service)) refuseToken(status, error, why);
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

/** Adds a valid token to the refusals whose error code `when` selects. */
export function refusedWithToken(when: (error: string) => boolean): Change {
  return rewrite('tokenRefusal', async (answer, refusal, _request, service) => {
    if (!when(refusal.error)) return answer;
    const granted: Grant = { client: service.credentials, scope: service.credentials.scope };
    const issued = await service.steps.issue(granted, service);
    const members: Record<string, unknown> = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    const body = JSON.stringify({ ...members, ...service.steps.tokenBody(issued, granted, service) });
    return { ...answer, body };
  });
}

/** Whether a text that was given is taken for the real one. */
export type Comparison = (given: string | undefined, real: string) => boolean;

export function withoutMarks(text: string | undefined): string | undefined {
  return text?.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

/** Whether a text matches a pattern in which % and * stand for any characters. */
export function matches(text: string, pattern: string | undefined): boolean {
  return pattern === '%' || pattern === '*' || pattern === text;
}

/** Whether a text, put between quotes into an SQL query, adds a condition that is always true. */
export function isCondition(text = ''): boolean {
  return /^' or '(.*)'='\1$/i.test(text);
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

/** The JSON of a part of a token; null unless it is an object in base64url. */
function membersOf(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(strictlyDecoded(part)?.toString('utf8') ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function signatureOf(text: string): string {
  return createHmac('sha256', 'key of the signed texts').update(text).digest('base64url');
}

/**
 * Tokens of two parts: JSON in base64url, and its signature. Accepts a token with the correct signature, or one that `isVerified`
 * takes for it; null is none.
 */
export function signedTexts(
  isVerified: (given: string | null, correct: string) => boolean = () => false,
): Change {
  return composeChanges(
    rewrite('issue', (issued) => {
      const text = Buffer.from(JSON.stringify({ session: issued.token })).toString('base64url');
      return { ...issued, token: `${text}.${signatureOf(text)}` };
    }),
    wrap('resolve', (resolve) => async (token, service) => {
      const end = token.lastIndexOf('.');
      const text = end < 0 ? token : token.slice(0, end);
      const given = end < 0 ? null : token.slice(end + 1);
      const session = membersOf(text)?.['session'];
      if (typeof session !== 'string') return undefined;
      const isSigned = given === signatureOf(text) || isVerified(given, signatureOf(text));
      return isSigned ? resolve(session, service) : undefined;
    }),
  );
}
