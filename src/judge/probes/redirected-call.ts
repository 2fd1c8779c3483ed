import { type Exchange, headerOf } from '../../core/exchange.ts';
import type { CheckContext } from '../context.ts';
import { callOnce, recordsGiven } from './list-refusals.ts';

/**
 * Expects that the redirect of a call without a token leads to no records (5.1), once for each path of the provider in a
 * snapshot. Throws Violation, and as {@link callOnce}.
 */
export async function expectRedirectClosed(
  context: CheckContext,
  { key, description }: { readonly key: string; readonly description: string },
  refusal: Exchange,
): Promise<void> {
  const target = redirectTarget(context, refusal);
  const exchange = target === null ? null : await callOnce(context, { target, authorization: null });
  const records = exchange === null ? null : context.list.records.findIn(exchange);
  if (exchange === null || records === null) return;
  const breach = recordsGiven(`${description}, redirected to ${target},`, exchange, records, {
    key,
    counterexample: { call: description },
  });
  throw breach.withWords({}, (exchanges) => [...exchanges, refusal.number]);
}

/** The request target on the same origin that an answer redirects to; null if there is none, or if it was followed before. */
function redirectTarget({ snapshot }: CheckContext, { request, answer }: Exchange): string | null {
  const location = answer === null ? null : headerOf(answer.headers, 'location');
  const from = request.origin + request.target;
  if (answer === null || answer.status < 300 || answer.status >= 400 || location === null) return null;
  if (!URL.canParse(location, from)) return null;
  const { origin, pathname, search } = new URL(location, from);
  const followed = snapshot.memo.once(noPaths);
  if (origin !== request.origin || pathname + search === request.target || followed.has(pathname))
    return null;
  followed.add(pathname);
  return pathname + search;
}

function noPaths(): Set<string> {
  return new Set();
}
