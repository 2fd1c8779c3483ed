import type { Exchange } from '../../core/exchange.ts';
import { hasParameter } from '../../provider/link.ts';
import { isForbidden, isOfGateway } from '../../provider/throttled-answer.ts';
import type { CheckContext } from '../context.ts';
import { refusalsInTurns } from '../probes/valid-token-calls.ts';
import type { ValidCall } from './connection-trial.ts';

/** Request targets that are tested at most. */
const MAX_TARGETS = 2;

/**
 * A first page that was given in this run and is refused since, if that lasts: over some seconds, the plain list call is
 * answered 200 right before and right after each refusal, so that neither an outage nor a rate limit explains it. Null if
 * there is none, or if a gateway or an access rule refuses it.
 */
export async function findLostFirstPage(context: CheckContext): Promise<ValidCall | null> {
  const { list, exercised } = context;
  const { calls } = list.history;
  const lost = [...calls.lost].filter(
    ([target]) => !hasParameter(target, '$skip') && list.history.isWithin(target),
  );
  for (const [target, { exchange, status }] of lost.slice(0, MAX_TARGETS)) {
    const accepted = target === list.path ? `${list.path}?$count=true` : list.path;
    const isRefused = (one: Exchange): boolean =>
      one.answer?.status === status && !isOfGateway(status) && !isForbidden(one);
    const refusals = await refusalsInTurns(context, { refused: target, accepted }, isRefused);
    const [last] = refusals ?? [];
    if (refusals === null || last === undefined) continue;
    exercised();
    return {
      message:
        `GET ${target} with a valid token was answered 200 before and is answered ${status} since, ${refusals.length} ` +
        `times over some seconds; GET ${accepted} was answered 200 right before and right after each of them. ` +
        'Each call must be answered 200',
      status,
      exchanges: [last.number, exchange],
    };
  }
  return null;
}
