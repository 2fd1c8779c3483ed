import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { conform } from '../../../src/index.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function schemaOf(name: string): string {
  return JSON.stringify({ type: 'object', required: [name], properties: { [name]: { type: 'string' } } });
}

it.each(['full', 'pseudonymous'] as const)(
  'a schema file may begin with a byte order mark, with %s evidence',
  async (evidence) => {
    const folder = temporaryFolder('schema-files');
    const itemSchema = path.join(folder, 'printer.json');
    writeFileSync(itemSchema, `\uFEFF${schemaOf('id')}`);
    const resources = [{ name: 'printers', path: '/v1/printers', idField: 'id', itemSchema }];
    const target = targetOf(await openMock({ records: 3 }), { evidence, resources });
    const evidenceFile = path.join(folder, 'evidence.ndjson.gz');
    const { targets } = await conform(target, { suite: 'smoke', only: ['list/*'], evidenceFile });
    expect(targets[0]?.requirements.filter(({ verdict }) => verdict === 'pass')).not.toEqual([]);
  },
);

it('a schema file that changed is read again by the next run of a process', async () => {
  const itemSchema = path.join(temporaryFolder('schema-files'), 'printer.json');
  const resources = [{ name: 'printers', path: '/v1/printers', idField: 'id', itemSchema }];
  const target = targetOf(await openMock({ records: 3 }), { resources });
  const verdictFor = async (required: string): Promise<string | undefined> => {
    writeFileSync(itemSchema, schemaOf(required));
    const { targets } = await conform(target, { suite: 'smoke', only: ['list/items'] });
    return targets[0]?.requirements.find(({ id }) => id === 'list/items')?.verdict;
  };
  expect([await verdictFor('id'), await verdictFor('colour'), await verdictFor('id')]).toEqual([
    'pass',
    'fail',
    'pass',
  ]);
});
