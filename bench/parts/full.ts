import path from 'node:path';
import { assayRun } from '../assay.ts';
import { measureInterleaved, ratioRows, wallTimeRow } from '../comparison.ts';
import { extractRequests } from '../floor/requests.ts';
import { MEASUREMENTS, type Part } from '../part.ts';
import { compiled } from '../paths.ts';
import { measureProcess } from '../process.ts';
import { startProvider, targetFile } from '../provider/start.ts';

export const full: Part = {
  name: 'full',
  about:
    'The full suite on 1,234 records, by a minimal program that sends the same requests in sequence and validates the answers.',
  measure: async (folder) => {
    const provider = await startProvider({ records: 1234, latencyMs: 0 });
    try {
      const run = { ...assayRun([targetFile(folder, 'bench', provider)], folder), statuses: [0, 1] };
      await measureProcess(run);
      const file = path.join(folder, 'requests.json');
      const requests = extractRequests(path.join(folder, 'run'), provider, file);
      const floor = { words: [compiled('floor/replay.js'), file, JSON.stringify(provider)] };
      const costs = await measureInterleaved({ floor, assay: run }, { times: MEASUREMENTS });
      return [
        ...ratioRows('full suite by the minimal program', costs.assay, costs.floor),
        { what: 'requests of a full suite', value: requests.length, unit: '' },
        wallTimeRow('full suite', costs.assay),
        wallTimeRow('the minimal program', costs.floor),
      ];
    } finally {
      provider.stop();
    }
  },
};
