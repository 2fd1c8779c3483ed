import { measureInterleaved, peakMemoryRow, ratioRows, wallTimeRow } from '../comparison.ts';
import type { Part } from '../part.ts';
import { cpuMsOf, measureProcess } from '../process.ts';
import { ratioOf, rounded } from '../statistics.ts';
import { startTraversalPair } from '../traversals.ts';

export const traversal: Part = {
  name: 'traversal',
  about:
    '1,000,000 records read by their 2,000 links with every check, evidence and report, by a minimal loop over node:http that only finds the link. Slope: the time of 1,000,000 records by ten times that of 100,000, without start-up. The provider cuts its pages from a buffer.',
  measure: async (folder) => {
    const long = await startTraversalPair({ records: 1_000_000, latencyMs: 0 }, folder);
    const short = await startTraversalPair({ records: 100_000, latencyMs: 0 }, folder);
    const one = await startTraversalPair({ records: 1234, latencyMs: 0 }, folder);
    try {
      const costs = await measureInterleaved(
        { floor: long.floor, long: long.assay, short: short.assay, one: one.assay },
        { times: 5 },
      );
      const before = cpuMsOf(long.provider.pid);
      const { cpuMs } = await measureProcess(long.assay);
      const providerShare = (cpuMsOf(long.provider.pid) - before) / cpuMs;
      const startUp = (index: number): number => costs.one[index]?.wallMs ?? 0;
      const slope = ratioOf(
        costs.long.map(({ wallMs }, index) => wallMs - startUp(index)),
        costs.short.map(({ wallMs }, index) => 10 * (wallMs - startUp(index))),
      );
      return [
        ...ratioRows('1,000,000 records by the minimal loop', costs.long, costs.floor, 4),
        { what: 'slope from 100,000 to 1,000,000', value: slope, unit: 'x', bar: 1.15 },
        peakMemoryRow('peak memory', costs.long, 190),
        { what: 'the provider by the traversal, processor time', value: rounded(providerShare), unit: 'x' },
        wallTimeRow('1,000,000 records', costs.long),
        wallTimeRow('100,000 records', costs.short),
        wallTimeRow('the minimal loop', costs.floor),
      ];
    } finally {
      for (const { provider } of [long, short, one]) provider.stop();
    }
  },
};
