import { type Exchange, headerOf } from '../core/exchange.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import { jwtOf } from '../provider/jwt.ts';
import { isServerError } from '../provider/list-client.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
import { VALIDITY } from '../provider/token-client.ts';
import type { CheckContext } from './context.ts';
import { expectNoEarlyEnd } from './early-end.ts';
import { Violation } from './findings.ts';
import { A_RECORD, attempt } from './list-refusals.ts';
import { pause } from './pause.ts';

/** Seconds of the provider's clock that count as shortly before the end. */
const SHORTLY = 60;
/** The same in real milliseconds, where the provider's clock runs faster and a request takes its time. */
const SHORTLY_MS = 200;
/** Seconds of the provider's clock by which the call after the end may be late before it is tried again. */
const LATE = 240;

/** What waiting for a token's end showed. */
interface Trial {
  readonly token: TokenAnswer;
  /** The call shortly before the end; early enough by both clocks. */
  readonly before: Exchange;
  readonly acceptedBefore: boolean;
  /** Whether the provider named a later end for the same token meanwhile. */
  readonly announcedAgain: TokenAnswer | null;
  /** Whether the provider gave the same token again, whatever it then said of its end. */
  readonly givenAgain: boolean;
  /** The call after validity and tolerance. */
  readonly after: Exchange;
  readonly acceptedAfter: boolean;
  /** Whether that call came so late that being refused says nothing about the time when it was due. */
  readonly late: boolean;
}

/**
 * token/accepted-until-expiry: shortly before its validity ends, a token is still accepted (5.3). Without `--expiry` that is
 * not waited for, and only a token that is refused before its time decides.
 */
export async function judgeAcceptedUntilExpiry(context: CheckContext): Promise<void> {
  // When no other check asks for tokens any more, which may end earlier ones.
  context.afterOthers(async () => {
    if (context.options.expiry) return judgeTrial(context);
    await expectNoEarlyEnd(context);
    throw new Undecided({ kind: 'unconfigured', key: '--expiry' }, 'it waits for a token to expire');
  });
}

async function judgeTrial(context: CheckContext): Promise<void> {
  const trial = await trialOf(context);
  context.exercised();
  const again = trial.announcedAgain;
  if (!trial.acceptedBefore) {
    throw new Violation({
      message: `a token handed out with expires_in ${trial.token.expiresIn} was refused (status ${trial.before.answer?.status}) before its ${VALIDITY} seconds were over`,
      expected: 'accepted until its validity ends',
      actual: `status ${trial.before.answer?.status}`,
      exchanges: [trial.before.number, trial.token.exchange.number],
    });
  }
  if (again !== null && !trial.acceptedAfter) {
    throw new Violation({
      message: `the same token was handed out again with expires_in ${again.expiresIn}, and was refused before those seconds were over`,
      expected: 'accepted until the validity that was told with it ends',
      actual: `status ${trial.after.answer?.status}`,
      exchanges: [trial.after.number, again.exchange.number, trial.token.exchange.number],
    });
  }
  // A later end that was named with the same token is past as well by then.
  if (again === null && trial.givenAgain && isTooLate(trial)) throw tooLate();
}

/** token/refused-after-expiry: after its validity and the clock tolerance a token is refused (5.3). */
export async function judgeRefusedAfterExpiry(context: CheckContext): Promise<void> {
  const { target, list, options, exercised } = context;
  if (target.expiredToken !== null) {
    expectExpired(target.expiredToken, target.expiry.toleranceSeconds, context.clock.now());
    await expectRecords(context);
    expectOwnToken(target.expiredToken, await context.tokens.bearer());
    const exchange = await attempt(context, { authorization: `Bearer ${target.expiredToken}` });
    exercised();
    if (exchange !== null && list.recordsIn(exchange) !== null)
      throw acceptedTooLate(exchange, 'the expired token of the target file');
    return;
  }
  if (!options.expiry)
    throw new Undecided({ kind: 'unconfigured', key: 'expiredToken' }, 'or the option --expiry');
  context.afterOthers(() => judgeEnd(context));
}

async function judgeEnd(context: CheckContext): Promise<void> {
  const trial = await trialOf(context);
  if (!trial.acceptedBefore)
    throw new Blocked('token/accepted-until-expiry', 'the token was refused before its end');
  if (trial.announcedAgain !== null && trial.acceptedAfter) {
    throw new Undecided(
      { kind: 'data', needs: 'a provider that issues a new token for each request', records: null },
      'the provider issued the same token again with a new lifetime',
    );
  }
  if (isTooLate(trial)) throw tooLate();
  context.exercised();
  if (trial.acceptedAfter) throw acceptedTooLate(trial.after, `a token of ${VALIDITY} seconds`);
}

function isTooLate({ late, acceptedAfter }: Trial): boolean {
  return late && !acceptedAfter;
}

function tooLate(): Undecided {
  return new Undecided(
    { kind: 'limit', limit: 'expiry.clockRate' },
    'the answers came too slowly to ask soon after the end of a token; lower expiry.clockRate',
  );
}

function acceptedTooLate(exchange: Exchange, which: string): Violation {
  return new Violation({
    message: `${which} still opened the list after its validity and the tolerance; it must be refused`,
    expected: 'refused',
    actual: `status ${exchange.answer?.status}`,
    exchanges: [exchange.number],
  });
}

/** One trial for both requirements. */
function trialOf(context: CheckContext): Promise<Trial> {
  return context.tokens.memo.once(runTrial, context);
}

async function runTrial(context: CheckContext): Promise<Trial> {
  const { tokens, target, list } = context;
  await expectRecords(context);
  const rate = target.expiry.clockRate;
  for (let attempt = 1; ; attempt++) {
    const given = await tokens.another();
    if (given.token === null)
      throw new Blocked('token/issued', `the token request was answered ${given.status}`);
    // Handed out again with less, it counts from when it was fresh.
    const fresh = tokens
      .rightAnswers()
      .find((answer) => answer.token === given.token && answer.expiresIn === VALIDITY);
    const token = given.expiresIn !== null && given.expiresIn < VALIDITY ? (fresh ?? given) : given;
    if (token.expiresIn === null || token.expiresIn < VALIDITY)
      throw new Blocked('token/validity', `expires_in is ${token.expiresIn ?? 'missing'}`);
    const authorization = `Bearer ${token.token}`;
    const validityMs = (VALIDITY * 1000) / rate;
    await until(token.askedAt + validityMs / 2, context);
    const second = await tokens.another();
    await until(token.askedAt + validityMs - Math.max((SHORTLY * 1000) / rate, SHORTLY_MS), context);
    const before = await list.call({ authorization });
    list.read(before);
    const acceptedBefore = accepted(context, before);
    const answeredAt = before.startedAt + before.durationMs;
    if (!acceptedBefore && answeredAt - token.askedAt >= validityMs) {
      if (attempt < 3) continue;
      throw new Undecided(
        { kind: 'limit', limit: 'expiry.clockRate' },
        'the answers came too slowly to ask shortly before the end of a token; lower expiry.clockRate',
      );
    }
    if (isServerError(before))
      throw new Blocked('authorization/accepted', `the list call is answered ${before.answer?.status} since`);
    if (!acceptedBefore && (await newTokensRevokeOldOnes(context))) {
      throw new Undecided(
        { kind: 'changing' },
        'the provider revokes a token when it issues another; run --only token/accepted-until-expiry,token/refused-after-expiry',
      );
    }
    const due = token.answeredAt + validityMs + ((target.expiry.toleranceSeconds + 5) * 1000) / rate;
    await until(due, context);
    const after = await askedLate(context, authorization);
    const acceptedAfter = list.recordsIn(after) !== null;
    expectClockRate(context, token.exchange, after);
    // A refusal long after the time shows little of the time itself; it matters where the provider's clock runs faster.
    const late = (after.startedAt + after.durationMs - due) * rate > LATE * 1000;
    if (!acceptedAfter && late && attempt < 3) continue;
    const later =
      second.token === token.token &&
      second.askedAt + ((second.expiresIn ?? 0) * 1000) / rate > after.startedAt + after.durationMs;
    return {
      token,
      before,
      acceptedBefore,
      announcedAgain: later ? second : null,
      givenAgain: second.token === token.token,
      after,
      acceptedAfter,
      late,
    };
  }
}

/** A call that should come too late for its token: without a query, and with one, which gates have been met to treat apart. */
async function askedLate({ list }: CheckContext, authorization: string): Promise<Exchange> {
  const plain = await list.call({ authorization });
  list.read(plain);
  if (list.recordsIn(plain) !== null) return plain;
  const counted = await list.call({ authorization, target: `${list.path}?$count=true` });
  list.read(counted);
  return list.recordsIn(counted) !== null ? counted : plain;
}

/**
 * Throws Undecided where the Date headers of two answers show that the provider's clock does not run as fast as
 * `expiry.clockRate` says: what was waited for was then no hour at all.
 */
function expectClockRate({ target }: CheckContext, first: Exchange, last: Exchange): void {
  const rate = target.expiry.clockRate;
  if (rate === 1) return;
  const dates = [first, last].map(({ answer }) => Date.parse(headerOf(answer?.headers ?? [], 'date') ?? ''));
  const [from = Number.NaN, to = Number.NaN] = dates;
  const elapsedMs = last.startedAt + last.durationMs - first.startedAt;
  // A Date names whole seconds.
  if (Number.isNaN(to - from) || to - from + 1000 >= (elapsedMs * rate) / 2) return;
  throw new Undecided(
    { kind: 'configuration', key: 'expiry.clockRate' },
    `the provider's clock advanced by ${Math.round((to - from) / 1000)} s where expiry.clockRate says ${Math.round((elapsedMs * rate) / 1000)} s; leave it out unless the provider is a mock`,
  );
}

async function newTokensRevokeOldOnes({ tokens, list }: CheckContext): Promise<boolean> {
  const older = await tokens.another();
  await tokens.another();
  const exchange = await list.call({ authorization: `Bearer ${older.token}` });
  return exchange.answer?.status !== 200;
}

/** Whether a call opened the list; an empty one shows nothing, so lists are expected to hold records. */
function accepted({ list }: CheckContext, exchange: Exchange): boolean {
  return exchange.answer?.status === 200 && list.recordsIn(exchange) !== null;
}

async function expectRecords({ view }: CheckContext): Promise<void> {
  const page = await view.first({});
  if (page.kind !== 'page') {
    const broken = page.kind === 'refused' ? 'authorization/accepted' : 'list/envelope';
    throw new Blocked(broken, `the list call with a valid token is no list: ${page.why}`);
  }
  if (page.itemCount === 0) throw new Undecided(A_RECORD, 'an accepted token shows nothing on an empty list');
}

/** Throws Undecided where a token is surely none of this provider's: that it is refused would show nothing. */
function expectOwnToken(expired: string, current: string): void {
  const [then, now] = [jwtOf(expired), jwtOf(current)];
  if (now === null) return;
  const issuers = [then?.payload['iss'], now.payload['iss']];
  const differs = issuers.every((issuer) => typeof issuer === 'string') && issuers[0] !== issuers[1];
  if (then !== null && !differs) return;
  throw new Undecided(
    { kind: 'configuration', key: 'expiredToken' },
    then === null
      ? 'the provider issues JWTs, and the expired token of the target file is none'
      : 'the expired token of the target file is of another issuer than the tokens of this run',
  );
}

function expectExpired(token: string, toleranceSeconds: number, now: number): void {
  const expiry = jwtOf(token)?.payload['exp'];
  if (typeof expiry === 'number' && now / 1000 < expiry + toleranceSeconds) {
    throw new Undecided(
      { kind: 'configuration', key: 'expiredToken' },
      `the expired token of the target file ends at ${new Date(expiry * 1000).toISOString()}, which with the tolerance is not past`,
    );
  }
}

function until(time: number, context: CheckContext): Promise<void> {
  return pause(time - context.clock.now(), context);
}
