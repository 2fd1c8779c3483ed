import { type Exchange, headerOf } from '../../core/exchange.ts';
import { intermittent } from '../../core/undecided.ts';
import { listRefusal, missingAccess } from '../../provider/diagnosis.ts';
import type { ListAnswer } from '../../provider/page.ts';
import { LONG_LIMIT_RETRIES } from '../../provider/refused-call.ts';
import { confirmServerError } from '../confirmation.ts';
import type { CheckContext } from '../context.ts';
import { expectOtherPathsDiffer, refusesCaller, throwIfMistaken } from '../expected-page.ts';
import { callWithNewToken, callWithToken, statusOf } from '../probes/valid-token-calls.ts';
import { expectAcceptedOnAllConnections, expectRefusedSlowly, type ValidCall } from './connection-trial.ts';
import { expectEachTokenAccepted } from './first-use-trial.ts';
import { isRefusedForLength } from './token-length.ts';

/** The first call with a new token if it is refused again. Throws Undecided if it is not. */
export async function findRefusedFirstUse(
  context: CheckContext,
  answer: ListAnswer,
  refusal: number,
): Promise<ValidCall | null> {
  const { list, tokens, target } = context;
  // A later use of a token shows nothing about its first use.
  const exchange = await callWithNewToken(context);
  const again = list.readAndNote(exchange);
  if (again.kind !== 'refused' && answer.kind !== 'refused') return null;
  if (again.kind !== 'refused') {
    await expectAcceptedOnAllConnections(context);
    await expectEachTokenAccepted(context);
    throw intermittent(`answered ${answer.status} once and ${again.status} the next time`);
  }
  const isTooLong = !list.history.wasAccepted && (await isRefusedForLength(context, exchange));
  if (!list.history.wasAccepted && !isTooLong) {
    throwIfMistaken(listRefusal(exchange, target));
    await expectNoMissingAccess(context, exchange);
  }
  // One of several servers may not know the token.
  if (list.history.wasAccepted) await expectAcceptedOnAllConnections(context);
  if (list.history.wasAccepted && again.status === 403) {
    const later = await callWithToken(context, { limitRetries: LONG_LIMIT_RETRIES });
    if (statusOf(later) === 200)
      throw intermittent(
        `GET ${again.target} was answered 403 several times, as by a rate limit, and 200 after a pause`,
        3 + later.retry,
      );
  }
  if (list.history.wasAccepted && again.status === 401) {
    const what = `GET ${again.target} with a token just issued was answered 401`;
    await expectRefusedSlowly(context, what, async () => (await tokens.requestUnshared()).token, [
      again.target,
    ]);
  }
  await confirmServerError(context, again.status, async () => statusOf(await callWithToken(context)));
  // The provider may mean a mistake of the target file that its answer does not name.
  const hint = isTooLong
    ? `; a made-up token of its length (${(await context.tokens.bearer()).length}) is refused in the same way, and a short one with 401`
    : list.history.wasAccepted || !refusesCaller({ status: again.status })
      ? ''
      : '; no call of this list was accepted: if other clients work, check tenant, scope, and that authUrl and baseUrl are of one environment';
  return {
    message: `GET ${again.target} with a token just issued was answered ${again.status}${locationOf(exchange)}; it must be answered 200${hint}`,
    status: again.status,
    exchanges: [again.exchange, refusal],
  };
}

/**
 * Throws Undecided if a call with a made-up token shows that the provider knows the valid one
 * (see {@link missingAccess}), or if that call and one of a path that does not exist are answered 403 as well. In the
 * second case no answer shows that a token was read: a gateway may have no list at this URL, or block this IP address.
 */
async function expectNoMissingAccess(context: CheckContext, refused: Exchange): Promise<void> {
  const { list, target, random } = context;
  if (!refusesCaller({ status: statusOf(refused) })) return;
  const madeUp = `${random('made-up token').toString(36)}${random('made-up token again').toString(36)}`;
  const unknown = await list.call({ authorization: `Bearer ${madeUp}` });
  throwIfMistaken(missingAccess(refused, unknown, target));
  if (statusOf(refused) === 403 && statusOf(unknown) === 403) await expectOtherPathsDiffer(context, refused);
}

/** Where a redirect leads, to follow its status; empty for any other answer. */
function locationOf({ answer }: Exchange): string {
  const location = answer === null ? null : headerOf(answer.headers, 'location');
  return location === null || location.length > 200 ? '' : ` with Location: ${location}`;
}
