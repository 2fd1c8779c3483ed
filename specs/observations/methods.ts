import { observation, summarizeOutcomes } from '../../src/judge/observation.ts';

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
      const exchange = await list.call({ method, authorization: null });
      const status = exchange.answer?.status ?? 0;
      const found = list.records.findIn(exchange);
      given ||= found !== null && status >= 200 && status < 300;
      detail[method] = found === null ? `status ${status}` : `status ${status} with ${found}`;
      exchanges.push(exchange.number);
    }
    return { value: summarizeOutcomes(detail), attention: given, detail, exchanges };
  },
});
