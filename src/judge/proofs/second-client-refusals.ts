import { hasParameter } from '../../provider/link.ts';
import type { ListAnswer, NoPage } from '../../provider/page.ts';
import { isUndecided } from '../../provider/throttled-answer.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { orNull } from '../optional-answer.ts';
import { allSecondClientPages } from '../probes/second-client.ts';

/** Turns in which the call gives no page, and the first page is given right before and right after it. */
const TURNS = 3;
/** Milliseconds between them: longer in all than most rate limits and restarts last. */
const PAUSE_MS = 2000;

/** A call of the second provider's client that gives no page each time. */
interface CallWithoutPage {
  readonly answer: NoPage;
  /** What shows that nothing else is the reason, as a clause. */
  readonly proof: string;
  readonly exchanges: readonly number[];
}

/**
 * A call of the second provider's client that never gives a page, although its token is accepted for the first page right
 * before and right after it. A client without the right to list is given no page at all. Null if there is none.
 *
 * @param kind whether the call is refused, or answered 200 without a list
 */
export async function findCallWithoutPage(
  context: CheckContext,
  kind: NoPage['kind'],
): Promise<CallWithoutPage | null> {
  const { pages, withoutPage, own } = await allSecondClientPages(context);
  const [first] = pages;
  // Refused pages behind the first one are for traversal/followable, or only refused by their parameters.
  const seen = withoutPage.find(
    (answer) =>
      answer.kind === kind &&
      !isUndecided(answer.status) &&
      (kind === 'no-envelope' || !hasParameter(answer.target, '$skip')),
  );
  if (first === undefined || seen === undefined || own === null) return null;
  const { client } = own.at(0);
  const isAlike = (answer: ListAnswer | null): boolean =>
    answer?.kind === kind && answer.status === seen.status;
  const exchanges = [seen.exchange, first.exchange];
  let answer: NoPage = seen;
  for (let turn = 0; turn < TURNS; turn++) {
    await waitFor(PAUSE_MS, context);
    const before = await orNull(client.authorized(first.target));
    const again = await orNull(client.authorized(seen.target));
    const after = await orNull(client.authorized(first.target));
    if (before?.kind !== 'page' || after?.kind !== 'page' || again === null || !isAlike(again)) return null;
    if (again.kind !== 'page') answer = again;
    exchanges.unshift(again.exchange, before.exchange);
  }
  return {
    answer,
    proof:
      `with a token of the second provider, and ${TURNS} times more over some seconds; GET ${first.target} with that token was ` +
      'answered 200 right before and right after each of these',
    exchanges: exchanges.slice(0, 2),
  };
}
