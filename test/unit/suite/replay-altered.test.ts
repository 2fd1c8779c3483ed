import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { suite } from '../../../specs/suite.ts';
import { replayText } from '../../../src/cli/shared/replay-text.ts';
import type { Results } from '../../../src/core/results.ts';
import type { EvidenceLine, EvidenceSetting, SettingLine } from '../../../src/evidence/line.ts';
import type { Check } from '../../../src/judge/check.ts';
import { startMock } from '../../../src/mock/index.ts';
import { conform } from '../../../src/run/conform.ts';
import { keyOf, RecordedRun } from '../../../src/run/replay/recorded-run.ts';
import { replay } from '../../../src/run/replay/replay.ts';
import { targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('altered');
const evidenceFile = path.join(folder, 'evidence.ndjson.gz');
const altered = path.join(folder, 'altered.ndjson.gz');
let results: Results;
let lines: readonly string[];

beforeAll(async () => {
  const mocks = await Promise.all([startMock({ records: 40 }), startMock({ defects: ['link-absolute'] })]);
  const [one, two] = mocks.map((mock, index) => targetOf(mock, { name: `target-${index + 1}` }));
  if (one === undefined || two === undefined) throw new Error('there are two providers');
  results = await conform([one, two], runOptions({ evidenceFile, suite: 'smoke', seed: 7 }));
  await Promise.all(mocks.map((mock) => mock.close()));
  lines = gunzipSync(readFileSync(evidenceFile)).toString('utf8').trimEnd().split('\n');
});

/** The differences that a replay reports, one line each. */
async function differencesOf(
  claimed: Results,
  evidence: readonly string[] = lines,
): Promise<readonly string[]> {
  writeFileSync(altered, gzipSync(`${evidence.join('\n')}\n`));
  const { differences } = await replay(claimed, altered);
  return differences.map(({ target, of, field, then, now }) =>
    [target, of, field, JSON.stringify(then), JSON.stringify(now)].join(' | '),
  );
}

/** The lines with one exchange of the first target altered; none in its place takes it away. */
function withLine(number: number, change: (line: string) => readonly string[]): readonly string[] {
  const marks = ['"target":"target-1"', `"number":${number},`];
  return lines.flatMap((line) => (marks.every((mark) => line.includes(mark)) ? change(line) : [line]));
}

/** The number of an exchange whose line holds a list. */
function listNumber(): number {
  const line = lines.find((one) => one.includes('"target":"target-1"') && one.includes('displayName'));
  if (line === undefined) throw new Error('no line holds a list');
  return (JSON.parse(line) as EvidenceLine).number;
}

describe('a replay', () => {
  it('reports no difference of an unchanged run', async () => {
    expect(await differencesOf(results)).toEqual([]);
  });

  it('reports the requests of a target that were altered, not those of one check, which depend on the order of answers', async () => {
    const [first, ...others] = results.targets;
    if (first === undefined) throw new Error('there is a target');
    const { requests } = first.traffic;
    const requirements = first.requirements.map((one) => ({ ...one, requests: one.requests + 1 }));
    const traffic = { ...first.traffic, requests: requests + 1 };
    const altered = { ...results, targets: [{ ...first, requirements, traffic }, ...others] };
    expect(await differencesOf(altered)).toEqual([
      `target-1 |  | traffic.requests | ${requests + 1} | ${requests}`,
    ]);
  });

  it('reports an outcome, a suite and a seed that were altered', async () => {
    const { run } = results;
    const outcome = 'conformant';
    expect(await differencesOf({ ...results, outcome, run: { ...run, suite: 'certify', seed: 8 } })).toEqual([
      ' |  | run.suite | "certify" | "smoke"',
      ' |  | run.seed | 8 | 7',
      ' |  | outcome | "conformant" | "non-conformant"',
    ]);
  });

  it('reports targets that were left away, one or all', async () => {
    const [one] = results.targets;
    if (one === undefined) throw new Error('there are two targets');
    expect(await differencesOf({ ...results, outcome: one.outcome, targets: [one] })).toEqual([
      'target-2 |  | rows | 0 | 1',
    ]);
    expect(await differencesOf({ ...results, outcome: 'inconclusive', targets: [] })).toEqual([
      'target-1 |  | rows | 0 | 1',
      'target-2 |  | rows | 0 | 1',
    ]);
  });

  it('reports rows that occur twice', async () => {
    const targets = results.targets.map((target) => ({
      ...target,
      requirements: [...target.requirements, ...target.requirements.slice(0, 1)],
    }));
    const { id } = results.targets[0]?.requirements[0] ?? { id: '' };
    expect(await differencesOf({ ...results, targets })).toEqual([
      `target-1 | ${id} | rows | 2 | 1`,
      `target-2 | ${id} | rows | 2 | 1`,
    ]);
  });

  it('reports a run that was stopped and is called complete', async () => {
    const failure = { code: 'interrupted', message: 'the run was stopped' };
    const stopped = withLine(2, (line) => [
      JSON.stringify({ ...JSON.parse(line), answer: null, failure, body: null }),
    ]);
    expect(await differencesOf(results, stopped)).toContain(' |  | run.complete | true | false');
  });

  it('reports a body that is not the one whose hash and length its line states', async () => {
    const number = listNumber();
    const edited = withLine(number, (line) => [line.replace(/(displayName\\":\\")./, '$1XY')]);
    const differences = await differencesOf(results, edited);
    expect(differences).toContainEqual(
      expect.stringMatching(`^target-1 \\| exchange ${number} \\| body\\.sha256`),
    );
    expect(differences).toContainEqual(
      expect.stringMatching(`^target-1 \\| exchange ${number} \\| body\\.bytes`),
    );
  });

  it('reports an exchange that occurs twice', async () => {
    const number = listNumber();
    expect(
      await differencesOf(
        results,
        withLine(number, (line) => [line, line]),
      ),
    ).toContain(`target-1 | exchange ${number} | lines | 2 | 1`);
  });

  it('reports an exchange that no check requested', async () => {
    const extra = withLine(listNumber(), (line) => [
      line,
      line.replace(/"number":\d+/, '"number":999').replace(/"method":"GET"/, '"method":"PUT"'),
    ]);
    expect(await differencesOf(results, extra)).toEqual([
      expect.stringMatching(/^target-1 \| exchange 999 \| request \| "PUT \/.*" \| $/),
    ]);
  });
});

describe('a repetition of a request', () => {
  it('belongs to the check that asked, although another one asked the same and got no answer', async () => {
    const text = lines.find((one) => one.includes('/connect/token') && one.includes('"target":"target-1"'));
    const line = JSON.parse(text ?? '') as EvidenceLine;
    const failure = { code: 'closed', message: 'closed' };
    const closed = { ...line, answer: null, failure, body: null };
    const exchanges = [
      { ...closed, number: 1, check: 'token/shape', retry: 0 },
      { ...closed, number: 2, check: 'token/secret', retry: 0 },
      { ...line, number: 3, check: 'token/secret', retry: 1 },
    ];
    writeFileSync(altered, gzipSync(exchanges.map((one) => `${JSON.stringify(one)}\n`).join('')));
    const run = await RecordedRun.open(altered);
    const key = keyOf(line.target, line.request);
    const indexes = (check: string) => run.claim(key, check)?.attempts.map(({ index }) => index);
    expect(indexes('token/shape')).toEqual([0]);
    expect(indexes('token/secret')).toEqual([1, 2]);
  });
});

describe('a replay', () => {
  /** Replays the evidence with the setting of every target changed. */
  async function replayWith(
    change: (setting: EvidenceSetting) => object,
  ): Promise<Awaited<ReturnType<typeof replay>>> {
    const changed = lines.map((text) => {
      const line = JSON.parse(text) as EvidenceLine | SettingLine;
      return 'setting' in line ? JSON.stringify({ ...line, setting: change(line.setting) }) : text;
    });
    writeFileSync(altered, gzipSync(`${changed.join('\n')}\n`));
    return replay(results, altered);
  }

  it('says that its build judged the run if the digests are equal', async () => {
    expect(await replayWith((setting) => setting)).toMatchObject({ differences: [], isSameBuild: true });
  });

  it('says that another build judged the run, although every verdict comes out the same', async () => {
    const other = await replayWith((setting) => ({ ...setting, build: '0'.repeat(64) }));
    expect(other).toMatchObject({ differences: [], isSameBuild: false });
    expect(replayText(results, other)).toContain('made by another build of Assay');
  });

  it('does not know which build judged the run if the evidence does not say', async () => {
    const silent = await replayWith(({ build: _build, ownChecks: _own, ...setting }) => setting);
    expect(silent).toMatchObject({ differences: [], isSameBuild: null });
  });

  it('does not know which build judged the run if its checks replaced the suite', async () => {
    const file = path.join(folder, 'wrapped.ndjson.gz');
    const mock = await startMock({ records: 40 });
    const checks = suite.map((one): Check => ({ ...one, judge: (context) => one.judge(context) }));
    const options = runOptions({ evidenceFile: file, suite: 'smoke', checks });
    const run = await conform([targetOf(mock)], options).finally(() => mock.close());
    expect((await replay(run, file)).isSameBuild).toBe(null);
  });
});
