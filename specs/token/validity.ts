import { jwtOf } from '../../src/core/jwt.ts';
import { groupBy } from '../../src/core/maps.ts';
import { Blocked, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { answersForOtherScopes } from '../../src/judge/probes/other-scopes.ts';
import {
  answerWithFreshToken,
  expectNoCountdown,
  neverCountsDown,
} from '../../src/judge/proofs/token-countdown.ts';
import { validAnswers } from '../../src/judge/proofs/valid-request-trial.ts';
import { beforeOf, judgeIssuedAnswers, shareWords } from '../../src/judge/rules/token-answer-rule.ts';
import { Violation } from '../../src/judge/violation.ts';
import { memberOf } from '../../src/provider/json-reader.ts';
import { kindOf } from '../../src/provider/schemas.ts';
import { refusesWith200, type TokenAnswer } from '../../src/provider/token-answer.ts';
import { type Client, VALIDITY_SECONDS } from '../../src/provider/token-history.ts';

export const tokenValidity = requirement({
  id: 'token/validity',
  clause: ['2.1', '5.3', '8'],
  smoke: true,
  rule: `A freshly issued token has expires_in 3600, which is 60 minutes. If a provider returns the same token
      again and counts down, only the fresh token counts.`,
  tested: `Reads expires_in of the first token; except in smoke, of a second one as well. If it is less than
      3600, requests another token: the same token with a smaller value is counting down, and the verdict stays open
      unless the run sees a later token. An equal value later, or another token in every answer, shows that nothing counts down.
      Certify also requests the scopes in another order, one of them, and one of them twice.`,
  breach: 'expires_in is 3599, 3600000, 86400 or another number for a new token.',
  causes: `The validity in milliseconds or minutes; an unchanged default of the authorization server (300 in
      Keycloak, 7200 or 86400 in others); a safety margin or processing time of the server, subtracted before the
      answer is written.`,
  fix: `Set the access token validity of this client to 3600 seconds and write that number, in seconds, into
      expires_in of a fresh token.`,
  judge: async (context) => {
    const { tokens, exercised } = context;
    const first = await tokens.issued();
    exercised();
    const early = expectFullValidityOfFirst(context, first);
    await early.catch((error: unknown) => {
      if (!(error instanceof Undecided)) throw error;
    });
    await judgeIssuedAnswers(context, async (answers) => {
      const isOpen = (await expectFullValidityOfAll(context, answers)) === 'open';
      await expectFullValidityForOtherScopes(context, answers);
      if (isOpen) await early;
    });
  },
});

/** Judges the first answers, before others show more. */
async function expectFullValidityOfFirst(context: CheckContext, first: TokenAnswer): Promise<void> {
  const { tokens, options, target } = context;
  await expectFullValidity(context, first);
  if (options.suite === 'smoke') return;
  const second = await tokens.secondAnswer();
  const isNew = second.token === null || second.token !== first.token;
  if (second.status === 200 && isNew) await expectFullValidity(context, second);
  const ofSecond = target.otherCredentials === null ? null : await tokens.secondClientAnswer();
  if (ofSecond?.status === 200 && !refusesWith200(ofSecond))
    await expectFullValidity(context, ofSecond, 'second');
}

/** The oracle, over one answer: null if its token may be an old one, whose validity counts down. */
function isFullValidity(
  answer: TokenAnswer,
  answers: readonly TokenAnswer[],
  clockRate: number,
): boolean | null {
  const stated = expiresIn(answer);
  if (!mayCountDown(stated)) return stated === VALIDITY_SECONDS;
  const age = greatestAge(answer, answers, clockRate);
  const isNew = age !== null && stated < VALIDITY_SECONDS - age;
  return isNew || neverCountsDown(answer, answers, clockRate) ? false : null;
}

/** Whether expires_in may be that of an old token: a countdown starts at 3600 and ends at 0. */
function mayCountDown(stated: number): boolean {
  return stated < VALIDITY_SECONDS && stated > 0;
}

/** Throws Violation if an answer states another validity; Undecided if its token may be an old one. */
async function expectFullValidity(
  context: CheckContext,
  answer: TokenAnswer,
  client: Client = 'first',
): Promise<void> {
  const { tokens, target } = context;
  const stated = expiresIn(answer);
  const whose = client === 'first' ? '' : " for the second provider's client";
  const violation = (how: string, ...next: readonly TokenAnswer[]): Violation =>
    otherValidity(stated, whose + how, [answer, ...next]);
  const isKept = isFullValidity(answer, validAnswers(tokens), target.expiry.clockRate);
  if (isKept === true) return;
  if (isKept === false) throw violation(mayCountDown(stated) ? ', and its token was new' : '');
  const next = await expectNoCountdown(context, answer, stated, client);
  if (next.token !== answer.token) throw violation(', for two tokens in a row', next);
  throw violation(', and it does not count down, so the fresh token had the same value', next);
}

/** Judges every answer of the run that gives a token for the first time. `open` if the first answers decide. */
async function expectFullValidityOfAll(
  context: CheckContext,
  answers: readonly TokenAnswer[],
): Promise<'kept' | 'open'> {
  const fresh = [...groupBy(answers, ({ token }) => token).values()].map(answerWithFreshToken);
  const isKept = (answer: TokenAnswer): boolean | null =>
    isFullValidity(answer, answers, context.target.expiry.clockRate);
  const unusual = fresh.filter((answer) => isKept(answer) !== true);
  const departing = unusual.filter((answer) => isKept(answer) === false || !isOldToken(context, answer));
  const longestFirst = departing.toSorted((one, other) => expiresIn(other) - expiresIn(one));
  const [longest] = longestFirst;
  const isOvertaken = fresh[0] !== answers[0];
  if (longest === undefined) return unusual.length > 0 || isOvertaken ? 'kept' : 'open';
  const broken =
    departing.find((answer) => mayCountDown(expiresIn(answer)) && isKept(answer) === false) ??
    longestFirst.find((answer) => isKept(answer) === false);
  const client = context.tokens.history.answersToValidRequests('first').includes(longest)
    ? 'first'
    : 'second';
  if (broken === undefined) {
    try {
      await expectFullValidity(context, longest, client);
    } catch (error) {
      // It has requested another token.
      if (error instanceof Undecided && departing.every((answer) => isOldToken(context, answer)))
        return 'kept';
      throw error;
    }
    return 'open';
  }
  throw otherValidity(expiresIn(broken), shareWords(departing.length, fresh.length), departing.slice(0, 8));
}

/** Judges new tokens of requests for the scopes in another form. */
async function expectFullValidityForOtherScopes(
  context: CheckContext,
  answers: readonly TokenAnswer[],
): Promise<void> {
  const others = await answersForOtherScopes(context);
  const all = [...answers, ...others.map(({ answer }) => answer)];
  const { clockRate } = context.target.expiry;
  for (const { how, answer } of others)
    if (isFullValidity(answer, all, clockRate) === false)
      throw otherValidity(expiresIn(answer), '', [answer]).withWords({ before: beforeOf(how) });
}

/** @param end the end of the sentence */
function otherValidity(stated: number, end: string, answers: readonly TokenAnswer[]): Violation {
  return new Violation({
    message: `expires_in is ${stated} instead of ${VALIDITY_SECONDS}${end}`,
    expected: VALIDITY_SECONDS,
    actual: stated,
    exchanges: answers,
  });
}

/**
 * Whether a token may be older than the run: the first one of its client, given again and with no greater value, while
 * another token of that client had the full validity.
 */
function isOldToken({ tokens }: CheckContext, answer: TokenAnswer): boolean {
  return (['first', 'second'] as const).some((client) => {
    const issued = tokens.history.answersToValidRequests(client).filter(({ token }) => token !== null);
    const same = issued.filter(({ token }) => token === answer.token);
    const isGivenAgain = same.length > 1 && same.every((one) => expiresIn(one) <= expiresIn(answer));
    const isRenewed = issued.some((one) => one.token !== answer.token && expiresIn(one) === VALIDITY_SECONDS);
    return answer.token === issued[0]?.token && isGivenAgain && isRenewed;
  });
}

function expiresIn(answer: TokenAnswer): number {
  if (answer.expiresIn !== null && Number.isInteger(answer.expiresIn)) return answer.expiresIn;
  throw new Blocked('token/shape', `expires_in is ${kindOf(memberOf(answer.body, 'expires_in'))}`);
}

/** Seconds by which clocks of one provider's servers may differ. */
const CLOCKS_APART = 60;

/**
 * The greatest age of an answer's token, in seconds of the provider's clock; null if it is not known. A JWT
 * with a later iat is no older than an earlier answer with a fresh JWT.
 */
function greatestAge(answer: TokenAnswer, answers: readonly TokenAnswer[], clockRate: number): number | null {
  const issuedAt = issuedAtOf(answer);
  if (issuedAt === null) return null;
  const ages = answers.flatMap((earlier) => {
    const before = issuedAtOf(earlier);
    const isFresh = earlier.expiresIn === VALIDITY_SECONDS && earlier.token !== answer.token;
    if (!isFresh || before === null || before > issuedAt || earlier.answeredAt > answer.requestedAt)
      return [];
    return [((answer.answeredAt - earlier.requestedAt) / 1000) * clockRate + CLOCKS_APART];
  });
  return ages.length === 0 ? null : Math.min(...ages);
}

/** When the token of an answer was issued, by its iat, in seconds since the epoch; null if it has none. */
function issuedAtOf({ token }: TokenAnswer): number | null {
  const issuedAt = token === null ? undefined : jwtOf(token)?.payload['iat'];
  return typeof issuedAt === 'number' ? issuedAt : null;
}
