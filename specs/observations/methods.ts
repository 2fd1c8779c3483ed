import type { Exchange } from '../../src/core/exchange.ts';
import { observation, summarizeOutcomes } from '../../src/judge/observation.ts';
import { isEndedByProvider } from '../../src/judge/probes/list-variations.ts';
import type { ListClient } from '../../src/provider/list-client.ts';
import { NoAnswer } from '../../src/provider/sender.ts';

export const methods = observation({
  id: 'observe/methods',
  clause: ['4.2'],
  of: `What HEAD, OPTIONS, POST, PUT and DELETE on the list path return without a token. They are never sent with one,
    and only if the target file allows it. Needs attention if any is answered 2xx with records.`,
  advice: 'RFC 9110, section 15.5.6: answer an unsupported method with 405 and an Allow header.',
  scope: 'list',
  sendsRequests: true,
  observe: async ({ list, target }) => {
    if (!target.probes.methods)
      return { value: 'not tried: the target file does not allow it (probes.methods)' };
    const detail: { [method: string]: string } = {};
    const exchanges: number[] = [];
    let given = false;
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']) {
      const exchange = await callWithMethod(list, method);
      const status = exchange.answer?.status ?? 0;
      const found = list.records.findIn(exchange);
      given ||= found !== null && status >= 200 && status < 300;
      const outcome = exchange.answer === null ? 'no answer' : `status ${status}`;
      detail[method] = found === null ? outcome : `${outcome} with ${found}`;
      exchanges.push(exchange.number);
    }
    return { value: summarizeOutcomes(detail), attention: given, detail, exchanges };
  },
});

/** The exchange of such a call, also if the provider ended it without an answer: it may answer the other methods. */
async function callWithMethod(list: ListClient, method: string): Promise<Exchange> {
  try {
    return await list.call({ method, authorization: null });
  } catch (error) {
    if (error instanceof NoAnswer && isEndedByProvider(error)) return error.exchange;
    throw error;
  }
}
