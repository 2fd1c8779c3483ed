import { problem } from '../conforming/gate.ts';
import { refuseToken } from '../conforming/token.ts';
import { amongWorkers } from '../defects/workers.ts';
import { type Change, composeChanges, wrap } from '../pipeline.ts';
import { type Variant, variant, variantsOf } from '../variant.ts';

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
        const good = accepted(client, secret, service);
        failures.set(key, good ? 0 : failed + 1);
        return good;
      }),
    );
  });
}

/** Blocks every client after one wrong secret. */
const blockAfterFailure = wrap('secretAccepted', (accepted) => {
  let blocked = false;
  return (client, secret, service) => {
    if (blocked) refuseToken(403, 'access_denied', 'this address is blocked');
    const good = accepted(client, secret, service);
    blocked = !good;
    return good;
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

/** Unusual but conforming refusals of token requests. */
export const tokenRefusalVariants: readonly Variant[] = variantsOf({
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
    wrap('tokenRefusal', (tokenRefusal) => async (refusal, request, service) => {
      return { ...(await tokenRefusal(refusal, request, service)), status: 200 };
    }),
  ),
  'token-refusal-400': variant(
    'Every refused token request is answered 400 invalid_request with a null access_token.',
  ).by(
    wrap('tokenRefusal', (tokenRefusal) => async (refusal, request, service) => ({
      ...(await tokenRefusal(refusal, request, service)),
      status: 400,
      body: '{"error":"invalid_request","access_token":null}',
    })),
  ),
  'token-refusal-html': variant('Refused token requests are answered 403 with an HTML page.').by(
    wrap('tokenRefusal', () => () => ({
      status: 403,
      headers: { 'Content-Type': 'text/html' },
      body: '<!doctype html><title>Forbidden</title><p>No access_token for you.',
    })),
  ),
  'token-refusal-500': variant('Refused token requests are answered 500 with no body.').by(
    wrap('tokenRefusal', () => () => ({ status: 500, headers: {}, body: '' })),
  ),
});
