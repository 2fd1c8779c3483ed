import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeFormat, writeReports } from '../../../src/report/folder/report-writer.ts';
import { dataOf, FORBIDDEN, hostile, mixed } from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('writeReports', () => {
  let folder = '';
  beforeEach(() => {
    folder = temporaryFolder('write');
  });

  test('writes invisible characters of results.json only as escapes', async () => {
    await writeReports(dataOf(hostile()), folder, []);
    const text = await readFile(path.join(folder, 'results.json'), 'utf8');
    expect(text.replaceAll('\n', '')).not.toMatch(FORBIDDEN);
  });

  test('leaves no partial file of a format that could not be written', async () => {
    async function* exchanges(): AsyncGenerator<never> {
      yield await Promise.reject(new Error('ENOSPC: no space left on device, write'));
    }
    const data = { ...dataOf(mixed()), exchanges };
    await expect(writeFormat(data, 'har', folder)).rejects.toThrow('ENOSPC');
    expect(await readdir(folder)).toEqual([]);
  });

  test('writes the other formats if one cannot be rendered', async () => {
    const data = dataOf(mixed());
    const evidence = new Proxy(data.evidence, {
      get: () => {
        throw new Error('Cannot find package d3-array');
      },
    });
    await expect(writeReports({ ...data, evidence }, folder, ['csv', 'junit'])).rejects.toThrow(
      'report.html cannot be made: Cannot find package d3-array',
    );
    expect((await readdir(folder)).toSorted()).toEqual(['junit.xml', 'requirements.csv', 'results.json']);
  });

  test('names every format that cannot be rendered', async () => {
    const catalogue = new Proxy(dataOf(mixed()).catalogue, {
      get: () => {
        throw new Error('no such file');
      },
    });
    const written = writeReports({ ...dataOf(mixed()), catalogue }, folder, ['csv', 'sarif']);
    await expect(written).rejects.toThrow(/report\.html.*results\.sarif/);
  });

  test('throws the system error for a missing folder', async () => {
    await expect(writeReports(dataOf(mixed()), path.join(folder, 'none'), [])).rejects.toThrow('ENOENT');
  });
});
