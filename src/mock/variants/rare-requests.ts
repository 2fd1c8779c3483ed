import { createHmac, randomBytes } from 'node:crypto';
import { amongWorkers, queryValue } from '../authorization-changes.ts';
import { variant, variantsOf } from '../catalogue-rows.ts';
import { answerListCalls, answerRequests, type Change, composeChanges, rewrite, wrap } from '../changes.ts';
import { isCountFalse, onPages, refusePages, refuseRepetitions } from '../page-changes.ts';
import { problem, refuseToken, type Session, textAnswer, withHeaders } from '../pipeline.ts';
import { forSecondClient, listOfSecondClient } from '../token-changes.ts';

/** Locks a client after four wrong secrets in a row; each of several workers counts for itself. */
function lockAfterFailures(workers: number): Change {
  return amongWorkers(workers, (workerOf) => {
    let worker = 0;
    const failures = new Map<string, number>();
    return composeChanges(
      wrap('form', (form) => (request, service) => {
        worker = workerOf(request);
        return form(request, service);
      }),
      wrap('secretAccepted', (accepted) => (client, secret, service) => {
        const key = `${worker} ${client.clientId}`;
        const failed = failures.get(key) ?? 0;
        if (failed >= 4) refuseToken(400, 'invalid_client', 'the client is locked');
        const isGood = accepted(client, secret, service);
        failures.set(key, isGood ? 0 : failed + 1);
        return isGood;
      }),
    );
  });
}

const blockAfterFailure = wrap('secretAccepted', (accepted) => {
  let isBlocked = false;
  return (client, secret, service) => {
    if (isBlocked) refuseToken(403, 'access_denied', 'this address is blocked');
    const isGood = accepted(client, secret, service);
    isBlocked = !isGood;
    return isGood;
  };
});

/** Refuses the correct secret of a client, too, for some seconds after three wrong ones within ten seconds. */
function lockBriefly(seconds: number, { inARow }: { readonly inARow: boolean }): Change {
  return wrap('secretAccepted', (accepted) => {
    const failures = new Map<string, number[]>();
    const lockedUntil = new Map<string, number>();
    return (client, secret, service) => {
      const now = performance.now();
      if (now < (lockedUntil.get(client.clientId) ?? 0))
        refuseToken(401, 'invalid_client', 'the client is locked for a moment');
      const recent = (failures.get(client.clientId) ?? []).filter((at) => at > now - 10_000);
      const isGood = accepted(client, secret, service);
      const counted = isGood ? (inARow ? [] : recent) : [...recent, now];
      const isLocked = counted.length >= 3;
      failures.set(client.clientId, isLocked ? [] : counted);
      if (isLocked) lockedUntil.set(client.clientId, now + seconds * 1000);
      return isGood;
    };
  });
}

/** Refuses every token request for some seconds after five refused ones in a row. */
function blockBriefly(seconds: number): Change {
  return wrap('token', (token) => {
    let refused = 0;
    let blockedUntil = 0;
    return async (request, service) => {
      if (performance.now() < blockedUntil) return problem(403, 'this address is blocked for a moment');
      const answer = await token(request, service);
      refused = answer.status === 200 ? 0 : refused + 1;
      if (refused === 5) blockedUntil = performance.now() + seconds * 1000;
      if (refused === 5) refused = 0;
      return answer;
    };
  });
}

const FORBIDDEN_PAGE = '<!doctype html><title>Forbidden</title><p>No access_token for you.';

/** Unusual but conforming refusals of token requests. */
export const tokenRefusalVariants = variantsOf({
  'repetition-within-a-second-403': variant(
    'A list call that is repeated within a second is answered 403, as by a limit for each address.',
  ).by(refuseRepetitions(403, 'too often')),
  'token-lockout': variant('A client is locked after four wrong secrets in a row.').by(lockAfterFailures(1)),
  'token-lockout-per-worker': variant(
    'Each of two workers locks a client after four wrong secrets in a row over its connections.',
  ).by(lockAfterFailures(2)),
  'token-lockout-brief': variant('A client is locked for two seconds after three wrong secrets in a row.').by(
    lockBriefly(2, { inARow: true }),
  ),
  'token-lockout-brief-in-all': variant(
    'A client is locked for two seconds after three wrong secrets within ten seconds.',
  ).by(lockBriefly(2, { inARow: false })),
  'token-address-blocked-briefly': variant(
    'After five refused token requests in a row every one is answered 403 for two seconds.',
  ).by(blockBriefly(2)),
  'token-address-blocked': variant('After one wrong secret every token request is answered 403.').by(
    blockAfterFailure,
  ),
  'token-refusal-200': variant('Refused token requests are answered 200 with an error body and no token.').by(
    rewrite('tokenRefusal', (answer) => ({ ...answer, status: 200 })),
  ),
  'token-refusal-400': variant(
    'Every refused token request is answered 400 invalid_request with a null access_token.',
  ).by(
    rewrite('tokenRefusal', (answer) => ({
      ...answer,
      status: 400,
      body: '{"error":"invalid_request","access_token":null}',
    })),
  ),
  'token-refusal-html': variant('Refused token requests are answered 403 with an HTML page.').by(
    wrap('tokenRefusal', () => () => textAnswer(403, FORBIDDEN_PAGE, 'text/html')),
  ),
  'token-refusal-retry-after': variant(
    'Every refused token request carries the Retry-After of the framework, 30 seconds.',
  ).by(
    rewrite('tokenRefusal', (answer) => ({ ...withHeaders(answer, { 'Retry-After': '30' }), status: 400 })),
  ),
  'token-refusal-500': variant('Refused token requests are answered 500 with no body.').by(
    wrap('tokenRefusal', () => () => textAnswer(500)),
  ),
});

const ENCODED_HEADER = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');

/** Variants that look like the breaches which rare kinds of wrong requests show. */
export const rareRequestVariants = variantsOf({
  'jwt-hmac-strong-key': variant(
    'Tokens are JWTs without kid, signed by HMAC with a key that begins with the word secret.',
  ).by((steps) => {
    const key = `secret-${randomBytes(32).toString('base64url')}`;
    const signatureOf = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
    const sessions = new Map<string, Session>();
    return {
      ...steps,
      issue: async (grant, service) => {
        const issued = await steps.issue(grant, service);
        const { clientId } = grant.client;
        const claims = {
          sub: clientId,
          exp: Math.floor(issued.expiresAt / 1000),
          jti: issued.token.slice(-20),
        };
        const text = `${ENCODED_HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
        const token = `${text}.${signatureOf(text)}`;
        sessions.set(text, { clientId, scope: grant.scope, expiresAt: issued.expiresAt });
        return { ...issued, token };
      },
      resolve: async (token) => {
        const end = token.lastIndexOf('.');
        const text = token.slice(0, end);
        return signatureOf(text) === token.slice(end + 1) ? sessions.get(text) : undefined;
      },
    };
  }),
  'second-client-has-own-list': variant(
    'The second client is given the first 40 records only, as those of its own organization.',
  ).by(forSecondClient(wrap('total', () => () => 40))),
  'second-client-has-other-records': variant(
    'The second client is given 900 records of its own, which the first one never sees.',
  ).by(listOfSecondClient()),
  'second-client-may-not-list': variant(
    'The second client is answered 403: its integration has no access to the list.',
  ).by(forSecondClient(refusePages(403, 'no access to this list'))),
  'paths-lenient-but-guarded': variant(
    'Paths are read without letter case, suffix and slashes at their end, after the token was checked.',
  ).by(
    wrap(
      'route',
      (route) => (request, service) =>
        route(request, service) ??
        route({ ...request, path: request.path.toLowerCase().replace(/(?:\.json|\/)+$/, '') }, service),
    ),
  ),
  'list-described-in-public': variant(
    'The list path with the suffix .json gives a public description of the list and of an item.',
  ).by(
    answerRequests((request, { basePath, resources }) => {
      const described = resources.find(({ path }) => request.path === `${basePath}${path}.json`);
      if (described === undefined) return undefined;
      const type = { type: 'string' };
      const properties = { id: type, displayName: type, agent: type };
      const body = JSON.stringify({ title: described.path, items: { type: 'object', properties } });
      return textAnswer(200, body, 'application/json');
    }),
  ),
  'token-odd-characters-500': variant(
    'A token request with control characters, or with brackets in the name of a field, is answered 500.',
  ).by(
    rewrite('form', (fields) => {
      for (const [name, value] of fields)
        if (/\p{Cc}/u.test(value) || name.includes('['))
          refuseToken(500, 'server_error', 'unexpected character');
      return fields;
    }),
  ),
  'skip-alone-refused': variant(
    '$skip without $count=true and $pagesize, and $skip at or past the end, are answered 400.',
  ).by(
    answerListCalls((request, _service, resource) => {
      const skip = queryValue(request, '$skip');
      const isAlone =
        queryValue(request, '$count') !== 'true' || queryValue(request, '$pagesize') === undefined;
      const isRefused = skip !== undefined && skip !== '0' && (isAlone || Number(skip) >= resource.records);
      return isRefused ? problem(400, '$skip is for the pages of a counted list') : undefined;
    }),
  ),
  'count-given-when-false': variant('With $count=false, count is given but no link.').by(
    onPages(isCountFalse)(wrap('count', () => (page) => page.total)),
  ),
});
