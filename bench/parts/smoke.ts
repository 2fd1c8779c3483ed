import path from 'node:path';
import { assayRun } from '../assay.ts';
import { measureInterleaved, ratioRows, wallTimeRow } from '../comparison.ts';
import { extractRequests } from '../floor/requests.ts';
import type { Part } from '../part.ts';
import { compiled } from '../paths.ts';
import { measureProcess } from '../process.ts';
import { startProvider, targetFile } from '../provider/start.ts';

export const smoke: Part = {
  name: 'smoke',
  about:
    '`assay run --suite smoke` on 1,234 records, with report and evidence, by a minimal program: node:http and ajv, which sends the same requests, makes the same assertions and writes nothing.',
  measure: async (folder) => {
    const provider = await startProvider({ records: 1234, latencyMs: 0 });
    try {
      const run = assayRun([targetFile(folder, 'bench', provider)], folder, '--suite', 'smoke');
      await measureProcess(run);
      const file = path.join(folder, 'requests.json');
      const requests = extractRequests(path.join(folder, 'run'), provider, file);
      const floor = { words: [compiled('floor/smoke.js'), file, JSON.stringify(provider)] };
      const nothing = { words: ['--eval', '0'] };
      const costs = await measureInterleaved({ floor, assay: run, nothing }, { times: 11 });
      return [
        ...ratioRows('smoke by the minimal program', costs.assay, costs.floor, 1.5),
        { what: 'requests of a smoke run', value: requests.length, unit: '', bar: 20 },
        wallTimeRow('smoke', costs.assay),
        wallTimeRow('the minimal program', costs.floor),
        wallTimeRow('`node --eval 0`', costs.nothing),
      ];
    } finally {
      provider.stop();
    }
  },
};
