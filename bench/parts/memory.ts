import { peakMemoryRow, type Row } from '../comparison.ts';
import type { Part } from '../part.ts';
import { measureProcess } from '../process.ts';
import { startTraversalPair } from '../traversals.ts';

const SIZES = [10_000, 100_000, 1_000_000, 5_000_000];

export const memory: Part = {
  name: 'memory',
  about: 'Peak memory of a traversal with all checks; the higher of two runs.',
  measure: async (folder) => {
    const rows: Row[] = [];
    for (const records of SIZES) {
      const { provider, assay } = await startTraversalPair({ records, latencyMs: 0 }, folder);
      try {
        const costs = [await measureProcess(assay), await measureProcess(assay)];
        rows.push(
          peakMemoryRow(
            `${records.toLocaleString('en-US')} records`,
            costs,
            ...(records === 1_000_000 ? [190] : []),
          ),
        );
      } finally {
        provider.stop();
      }
    }
    return rows;
  },
};
