import { Blocked, Undecided } from '../core/undecided.ts';
import { member } from '../provider/body.ts';
import { kindOf } from '../provider/schemas.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
import { type Client, VALIDITY } from '../provider/token-client.ts';
import type { CheckContext } from './context.ts';
import { Violation } from './findings.ts';
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
  if (context.options.suite === 'smoke') return;
  const second = await tokens.second();
  const again = second.status !== 200 || (second.token !== null && second.token === first.token);
  if (!again && expiresIn(second) !== VALIDITY) await expectCountdown(context, second);
  if (context.target.otherCredentials === null) return;
  const other = await tokens.other();
  if (other.status === 200 && expiresIn(other) !== VALIDITY) await expectCountdown(context, other, 'other');
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
