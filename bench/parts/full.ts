import path from 'node:path';
import { assayRun } from '../assay.ts';
import { inTurns, milliseconds, timesFloor } from '../comparison.ts';
import { requestsOf } from '../floor/requests.ts';
import { type Part, TIMES } from '../part.ts';
import { compiled } from '../paths.ts';
import { costOf } from '../process.ts';
import { startProvider, targetFile } from '../provider/start.ts';

export const full: Part = {
  name: 'full',
  about:
    '`assay run` with all checks on a list of 1,234 records, against a program that makes the same requests one after the other, parses each answer and holds it to the same schemas.',
  measure: async (folder) => {
    const provider = await startProvider({ records: 1234, latencyMs: 0 });
    try {
      const run = { ...assayRun([targetFile(folder, 'bench', provider)], folder), statuses: [0, 1] };
      await costOf(run);
      const file = path.join(folder, 'requests.json');
      const asked = requestsOf(path.join(folder, 'run'), provider, file);
      const floor = { words: [compiled('floor/replay.js'), file, JSON.stringify(provider)] };
      const costs = await inTurns({ floor, assay: run }, { times: TIMES });
      return [
        ...timesFloor('full suite by its floor', costs.assay, costs.floor),
        { what: 'requests of a full suite', value: asked.length, unit: '' },
        milliseconds('full suite', costs.assay),
        milliseconds('its floor', costs.floor),
      ];
    } finally {
      provider.stop();
    }
  },
};
