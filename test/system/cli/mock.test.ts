import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readScenario } from '../../../src/cli/mock/scenario.ts';
import type { LogLine } from '../../../src/mock/index.ts';
import { built } from '../../support/built.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('mock');
const assay = built.in(folder);

function file(name: string, text: string): string {
  const place = path.join(folder, name);
  writeFileSync(place, text);
  return place;
}

describe('a scenario file', () => {
  const problemsOf = async (text: string): Promise<readonly string[]> => {
    const place = file('wrong.yaml', text);
    const error = await readScenario(place).then(
      () => ({ problems: [] }),
      (reason: unknown) => reason as { readonly problems: readonly string[] },
    );
    return error.problems.map((problem) => problem.replace(`${place}:`, ''));
  };

  test.each([
    ['recods: 5', '1: unknown key recods; did you mean records?'],
    ['rules:\n  - when: {headers: {a: b}}', '2: unknown key rules[0].when.headers; did you mean header?'],
    ['rules:\n  - every: 3', '2: unknown key rules[0].every; valid keys are name, when, defects'],
    ['defects:\n  - skip-in-page', '2: unknown defect "skip-in-page"; did you mean "skip-in-pages"?'],
    ['variant: nonsense-of-mine', '1: unknown variant "nonsense-of-mine"'],
    ['rules:\n  - defects: [zzzzzzzzzzz]', '2: unknown defect "zzzzzzzzzzz"; assay mock --list-defects'],
    ['rules:\n  - truncate: 1', '2: rules[0].truncate must be less than 1'],
    ['latency: {fixedMs: 1, uniformMs: [1, 2]}', '1: latency must have at most 1 entry'],
    ['latency: {uniformMs: [20, 10]}', '1: latency.uniformMs must not decrease'],
    ['latency: {percentilesMs: {p50: 9, p95: 3}}', '1: latency.percentilesMs must not decrease'],
    [
      'rules:\n  - when: {requests: {from: 5, to: 2}}',
      '2: rules[0].when.requests ends at 2, before it begins',
    ],
    ['basePath: int', '1: basePath must begin with a slash'],
    ['- a', '1: a scenario file is a mapping of keys to values'],
  ])('with %j is rejected with its line', async (text, problem) => {
    expect(await problemsOf(text)).toEqual([expect.stringContaining(problem)]);
  });

  test('is read with its rules if it is valid', async () => {
    const scenario = await readScenario(
      file('right.yaml', 'records: 5\nrules: [{when: {every: 2}, reset: true}]\n'),
    );
    expect(scenario).toEqual({ records: 5, rules: [{ when: { every: 2 }, reset: true }] });
  });
});

describe('assay mock', () => {
  test('reports an invalid scenario, and exits with status 3', async () => {
    const place = file('wrong.yaml', 'recods: 5\nsed: 1\n');
    const { status, out, err } = await assay(`mock --scenario ${place}`);
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err.split('\n')).toHaveLength(3);
    expect((await assay('mock --ca a.pem')).err).toContain('--ca needs --tls');
    const lost = await assay('mock --log no/such/folder');
    expect(lost).toMatchObject({ status: 3, err: expect.stringContaining('no such file or folder') });
  });

  test('serves https with its own authority, can be tested over it, and logs each request', async () => {
    const scenario = file(
      'flaky.yaml',
      'records: 700\nrules: [{when: {call: list, every: 9}, answer: {status: 503}}]\n',
    );
    const words = ['mock', '--tls', '--ca', 'ca.pem', '--log', 'log.ndjson', '--scenario', scenario];
    const mock = built.start(words, { cwd: folder });
    await mock.shows('Clients must trust');
    let target = '';
    try {
      const health = await new Promise<number | undefined>((resolve, reject) => {
        const agent = new Agent({ ca: readFileSync(path.join(folder, 'ca.pem')) });
        // Standard output contains only the target file, which is written before serving.
        target = mock.output();
        const { baseUrl } = parse(target) as { baseUrl: string };
        get(`${baseUrl}/__assay/health`, { agent }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).on('error', reject);
      });
      expect(health).toBe(200);
      writeFileSync(path.join(folder, 'target.yaml'), target);
      const run = await assay('run target.yaml --json --suite smoke');
      expect(JSON.parse(run.out)).toMatchObject({ outcome: 'conformant' });
      expect(run.status).toBe(0);
    } finally {
      mock.process.kill('SIGTERM');
    }
    expect((await mock.ended).status).toBe(0);
    const lines = readFileSync(path.join(folder, 'log.ndjson'), 'utf8').trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line) as LogLine);
    expect(logged.map(({ number }) => number).toSorted((left, right) => left - right)).toEqual(
      logged.map((_, index) => index + 1),
    );
    expect(logged.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
    const { credentials } = parse(target) as { credentials: { clientSecret: string } };
    expect(lines.join('')).not.toContain(credentials.clientSecret);
  });
});
