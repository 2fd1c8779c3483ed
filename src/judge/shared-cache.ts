import type { CheckContext } from './context.ts';
import { callOnce } from './list-refusals.ts';
import { Violation } from './violation.ts';

/**
 * Carries out a test of calls without a token. If one of them gave records, finds out whether calls without a token give
 * records only after the same call with a token, as from a shared cache: then the violation says so and names both calls.
 */
export async function explainingSharedCache(context: CheckContext, test: () => Promise<void>): Promise<void> {
  try {
    await test();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw (await ofSharedCache(context, error).catch(() => null)) ?? error;
  }
}

async function ofSharedCache(context: CheckContext, met: Violation): Promise<Violation | null> {
  const { list, tokens, random } = context;
  const [breach] = met.breaches;
  if (breach === undefined) return null;
  // Requested by nothing else, and of a page behind the first one, since caches may differ.
  const target = `${list.path}?$count=true&$pagesize=${101 + (random('cold') % 99)}&$skip=3`;
  const givesRecords = async (): Promise<number | null> => {
    const exchange = await callOnce(context, { target, authorization: null });
    return exchange !== null && list.recordsIn(exchange) !== null ? exchange.number : null;
  };
  if ((await givesRecords()) !== null) return null;
  const warm = await list.call({ target, authorization: `Bearer ${await tokens.bearer()}` });
  const leaked = await givesRecords();
  if (leaked === null) return null;
  return new Violation({
    ...breach,
    message: `${breach.message}. It gives them only after the same call with a token, as a cache does whose key is the URL alone`,
    exchanges: [...breach.exchanges, leaked, warm.number],
    sequence: [
      { exchange: warm.number, token: 1 },
      { exchange: leaked, token: null },
    ],
  });
}
