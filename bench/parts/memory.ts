import type { Part } from '../part.ts';
import { costOf } from '../process.ts';
import { peak, type Row } from '../turns.ts';
import { walksOver } from '../walks.ts';

const SIZES = [10_000, 100_000, 1_000_000, 5_000_000];

export const memory: Part = {
  name: 'memory',
  about:
    'The most memory that a walk takes, with every check of every page, for lists of growing length; the higher of two runs.',
  measure: async (folder) => {
    const rows: Row[] = [];
    for (const records of SIZES) {
      const { provider, assay } = await walksOver({ records, latencyMs: 0 }, folder);
      try {
        const costs = [await costOf(assay), await costOf(assay)];
        rows.push(
          peak(`${records.toLocaleString('en-US')} records`, costs, ...(records === 1_000_000 ? [190] : [])),
        );
      } finally {
        provider.stop();
      }
    }
    return rows;
  },
};
