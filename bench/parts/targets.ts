import { assayRun } from '../assay.ts';
import type { Part } from '../part.ts';
import { startProvider, targetFile } from '../provider/start.ts';
import { inTurns, milliseconds, type Row, timesFloor } from '../turns.ts';

export const targets: Part = {
  name: 'targets',
  about:
    'The smoke suite and the full one on 1, 8 and 32 targets in one run, each of 1,234 records and with 20 ms before each answer. All of them are served by one process, which takes its share of the processors.',
  measure: async (folder) => {
    const provider = await startProvider({ records: 1234, latencyMs: 20 });
    try {
      const files = Array.from({ length: 32 }, (_none, index) =>
        targetFile(folder, `target-${index}`, provider, `/t${index}`),
      );
      const rows: Row[] = [];
      for (const suite of ['smoke', 'full']) {
        const run = (count: number) => assayRun(files.slice(0, count), folder, '--suite', suite);
        const costs = await inTurns({ one: run(1), eight: run(8), all: run(32) }, { times: 5, warm: 0 });
        rows.push(
          ...timesFloor(`${suite}: 8 targets by one`, costs.eight, costs.one),
          ...timesFloor(`${suite}: 32 targets by one`, costs.all, costs.one, 1.8),
          milliseconds(`${suite}: one target`, costs.one),
          milliseconds(`${suite}: 32 targets`, costs.all),
        );
      }
      return rows;
    } finally {
      provider.stop();
    }
  },
};
