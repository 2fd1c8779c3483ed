import type { Exchange } from '../../src/core/exchange.ts';
import { intermittent, Undecided, unavailable } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { confirmServerError } from '../../src/judge/confirmation.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { evidenceOrNull, orNull } from '../../src/judge/outcomes.ts';
import { expectNoOtherSite } from '../../src/judge/probes/expected-page.ts';
import { alternateWithPlainCall, findSeparateRefusal } from '../../src/judge/probes/lasting-refusals.ts';
import { callOnce } from '../../src/judge/probes/list-refusals.ts';
import { callWithToken, statusOf } from '../../src/judge/probes/valid-token-calls.ts';
import {
  expectAcceptedOnAllConnections,
  expectRefusedSlowly,
  findBrieflyCachedRefusal,
  findCachedRefusal,
  findLowerCaseRefusal,
} from '../../src/judge/proofs/connection-trial.ts';
import {
  expectEachTokenAccepted,
  expectNoUselessToken,
  findRefusedFirstUse,
  neverAcceptedTokens,
  useRemainingTokens,
} from '../../src/judge/proofs/first-use-trial.ts';
import { endsOlderToken } from '../../src/judge/proofs/other-users.ts';
import {
  expectFirstCallsAnswered,
  expectSlowCallsAnswered,
  findLostAccess,
} from '../../src/judge/proofs/refused-calls.ts';
import { findLostFirstPage } from '../../src/judge/proofs/refused-first-page.ts';
import { expectAnsweredAtOnce } from '../../src/judge/proofs/requests-at-once.ts';
import { findCallWithoutPage } from '../../src/judge/proofs/second-client-breaches.ts';
import { Violation, violationOfStatus } from '../../src/judge/violation.ts';
import { hasParameter, hasUnspecifiedPageSize, parametersOf, wholeNumber } from '../../src/provider/link.ts';
import type { RefusalInForce } from '../../src/provider/list-history.ts';
import { isOtherSuccess, type ListAnswer } from '../../src/provider/page.ts';
import { NoAnswer } from '../../src/provider/sender.ts';
import { isServerError } from '../../src/provider/throttled-answer.ts';
import { controlCharacterCode } from '../../src/provider/token-answer.ts';

/** Exchanges that a breach of several calls names at most. */
const MAX_NAMED = 4;

export const authorizationAccepted = requirement({
  id: 'authorization/accepted',
  clause: ['4.2', '5.1'],
  smoke: true,
  rule: 'A list call with the issued token as "Authorization: Bearer <token>" is answered with HTTP 200.',
  tested: `Makes a list call with the token of the run and the headers of the target file, and reads the status. If it is
      no list, also calls a path that does not exist, to detect a wrong baseUrl, and sends two made-up tokens, a short one and
      one as long as the token, to detect a limit of its length. Also
      makes one with lower-case header names, one with $count=false, one after the same call without a token, and one over
      the connection of the token requests; in certify also one with each token that no other call carried. About twenty
      pages are requested on new connections and without compression.
      At the end, looks for calls of the run that were refused although their token was valid, that of the second provider's
      client included. Tests such refusals again:
      with new tokens, on new connections and on a kept one, with pages that nobody requested before, each of them twice or more, two
      at once, and with pauses. Redirects and refusals of pages that were given before are tested in the same way.
      Fails only what repeats, and what neither a rate limit nor an outage explains. Several tokens that no call of the run
      could use leave this open. Checks that the list call is
      still answered at the end.`,
  breach: `A call with a token just issued is not answered 200, or two calls of the run with a valid token are not;
    or the token holds a line end or another control character, so that no call can carry it.`,
  causes: `A list API that trusts another issuer, audience or signing key than the token endpoint uses; a scope in the
      target file that grants no access to the list; a wrong or missing tenant; a server clock behind nbf or iat of
      the token; a baseUrl without the base path that a gateway adds; a web server that drops the Authorization
      header: Apache with PHP-FPM or CGI needs CGIPassAuth On, mod_wsgi needs WSGIPassAuthorization On, nginx needs
      fastcgi_param HTTP_AUTHORIZATION; a limit of header bytes that is smaller than the token
      (large_client_header_buffers of nginx, --max-http-header-size of Node.js); a router that redirects to the path
      with a slash; tokens kept in the memory of one of several servers, or for a shorter time than expires_in says; a
      token that is printed with a line end; a session that remembers by connection who called; a response cache that
      fails when it holds the page; a database session or a lock that two calls at once share.`,
  fix: `Configure the list API with the issuer, audience and keys of the token endpoint. Log why the token was
      refused (its claims and the expected ones). Compare tenant, scope and baseUrl of the target file with what was
      issued.`,
  judge: async (context) => {
    const { snapshot, list, exercised } = context;
    await expectSendableToken(context);
    // Sent together, so either of them may be the first use of the token.
    const asking = evidenceOrNull(context, snapshot.first({ count: true }));
    const plain = await snapshot.first({});
    const counted = await asking;
    exercised();
    await expectNoOtherSite(context);
    expectNone(counted === null ? null : await repeatedOtherSuccess(context, counted));
    const refusal =
      plain.kind === 'refused' ? plain.exchange : (list.history.firstRefusedCall?.number ?? null);
    // A provider may end a token when it issues another, so this waits until no other check asks for tokens.
    context.afterAllChecks(async () => {
      if (context.options.suite !== 'smoke') expectNone(await findBrieflyCachedRefusal(context));
      await judgeRefusals(context, plain, refusal);
      if (context.options.suite !== 'smoke') await judgeFurtherCalls(context);
    });
  },
});

/**
 * Judges the calls of the run that were refused although their token was valid.
 *
 * @param plain the answer to the bare list call
 * @param refusal number of the first call that was refused; null if none was
 */
async function judgeRefusals(
  context: CheckContext,
  plain: ListAnswer,
  refusal: number | null,
): Promise<void> {
  const { list } = context;
  try {
    if (refusal !== null) expectNone(await findRefusedFirstUse(context, plain, refusal));
    const { serverError } = list.history;
    if (serverError !== null) expectNone(await callOfLostList(context, serverError));
    await expectAcceptedOnAllConnections(context);
    await expectTokensUseful(context, 0);
  } catch (error) {
    // Findings from before a limit of the run still count.
    if (error instanceof NoAnswer) expectNone(callInForce(list.history.refusalsInForce));
    throw error;
  }
  await expectNoRefusalInForce(context);
  await expectNoOtherStatus(context);
}

/** Makes further calls that a provider may refuse, and looks for calls of the run that were refused from some time on. */
async function judgeFurtherCalls(context: CheckContext): Promise<void> {
  await expectFirstCallsAnswered(context);
  await expectAnsweredAtOnce(context);
  await expectSlowCallsAnswered(context);
  expectNone(await findLostFirstPage(context));
  await context.confirm({ atRest: false }, async (attempt) => expectNone(await refusedCountFalse(attempt)));
  const known = neverAcceptedTokens(context).length;
  const shared = await findCachedRefusal(context);
  if (shared !== 'accepted') expectNone(shared ?? (await findLowerCaseRefusal(context)));
  await useRemainingTokens(context);
  await expectTokensUseful(context, known);
  expectNone(await findLostAccess(context));
  // The last ones, because they may leave the verdict open.
  expectNone(await refusedCallOfSecondClient(context));
  await expectNoTokensLost(context);
}

/** Throws Violation for a token that no client can send: 5.1 has every call carry it in a header. */
async function expectSendableToken({ tokens }: CheckContext): Promise<void> {
  const { token, exchange } = await tokens.issued();
  const character = token === null ? null : controlCharacterCode(token);
  if (character === null) return;
  throw new Violation({
    message: `the access_token holds the control character ${character}, so that no Authorization header can carry it`,
    expected: 'a token that a header can carry',
    actual: character,
    exchanges: [exchange],
  });
}

/** Throws the breach of a call with a valid token that was not answered 200, if there is one. */
function expectNone(breach: Violation | null): void {
  if (breach !== null) throw breach;
}

/**
 * Throws Violation if a token of the run, or one of several further ones, is never accepted.
 *
 * @param known useless tokens that were tried before; without another one nothing is sent
 */
async function expectTokensUseful(context: CheckContext, known: number): Promise<void> {
  if (neverAcceptedTokens(context).length <= known) return;
  await expectEachTokenAccepted(context);
  await expectNoUselessToken(context);
}

/** Tokens that were never accepted, which a single restart does not explain. */
const LEAST_LOST = 2;

/**
 * Throws Undecided if several tokens of the run were never accepted, although new tokens are accepted now and end no older one:
 * clients were given tokens of no use for some time.
 */
async function expectNoTokensLost(context: CheckContext): Promise<void> {
  const lost = neverAcceptedTokens(context).filter(({ refused }) => statusOf(refused) === 401);
  const [first] = lost;
  if (first === undefined || lost.length < LEAST_LOST) return;
  if (await context.tokens.lock.runAlone(() => endsOlderToken(context))) return;
  throw intermittent(
    `each list call with one of ${lost.length} tokens of this run was answered 401, such as GET ${first.refused.request.target}; ` +
      'tokens that were issued later are accepted',
    context.tokens.history.answersToValidRequests().length,
    lost.length,
  );
}

/** `$count=true` if it is answered twice with a status of success other than 200. */
async function repeatedOtherSuccess(
  { snapshot }: CheckContext,
  first: ListAnswer,
): Promise<Violation | null> {
  const again = isOtherSuccess(first) ? await snapshot.client.authorized(first.target) : first;
  if (!isOtherSuccess(again)) return null;
  return violationOfStatus(again.status, {
    message: `GET ${first.target} with a valid token was answered ${again.status}; it must be answered 200`,
    exchanges: [again, first],
  });
}

/** `$count=false`, a value that the specification shows (4.2), if it is refused although the bare call is not. */
async function refusedCountFalse(context: CheckContext): Promise<Violation | null> {
  const { snapshot } = context;
  const refused = await snapshot.first({ count: false });
  if (refused.kind !== 'refused') return null;
  const plain = await snapshot.first({});
  if (plain.kind !== 'page') return null;
  const { target, status } = refused;
  const exchanges = await alternateWithPlainCall(context, target);
  if (exchanges === null) return null;
  const message = `GET ${target} with a valid token was answered ${status}, and without $count 200; it must be answered 200`;
  return violationOfStatus(status, { message, exchanges });
}

/** A call of the second client that is refused each time, although the client may list. */
async function refusedCallOfSecondClient(context: CheckContext): Promise<Violation | null> {
  const found = await findCallWithoutPage(context, 'refused');
  if (found === null) return null;
  const { answer, proof, exchanges } = found;
  const message = `GET ${answer.target} was answered ${answer.status} ${proof}. Each call must be answered 200`;
  return violationOfStatus(answer.status, { message, exchanges });
}

/** The list call if it was answered earlier in the run and is answered with a 5xx since. */
async function callOfLostList(context: CheckContext, failed: Exchange): Promise<Violation | null> {
  const exchanges = [failed];
  const askAgain = async (): Promise<Exchange> => {
    const exchange = await callWithToken(context);
    context.list.readAndNote(exchange);
    exchanges.unshift(exchange);
    return exchange;
  };
  const again = await askAgain();
  if (!isServerError(again)) return null;
  await confirmServerError(context, statusOf(again), async () => statusOf(await askAgain()));
  const withoutToken = await callOnce(context, { authorization: null });
  if (withoutToken !== null && isServerError(withoutToken))
    throw unavailable(
      statusOf(withoutToken),
      `calls without a token are answered ${statusOf(withoutToken)} as well, and the list call was answered 200 earlier in this run`,
    );
  return violationOfStatus(statusOf(failed), {
    message:
      `GET ${again.request.target} with a valid token was answered 200 before and is answered ` +
      `${failed.answer?.status} since; it must be answered 200`,
    exchanges,
  });
}

/** Throws Violation if calls were refused whose token was accepted right after, and no limit of requests explains that. */
async function expectNoRefusalInForce(context: CheckContext): Promise<void> {
  const { list, tokens } = context;
  const { refusalsInForce } = list.history;
  const call = callInForce(refusalsInForce);
  if (call === null) return;
  const targets = [...new Set(refusalsInForce.map(({ refused }) => refused.request.target))];
  await expectRefusedSlowly(context, call.message, () => tokens.bearer(), targets);
  expectNone(call);
}

/** A call that was refused while its token was accepted right after, as another at another time. Throws Undecided for one alone. */
function callInForce(refusals: readonly RefusalInForce[]): Violation | null {
  const [first] = refusals;
  if (first === undefined) return null;
  const message =
    `GET ${first.refused.request.target} with a valid token was answered 401, ` +
    'and the same token was accepted right after';
  const second = findSeparateRefusal(refusals);
  if (second === null) throw intermittent(message, refusals.length + 1);
  return violationOfStatus(401, {
    message: `${message}; this happened to ${refusals.length} calls of this run, and each must be answered 200`,
    exchanges: [second, first].flatMap(({ refused, accepted }) => [refused, accepted]),
  });
}

/**
 * Throws Violation if several pages had another status of success than 200, such as 206; Undecided for one alone, or if an
 * outage explains them. Other requirements judge statuses that only linked pages had, and requests that may be refused.
 */
async function expectNoOtherStatus({ list }: CheckContext): Promise<void> {
  const { otherSuccesses, calls } = list.history;
  const unusual = otherSuccesses.filter(({ request }) => hasSpecifiedParameters(request.target));
  const first = unusual.find(({ request }) => !hasParameter(request.target, '$skip'));
  if (first === undefined) return;
  const { target } = first.request;
  const what = `GET ${target} with a valid token was answered ${statusOf(first)}`;
  if (unusual.length === 1) throw intermittent(what);
  const message = `${what}; this happened to ${unusual.length} calls of this run, and each must be answered 200`;
  const mayBeOver = calls.mayBeOfOutage(otherSuccesses.map(({ number }) => number));
  const again = mayBeOver ? await orNull(list.authorized(target)) : null;
  if (again?.kind === 'page')
    throw new Undecided(
      { kind: 'intermittent', seen: otherSuccesses.length, attempts: calls.answered + otherSuccesses.length },
      `in one time span, as in an outage, and the same call was answered with a list later: ${message}`,
    );
  throw violationOfStatus(statusOf(first), { message, exchanges: unusual.slice(0, MAX_NAMED) });
}

/** Whether a request has no parameters but $count, $pagesize and $skip, each at most once, with values that are specified. */
function hasSpecifiedParameters(target: string): boolean {
  const parameters = parametersOf(target);
  const names = parameters.map(({ name }) => name);
  return (
    new Set(names).size === names.length &&
    parameters.every(({ name, value }) =>
      name === '$count'
        ? value === 'true' || value === 'false'
        : name === '$pagesize' || (name === '$skip' && wholeNumber(value) !== null),
    ) &&
    !hasUnspecifiedPageSize(target) &&
    !target.includes('%24')
  );
}
