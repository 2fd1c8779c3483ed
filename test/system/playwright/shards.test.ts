import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import { startMock } from '../../../src/mock/index.ts';
import { readPlan } from '../../../src/playwright/run-plan.ts';
import type { TargetParts } from '../../../src/target/make.ts';
import { built, type Ended } from '../../support/built.ts';
import { essence } from '../../support/comparable-run.ts';
import { playwright, writeTargetFile } from '../../support/playwright-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cwd = temporaryFolder('playwright-shards');
const SHARDS = 3;
// The third target breaks a rule.
const TARGETS = ['one.json', 'two.json', 'three.json', 'four.json'];
let close: () => Promise<unknown>;

const assay = built.in(cwd);

function judged(
  files: readonly string[],
  { out, seed }: { readonly out: string; readonly seed?: number },
  ...words: readonly string[]
): Promise<Ended> {
  const env = {
    ASSAY_TARGETS: files.join(','),
    ASSAY_SUITE: 'smoke',
    ASSAY_OUT: out,
    ...(seed === undefined ? {} : { ASSAY_SEED: String(seed) }),
  };
  return playwright('test', words, { cwd, env });
}

function resultsIn(folder: string): Results {
  return JSON.parse(readFileSync(path.join(cwd, folder, 'results.json'), 'utf8')) as Results;
}

function secretIn(file: string): string {
  const target = JSON.parse(readFileSync(path.join(cwd, file), 'utf8')) as TargetParts;
  return target.credentials.clientSecret;
}

/** A run without its times and identifiers. */
function timeless({ run: { suite, seed, complete }, targets, ...rest }: Results) {
  return {
    ...rest,
    run: { suite, seed, complete },
    targets: targets.map(({ requirements, observations, traffic, ...target }) => ({
      ...target,
      requirements: requirements.map(({ durationMs: _time, ...requirement }) => requirement),
      // How many connections a run opens depends on timing.
      observations: observations
        .filter(({ id }) => id !== 'observe/latency')
        .map((one) => (one.id === 'observe/transport' ? { ...one, detail: null } : one)),
      traffic: { ...traffic, latencyMs: null },
    })),
  };
}

/** How many tests Playwright's own report shows, and how many of them failed. */
function shownBy(report: string): { readonly total: number; readonly unexpected: number } {
  const page = readFileSync(path.join(cwd, report, 'index.html'), 'utf8');
  const [, packed = ''] = /data:application\/zip;base64,([\w+/=]+)/u.exec(page) ?? [];
  const files = unzipSync(Buffer.from(packed, 'base64'));
  const { stats } = JSON.parse(strFromU8(files['report.json'] ?? new Uint8Array())) as {
    stats: { total: number; unexpected: number };
  };
  return stats;
}

beforeAll(async () => {
  const mocks = await Promise.all(
    TARGETS.map((_file, place) => startMock({ records: 600, defects: place === 2 ? ['link-absolute'] : [] })),
  );
  close = () => Promise.all(mocks.map((mock) => mock.close()));
  for (const [place, mock] of mocks.entries())
    writeTargetFile(cwd, mock, { name: path.parse(TARGETS[place] ?? '').name });
});

afterAll(async () => {
  await close();
});

describe('a folder of targets', () => {
  it('means the target files in it, and is refused where it holds none', async () => {
    const { targets } = await readPlan({ ASSAY_TARGETS: cwd });
    expect(targets.map(({ name }) => `${name}.json`)).toEqual(TARGETS.toSorted());
    const empty = path.join(cwd, 'empty');
    mkdirSync(empty);
    await expect(readPlan({ ASSAY_TARGETS: empty })).rejects.toThrow('empty, which contains no target file');
  });
});

describe('shards of Playwright', () => {
  it('merged, give what one process gives, and what `assay run` gives', async () => {
    const shards = await Promise.all(
      [1, 2, 3].map((index) => judged(TARGETS, { out: `shard-${index}` }, `--shard=${index}/${SHARDS}`)),
    );
    expect(shards.map(({ status }) => status)).toEqual([0, 1, 0]);
    expect(shards[1]?.out).toContain('Assay (shard 2/3): non-conformant.');
    expect([1, 2, 3].map((index) => resultsIn(`shard-${index}`).targets.length)).toEqual([2, 1, 1]);

    // Playwright merges its own report, which is no run of Assay.
    const env = { ASSAY_OUT: 'none', PLAYWRIGHT_HTML_OUTPUT_DIR: path.join(cwd, 'own-report') };
    expect(await playwright('merge-reports', ['blob-report'], { cwd, env })).toMatchObject({ status: 0 });
    expect([existsSync(path.join(cwd, 'none')), existsSync(path.join(cwd, 'reports'))]).toEqual([
      false,
      false,
    ]);

    const merged = await assay('merge shard-3 shard-1 shard-2 --out merged');
    // Playwright's merge-reports would end with 0.
    expect([merged.status, merged.err]).toEqual([1, '']);
    const whole = resultsIn('merged');
    expect(whole.targets.map(({ name }) => `${name}.json`)).toEqual(TARGETS);
    expect(whole.run.complete).toBe(true);
    expect(whole.run.shard).toBeUndefined();

    const tests = whole.targets.reduce((sum, { requirements }) => sum + requirements.length + 1, 0);
    expect(shownBy('own-report')).toMatchObject({ total: tests, unexpected: 1 });

    // With several workers each target still has one at a time.
    const { seed } = whole.run;
    const one = await judged(
      TARGETS,
      { out: 'one', seed },
      '--workers=2',
      `--grep-invert=${secretIn('one.json')}`,
    );
    expect(one.status).toBe(1);
    expect(resultsIn('one').run.command).toContain('test --config');
    expect(resultsIn('one').run.command).toContain('--grep-invert=[client-secret]');
    const inProcess = await assay(`run ${TARGETS.join(' ')} --suite smoke --seed ${seed} --out run`);
    expect(inProcess.status).toBe(1);
    expect(timeless(whole)).toEqual(timeless(resultsIn('one')));
    expect(essence(whole)).toEqual(essence(resultsIn('run')));

    for (const line of ['replay merged', 'replay one', 'verify merged', 'verify shard-2']) {
      const { status, err } = await assay(line);
      expect({ line, status, err }).toEqual({ line, status: 0, err: '' });
    }
  });

  it('of which one is missing are a whole that says so, and fails where another does', async () => {
    const fails = await assay('merge shard-1 shard-2 --out failing');
    expect([fails.status, fails.err]).toEqual([
      1,
      'assay: shard 3/3 is missing, so the merged run is incomplete\n',
    ]);
    const { status } = await assay('merge shard-1 shard-3 --out lacking');
    expect(status).toBe(3);
    const { run, outcome, targets } = resultsIn('lacking');
    expect(targets.map((target) => target.outcome)).not.toContain('non-conformant');
    expect([run.complete, outcome]).toEqual([false, 'inconclusive']);
  });

  it('keep one target in one of them, and the others say that they had none', async () => {
    const shards = await Promise.all(
      [1, 2].map((index) => judged(['one.json'], { out: `all/of-one-${index}` }, `--shard=${index}/2`)),
    );
    expect(shards.map(({ status }) => status)).toEqual([0, 0]);
    expect(shards[1]?.out).toContain('Assay (shard 2/2): there was no target left to test.');
    // Found in the folder above.
    const { status, err } = await assay('merge all --out of-one');
    expect([status, err]).toEqual([0, '']);
    const { run, outcome, targets } = resultsIn('of-one');
    expect([run.complete, outcome]).toEqual([true, 'conformant']);
    const [target] = timeless(resultsIn('merged')).targets;
    expect(targets).toHaveLength(1);
    expect(timeless(resultsIn('of-one')).targets).toEqual([target]);
  });

  it('of which one was changed on its way are refused', async () => {
    cpSync(path.join(cwd, 'shard-2'), path.join(cwd, 'cut'), { recursive: true });
    const evidence = path.join(cwd, 'cut', 'evidence.ndjson.gz');
    writeFileSync(evidence, readFileSync(evidence).subarray(0, -100));
    const { status, err } = await assay('merge shard-1 cut shard-3');
    expect(status).toBe(3);
    expect(err).toContain('cut/evidence.ndjson.gz was changed');
  });

  it.each([
    ['shard-1 all/of-one-2', 'is one of 2 shards, not of 3'],
    [
      'shard-1 other-targets',
      'shard 2/3 belongs to another run: its targets are different or divided differently',
    ],
    ['shard-1 other-seed', 'shard 2/3 belongs to another run: its seed is 1, that of the first'],
    ['shard-1 other-suite', 'shard 2/3 belongs to another run: its suite is full, that of the first smoke'],
    ['shard-1 of-run', 'shard 2/3 belongs to another run: its targets are different or divided differently'],
  ])('%s are refused in a sentence', async (folders, sentence) => {
    const second = resultsIn('shard-2');
    const { targets: _digest, ...shard } = { targets: '', ...second.run.shard };
    const others = {
      'other-targets': { shard: { index: 2, of: 3, targets: '0'.repeat(64) } },
      'other-seed': { seed: 1 },
      'other-suite': { suite: 'full' },
      'of-run': { shard },
    };
    for (const [name, run] of Object.entries(others)) {
      mkdirSync(path.join(cwd, name), { recursive: true });
      const results = { ...second, run: { ...second.run, ...run } };
      writeFileSync(path.join(cwd, name, 'results.json'), JSON.stringify(results));
    }
    const { status, err } = await assay(`merge ${folders}`);
    expect(status).toBe(3);
    expect(err).toContain(sentence);
    expect(err.split('\n')).toHaveLength(2);
  });
});
