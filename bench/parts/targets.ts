import { assayRun } from '../assay.ts';
import { measureInterleaved, type Row, ratioRows, wallTimeRow } from '../comparison.ts';
import type { Part } from '../part.ts';
import { startProvider, targetFile } from '../provider/start.ts';

export const targets: Part = {
  name: 'targets',
  about:
    'The suites on 1, 8 and 32 targets in one run, with 20 ms per answer, all served by one process. First with the default limits, then with limits that are never reached.',
  measure: async (folder) => {
    const provider = await startProvider({ records: 1234, latencyMs: 20 });
    try {
      const filesOf = (name: string, lifted: boolean): readonly string[] =>
        Array.from({ length: 32 }, (_none, index) =>
          targetFile(folder, `${name}-${index}`, provider, { prefix: `/t${index}`, lifted }),
        );
      const limited = filesOf('limited', false);
      const files = filesOf('target', true);
      const rows: Row[] = [];
      for (const suite of ['smoke', 'full']) {
        const run = (count: number) => assayRun(limited.slice(0, count), folder, '--suite', suite);
        const costs = await measureInterleaved({ one: run(1), all: run(32) }, { times: 5, warm: 0 });
        rows.push(
          ...ratioRows(`${suite}, usual limits: 32 targets by one`, costs.all, costs.one, 1.8),
          wallTimeRow(`${suite}, usual limits: 32 targets`, costs.all),
        );
      }
      for (const suite of ['smoke', 'full']) {
        const run = (count: number) => assayRun(files.slice(0, count), folder, '--suite', suite);
        const costs = await measureInterleaved(
          { one: run(1), eight: run(8), all: run(32) },
          { times: 5, warm: 0 },
        );
        rows.push(
          ...ratioRows(`${suite}: 8 targets by one`, costs.eight, costs.one),
          ...ratioRows(`${suite}: 32 targets by one`, costs.all, costs.one, 1.8),
          wallTimeRow(`${suite}: one target`, costs.one),
          wallTimeRow(`${suite}: 32 targets`, costs.all),
        );
      }
      return rows;
    } finally {
      provider.stop();
    }
  },
};
