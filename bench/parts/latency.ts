import path from 'node:path';
import { assayRun } from '../assay.ts';
import { measureInterleaved, ratioRows, wallTimeRow } from '../comparison.ts';
import { extractRequests } from '../floor/requests.ts';
import type { Part } from '../part.ts';
import { measureProcess } from '../process.ts';
import { startProvider, targetFile } from '../provider/start.ts';
import { spreadOf } from '../statistics.ts';
import { startTraversalPair } from '../traversals.ts';

const CONCURRENCY = 4;

export const latency: Part = {
  name: 'latency',
  about:
    'With 5 ms per answer, a traversal of 1,000,000 records by the minimal loop (see traversal). With 50 ms and four requests at a time, the full suite by the ideal: a quarter of its requests, times 50 ms.',
  measure: async (folder) => {
    const traversals = await startTraversalPair({ records: 1_000_000, latencyMs: 5 }, folder);
    const slow = await startProvider({ records: 1234, latencyMs: 50 });
    try {
      const costs = await measureInterleaved(
        { floor: traversals.floor, assay: traversals.assay },
        { times: 5, warm: 0 },
      );
      const suite = assayRun([targetFile(folder, 'slow', slow)], folder);
      await measureProcess(suite);
      const requests = extractRequests(
        path.join(folder, 'run'),
        slow,
        path.join(folder, 'requests.json'),
      ).length;
      const { full } = await measureInterleaved({ full: suite }, { times: 5, warm: 0 });
      const ideal = (requests / CONCURRENCY) * 50;
      return [
        ...ratioRows('a traversal at 5 ms by the minimal loop', costs.assay, costs.floor, 1.15),
        {
          what: `full suite of ${requests} requests at 50 ms by the ideal`,
          value: spreadOf(full.map(({ wallMs }) => wallMs / ideal)),
          unit: 'x',
          bar: 1.6,
        },
        wallTimeRow('full suite at 50 ms', full),
      ];
    } finally {
      traversals.provider.stop();
      slow.stop();
    }
  },
};
