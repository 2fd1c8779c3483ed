import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import type { Mock, MockOptions } from '../../../src/mock/index.ts';
import { conform } from '../../../src/run/conform.ts';
import { replay } from '../../../src/run/replay/replay.ts';
import type { Target } from '../../../src/target/target.ts';
import { found } from '../../support/hostile/traces-of.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { page, tokenOf } from '../../support/mock/client.ts';
import { runOptions } from '../../support/run-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const RECORDS = 700;

/** Breaches whose messages quote records, or depend on the form of items. */
const SUBJECTS: readonly MockOptions[] = [
  {},
  { defects: ['item-display-name-spelled'] },
  { defects: ['traversal-ids-of-one-page-collide'] },
  { defects: ['gate-open-with-page-size'] },
];

/** Every text of every item of the provider. */
async function textsOf(mock: Mock): Promise<ReadonlySet<string>> {
  const token = await tokenOf(mock);
  const texts = new Set<string>();
  for (const skip of [0, 500])
    for (const item of (await page(mock, token, `?$skip=${skip}&$pagesize=500`)).items)
      for (const value of Object.values(item)) if (typeof value === 'string') texts.add(value);
  return texts;
}

async function judged(
  target: Target,
  run: (results: Results, file: string) => Promise<void>,
): Promise<Results> {
  const evidenceFile = path.join(temporaryFolder('privacy'), 'evidence.ndjson.gz');
  const results = await conform([target], runOptions({ evidenceFile }));
  await run(results, evidenceFile);
  return results;
}

function verdicts(results: Results): readonly (readonly [string, string, number])[] {
  return (results.targets[0]?.requirements ?? []).map(({ id, verdict, cases }) => [id, verdict, cases]);
}

describe('evidence that is pseudonymous, and digests', () => {
  it.each(SUBJECTS)('contain no name, have the same verdicts, and can be replayed (%o)', async (options) => {
    const mock = await openMock({ records: RECORDS, ...options });
    const names = [...(await textsOf(mock))].filter((text) => text.length > 3);
    expect(names.length).toBeGreaterThan(RECORDS);
    const full = await judged(targetOf(mock), async () => {});
    for (const evidence of ['pseudonymous', 'digest'] as const) {
      const veiled = await judged(targetOf(mock, { evidence }), async (results, file) => {
        const written = JSON.stringify(results) + gunzipSync(readFileSync(file)).toString('utf8');
        expect(found('the run', Buffer.from(written), new Map([['a name', names]]))).toEqual([]);
        const again = await replay(results, file);
        expect(again.missing).toEqual([]);
        expect(again.differences).toEqual([]);
      });
      expect(verdicts(veiled), evidence).toEqual(verdicts(full));
    }
  });
});
