import type { CallOptions } from '../../provider/list-client.ts';
import type { EarlyExpiry } from '../../provider/token-history.ts';
import type { CheckContext } from '../context.ts';
import { refusalsInTurn } from '../probes/valid-token-calls.ts';
import { Violation } from '../violation.ts';

/** The tokens of the run that were refused by every list call that carried them, while a newer one was accepted. */
export function uselessTokens({ tokens }: CheckContext): readonly EarlyExpiry[] {
  return tokens.history.endings.filter(({ token }) => !tokens.history.wasAccepted(token));
}

/**
 * Throws Violation if a token that was never accepted is refused while an older token and the current one are accepted
 * in turn with it (5.1). The older token shows that the provider ends no earlier token when it issues another.
 */
export async function expectNoUselessToken(context: CheckContext): Promise<void> {
  const { history } = context.tokens;
  const [useless] = uselessTokens(context);
  const answer = useless === undefined ? undefined : history.answerOf(useless.token);
  if (useless === undefined || answer === undefined) return;
  const older = history
    .rightAnswers()
    .find(({ token, askedAt }) => token !== null && history.wasAccepted(token) && askedAt < answer.askedAt);
  if (older === undefined) return;
  const refused = callWith(useless.token);
  const besideOlder = await refusalsInTurn(context, { refused, accepted: callWith(older.token) });
  if (besideOlder === null) return;
  const current = callWith(await context.tokens.bearer());
  const besideCurrent = await refusalsInTurn(context, { refused, accepted: current });
  if (besideCurrent === null) return;
  const [last, accepted] = besideCurrent;
  const [, olderAccepted] = besideOlder;
  throw new Violation({
    message:
      'a token that was issued with HTTP 200 was refused by every list call of the run that carried it, ' +
      `the last time with status ${last?.answer?.status}, while an older token and a newer one were accepted in turn with it`,
    expected: 200,
    actual: last?.answer?.status ?? null,
    exchanges: [last, answer.exchange, accepted, olderAccepted, useless.refused].flatMap((one) =>
      one == null ? [] : [one.number],
    ),
  });
}

function callWith(token: string | null): CallOptions {
  return { authorization: `Bearer ${token}` };
}
