import type { Exchange } from '../../src/core/exchange.ts';
import { jwtOf } from '../../src/core/jwt.ts';
import { Blocked, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import {
  callIfOpen,
  expectClosedToAnyToken,
  expectClosedWithoutToken,
  expectUp,
} from '../../src/judge/probes/list-refusals.ts';
import {
  causeOfDelay,
  type ExpiryTrial,
  expectRecords,
  firstUndecided,
  targetsOfExpiredToken,
  tryExpiry,
} from '../../src/judge/proofs/token-lifetime.ts';
import { Violation } from '../../src/judge/violation.ts';
import { callsWithExpired, differenceFromTokens, whyNotExpired } from '../../src/provider/expired-token.ts';
import type { ListClient } from '../../src/provider/list-client.ts';
import { VALIDITY_SECONDS } from '../../src/provider/token-history.ts';

export const tokenRefusedAfterExpiry = requirement({
  id: 'token/refused-after-expiry',
  clause: ['5.3', '8'],
  rule: `After its validity and the configured clock tolerance (300 seconds by default), a token is refused on
      list calls.`,
  needs: '--expiry, or an expired token in the target file (expiredToken)',
  leastRecords: 1,
  tested: `Makes a list call with the expired token of the target file, and with --expiry also with a token of this
      run after its validity and the tolerance, then calls with $count=true, of the second page, of the last one and with a
      query drawn from the run's seed (certify draws 10, and makes two of these calls without a Tenant header and with the scheme
      bearer in lower case). An expired token that is not written like the tokens of this run (in
      quotation marks, cut off, of another issuer or for another audience) is not tried: its refusal would show
      nothing. Both are also tried on the other lists, and after the wait also a token that was never used, one that was first
      used shortly before its end, and that of the second provider's client. Looks for records in the answers.`,
  breach: 'The expired token still obtains records.',
  causes: `Expiry validation switched off (ValidateLifetime = false, ignoreExpiration: true) or never written;
      exp in milliseconds, thousands of years ahead; the result of an introspection cached for longer than the token
      is valid; a clock skew of more than five minutes.`,
  fix: `Validate exp, in seconds, on every call, with a clock skew of at most five minutes. Cache the result of
      an introspection no longer than the token is valid.`,
  judge: async (context) => {
    const { target, options, afterAllChecks } = context;
    const { expiredToken } = target;
    if (expiredToken === null && !options.expiry)
      throw new Undecided({ kind: 'unconfigured', key: 'expiredToken' }, 'the option --expiry tests it, too');
    // Then the run knows the links of all pages.
    afterAllChecks(async () => {
      if (expiredToken !== null) await expectRefusedNow(context, expiredToken);
      if (!options.expiry) return;
      const trial = await tryExpiry(context);
      const finding = isRefusedAfterExpiry(trial);
      if (finding instanceof Undecided) throw finding;
      context.exercised();
      if (finding !== 'kept') {
        await expectClosed(context, trial.after.request.target);
        throw finding;
      }
      expectOtherTokensRefused(context, trial);
      const ofOtherLists = await callOtherLists(context, trial);
      const ofSecond = await callForSecondClient(context);
      const ofOtherTokens = trial.callsWithOtherTokens.map(({ exchange }) => exchange);
      const undecided = firstUndecided([...ofOtherTokens, ...ofOtherLists, ...ofSecond]);
      if (undecided !== null) throw undecided;
    });
  },
});

/** A token that the run has obtained. */
const TOKEN_OF_RUN = `a token of ${VALIDITY_SECONDS} seconds`;

/** The oracle, over one token that was used after it expired. */
function isRefusedAfterExpiry(trial: ExpiryTrial): 'kept' | Violation | Undecided {
  if (trial.refusedEarly !== null)
    return new Blocked('token/accepted-until-expiry', 'the token was refused before its end');
  if (trial.announcedAgain !== null && trial.isAcceptedAfter)
    return new Undecided(
      { kind: 'data', needs: 'a provider that issues a new token for each request', records: null },
      'the provider issued the same token again with a new lifetime',
    );
  if (trial.isAcceptedAfter) return acceptedTooLate(trial.after, TOKEN_OF_RUN);
  return trial.obstacle ?? causeOfDelay(trial) ?? 'kept';
}

/** Throws Violation if a token was accepted after its end that was never used before, or not until shortly before its end. */
function expectOtherTokensRefused({ list }: CheckContext, { callsWithOtherTokens }: ExpiryTrial): void {
  for (const { exchange, isFirst } of callsWithOtherTokens) {
    const use = isFirst ? 'was not used before' : 'was first used shortly before its end';
    expectNoRecords(list, exchange, `${TOKEN_OF_RUN} that ${use}`);
  }
}

/** Makes a call of every other list with a token that the first one refuses after its end. Throws Violation. */
async function callOtherLists(context: CheckContext, { token }: ExpiryTrial): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const list of context.lists.filter((one) => one !== context.list)) {
    const exchange = await list.call({ authorization: `Bearer ${token.token}` });
    if (list.records.findIn(exchange) !== null) await expectClosed({ ...context, list }, list.path);
    expectNoRecords(list, exchange, TOKEN_OF_RUN);
    exchanges.push(exchange);
  }
  return exchanges;
}

/** Makes a list call with the token of the second client, if it has expired by now. Throws Violation. */
async function callForSecondClient(context: CheckContext): Promise<readonly Exchange[]> {
  const { target, tokens, list, clock } = context;
  if (target.otherCredentials === null) return [];
  const { token } = await tokens.secondClientAnswer();
  const { clockRate, toleranceSeconds } = target.expiry;
  const lifeMs = ((VALIDITY_SECONDS + toleranceSeconds + 5) * 1000) / clockRate;
  const given = tokens.history.answersToValidRequests('second').filter((answer) => answer.token === token);
  if (token === null || given.some(({ answeredAt }) => answeredAt + lifeMs > clock.now())) return [];
  const exchange = await list.call({ authorization: `Bearer ${token}` });
  expectNoRecords(list, exchange, `${TOKEN_OF_RUN} of the second provider's client`);
  return [exchange];
}

function expectNoRecords({ records }: ListClient, exchange: Exchange, which: string): void {
  if (records.findIn(exchange) !== null) throw acceptedTooLate(exchange, which);
}

/** Makes calls of all lists with the expired token of the target file, if it has expired and is of this provider. */
async function expectRefusedNow(context: CheckContext, expiredToken: string): Promise<void> {
  const { target, clock, tokens, list: tested, lists, exercised } = context;
  const early = whyNotExpired(expiredToken, target.expiry.toleranceSeconds, clock.now());
  if (early !== null) throw new Undecided({ kind: 'configuration', key: 'expiredToken' }, early);
  await expectRecords(context);
  await tokens.bearer();
  // Two tokens show whether all have one length.
  await tokens.secondAnswer();
  // An accepted token of another provider may still be valid, and its refusal would show nothing.
  const issued = tokens.history.answersToValidRequests().flatMap(({ token }) => token ?? []);
  const why = differenceFromTokens(expiredToken, issued);
  if (why !== null) throw new Undecided({ kind: 'configuration', key: 'expiredToken' }, why);
  const isVaried = context.options.suite === 'certify';
  const calls = [
    ...callsWithExpired(await targetsOfExpiredToken(context), expiredToken, isVaried).map((call) => ({
      list: tested,
      call,
    })),
    ...lists
      .filter((list) => list !== tested)
      .flatMap((list) => callsWithExpired([list.path], expiredToken).map((call) => ({ list, call }))),
  ];
  for (const { list, call } of calls) {
    const of = { ...context, list };
    const exchange = await callIfOpen(of, call);
    exercised();
    if (exchange === null) continue;
    await expectClosed(of, call.target);
    const isDated = typeof jwtOf(expiredToken)?.payload['exp'] === 'number';
    throw acceptedTooLate(exchange, 'the expired token of the target file', isDated ? undefined : UNDATED);
  }
  for (const list of lists) await expectUp({ ...context, list });
}

/** Throws Blocked if the list is open to everybody: then it does not matter that a token has expired. */
async function expectClosed(context: CheckContext, target: string): Promise<void> {
  await expectClosedToAnyToken(context, target);
  for (let tries = 0; tries < CONTROLS; tries++)
    await expectClosedWithoutToken(context, { target, authorization: null });
}

/** Calls without a token that show whether the list, or a cache before it, is open to everybody. */
const CONTROLS = 6;

/** Only the target file says that a token has expired if the token does not state its expiry. */
const UNDATED = `; a token must be refused once its ${VALIDITY_SECONDS} seconds and the tolerance are over. If this one is younger, configure an older one`;

function acceptedTooLate(
  exchange: Exchange,
  which: string,
  breach = ' after its validity and the tolerance; it must be refused',
): Violation {
  return new Violation({
    message: `${which} was still accepted by GET ${exchange.request.target}${breach}`,
    expected: 'refused',
    actual: `status ${exchange.answer?.status}`,
    exchanges: [exchange],
  });
}
