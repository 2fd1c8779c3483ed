import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeReports } from '../../../src/report/folder/report-writer.ts';
import type { ReportData } from '../../../src/report/report-data.ts';
import { PAGES } from '../../support/report/page-samples.ts';
import {
  harReader,
  junitComplaints,
  readByAllure,
  readCsv,
  resultsReader,
  sarifReader,
} from '../../support/report/readers.ts';
import { HOSTILE } from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('readers');

const results = resultsReader();
const sarif = sarifReader();
const har = harReader();

describe.each(Object.entries(PAGES))('every format of the run "%s"', async (name, make) => {
  const data: ReportData = await make();
  const place = mkdtempSync(path.join(folder, 'run-'));
  await writeReports(data, place, ['junit', 'markdown', 'sarif', 'csv', 'allure', 'har']);
  const text = (file: string): string => readFileSync(path.join(place, file), 'utf8');
  const rows = data.results.targets.flatMap(({ requirements }) => requirements);

  test('results.json, results.sarif and evidence.har match their schemas', () => {
    expect(results(text('results.json'))).toEqual([]);
    expect(sarif(text('results.sarif'))).toEqual([]);
    expect(har(text('evidence.har'))).toEqual([]);
  });

  test('junit.xml matches the schema of Jenkins, and Allure reads all its cases', async () => {
    expect(junitComplaints(text('junit.xml'))).toEqual([]);
    const { tests, unread } = await readByAllure('junit', [path.join(place, 'junit.xml')]);
    expect(unread).toEqual([]);
    expect(tests).toHaveLength(rows.length);
  });

  test('Allure reads all files of its results, with all attachments', async () => {
    const inside = path.join(place, 'allure-results');
    const files = readdirSync(inside);
    const reading = await readByAllure(
      'allure',
      files.filter((file) => !file.includes('-attachment.')).map((file) => path.join(inside, file)),
    );
    expect(reading.unread).toEqual([]);
    expect(reading.tests).toHaveLength(rows.length);
    expect(new Set(reading.metadata)).toEqual(
      new Set(['allure2_categories', 'allure2_executor', 'allure_environment']),
    );
    const named = JSON.stringify(reading.tests).match(/[0-9a-f-]{36}-attachment\.\w+/gu) ?? [];
    expect(new Set(files.filter((file) => file.includes('-attachment.')))).toEqual(new Set(named));
  });

  test('requirements.csv has a record per verdict, each with the same fields', () => {
    const records = readCsv(text('requirements.csv'));
    expect(records).toHaveLength(rows.length + 1);
    expect(new Set(records.map((record) => record.length)).size).toBe(1);
  });

  test('summary.md has complete tables and no markup of a provider', () => {
    const tables = text('summary.md').match(/(?:^\|.*\n)+/gmu) ?? [];
    for (const table of tables) {
      const cells = table
        .trimEnd()
        .split('\n')
        .map((line) => line.replaceAll(/\\./gu, '').split('|').length);
      expect(new Set(cells).size).toBe(1);
    }
    const outsideCode = text('summary.md').replaceAll(/(`{2,})[\s\S]*?[^`]\1(?!`)/gu, '');
    expect(outsideCode).not.toContain('<script');
  });

  test.runIf(name === 'hostile')('contains no unescaped text of the provider', () => {
    for (const file of ['junit.xml', 'summary.md', 'results.sarif', 'requirements.csv', 'report.html'])
      expect(text(file)).not.toContain(HOSTILE.slice(0, 20));
  });
});

test('readers report errors', () => {
  expect(sarif('{"version": "2.1.0", "runs": [{"tool": {}}]}')).not.toEqual([]);
  expect(har('{"log": {"version": "1.2", "creator": {}, "entries": []}}')).not.toEqual([]);
  expect(results('{}')).not.toEqual([]);
  expect(junitComplaints('<testsuites skipped="1"><testcase/></testsuites>')).toEqual([
    'testsuites has skipped',
    'testcase in testsuites',
    'testcase lacks name',
  ]);
  expect(() => readCsv('a"b,c\r\n')).toThrow('no field at character 0');
});
