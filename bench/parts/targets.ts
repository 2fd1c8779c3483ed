import { assayRun } from '../assay.ts';
import { measureInterleaved, type Row, ratioRows, wallTimeRow } from '../comparison.ts';
import type { Part } from '../part.ts';
import { startProvider, targetFile } from '../provider/start.ts';

export const targets: Part = {
  name: 'targets',
  about:
    'The smoke suite and the full one on 1, 8 and 32 targets in one run, each of 1,234 records and with 20 ms before each answer; all of them are served by one process, which takes its share of the processors. First with the default limits (20 requests per second for each target), then with limits that are never reached, so that the targets share the processors only.',
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
