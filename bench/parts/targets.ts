import { assayRun } from '../assay.ts';
import type { Part } from '../part.ts';
import { startProvider, targetFile } from '../provider/start.ts';
import { inTurns, milliseconds, timesFloor } from '../turns.ts';

export const targets: Part = {
  name: 'targets',
  about:
    'The full suite on 1, 8 and 32 targets in one run, each of 1,234 records and with 20 ms before each answer.',
  measure: async (folder) => {
    const provider = await startProvider({ records: 1234, latencyMs: 20 });
    try {
      const files = Array.from({ length: 32 }, (_none, index) =>
        targetFile(folder, `target-${index}`, provider, `/t${index}`),
      );
      const run = (count: number) => assayRun(files.slice(0, count), folder);
      const costs = await inTurns({ one: run(1), eight: run(8), all: run(32) }, { times: 5, warm: 0 });
      return [
        ...timesFloor('8 targets by one', costs.eight, costs.one),
        ...timesFloor('32 targets by one', costs.all, costs.one, 1.8),
        milliseconds('one target', costs.one),
        milliseconds('32 targets', costs.all),
      ];
    } finally {
      provider.stop();
    }
  },
};
