import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../src/core/results.ts';
import { readEvidenceHeads } from '../../src/evidence/reader.ts';
import { startMock } from '../../src/mock/index.ts';
import { essence } from '../support/essence.ts';
import { type Built, build, type Ended } from './built.ts';

const TARGETS = 40;
const SHARDS = 4;
const cwd = mkdtempSync(path.join(os.tmpdir(), 'assay-shards-'));
const files: string[] = [];
let built: Built;
let close: () => Promise<unknown>;

const assay = (...words: readonly string[]): Promise<Ended> => built.start(words, { cwd }).ended;

function resultsIn(folder: string): Results {
  return JSON.parse(readFileSync(path.join(cwd, folder, 'results.json'), 'utf8')) as Results;
}

beforeAll(async () => {
  built = await build();
  const mocks = await Promise.all([
    startMock({ records: 30 }),
    startMock({ records: 3 }),
    startMock({ records: 30, defects: ['link-absolute'] }),
  ]);
  close = () => Promise.all(mocks.map((mock) => mock.close()));
  for (let index = 0; index < TARGETS; index++) {
    const mock = mocks[index % mocks.length];
    if (mock === undefined) throw new Error('there are three providers');
    const { authUrl, baseUrl, tenant, credentials, otherCredentials } = mock;
    const name = `target-${String(index).padStart(2, '0')}`;
    const limits = { requestsPerSecond: 10_000 };
    const target = { name, authUrl, baseUrl, tenant, credentials, otherCredentials, limits };
    writeFileSync(path.join(cwd, `${name}.json`), JSON.stringify(target));
    files.push(`${name}.json`);
  }
});

afterAll(async () => {
  built.remove();
  await close();
  rmSync(cwd, { recursive: true, force: true });
});

describe('shards', () => {
  const smoke = ['--suite', 'smoke', '--quiet'];

  it('carried out by four processes and merged, give what one process gives', async () => {
    const shard = (index: number) =>
      assay('run', ...files, ...smoke, '--shard', `${index}/${SHARDS}`, '--out', `shard-${index}`);
    const parts = await Promise.all([1, 2, 3, 4].map(shard));
    expect(parts.map(({ status }) => status)).toEqual([1, 1, 1, 1]);
    const merged = await assay('merge', 'shard-3', 'shard-1', 'shard-4', 'shard-2', '--out', 'merged');
    expect([merged.status, merged.err]).toEqual([1, '']);
    const whole = resultsIn('merged');
    const one = await assay('run', ...files, ...smoke, '--seed', String(whole.run.seed), '--out', 'one');
    expect(one.status).toBe(1);
    expect(essence(whole)).toEqual(essence(resultsIn('one')));
    expect(whole.targets.map(({ name }) => `${name}.json`)).toEqual(files);

    const requests = new Map<string, number>();
    const tokens: string[] = [];
    for await (const head of readEvidenceHeads(path.join(cwd, 'merged/evidence.ndjson.gz'))) {
      if (head.kind === 'setting') continue;
      requests.set(head.line.target, (requests.get(head.line.target) ?? 0) + 1);
      tokens.push(...head.line.tokens.map(({ label }) => label));
    }
    expect([...requests.values()]).toEqual(
      expect.arrayContaining(whole.targets.map(({ traffic }) => traffic.requests)),
    );
    expect(requests.size).toBe(TARGETS);
    expect(new Set(tokens).size).toBe(tokens.length);
    const replayed = await assay('replay', 'merged');
    expect([replayed.status, replayed.err]).toEqual([0, '']);
  });

  it('of which some are missing are a whole that says so, and fails where one of them does', async () => {
    const some = await assay('merge', 'shard-4', 'shard-3', '--out', 'some');
    expect([some.status, some.err]).toEqual([
      1,
      'assay: shards 1/4 and 2/4 are missing, and the whole is incomplete without them\n',
    ]);
    expect(some.out).toContain('The run is incomplete: not every requirement was judged.');
    const { run, targets } = resultsIn('some');
    expect([run.complete, targets.length]).toEqual([false, TARGETS / 2]);
  });

  it('of different lists of targets are refused, wherever the files lie', async () => {
    const [one = '', two = '', three = ''] = files;
    const run = (list: readonly string[], part: string, out: string): Promise<Ended> =>
      assay('run', ...list, ...smoke, '--seed', '7', '--shard', part, '--out', out);
    await run([one, two], '1/2', 'first');
    await run([one, three], '2/2', 'stranger');
    await run([path.join(cwd, one), path.join(cwd, two)], '2/2', 'second');
    const strange = await assay('merge', 'first', 'stranger', '--out', 'strange');
    expect([strange.status, strange.err]).toEqual([
      3,
      'assay: shard 2/2 is of another run: it divides other targets than the first, or otherwise\n',
    ]);
    const { status, err } = await assay('merge', 'first', 'second', '--out', 'agreed');
    expect([status, err]).toEqual([0, '']);
  });

  it.each([
    [['merge', 'shard-1', 'shard-2', 'shard-3', 'shard-4', 'shard-1'], 'shard 1/4 is given 2 times'],
    [['merge', 'one'], 'is no shard: it was made without --shard'],
    [['run', '--shard', '1/4'], '--shard divides target files among processes: name them'],
    [['run', 'target-00.json', '--shard', '5/4'], '--shard takes which part of how many'],
    [['run', 'target-00.json', '--shard', '2/2'], '--shard 2/2 has nothing to judge: there is one target'],
  ])('%j is refused in a sentence', async (words, sentence) => {
    const { status, err } = await assay(...words);
    expect(status).toBe(3);
    expect(err).toContain(sentence);
    expect(err.split('\n')).toHaveLength(2);
  });
});
