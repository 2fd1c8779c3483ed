import type { CallOptions } from '../../provider/list-client.ts';
import type { EarlyExpiry } from '../../provider/token-history.ts';
import type { CheckContext } from '../context.ts';
import { waitFor } from '../interruptible-wait.ts';
import { refusalsInTurn } from '../probes/valid-token-calls.ts';
import { Violation } from '../violation.ts';

/** Milliseconds after which every server knows a token. */
const MIN_AGE_MS = 5000;

/** The tokens of the run that were refused by every list call that carried them, while a newer one was accepted. */
export function uselessTokens({ tokens }: CheckContext): readonly EarlyExpiry[] {
  return tokens.history.endings.filter(({ token }) => !tokens.history.wasAccepted(token));
}

/**
 * Throws Violation if a token that was never accepted is refused although an older one is accepted in turn with it (5.1). The
 * older token shows that the provider ends no earlier token when it issues another.
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
  await waitFor(answer.answeredAt + MIN_AGE_MS - context.clock.now(), context);
  const inTurn = await refusalsInTurn(context, {
    refused: callWith(useless.token),
    accepted: callWith(older.token),
  });
  if (inTurn === null) return;
  const [last, accepted] = inTurn;
  throw new Violation({
    message:
      'a token that was issued with HTTP 200 was refused by every list call of the run that carried it, ' +
      `the last time GET ${last?.request.target} with status ${last?.answer?.status}, while an older token was accepted ` +
      'in turn with it; each must be answered 200',
    expected: 200,
    actual: last?.answer?.status ?? null,
    exchanges: [last, answer.exchange, accepted, useless.refused].flatMap((one) =>
      one == null ? [] : [one.number],
    ),
    sequence: [
      { exchange: older.exchange.number, token: 1 },
      { exchange: answer.exchange.number, token: 2 },
      ...inTurn.slice(0, 2).map(({ number }, index) => ({ exchange: number, token: 2 - index })),
    ],
  });
}

function callWith(token: string | null): CallOptions {
  return { authorization: `Bearer ${token}` };
}
