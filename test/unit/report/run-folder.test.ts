import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readResults, resultsFile } from '../../../src/cli/shared/run-files/results-file.ts';
import { UserError } from '../../../src/core/user-error.ts';
import { writeReports } from '../../../src/report/folder/report-writer.ts';
import { latestIn, pointLatestAt, RunFolder } from '../../../src/report/folder/run-folder.ts';
import { dataOf, mixed } from '../../support/report/sample.ts';

const home = process.cwd();
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'assay-folder-'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

function visibleEntries(place: string): readonly string[] {
  return readdirSync(place)
    .filter((name) => !name.startsWith('.'))
    .toSorted();
}

async function finish(run: RunFolder): Promise<string> {
  await writeReports(dataOf(mixed()), run.staging, []);
  return run.commit();
}

describe('run ids', () => {
  test('sort by time and are unique', () => {
    const early = RunFolder.newId(new Date('2026-11-21T05:13:31.042Z'));
    const late = RunFolder.newId(new Date('2026-11-21T05:13:31.043Z'));
    const later = RunFolder.newId(new Date('2026-12-01T00:00:00.000Z'));
    expect(early).toMatch(/^20261121-051331-042-[0-9a-f]{6}$/u);
    expect(early < late && late < later).toBe(true);
    expect(new Set(Array.from({ length: 100 }, () => RunFolder.newId())).size).toBe(100);
  });
});

describe('the folder of a run', () => {
  test('is not visible before it is complete', async () => {
    const run = RunFolder.open({ out: null, runId: 'a' });
    expect(visibleEntries('reports')).toEqual([]);
    expect(await finish(run)).toBe(path.join('reports', 'a'));
    expect(visibleEntries('reports')).toEqual(['a', 'latest']);
    expect(visibleEntries('reports/a')).toEqual(['report.html', 'results.json']);
    expect(readdirSync('reports')).toHaveLength(2);
  });

  test('leaves nothing if it is discarded', () => {
    RunFolder.open({ out: null, runId: 'a' }).discard();
    RunFolder.open({ out: 'mine', runId: 'a' }).discard();
    expect(readdirSync('reports')).toEqual([]);
    expect(readdirSync('.')).toEqual(['reports']);
  });

  test('stays if it is discarded after the commit', async () => {
    const run = RunFolder.open({ out: 'mine', runId: 'a' });
    await finish(run);
    run.discard();
    expect(visibleEntries('mine')).toEqual(['report.html', 'results.json']);
  });

  test('may be new, empty, nested, or an earlier run, which is replaced completely', async () => {
    mkdirSync('empty');
    for (const out of ['new', 'empty', 'a/b/c', path.join(folder, 'absolute')]) {
      expect(await finish(RunFolder.open({ out, runId: 'x' }))).toBe(out);
      writeFileSync(path.join(out, 'junit.xml'), 'of the earlier run');
      await finish(RunFolder.open({ out, runId: 'y' }));
      expect(readdirSync(out).toSorted()).toEqual(['report.html', 'results.json']);
    }
    expect(readdirSync('.').filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('may contain what a killed process left there', async () => {
    // In a mounted volume, the temporary folder is inside the folder of the run.
    mkdirSync('volume/.assay-20261121-051331-042-9f3c1a-0123456789ab', { recursive: true });
    expect(await finish(RunFolder.open({ out: 'volume', runId: 'x' }))).toBe('volume');
    expect(visibleEntries('volume')).toEqual(['report.html', 'results.json']);
  });

  test('is rejected if it is a file, or contains files of no run', () => {
    writeFileSync('file', '');
    mkdirSync('foreign');
    writeFileSync('foreign/thesis.txt', '');
    mkdirSync('sly');
    writeFileSync('sly/results.json', '{"format": "somebody-else/1"}');
    symlinkSync('nowhere', 'dangling');
    for (const out of ['file', 'foreign', 'sly', 'dangling']) {
      expect(() => RunFolder.open({ out, runId: 'x' })).toThrow(UserError);
    }
    expect(readFileSync('foreign/thesis.txt', 'utf8')).toBe('');
  });

  test('is rejected if other files were added to an earlier run', async () => {
    await finish(RunFolder.open({ out: 'mine', runId: 'x' }));
    writeFileSync('mine/notes.txt', 'dear');
    expect(() => RunFolder.open({ out: 'mine', runId: 'y' })).toThrow(/contains notes\.txt/u);
    expect(readFileSync('mine/notes.txt', 'utf8')).toBe('dear');
  });

  test('may be a link, which is preserved', async () => {
    mkdirSync('real');
    symlinkSync('real', 'link');
    await finish(RunFolder.open({ out: 'link', runId: 'x' }));
    expect(lstatSync('link').isSymbolicLink()).toBe(true);
    expect(visibleEntries('real')).toEqual(['report.html', 'results.json']);
  });

  test('keeps the earlier run until the new one is complete', async () => {
    await finish(RunFolder.open({ out: 'mine', runId: 'x' }));
    const run = RunFolder.open({ out: 'mine', runId: 'y' });
    expect(existsSync('mine/results.json')).toBe(true);
    run.discard();
    expect(existsSync('mine/results.json')).toBe(true);
  });

  test('is the earlier run if the new one cannot replace it', async () => {
    await finish(RunFolder.open({ out: 'mine', runId: 'x' }));
    const run = RunFolder.open({ out: 'mine', runId: 'y' });
    rmSync(run.staging, { recursive: true });
    await expect(run.commit()).rejects.toThrow('ENOENT');
    expect(readdirSync('.')).toEqual(['mine']);
    expect(visibleEntries('mine')).toEqual(['report.html', 'results.json']);
  });

  // Root can write to any folder.
  test.skipIf(process.getuid?.() === 0)(
    'is filled from within where nothing may be put beside it',
    async () => {
      mkdirSync('above/mine', { recursive: true });
      chmodSync('above', 0o555);
      try {
        for (const runId of ['x', 'y']) {
          await finish(RunFolder.open({ out: 'above/mine', runId }));
          expect(readdirSync('above/mine').toSorted()).toEqual(['report.html', 'results.json']);
        }
        expect(() => RunFolder.open({ out: 'above/other', runId: 'x' })).toThrow('EACCES');
      } finally {
        chmodSync('above', 0o755);
      }
    },
  );
});

describe('a folder that was being replaced when the process was killed', () => {
  const FIRST = { ...mixed(), run: { ...mixed().run, id: 'first' } };
  const SECOND = { ...mixed(), run: { ...mixed().run, id: 'second' } };

  /** A finished run, and a second one that is written but not committed. */
  async function half(): Promise<string> {
    const first = RunFolder.open({ out: 'mine', runId: 'a' });
    await writeReports(dataOf(FIRST), first.staging, []);
    await first.commit();
    const { staging } = RunFolder.open({ out: 'mine', runId: 'b' });
    await writeReports(dataOf(SECOND), staging, []);
    return staging;
  }

  async function idAt(run: string): Promise<string> {
    return (await readResults(await resultsFile(run))).run.id;
  }

  test('is the earlier run before the new one is finished', async () => {
    await half();
    expect(await idAt('mine')).toBe('first');
    RunFolder.open({ out: 'mine', runId: 'c' }).discard();
    expect(await idAt('mine')).toBe('first');
  });

  test('is the new run if neither is in place', async () => {
    const staging = await half();
    renameSync(staging, `${staging}-complete`);
    renameSync('mine', `${staging}-earlier`);
    expect(await idAt('mine')).toBe('second');
    expect(readdirSync('.')).toEqual(['mine']);
  });

  test('is the new run for the next command if it was finished', async () => {
    const staging = await half();
    renameSync(staging, `${staging}-complete`);
    RunFolder.open({ out: 'mine', runId: 'c' }).discard();
    expect(await idAt('mine')).toBe('second');
    expect(readdirSync('.')).toEqual(['mine']);
  });

  test('is the earlier run if the new one is missing', async () => {
    const staging = await half();
    rmSync(staging, { recursive: true });
    renameSync('mine', `${staging}-earlier`);
    expect(await idAt('mine')).toBe('first');
    expect(readdirSync('.')).toEqual(['mine']);
  });

  test('has no temporary folders next to it after the next write', async () => {
    const staging = await half();
    renameSync('mine', `${staging}-earlier`);
    renameSync(staging, 'mine');
    RunFolder.open({ out: 'mine', runId: 'c' }).discard();
    expect(await idAt('mine')).toBe('second');
    expect(readdirSync('.')).toEqual(['mine']);
  });

  test('is the new run if its files were being copied into a mounted folder', async () => {
    const staging = await half();
    renameSync(staging, path.join('mine', `${path.basename(staging)}-complete`));
    rmSync('mine/results.json');
    expect(await idAt('mine')).toBe('second');
    expect(readdirSync('mine').toSorted()).toEqual(['report.html', 'results.json']);
  });

  test('is found through a link', async () => {
    mkdirSync('deep');
    symlinkSync('deep/real', 'mine');
    mkdirSync('deep/real');
    const staging = await half();
    renameSync(staging, `${staging}-complete`);
    renameSync('deep/real', `${staging}-earlier`);
    expect(await idAt('mine')).toBe('second');
    expect(readdirSync('deep')).toEqual(['real']);
  });

  test('is not confused with a folder of another name', async () => {
    const staging = await half();
    renameSync(staging, `${staging}-complete`);
    rmSync('mine', { recursive: true });
    for (const other of ['min', 'mine2', 'x-mine'])
      await expect(resultsFile(other)).rejects.toThrow('no run');
    expect(await idAt('mine')).toBe('second');
  });
});

describe('latest', () => {
  test('points to the newest run, whichever ends last', async () => {
    for (const runId of ['20260101-b', '20260101-c', '20260101-a']) {
      await finish(RunFolder.open({ out: null, runId }));
    }
    expect(readlinkSync('reports/latest')).toBe('20260101-c');
    expect(existsSync('reports/latest/results.json')).toBe(true);
  });

  test('is not changed by runs with --out', async () => {
    await finish(RunFolder.open({ out: null, runId: 'a' }));
    await finish(RunFolder.open({ out: 'reports/own', runId: 'b' }));
    expect(await latestIn('reports')).toBe('a');
  });

  test('is read from a text file if there are no links', async () => {
    mkdirSync('reports');
    writeFileSync('reports/latest', 'a\n');
    expect(await latestIn('reports')).toBe('a');
    expect(await latestIn('elsewhere')).toBeNull();
  });

  test('does not fail a run if it cannot be written', async () => {
    mkdirSync('reports/latest/full', { recursive: true });
    await pointLatestAt('reports', 'a');
    expect(readdirSync('reports')).toEqual(['latest']);
  });
});
