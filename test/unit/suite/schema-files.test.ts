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
