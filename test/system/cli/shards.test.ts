import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../../src/core/package-file.ts';
import type { Results } from '../../../src/core/results.ts';
import { readEvidenceLines } from '../../../src/evidence/reader.ts';
import { type Manifest, manifestOf } from '../../../src/evidence/seal/manifest.ts';
import { startMock } from '../../../src/mock/index.ts';
import { built, type Ended } from '../../support/built.ts';
import { essence } from '../../support/comparable-run.ts';
import { writeTargetFile } from '../../support/playwright-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TARGETS = 12;
const SHARDS = 4;
const cwd = temporaryFolder('shards');
const files: string[] = [];
let close: () => Promise<unknown>;

const assay = built.in(cwd);

function resultsIn(folder: string): Results {
  return JSON.parse(readFileSync(path.join(cwd, folder, 'results.json'), 'utf8')) as Results;
}

beforeAll(async () => {
  const mocks = await Promise.all([
    startMock({ records: 30 }),
    startMock({ records: 3 }),
    startMock({ records: 30, defects: ['link-absolute'] }),
  ]);
  close = () => Promise.all(mocks.map((mock) => mock.close()));
  for (let index = 0; index < TARGETS; index++) {
    const mock = mocks[index % mocks.length];
    if (mock === undefined) throw new Error('there are three providers');
    const name = `target-${String(index).padStart(2, '0')}`;
    files.push(path.basename(writeTargetFile(cwd, mock, { name })));
  }
});

afterAll(async () => {
  await close();
});

describe('shards', () => {
  const smoke = '--suite smoke --quiet';

  it('of four processes, merged, equal the results of one process', async () => {
    const shard = (index: number) =>
      assay(`run ${files.join(' ')} ${smoke} --shard ${index}/${SHARDS} --out shard-${index}`);
    const parts = await Promise.all([1, 2, 3, 4].map(shard));
    expect(parts.map(({ status }) => status)).toEqual([1, 1, 1, 1]);
    const merged = await assay('merge shard-3 shard-1 shard-4 shard-2 --out merged');
    expect([merged.status, merged.err]).toEqual([1, '']);
    const whole = resultsIn('merged');
    const one = await assay(`run ${files.join(' ')} ${smoke} --seed ${whole.run.seed} --out one`);
    expect(one.status).toBe(1);
    expect(essence(whole)).toEqual(essence(resultsIn('one')));
    expect(whole.targets.map(({ name }) => `${name}.json`)).toEqual(files);

    const requests = new Map<string, number>();
    const tokens: string[] = [];
    for await (const { line } of readEvidenceLines(path.join(cwd, 'merged/evidence.ndjson.gz'))) {
      if (!('request' in line)) continue;
      requests.set(line.target, (requests.get(line.target) ?? 0) + 1);
      tokens.push(...line.tokens.map(({ label }) => label));
    }
    expect([...requests.values()]).toEqual(
      expect.arrayContaining(whole.targets.map(({ traffic }) => traffic.requests)),
    );
    expect(requests.size).toBe(TARGETS);
    expect(new Set(tokens).size).toBe(tokens.length);
    const replayed = await assay('replay merged');
    expect([replayed.status, replayed.err]).toEqual([0, '']);
  });

  it('merged with a baseline count like the run of one process with it', async () => {
    const known = await assay('merge shard-1 shard-2 shard-3 shard-4 --baseline one --out known');
    expect([known.status, known.err]).toEqual([0, '']);
    expect(resultsIn('known').run.baseline).toMatchObject({ accepted: TARGETS / 3, new: 0, stale: 0 });
    // A baseline without these failures accepts none of them.
    await assay(`run ${files[0]} ${smoke} --out sound`);
    const fresh = await assay('merge shard-1 shard-2 shard-3 shard-4 --baseline sound --out fresh');
    expect(fresh.status).toBe(1);
    expect(resultsIn('fresh').run.baseline).toMatchObject({ accepted: 0, new: TARGETS / 3 });
  });

  it('with missing ones merge into an incomplete run, which fails if one of them fails', async () => {
    const some = await assay('merge shard-4 shard-3 --out some');
    expect([some.status, some.err]).toEqual([
      1,
      'assay: shards 1/4 and 2/4 are missing, so the merged run is incomplete\n',
    ]);
    expect(some.out).toContain('The run is incomplete: it was interrupted, or a shard is missing.');
    const { run, targets } = resultsIn('some');
    expect([run.complete, targets.length]).toEqual([false, TARGETS / 2]);
  });

  it('are not replaced by the merged run', async () => {
    const { status, err } = await assay('merge shard-4 shard-3 --out ./shard-4');
    expect([status, err]).toEqual([
      3,
      'assay: --out ./shard-4 is one of the shards; choose another folder\n',
    ]);
    expect(resultsIn('shard-4').run.shard).toMatchObject({ index: 4, of: 4 });
  });

  it('of different lists of targets are rejected, for any location of the files', async () => {
    const [one = '', two = '', three = ''] = files;
    const run = (list: string, part: string, out: string): Promise<Ended> =>
      assay(`run ${list} ${smoke} --seed 7 --shard ${part} --out ${out}`);
    await run(`${one} ${two}`, '1/2', 'first');
    await run(`${one} ${three}`, '2/2', 'stranger');
    await run(`${path.join(cwd, one)} ${path.join(cwd, two)}`, '2/2', 'second');
    const merged = await assay('merge first stranger --out merged');
    expect(merged.status).toBe(3);
    expect(merged.err).toContain('shard 2/2 belongs to another run: its targets');
    const { status, err } = await assay('merge first second --out agreed');
    expect([status, err]).toEqual([0, '']);
  });

  describe('that were altered after the run', () => {
    beforeAll(async () => {
      for (const name of ['body', 'other']) await assay(`keygen ${name}`);
      const run = `run target-00.json target-01.json target-02.json ${smoke} --seed 7`;
      for (const part of [1, 2]) {
        await assay(`${run} --shard ${part}/2 --out plain-${part}`);
        await assay(`${run} --shard ${part}/2 --out signed-${part} --sign body.key`);
      }
    });

    /** A copy of the first shard, altered and sealed again, as anyone could do. */
    async function forged(from: string, alter: (folder: string) => void, sealed = {}): Promise<string> {
      const folder = path.join(cwd, 'forged');
      rmSync(folder, { recursive: true, force: true });
      cpSync(path.join(cwd, from), folder, { recursive: true });
      alter(folder);
      const text = readFileSync(path.join(folder, 'manifest.json'), 'utf8');
      const { files: _files, format: _format, self: _self, ...was } = JSON.parse(text) as Manifest;
      writeFileSync(path.join(folder, 'manifest.json'), await manifestOf(folder, { ...was, ...sealed }));
      return 'forged';
    }

    function edited(change: (results: Results) => object): (folder: string) => void {
      return (folder) => {
        const results = JSON.parse(readFileSync(path.join(folder, 'results.json'), 'utf8')) as Results;
        writeFileSync(path.join(folder, 'results.json'), JSON.stringify({ ...results, ...change(results) }));
      };
    }

    async function refused(sentence: string, words: string): Promise<void> {
      const { status, err } = await assay(`merge ${words} --out never`);
      expect(err).toContain(sentence);
      expect([status, err.split('\n').length, existsSync(path.join(cwd, 'never'))]).toEqual([3, 2, false]);
    }

    it('merge if unchanged, signed with the same key', async () => {
      const { status, err } = await assay('merge signed-1 signed-2 --sign body.key --out vouched');
      expect([status, err]).toEqual([1, '']);
      expect((await assay('verify vouched --key body.pub --replay')).status).toBe(0);
    });

    it('are not signed with another key, or if they are unsigned', async () => {
      await refused('signed-1 cannot be merged: the given key', 'signed-1 signed-2 --sign other.key');
      await refused(
        'plain-1 cannot be merged: manifest.sig is missing: the run is not signed; a merged run is signed with the key that signed all of its shards',
        'plain-1 plain-2 --sign body.key',
      );
    });

    it('are rejected without a manifest, or with a signature of another one', async () => {
      const without = await forged('plain-1', () => undefined);
      rmSync(path.join(cwd, without, 'manifest.json'));
      await refused('forged cannot be merged: manifest.json is missing', `${without} plain-2`);
      const stale = await forged(
        'signed-1',
        edited(() => ({ outcome: 'conformant' })),
      );
      await refused('manifest.sig was made for another manifest.json', `${stale} signed-2`);
      const unsigned = await forged('signed-1', (folder) => rmSync(path.join(folder, 'manifest.sig')));
      await refused('manifest.sig is missing: the run was signed by the key', `${unsigned} signed-2`);
    });

    it('are rejected if another build wrote them', async () => {
      const tool = {
        name: 'assay',
        version: packageVersion(),
        node: '',
        package: '0'.repeat(64),
        prove: null,
      };
      const other = await forged('plain-1', () => undefined, { tool });
      await refused('was made by another build of Assay than the others', `plain-2 ${other}`);
    });

    it('are rejected if results omit targets of the evidence, with any seal', async () => {
      const [first] = resultsIn('plain-1').targets;
      if (first === undefined) throw new Error('the first shard has two targets');
      const { name, outcome } = first;
      const fewer = await forged(
        'plain-1',
        edited(() => ({ outcome, targets: [first] })),
        { targets: [{ name, sha256: null }], run: { ...runOf('plain-1'), outcome } },
      );
      await refused('its results and its evidence differ in target-02, rows', `${fewer} plain-2`);
      for (const from of ['plain-1', 'plain-2']) {
        const suite = 'full';
        const change = edited(({ run }) => ({ run: { ...run, suite } }));
        await forged(from, change, { run: { ...runOf(from), suite } });
        renameSync(path.join(cwd, 'forged'), path.join(cwd, `full-${from}`));
      }
      await refused('its results and its evidence differ in run.suite', 'full-plain-1 full-plain-2');
    });

    function runOf(folder: string): Manifest['run'] {
      return (JSON.parse(readFileSync(path.join(cwd, folder, 'manifest.json'), 'utf8')) as Manifest).run;
    }
  });

  it.each([
    ['merge shard-1 shard-2 shard-3 shard-4 shard-1', 'shard 1/4 is given 2 times'],
    ['merge one', 'is not a shard: it was run without --shard'],
    ['run --shard 1/4', '--shard needs target files to divide'],
    ['run target-00.json --shard 5/4', '--shard takes I/N'],
    ['run target-00.json --shard 2/2', '--shard 2/2 has no target: there is one target'],
  ])('%s is rejected in one sentence', async (line, sentence) => {
    const { status, err } = await assay(line);
    expect(status).toBe(3);
    expect(err).toContain(sentence);
    expect(err.split('\n')).toHaveLength(2);
  });
});
