import { type Exchange, headerOf } from '../../core/exchange.ts';
import { Blocked, changing, intermittent, stoppedBy, Undecided, unavailable } from '../../core/undecided.ts';
import { callsWithExpired } from '../../provider/expired-token.ts';
import { parametersOf, wholeNumberIn } from '../../provider/link.ts';
import type { ListClient } from '../../provider/list-client.ts';
import { isServerError } from '../../provider/throttled-answer.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import { VALIDITY_SECONDS } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { drawnQuery } from '../probes/drawn-query.ts';
import { blockedByNoPage } from '../probes/expected-page.ts';
import { linkedPages, NO_RECORD, whyNoRefusal, whyUndecided } from '../probes/list-refusals.ts';
import { callAndRead, isAccepted } from '../probes/valid-token-calls.ts';
import { laterTokens, newTokensRevokeOldOnes } from './token-pair-trial.ts';

/** How long before its end a token is used, in seconds of the provider's clock. */
const BEFORE_END_SECONDS = 60;
/**
 * How long before its end a token is used, in real milliseconds at least, for a provider whose clock runs
 * faster.
 */
const BEFORE_END_MIN_MS = 200;
/** How late the call after the end may be, in seconds of the provider's clock; a later call is repeated. */
const MAX_DELAY_SECONDS = 240;

/** Tokens that are tried before the trial gives up because each was used too late. */
const MAX_TRIALS = 3;

/** The first call shortly before the end of a token that was refused; early enough by both clocks. */
interface EarlyRefusal {
  readonly token: TokenAnswer;
  readonly exchange: Exchange;
  /** Whether the token was accepted before, as one that was used right after it was issued. */
  readonly wasUsed: boolean;
}

/** A call after the end of a token. `isFirst`: no earlier call with it was accepted. */
interface OtherUse {
  readonly exchange: Exchange;
  readonly isFirst: boolean;
}

/** What happened when a token expired. */
export interface ExpiryTrial {
  readonly token: TokenAnswer;
  /** Null if the token was accepted shortly before its end, and so was one that nobody had used before. */
  readonly refusedEarly: EarlyRefusal | null;
  /** The later answer that gave the same token a later end; null if there was none. */
  readonly announcedAgain: TokenAnswer | null;
  /** Whether the provider gave the same token again, with any end. */
  readonly isGivenAgain: boolean;
  /** The call after validity and tolerance. */
  readonly after: Exchange;
  /** Calls with older tokens at the same time, which nobody had used long before their end. */
  readonly callsWithOtherTokens: readonly OtherUse[];
  readonly isAcceptedAfter: boolean;
  /** Why a refusal of that call shows nothing, such as an outage; null if it shows that the token was refused. */
  readonly obstacle: Undecided | null;
  /** Whether that call was so late that a refusal does not show when refusals began. */
  readonly isLate: boolean;
}

/** Waits for a token to expire, once for both requirements about expiry. */
export function tryExpiry(context: CheckContext): Promise<ExpiryTrial> {
  return context.tokens.memo.once(runTrial, context);
}

/** Undecided if the call after the end was refused, but was sent too late to show when refusals began; null otherwise. */
export function causeOfDelay({ isLate, isAcceptedAfter }: ExpiryTrial): Undecided | null {
  return isLate && !isAcceptedAfter ? tooSlowly('soon after') : null;
}

function tooSlowly(when: string): Undecided {
  return stoppedBy('expiry.clockRate', `the answers came too slowly to ask ${when} the end of a token`);
}

async function runTrial(context: CheckContext): Promise<ExpiryTrial> {
  await expectRecords(context);
  let isFollowed = !(await newTokensRevokeOldOnes(context, 1));
  for (let attempt = 1; ; attempt++) {
    const trial = await tryToken(context, isFollowed);
    if (trial === 'revoked') {
      if (attempt > 1 || !hasTimeForTwo(context))
        throw changing(
          'the provider revokes a token when it issues others; run --only token/accepted-until-expiry,token/refused-after-expiry',
        );
      // By now, other checks no longer request tokens.
      isFollowed = false;
      continue;
    }
    // A refusal long after the end shows little about the end itself. This matters if the provider's clock runs faster.
    if (trial !== null && (causeOfDelay(trial) === null || attempt === MAX_TRIALS)) return trial;
    if (attempt === MAX_TRIALS) throw tooSlowly('shortly before');
  }
}

/** Whether a run may wait for the end of two tokens, one after the other. */
function hasTimeForTwo({ target: { expiry, limits } }: CheckContext): boolean {
  const seconds = (VALIDITY_SECONDS + expiry.toleranceSeconds + BEFORE_END_SECONDS) / expiry.clockRate;
  return 2 * seconds <= limits.maxRunSeconds;
}

/**
 * Uses a token right after it was issued, shortly before its end, and after its end and the tolerance: a session may
 * be shorter, or end when it was not used for some time. Another token is first used shortly before its end, and a
 * third one after its end. Null if the first answer came too late; `revoked` if later token requests of the run ended
 * the token.
 *
 * @param isFollowed whether other tokens are requested meanwhile, also to see if the provider gives the same one
 */
async function tryToken(context: CheckContext, isFollowed: boolean): Promise<ExpiryTrial | 'revoked' | null> {
  const { tokens, target, list } = context;
  const rate = target.expiry.clockRate;
  const validityMs = (VALIDITY_SECONDS * 1000) / rate;
  // The validity of a token does not begin with its first use.
  const neverUsed = isFollowed ? await tokenWithWholeValidity(context) : null;
  const unused = isFollowed ? await tokenWithWholeValidity(context) : null;
  const token = await tokenWithWholeValidity(context);
  // What it is answered is for other checks to judge.
  await orNull(callAndRead(context, token.token));
  await until(token.requestedAt + validityMs / 2, context);
  const second = isFollowed ? await tokens.requestAnother() : null;
  const ofUnused =
    unused === null || unused.token === token.token ? null : await findEarlyRefusal(context, unused);
  const ofUsed = await findEarlyRefusal(context, token);
  // One that is proven counts also if the other token was used too late.
  const refusedEarly = [ofUsed, ofUnused].find((one) => one !== null && typeof one === 'object') ?? null;
  // First: to find that the one token was revoked may have made the use of the other one late.
  if (refusedEarly === null && (ofUnused === 'revoked' || ofUsed === 'revoked')) return 'revoked';
  if (refusedEarly === null && (ofUnused === 'late' || ofUsed === 'late')) return null;
  const toleranceMs = ((target.expiry.toleranceSeconds + 5) * 1000) / rate;
  const due = token.answeredAt + validityMs + toleranceMs;
  await until(due, context);
  const [after, ...others] = await callAfterExpiry(context, token.token);
  const isAcceptedAfter = list.records.findIn(after) !== null;
  expectClockRate(context, { first: token.exchange, last: after, isAcceptedAfter });
  const callsWithOtherTokens: OtherUse[] = [];
  for (const other of [neverUsed, unused]) {
    if (other === null || other.token === token.token) continue;
    const isFirst = !tokens.history.wasAccepted(other.token ?? '');
    // Another check may have used it earlier.
    if (other === neverUsed && !isFirst) continue;
    callsWithOtherTokens.push({
      exchange: await list.call({ authorization: `Bearer ${other.token}` }),
      isFirst,
    });
  }
  const again = second?.token === token.token ? second : null;
  const announcedEnd = again === null ? 0 : again.requestedAt + ((again.expiresIn ?? 0) * 1000) / rate;
  return {
    token,
    refusedEarly,
    announcedAgain: announcedEnd > endOf(after) ? again : null,
    isGivenAgain: again !== null,
    after,
    callsWithOtherTokens,
    isAcceptedAfter,
    obstacle: isAcceptedAfter ? null : ((await whyNoRefusal(context, after)) ?? firstUndecided(others)),
    isLate: (endOf(after) - due) * rate > MAX_DELAY_SECONDS * 1000,
  };
}

interface ListCall {
  readonly list: ListClient;
  readonly target: string;
}

/**
 * Uses a token shortly before its end, for the list, its second page and the other lists. Null if it is accepted, `late` if
 * the first answer came too late, `revoked` if later token requests of the run ended it. Throws Undecided if something else
 * may explain that the first call is refused.
 */
async function findEarlyRefusal(
  context: CheckContext,
  token: TokenAnswer,
): Promise<EarlyRefusal | 'revoked' | 'late' | null> {
  const { list, lists, target, tokens } = context;
  const rate = target.expiry.clockRate;
  const end = token.requestedAt + (VALIDITY_SECONDS * 1000) / rate;
  const [second] = await linkedPages(context);
  await until(end - Math.max((BEFORE_END_SECONDS * 1000) / rate, BEFORE_END_MIN_MS), context);
  const wasUsed = token.token !== null && tokens.history.wasAccepted(token.token);
  const first = { list, target: list.path };
  let exchange = await callWith(token, first);
  const status = exchange.answer?.status;
  const isGiven = status === 200 && list.records.findIn(exchange) !== null;
  if (!isGiven && endOf(exchange) >= end) return 'late';
  if (!isGiven && status === 200) throw changing('the list gives none of its records any more');
  if (isServerError(exchange))
    throw new Blocked('authorization/accepted', `the list call is now answered ${status}`);
  const later = laterTokens(context, token);
  if (isGiven) {
    const others = lists.filter((one) => one !== list).map((one) => ({ list: one, target: one.path }));
    const refused = await findRefusedCall(context, token, [{ list, target: second }, ...others], end);
    if (refused === null) return null;
    exchange = refused;
  } else await expectOnlyOldRefused(context, token, first, exchange);
  return (await newTokensRevokeOldOnes(context, later)) ? 'revoked' : { token, exchange, wasUsed };
}

/** The first refusal of a call before the end of a token, if a new token is accepted for that call; null if there is none. */
async function findRefusedCall(
  context: CheckContext,
  token: TokenAnswer,
  calls: readonly ListCall[],
  end: number,
): Promise<Exchange | null> {
  for (const call of calls) {
    const exchange = await orNull(callWith(token, call));
    const status = exchange?.answer?.status;
    if (exchange === null || (status !== 401 && status !== 403) || endOf(exchange) >= end) continue;
    // A link may be bound to the token that obtained it, and then refuses new ones as well.
    const proven = await orNull(expectOnlyOldRefused(context, token, call, exchange).then(() => exchange));
    if (proven !== null) return proven;
  }
  return null;
}

function callWith({ token }: Pick<TokenAnswer, 'token'>, { list, target }: ListCall): Promise<Exchange> {
  return callAndRead({ list }, token, { target });
}

/** Throws Undecided if a new token is refused as well, or if the old one is accepted again: it had not ended then. */
async function expectOnlyOldRefused(
  { tokens }: CheckContext,
  old: TokenAnswer,
  call: ListCall,
  { answer }: Exchange,
): Promise<void> {
  const status = answer?.status ?? null;
  const seen = `a token was answered ${status} shortly before its end`;
  const fresh = await tokens.requestUnshared();
  const before = await callWith(fresh, call);
  const again = await callWith(old, call);
  const after = await callWith(fresh, call);
  if (!isAccepted(before) || !isAccepted(after)) throw unavailable(status, `${seen}, and so was a new one`);
  if (isAccepted(again)) throw intermittent(`${seen}, and 200 right after`);
  if (status === 403) throw unavailable(status, `${seen}, as by a limit of calls for each token`);
}

function endOf({ startedAt, durationMs }: Exchange): number {
  return startedAt + durationMs;
}

/** A token whose validity has just begun. Throws Blocked if the provider issues none. */
async function tokenWithWholeValidity({ tokens }: CheckContext): Promise<TokenAnswer> {
  const given = await tokens.requestAnother();
  if (given.token === null)
    throw new Blocked('token/issued', `the token request was answered ${given.status}`);
  // If a token is given again with a smaller expires_in, its validity counts from the first time.
  const fresh = tokens.history
    .answersToValidRequests()
    .find((answer) => answer.token === given.token && answer.expiresIn === VALIDITY_SECONDS);
  const token = given.expiresIn !== null && given.expiresIn < VALIDITY_SECONDS ? (fresh ?? given) : given;
  if (token.expiresIn === null || token.expiresIn < VALIDITY_SECONDS)
    throw new Blocked('token/validity', `expires_in is ${token.expiresIn ?? 'missing'}`);
  return token;
}

/**
 * Makes calls with a token that must be refused by now, until one is answered with records. Returns that one, or all of them
 * if there is none.
 */
async function callAfterExpiry(
  context: CheckContext,
  token: string | null,
): Promise<readonly [Exchange, ...Exchange[]]> {
  const exchanges: Exchange[] = [];
  const isVaried = context.options.suite === 'certify';
  for (const call of callsWithExpired(await targetsOfExpiredToken(context), token, isVaried)) {
    // Not noted as a call of the run: an empty page refuses an expired token, and shows nothing of the list.
    const exchange = await context.list.call(call);
    if (context.list.records.findIn(exchange) !== null) return [exchange];
    exchanges.push(exchange);
  }
  return exchanges as [Exchange, ...Exchange[]];
}

/** Why one of these answers to calls with ended tokens decides nothing; null if each of them refuses its token. */
export function firstUndecided(exchanges: readonly Exchange[]): Undecided | null {
  return exchanges.map(whyUndecided).find((cause) => cause !== null) ?? null;
}

/**
 * Throws Undecided if the token may not have expired yet: the Date headers of two answers show that the provider's clock is
 * slower than `expiry.clockRate` says, or a token is still accepted and no Date shows the clock.
 */
function expectClockRate(
  { target }: CheckContext,
  { first, last, isAcceptedAfter }: { first: Exchange; last: Exchange; isAcceptedAfter: boolean },
): void {
  const rate = target.expiry.clockRate;
  if (rate === 1) return;
  const dates = [first, last].map(({ answer }) => Date.parse(headerOf(answer?.headers ?? [], 'date') ?? ''));
  const [from = Number.NaN, to = Number.NaN] = dates;
  const elapsedMs = endOf(last) - first.startedAt;
  const cause = { kind: 'configuration', key: 'expiry.clockRate' } as const;
  if (Number.isNaN(to - from) && isAcceptedAfter)
    throw new Undecided(
      cause,
      'a token is still accepted, and no Date header shows that the clock of the provider runs as fast as expiry.clockRate says; ' +
        'leave it out unless the provider is a mock',
    );
  // A Date header has whole seconds.
  if (Number.isNaN(to - from) || to - from + 1000 >= (elapsedMs * rate) / 2) return;
  throw new Undecided(
    cause,
    `the provider's clock advanced by ${Math.round((to - from) / 1000)} s, ` +
      `but by expiry.clockRate it should have advanced by ${Math.round((elapsedMs * rate) / 1000)} s; ` +
      'leave it out unless the provider is a mock',
  );
}

/** Expects that the list has records, which show that a token is accepted. Throws Undecided. */
export async function expectRecords({ snapshot }: CheckContext): Promise<void> {
  const page = await snapshot.first({});
  if (page.kind !== 'page')
    throw blockedByNoPage(page, `the list call with a valid token is not a list: ${page.why}`);
  if (page.itemCount === 0)
    throw new Undecided(NO_RECORD, 'an accepted token shows nothing on an empty list');
}

function until(time: number, context: CheckContext): Promise<void> {
  return waitFor(time - context.clock.now(), context);
}

/** Drawn queries with which an expired token is tried. */
const DRAWN_QUERIES = { smoke: 0, full: 1, certify: 10 };

/**
 * The requests that carry an expired token: the list without a query and with a count, its second page, the last linked page
 * of the run, and drawn queries. A gate may treat these differently.
 */
export async function targetsOfExpiredToken(context: CheckContext): Promise<readonly string[]> {
  const { list, options } = context;
  const drawn = Array.from(
    { length: DRAWN_QUERIES[options.suite] },
    (_none, number) => list.path + drawnQuery(context, `expired token ${number}`),
  );
  const [second] = await linkedPages(context);
  const offsetOf = (target: string): number => wholeNumberIn(parametersOf(target), '$skip') ?? 0;
  const linked = list.history.links.given.map(([target]) => target).toSorted();
  const deepest = linked.toSorted((one, other) => offsetOf(other) - offsetOf(one)).slice(0, 1);
  return [...new Set([list.path, `${list.path}?$count=true`, second, ...deepest, ...drawn])];
}
