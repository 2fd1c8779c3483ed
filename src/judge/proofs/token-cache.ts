import type { CallOptions } from '../../provider/list-client.ts';
import type { CheckContext } from '../context.ts';
import { repeatedly, unsharedTarget } from '../probes/list-refusals.ts';
import { Violation } from '../violation.ts';

/**
 * The violation of a call derived from a token, with the two calls that show it, if such calls give records only after
 * the same call with the token itself, as from a cache. Null if they also give records with a token that was not used
 * before, or if no such token is issued.
 *
 * @param callWith makes the call that gave records from another token; null if it cannot
 */
export async function ofTokenCache(
  context: CheckContext,
  met: Violation,
  callWith: (token: string) => Promise<CallOptions | null>,
): Promise<Violation | null> {
  const { list, tokens } = context;
  const [breach] = met.breaches;
  const { token } = await tokens.unshared();
  if (breach === undefined || token === null || tokens.history.wasAccepted(token)) return null;
  const derived = await callWith(token);
  if (derived === null) return null;
  const target = derived.target?.includes(token) === true ? derived.target : unsharedTarget(context, 7);
  const call = { ...derived, target };
  if ((await repeatedly(context, call, false)) === null) return null;
  const warm = await list.call({ target, authorization: `Bearer ${token}` });
  const leaked = await repeatedly(context, call, true);
  if (leaked === null) return null;
  return new Violation({
    ...breach,
    message: `${breach.message}. It gives them only after the same call with the token itself, as a cache does`,
    exchanges: [...breach.exchanges, leaked, warm.number],
    sequence: [
      { exchange: warm.number, token: 1 },
      { exchange: leaked, token: 1 },
    ],
  });
}
