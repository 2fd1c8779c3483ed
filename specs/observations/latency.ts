import { groupBy } from '../../src/core/maps.ts';
import type { Json } from '../../src/core/results.ts';
import { trafficOf } from '../../src/core/traffic.ts';
import { observation, parameterIn } from '../../src/judge/observation.ts';

export const latency = observation({
  id: 'observe/latency',
  clause: ['8'],
  of: 'Median, 95th and 99th percentile and maximum of the response time, by page size and by position of the page.',
  scope: 'list',
  observe: ({ listExchanges }) => {
    const answered = listExchanges.filter(({ status }) => status === 200);
    if (answered.length === 0) return null;
    const all = trafficOf(answered).latencyMs;
    const medianBy = (parameter: string, usual: string): { [value: string]: Json } => {
      const groups = groupBy(answered, ({ request }) => parameterIn(request.target, parameter) ?? usual);
      return Object.fromEntries([...groups].map(([value, group]) => [value, trafficOf(group).latencyMs.p50]));
    };
    return {
      value: `${all.p50} ms (median), ${all.p95} ms (95 %), ${all.p99} ms (99 %), ${all.max} ms (slowest)`,
      detail: {
        ...all,
        medianByPageSize: medianBy('$pagesize', 'default'),
        medianByOffset: medianBy('$skip', '0'),
      },
    };
  },
});
