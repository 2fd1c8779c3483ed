import type { Exchange } from '../../core/exchange.ts';
import { Undecided } from '../../core/undecided.ts';
import { isForbidden } from '../../provider/throttled-answer.ts';
import type { Client } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';
import type { ValidCall } from './connection-trial.ts';

/** Minimum number of calls with a token that were refused in a row at the end of the run. */
const MIN_REFUSED = 3;
/** Milliseconds before each call, so that a short rate limit is over. */
const PAUSE_MS = 3000;
/** Whose token each call carries. The second client shows that the address of Assay is not blocked. */
const TURNS: readonly Client[] = ['own', 'other', 'own', 'other', 'own'];

/**
 * The list call with a token just issued if the list accepted the tokens of the run at first and refuses all of them since,
 * and accepts those of the second client. Null if it accepts one again. Throws Undecided if there is no such client, or
 * if its tokens are refused as well: the provider may block an address after wrong requests.
 */
export async function findLostAccess(context: CheckContext): Promise<ValidCall | null> {
  const { list, target } = context;
  if (!list.history.wasAccepted || list.history.calls.refusedAtEnd < MIN_REFUSED) return null;
  const own = await callWithIssuedToken(context, 'own');
  if (own === null || !isRefused(own)) return null;
  const status = own.answer?.status ?? null;
  const lost = `GET ${own.request.target} was answered 200 before and is answered ${status} since, also with a token just issued`;
  const open = new Undecided({ kind: 'unavailable', status }, lost);
  if (target.otherCredentials === null || status !== 401) throw open;
  const exchanges: Exchange[] = [own];
  for (const client of TURNS) {
    await waitFor(PAUSE_MS, context);
    const exchange = await callWithIssuedToken(context, client);
    if (exchange === null) throw open;
    exchanges.unshift(exchange);
    if (client === 'own' && !isRefused(exchange)) return null;
    if (client === 'other' && exchange.answer?.status !== 200) throw open;
  }
  const refusals = exchanges.filter(isRefused).length;
  return {
    message:
      `GET ${own.request.target} with a token just issued was answered ${status}, ${refusals} times; ` +
      'it was answered 200 earlier in this run, and 200 in between with a token of the second provider. It must be answered 200',
    status,
    exchanges: exchanges.slice(0, 2).map(({ number }) => number),
  };
}

/** A list call with a token that is requested for it; null if none is issued. */
function callWithIssuedToken({ tokens, list }: CheckContext, client: Client): Promise<Exchange | null> {
  return tokens.lock.runAlone(async () => {
    const { token } = await tokens.requestAnother(client);
    return token === null ? null : list.call({ authorization: `Bearer ${token}` });
  });
}

function isRefused(exchange: Exchange): boolean {
  return exchange.answer?.status === 401 || isForbidden(exchange);
}
