import path from 'node:path';
import { expect, test } from 'vitest';
import { indexEvidence, readEvidenceLines } from '../../../src/evidence/reader.ts';
import { conform } from '../../../src/run/conform.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('evidence records which checks used which answers, also those that another check requested', async () => {
  const mock = await openMock({});
  const evidenceFile = path.join(temporaryFolder('uses'), 'evidence.ndjson.gz');
  await conform([targetOf(mock)], runOptions({ evidenceFile }));
  const targets = new Map<number, string>();
  for await (const { line } of readEvidenceLines(evidenceFile))
    if ('request' in line) targets.set(line.number, line.request.target);
  const uses = (await indexEvidence(evidenceFile)).uses.get('mock') ?? {};
  const taken = (check: string): readonly string[] =>
    (uses[check] ?? []).flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_none, index) => targets.get(first + index) ?? 'nothing'),
    );
  const requests = ['', '&$pagesize=500&$skip=500', '&$pagesize=500&$skip=1000'].map(
    (rest) => `/v1/printers?$count=true${rest}`,
  );
  // Each of them judges the same traversal, which one alone requested.
  for (const check of ['list/items', 'count/equals-records', 'traversal/followable', 'link/offset'])
    expect(taken(check)).toEqual(expect.arrayContaining(requests));
  expect(taken('token/grant-type').every((target) => target === '/connect/token')).toBe(true);
  expect(Object.keys(uses).flatMap(taken)).not.toContain('nothing');
});
