import type { Exchange } from '../../core/exchange.ts';
import { hasParameter, parametersOf, valuesOf, wholeNumberIn } from '../../provider/link.ts';
import { isForbidden, isOfGateway } from '../../provider/throttled-answer.ts';
import type { CheckContext } from '../context.ts';
import { findLastingRefusals } from '../probes/lasting-refusals.ts';
import { Violation, violationOfStatus } from '../violation.ts';

/** Request targets that are tested at most. */
const MAX_TARGETS = 2;

/**
 * The breach of a first page that was given in this run and is refused since, if that lasts. Null if there is none, or if a gateway or an
 * access rule refuses it.
 */
export async function findLostFirstPage(context: CheckContext): Promise<Violation | null> {
  const lost = await findRefusedFirstPage(context, (_target, wasAnswered) => wasAnswered);
  if (lost === null) return null;
  const { target, status, proof, exchanges } = lost;
  const message = `GET ${target} with a valid token was answered 200 before and is answered ${status} since, ${proof}`;
  return violationOfStatus(status, { message: `${message}. Each call must be answered 200`, exchanges });
}

/**
 * Expects that no first page with a page size was refused each time, whichever check requested it. Throws Violation if
 * that lasts.
 */
export async function expectNoSizeRefused(context: CheckContext): Promise<void> {
  const refused = await findRefusedFirstPage(
    context,
    (target, wasAnswered) => !wasAnswered && hasParameter(target, '$pagesize'),
  );
  if (refused === null) return;
  const { target, status, proof, exchanges } = refused;
  const pageSize = wholeNumberIn(parametersOf(target), '$pagesize');
  throw new Violation({
    message: `GET ${target} was answered ${status}, ${proof}; a first page holds ${pageSize} records, or all if there are fewer`,
    expected: pageSize,
    actual: `status ${status}`,
    counterexample: { request: target, pageSize },
    exchanges,
  });
}

/**
 * A first page whose last call was refused, if that lasts: over some seconds, the plain list call is answered 200 right before
 * and right after each refusal. A refusal of `$count=false` is left to authorization/accepted, one of encoded names to page-size/encoded-name.
 *
 * @param isMeant whether to test a request target, by whether it was ever answered 200
 * @returns the refusal, the last exchange first, and as `proof` a clause that says why neither an outage nor a limit is the reason
 */
async function findRefusedFirstPage(
  context: CheckContext,
  isMeant: (target: string, wasAnswered: boolean) => boolean,
) {
  const { list, exercised } = context;
  const refused = [...list.history.calls.failedLast].filter(
    ([target, { wasAnswered }]) =>
      isMeant(target, wasAnswered) &&
      !hasParameter(target, '$skip') &&
      !target.includes('%24') &&
      valuesOf(parametersOf(target), '$count')[0] !== 'false' &&
      list.history.isWithin(target),
  );
  for (const [target, { exchange, status }] of refused.slice(0, MAX_TARGETS)) {
    const accepted = target === list.path ? `${list.path}?$count=true` : list.path;
    const isRefused = (one: Exchange): boolean =>
      one.answer?.status === status && !isOfGateway(status) && !isForbidden(one);
    const refusals = await findLastingRefusals(context, { refused: target, accepted }, isRefused);
    const [last] = refusals ?? [];
    if (refusals === null || last === undefined) continue;
    exercised();
    const proof =
      `${refusals.length} times over some seconds; GET ${accepted} was answered 200 right before and right after each of ` +
      'them';
    return { target, status, proof, exchanges: [last, exchange] };
  }
  return null;
}
