import { readFileSync } from 'node:fs';
import { measureInterleaved, ratioRows } from '../comparison.ts';
import { MEASUREMENTS, type Part } from '../part.ts';
import { compiled } from '../paths.ts';
import { startReference } from '../provider/reference.ts';
import { startProvider } from '../provider/start.ts';

export const mock: Part = {
  name: 'mock',
  about:
    '2,000 list calls of 500 records to `assay mock`, which computes its records, by a provider that has them ready.',
  measure: async (folder) => {
    const ready = await startProvider({ records: 1234, latencyMs: 0 });
    const reference = await startReference(folder, 'mock', []);
    try {
      const text = readFileSync(reference.file, 'utf8');
      const value = (name: string): string => {
        const [found] = [...text.matchAll(new RegExp(`^ *${name}: "?([^"\\n]+)`, 'gm'))];
        return found?.[1] ?? '';
      };
      const flood = (given: object) => ({ words: [compiled('floor/flood.js'), JSON.stringify(given)] });
      const costs = await measureInterleaved(
        {
          ready: flood(ready),
          mock: flood({
            url: value('baseUrl'),
            tenant: value('tenant'),
            clientId: value('clientId'),
            clientSecret: value('clientSecret'),
            scope: value('scope'),
          }),
        },
        { times: MEASUREMENTS },
      );
      return ratioRows('`assay mock` by a bare provider', costs.mock, costs.ready);
    } finally {
      ready.stop();
      reference.stop();
    }
  },
};
