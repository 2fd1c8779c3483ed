import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  judgeMock,
  judgeTarget,
  openMock,
  requirementOf,
  targetOf,
  withVerdict,
} from '../../support/judge-mock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const scratch = temporaryFolder('targets');

function schemaFile(name: string, schema: object): string {
  const file = path.join(scratch, name);
  writeFileSync(file, JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }));
  return file;
}

describe('targets of all kinds', () => {
  it('judges every list of a target, each by its own schema', async () => {
    const strict = schemaFile('strict.json', { type: 'object', required: ['id', 'serialNumber'] });
    const mock = await openMock({
      resources: [
        { path: '/v1/printers', records: 600 },
        { path: '/v1/units', records: 30 },
      ],
    });
    const result = await judgeTarget(
      targetOf(mock, {
        resources: [
          { name: 'printers', path: '/v1/printers', itemSchema: 'printer', idField: 'id' },
          { name: 'units', path: '/v1/units', itemSchema: strict, idField: 'id' },
        ],
      }),
    );
    const of = (id: string) =>
      result.requirements.filter((one) => one.id === id).map(({ resource, verdict }) => [resource, verdict]);
    expect(of('list/items')).toEqual([
      ['printers', 'pass'],
      ['units', 'fail'],
    ]);
    expect(of('token/issued')).toEqual([[null, 'pass']]);
    expect(of('page-size/default')).toEqual([
      ['printers', 'pass'],
      ['units', 'inconclusive'],
    ]);
    expect(result.records).toEqual({ printers: 600, units: 30 });
    expect(withVerdict(result, 'fail')).toEqual(['list/items']);
    const violation = result.requirements.find(
      ({ id, resource }) => id === 'list/items' && resource === 'units',
    )?.violations[0];
    expect(violation?.message).toContain('serialNumber is missing');
  });

  it.each([
    ['fails a record that comes twice', { records: 1234, defects: ['traversal-repeats-late'] }, 'fail', null],
    [
      'fails a join that gives each record several times, with another agent',
      { defects: ['traversal-joined-with-agents'] },
      'fail',
      null,
    ],
    [
      'blames idField for a member that different records share',
      { variant: 'names-all-equal' },
      'error',
      { kind: 'configuration', key: 'resources[0].idField' },
    ],
  ] as const)('identified by another member, %s', async (_what, mock, verdict, cause) => {
    const schema = schemaFile('named.json', { type: 'object', required: ['displayName'] });
    const result = await judgeMock(
      { records: 620, ...mock },
      {
        target: {
          resources: [{ name: 'printers', path: '/v1/printers', itemSchema: schema, idField: 'displayName' }],
        },
      },
    );
    expect(requirementOf(result, 'traversal/no-duplicates')).toMatchObject({ verdict, cause });
    // No record changed.
    expect(result.requirements.filter((one) => one.cause?.kind === 'changing')).toEqual([]);
  });

  it.each(['full', 'smoke'] as const)('names idField if no item has that member (%s)', async (suite) => {
    const result = await judgeMock(
      { records: 620 },
      {
        suite,
        target: {
          resources: [{ name: 'printers', path: '/v1/printers', itemSchema: 'printer', idField: 'Id' }],
        },
      },
    );
    expect(requirementOf(result, 'list/items').verdict).toBe('pass');
    expect(withVerdict(result, 'fail', 'inconclusive')).toEqual([]);
    const errors = result.requirements.filter(({ verdict }) => verdict === 'error');
    expect(errors.length).toBeGreaterThan(0);
    for (const { cause } of errors)
      expect(cause).toEqual({ kind: 'configuration', key: 'resources[0].idField' });
  });

  it('renews its token as often as it runs out', async () => {
    // A token lives 900 milliseconds here, and the run takes longer than that.
    const result = await judgeMock({ clockRate: 4000, latencyMs: 60 });
    expect(withVerdict(result, 'fail', 'error')).toEqual([]);
    expect(requirementOf(result, 'traversal/same-records').verdict).toBe('pass');
    const reuse = result.observations.find(({ id }) => id === 'observe/token-reuse');
    expect(reuse?.detail['tokens']).toBeGreaterThanOrEqual(3);
  });
});
