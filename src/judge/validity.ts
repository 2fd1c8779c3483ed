import { Blocked, Undecided } from '../core/undecided.ts';
import { member } from '../provider/json-reader.ts';
import { kindOf } from '../provider/schemas.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
import { type Client, VALIDITY } from '../provider/token-client.ts';
import type { CheckContext } from './context.ts';
import { Violation } from './findings.ts';
import { greatestAge, issuedAnswers, shareOf } from './issued-answers.ts';
import { pause } from './pause.ts';

/**
 * token/validity: expires_in of a fresh token is 3600 (2.1, 5.3). A provider may hand out one token twice and count
 * its lifetime down; then what it says of an old token proves nothing.
 */
export async function judgeValidity(context: CheckContext): Promise<void> {
  const { tokens, exercised } = context;
  const first = await tokens.issued();
  exercised();
  if (expiresIn(first) !== VALIDITY) await expectCountdown(context, first);
  if (context.options.suite !== 'smoke') {
    const second = await tokens.second();
    const again = second.status !== 200 || (second.token !== null && second.token === first.token);
    if (!again && expiresIn(second) !== VALIDITY) await expectCountdown(context, second);
    const other = context.target.otherCredentials === null ? null : await tokens.other();
    if (other?.status === 200 && expiresIn(other) !== VALIDITY)
      await expectCountdown(context, other, 'other');
  }
  await expectEachFresh(context);
}

/** The same of every further answer of the run that gives a token for the first time. */
async function expectEachFresh(context: CheckContext): Promise<void> {
  const answers = await issuedAnswers(context);
  const fresh = answers.filter(
    ({ token }, index) => answers.findIndex((earlier) => earlier.token === token) === index,
  );
  const departing = fresh.filter((answer) => expiresIn(answer) !== VALIDITY);
  const [first] = departing.toSorted((one, other) => expiresIn(other) - expiresIn(one));
  if (first === undefined) return;
  const proven = departing.find((answer) => isShort(context, answer, answers)) ?? null;
  if (proven === null && expiresIn(first) <= VALIDITY && expiresIn(first) > 0)
    return expectCountdown(
      context,
      first,
      context.tokens.rightAnswers('own').includes(first) ? 'own' : 'other',
    );
  throw new Violation({
    message: `expires_in is ${expiresIn(proven ?? first)} instead of ${VALIDITY}${shareOf(departing.length, fresh.length)}`,
    expected: VALIDITY,
    actual: expiresIn(proven ?? first),
    exchanges: departing.slice(0, 8).map(({ exchange }) => exchange.number),
  });
}

/** Whether expires_in is less than is left of 3600 seconds however old the token can be. */
function isShort(context: CheckContext, answer: TokenAnswer, answers: readonly TokenAnswer[]): boolean {
  const age = greatestAge(answer, answers, VALIDITY, context.target.expiry.clockRate);
  return age !== null && expiresIn(answer) < VALIDITY - age;
}

/** Judges an answer whose expires_in is another. Throws Violation, or Undecided where its token may be an old one. */
async function expectCountdown(
  context: CheckContext,
  answer: TokenAnswer,
  client: Client = 'own',
): Promise<never> {
  const { tokens } = context;
  const said = expiresIn(answer);
  const whose = client === 'own' ? '' : ' for the second provider’s client';
  const violation = (answers: readonly TokenAnswer[], how: string): Violation =>
    new Violation({
      message: `expires_in is ${said} instead of ${VALIDITY}${whose}${how}`,
      expected: VALIDITY,
      actual: said,
      exchanges: answers.map(({ exchange }) => exchange.number),
    });
  // A countdown starts at 3600: more than that was never fresh.
  if (said > VALIDITY || said <= 0) throw violation([answer], '');
  const earlier = [...tokens.rightAnswers('own'), ...tokens.rightAnswers('other')];
  if (isShort(context, answer, earlier)) throw violation([answer], ', and its token was new');
  await pause(1100 / Math.min(tokens.target.expiry.clockRate, 10), context);
  const known = tokens.rightAnswers(client).filter(({ token }) => token !== answer.token);
  const next = await tokens.another(client);
  if (next.token === null && next.status === 200)
    throw new Blocked('token/shape', 'a further token answer holds no access_token');
  if (next.token === null)
    throw new Undecided(
      { kind: 'intermittent', seen: 1, attempts: 2 },
      `a further token request was answered ${next.status}`,
    );
  if (next.token !== answer.token) {
    if (next.expiresIn === VALIDITY || known.some(({ token }) => token === next.token))
      throw new Undecided(
        { kind: 'intermittent', seen: 1, attempts: 2 },
        `expires_in was ${said} for one token and ${next.expiresIn} for the next`,
      );
    throw violation([answer, next], ', for two tokens in a row');
  }
  if (next.expiresIn !== null && next.expiresIn >= said)
    throw violation([answer, next], ', and does not count down, so it was that when the token was fresh');
  throw new Undecided(
    { kind: 'data', needs: 'a token issued during the run', records: null },
    'the provider issues the same token again and counts its lifetime down; rerun when this token has expired',
  );
}

function expiresIn(answer: TokenAnswer): number {
  if (answer.expiresIn !== null && Number.isInteger(answer.expiresIn)) return answer.expiresIn;
  const given = answer.body.ok ? member(answer.body.value, 'expires_in') : undefined;
  throw new Blocked('token/shape', `expires_in is ${kindOf(given)}`);
}
