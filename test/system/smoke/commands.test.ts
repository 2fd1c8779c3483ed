import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { observations, requirements } from '../../../specs/catalogue.ts';
import { commands } from '../../../src/cli/program.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import type { Results } from '../../../src/core/results.ts';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { built } from '../../support/built.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The public contract: commands with their arguments, and their options except --ui of run. */
const COMMANDS: { readonly [usage: string]: string } = {
  'run [target...]':
    'suite only skip seed runs format out strict allow-inconclusive max-requests rate expiry baseline shard sign issuer quiet json',
  mock: 'records port defect latency clock-rate list-defects',
  prove: 'only seed json',
  requirements: 'format json',
  'explain <id>': 'json',
  'init [file]': 'force json',
  'doctor [target...]': 'json',
  'report <run>': 'format json',
  'diff <before> <after>': 'json',
  'history [dir]': 'json',
  'replay <run>': 'json',
  'verify <run>': 'key json',
  'serve [dir]': 'port json',
  'merge <run...>': 'format out json',
  'keygen [name]': 'json',
  'completion [shell]': 'json',
  'token [target]': 'env json',
  'show <run> <exchange>': 'target json',
};

const FORMATS = {
  junit: 'junit.xml',
  allure: 'allure-results',
  markdown: 'summary.md',
  sarif: 'results.sarif',
  har: 'evidence.har',
};
const ALWAYS = ['results.json', 'report.html', 'evidence.ndjson.gz', 'manifest.json'];

const TARGET_KEYS =
  'name authUrl baseUrl tenant product credentials otherCredentials expiredToken resources headers limits probes expiry evidence checks tls waivers';

const cwd = temporaryFolder('contract');
const assay = built.in(cwd);
let provider: Mock;

beforeAll(async () => {
  provider = await startMock({ records: 12, defects: ['link-absolute'] });
  const { authUrl, baseUrl, credentials } = provider;
  const target = { name: 'acme', authUrl, baseUrl, credentials, limits: { requestsPerSecond: 10_000 } };
  writeFileSync(path.join(cwd, 'acme.json'), JSON.stringify(target));
});
afterAll(() => provider.close());

describe('the contract', () => {
  test('keeps every command and option', () => {
    for (const [usage, options] of Object.entries(COMMANDS)) {
      const command = commands.find((one) => one.usage === usage);
      expect(Object.keys(command?.options ?? {}), usage).toEqual(expect.arrayContaining(options.split(' ')));
    }
  });

  test('has the keys of a target file', () => {
    const schema = JSON.parse(readFileSync(packageFile('schemas/target.schema.json'), 'utf8')) as {
      properties: object;
    };
    expect(Object.keys(schema.properties).filter((key) => key !== '$schema')).toEqual(TARGET_KEYS.split(' '));
  });
});

describe('each command does what it says', () => {
  const results = (folder: string): Results =>
    JSON.parse(readFileSync(path.join(cwd, folder, 'results.json'), 'utf8')) as Results;

  test('keygen, then run with every option, and every file of the run', async () => {
    expect(JSON.parse((await assay('keygen key --json')).out)).toMatchObject({
      secret: 'key.key',
      public: 'key.pub',
    });
    const options = '--suite full --only link/*,token/issued --skip link/query --seed 42 --runs 5';
    const bounds = '--max-requests 400 --rate 10000 --strict --sign key.key';
    const files = `--format ${Object.keys(FORMATS).join()} --out one --json --quiet`;
    const { status, out, err } = await assay(`run acme.json ${options} ${bounds} ${files}`);
    expect({ status, err: err.replaceAll(/^assay: acme\.json.*\n/gmu, '') }).toEqual({ status: 1, err: '' });
    const printed = JSON.parse(out) as Results;
    expect(printed).toEqual(results('one'));
    expect(printed).toMatchObject({
      format: 'assay-results/1',
      outcome: 'non-conformant',
      run: { seed: 42, complete: true },
    });
    const judged = printed.targets[0]?.requirements.filter(({ verdict }) => verdict !== 'skipped') ?? [];
    expect(judged.map(({ id }) => id)).toContain('link/relative');
    expect(judged.every(({ id }) => id !== 'link/query')).toBe(true);
    expect(readdirSync(path.join(cwd, 'one')).toSorted()).toEqual(
      [...ALWAYS, 'manifest.sig', ...Object.values(FORMATS)].toSorted(),
    );
  });

  test('verify, replay and report of that run', async () => {
    expect(JSON.parse((await assay('verify one --key key.pub --json')).out)).toMatchObject({
      signature: 'signed',
      problems: [],
    });
    const replayed = await assay('replay one --json');
    expect(JSON.parse(replayed.out)).toMatchObject({ differences: [], missing: [] });
    const report = await assay('report one --format csv --out again --json');
    expect(JSON.parse(report.out)).toMatchObject({ run: { seed: 42 } });
    expect(readdirSync(path.join(cwd, 'again'))).toEqual(['requirements.csv']);
  });

  test('run --baseline accepts known failures; diff and history read both runs', async () => {
    const same = '--only link/*,token/issued --skip link/query --quiet';
    const inPipeline = built.in(cwd, { GITHUB_ACTIONS: 'true' });
    const { status, out } = await inPipeline(`run acme.json ${same} --baseline one --out runs/two`);
    expect(status, out).toBe(0);
    expect(out).not.toContain('::error');
    expect(results('runs/two').run).toMatchObject({ seed: 42, baseline: { new: 0, stale: 0 } });
    const diff = await assay('diff one runs/two --json');
    expect(diff.status).toBe(0);
    expect(JSON.parse(diff.out)).toMatchObject({ gotWorse: false });
    const history = await assay('history runs --json');
    expect(JSON.parse(history.out)).toEqual({ page: path.join('runs', 'history.html'), runs: ['two'] });
  });

  test('merge joins the shards of a run', async () => {
    const other = readFileSync(path.join(cwd, 'acme.json'), 'utf8').replace('"acme"', '"other"');
    writeFileSync(path.join(cwd, 'other.json'), other);
    for (const shard of [1, 2]) {
      const part = `--shard ${shard}/2 --out shard-${shard}`;
      expect((await assay(`run acme.json other.json ${part} --only token/* --quiet`)).status).toBe(0);
    }
    const { status, out } = await assay('merge shard-1 shard-2 --out whole --json --quiet');
    expect(status).toBe(0);
    expect((JSON.parse(out) as Results).targets.map(({ name }) => name)).toEqual(['acme', 'other']);
  });

  test('serve shows a folder of runs', async () => {
    const going = built.start(['serve', 'runs', '--json'], { cwd });
    await going.shows('}\n');
    const { address } = JSON.parse(going.output()) as { address: string };
    expect((await fetch(address)).status).toBe(200);
    going.process.kill('SIGTERM');
    expect((await going.ended).status).toBe(0);
  });

  test('token prints a token that the provider accepts', async () => {
    const { status, out } = await assay('token acme.json --json');
    expect(status).toBe(0);
    const { token } = JSON.parse(out) as { token: string };
    const headers = { Authorization: `Bearer ${token}`, Tenant: provider.tenant };
    expect((await fetch(`${provider.baseUrl}/v1/printers`, { headers })).status).toBe(200);
  });

  test('show prints an exchange of a run', async () => {
    await assay('run acme.json --only token/type --out shown --quiet');
    const { status, out } = await assay('show shown 1 --json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      number: 1,
      request: { method: 'POST' },
      answer: { status: 200 },
    });
  });

  test('init, then doctor', async () => {
    const urls = `--auth-url ${provider.authUrl} --base-url ${provider.baseUrl}`;
    expect((await assay(`init new.yaml ${urls} --json`)).status).toBe(0);
    const { status, out } = await assay('doctor acme.json --suite smoke --seed 1 --json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      format: 'assay-doctor/1',
      targets: [
        { ready: true, records: { printers: 12 }, forecasts: [{ suite: 'smoke', seed: 1, exact: true }] },
      ],
    });
  });

  test('mock serves a target for run, with a defect that run finds', async () => {
    const words = 'mock --defect token-type-lower-case --records 3 --port 0 --json'.split(' ');
    const going = built.start(words, { cwd });
    await going.shows('}\n');
    writeFileSync(path.join(cwd, 'mock.json'), going.output());
    const { status, out } = await assay('run mock.json --only token/type --out mocked --json --quiet');
    going.process.kill('SIGTERM');
    expect((await going.ended).status).toBe(0);
    expect(status).toBe(1);
    expect(out).toContain('"verdict": "fail"');
  });

  test('prove finds a defect', async () => {
    const { status, out } = await assay('prove --only token-type-lower-case --json --quiet --out proof');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ proven: true });
  });

  test('requirements, explain and completion', async () => {
    expect(JSON.parse((await assay('requirements --json')).out)).toHaveLength(
      requirements.length + observations.length,
    );
    expect(JSON.parse((await assay('explain link/offset --json')).out)).toMatchObject({
      id: 'link/offset',
    });
    expect((await assay('completion bash')).out).toContain('complete ');
  });
});
