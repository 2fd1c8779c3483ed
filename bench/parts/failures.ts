import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { assayRun } from '../assay.ts';
import { measureInterleaved, ratioRows } from '../comparison.ts';
import type { Part } from '../part.ts';
import { startReference } from '../provider/reference.ts';
import { rounded } from '../statistics.ts';

/** Defects that do not mask each other. */
const DEFECTS = [
  'expires-in-text',
  'secret-any',
  'client-any-case',
  'gate-open',
  'item-agent-null',
  'limit-one-more',
  'link-absolute',
  'skip-one-too-few',
  'count-of-page',
];

/** The list under five names, so that each defect of lists fails five times. */
const LISTS = ['a', 'b', 'c', 'd', 'e']
  .map((name) => `  - {name: ${name}, path: /v1/printers, itemSchema: printer, idField: id}\n`)
  .join('');

interface Results {
  readonly targets: readonly [
    {
      readonly traffic: { readonly requests: number };
      readonly requirements: readonly { readonly verdict: string }[];
    },
  ];
}

export const failures: Part = {
  name: 'failures',
  about: 'The full suite on five lists of a provider with many defects, by the same on a conforming one.',
  measure: async (folder) => {
    const conforming = await startReference(folder, 'good', []);
    const defective = await startReference(folder, 'bad', DEFECTS);
    try {
      for (const { file } of [conforming, defective]) appendFileSync(file, `resources:\n${LISTS}`);
      const into = (name: string) => path.join(folder, name);
      const costs = await measureInterleaved(
        {
          good: assayRun([conforming.file], into('of-good')),
          bad: { ...assayRun([defective.file], into('of-bad')), statuses: [1] },
        },
        { times: 5 },
      );
      const of = (name: string) =>
        (JSON.parse(readFileSync(path.join(into(name), 'run/results.json'), 'utf8')) as Results).targets[0];
      const failed = of('of-bad').requirements.filter(({ verdict }) => verdict === 'fail').length;
      const requests = rounded(of('of-bad').traffic.requests / of('of-good').traffic.requests);
      return [
        ...ratioRows(`a run with ${failed} failures by a passing one`, costs.bad, costs.good, 1.5),
        { what: 'its requests by those of a passing one', value: requests, unit: 'x', bar: 1.5 },
      ];
    } finally {
      conforming.stop();
      defective.stop();
    }
  },
};
