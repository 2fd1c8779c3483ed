import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { packageFile } from '../../../src/core/package-file.ts';
import type { Results } from '../../../src/core/results.ts';
import { startMock } from '../../../src/mock/index.ts';
import type { Step } from '../../support/action.ts';
import { makeHome } from '../../support/installed-assay.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// More targets than any example has shards. The last one violates a rule.
const TARGETS = Array.from({ length: 4 }, (_none, place) => `provider-${place + 1}`);
const CLIENT = { clientId: 'client-one', clientSecret: 'a-secret-of-one', scope: 'printers.read' };
const SECRETS = { ASSAY_CLIENT_ID: CLIENT.clientId, ASSAY_CLIENT_SECRET: CLIENT.clientSecret };

const home = makeHome(temporaryFolder('home'));
let close: () => Promise<unknown>;

interface Workflow {
  readonly jobs: {
    readonly shard: {
      readonly strategy: { readonly matrix: { readonly shard: readonly number[] } };
      readonly steps: readonly Step[];
    };
    readonly merge: { readonly steps: readonly Step[] };
  };
}

interface Job {
  readonly spec: {
    readonly completionMode?: string;
    readonly completions?: number;
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly command: readonly string[] }[] };
    };
  };
}

const read = (name: string): string => readFileSync(packageFile(`examples/shards/${name}`), 'utf8');
const inHome = (...parts: readonly string[]): string => path.join(home.folder, ...parts);

/** A separate working copy of the repository. */
function machine(name: string): string {
  cpSync(inHome('repository'), inHome(name), { recursive: true });
  return name;
}

function stepWith(steps: readonly Step[], word: string): Step {
  const step = steps.find(({ run }) => run?.includes(word) === true);
  if (step === undefined) throw new Error(`no step runs ${word}`);
  return step;
}

/** Carries out a step as the runner does: in bash, which ends at the first command that fails. */
function carryOut(step: Step, folder: string, shard: number | null) {
  const filled = (text: string): string =>
    text
      .replaceAll('${{ matrix.shard }}', String(shard))
      .replaceAll(/\$\{\{ secrets\.(\w+) \}\}/gu, (_all, name: keyof typeof SECRETS) => SECRETS[name]);
  const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]));
  const script = filled(step.run ?? '').replace(...QUICK);
  return home.run(['bash', '-e', '-c', script], { folder, env: { ...env, ASSAY_SUITE: 'smoke' } });
}

/** The smoke suite is sufficient. */
const QUICK = ['assay run ', 'assay run --suite smoke '] as const;

function resultsIn(...parts: readonly string[]): Results {
  return JSON.parse(readFileSync(inHome(...parts, 'results.json'), 'utf8')) as Results;
}

/** A run of every target, of which the last one fails; the lists are short. */
function expectWhole({ run, targets }: Results): void {
  expect(run.complete).toBe(true);
  expect(targets.map(({ name, outcome }) => [name, outcome])).toEqual(
    TARGETS.map((name) => [name, name === TARGETS.at(-1) ? 'non-conformant' : 'inconclusive']),
  );
}

beforeAll(async () => {
  const mocks = await Promise.all([
    startMock({ records: 30, credentials: CLIENT }),
    startMock({ records: 30, credentials: CLIENT, defects: ['link-absolute'] }),
  ]);
  close = () => Promise.all(mocks.map((mock) => mock.close()));
  mkdirSync(inHome('repository', 'targets'), { recursive: true });
  cpSync(packageFile('examples/shards/playwright.config.mjs'), inHome('repository', 'playwright.config.mjs'));
  for (const [place, name] of TARGETS.entries()) {
    const mock = place === TARGETS.length - 1 ? mocks[1] : mocks[0];
    const lines = [
      `name: ${name}`,
      `authUrl: ${mock?.authUrl}`,
      `baseUrl: ${mock?.baseUrl}`,
      `tenant: ${mock?.tenant}`,
      'credentials:',
      '  clientId: ${ASSAY_CLIENT_ID}',
      '  clientSecret: ${ASSAY_CLIENT_SECRET}',
      `  scope: ${CLIENT.scope}`,
      'limits: {requestsPerSecond: 10000}',
    ];
    writeFileSync(inHome('repository', 'targets', `${name}.yaml`), `${lines.join('\n')}\n`);
  }
});

afterAll(() => close());

describe('the matrix of GitHub Actions', () => {
  test.each(['github.yml', 'github-playwright.yml'])('%s tests every target', async (name) => {
    const { jobs } = parse(read(name)) as Workflow;
    const isPlaywright = name.includes('playwright');
    const shards = jobs.shard.strategy.matrix.shard;
    expect(shards).toEqual(shards.map((_shard, index) => index + 1));
    const step = stepWith(jobs.shard.steps, '--shard');
    expect(step.run).toContain(`/${shards.length} `);
    const whole = machine(`${name}-merge`);
    mkdirSync(inHome(whole, 'shards'));
    await Promise.all(
      shards.map(async (shard) => {
        const alone = machine(`${name}-${shard}`);
        expect(await carryOut(step, alone, shard)).toMatchObject({ status: 0 });
        const left = `shard-${shard}`;
        const kept = `shard-\${{ matrix.shard }}`;
        const paths = jobs.shard.steps.map((one) => one.with?.['path']?.trim());
        expect(paths).toContain(isPlaywright ? `${kept}\nblob-report` : kept);
        renameSync(inHome(alone, left), inHome(whole, 'shards', left));
        if (isPlaywright)
          cpSync(inHome(alone, 'blob-report'), inHome(whole, 'shards/blob-report'), { recursive: true });
      }),
    );
    const merge = stepWith(jobs.merge.steps, 'assay merge');
    const { status, err } = await carryOut(merge, whole, null);
    expect([status, err]).toEqual([1, '']);
    expectWhole(resultsIn(whole, 'report'));
    expect(existsSync(inHome(whole, 'report', 'junit.xml'))).toBe(true);
    if (!isPlaywright) return;
    expect(await carryOut(stepWith(jobs.merge.steps, 'merge-reports'), whole, null)).toMatchObject({
      status: 0,
    });
    // Beside package.json.
    expect(existsSync(inHome('playwright-report', 'index.html'))).toBe(true);
  });
});

describe('the indexed Job of Kubernetes', () => {
  test('tests every target, also after an earlier job', async () => {
    const [shards, merge] = parseAllDocuments(read('kubernetes.yaml')).map((one) => one.toJS() as Job);
    const { completionMode, completions = 0 } = shards?.spec ?? {};
    expect(completionMode).toBe('Indexed');
    const runs = 'volume';
    mkdirSync(inHome(runs, 'shard-0'), { recursive: true });
    writeFileSync(inHome(runs, 'shard-0', 'left'), 'by somebody');
    const command = (job: Job | undefined): readonly string[] =>
      (job?.spec.template.spec.containers[0]?.command ?? []).map((word) =>
        word
          .replace(...QUICK)
          .replaceAll('/targets/', `${inHome('repository', 'targets')}/`)
          .replaceAll('/runs/', `${inHome(runs)}/`),
      );
    const done = await Promise.all(
      Array.from({ length: completions }, (_none, index) =>
        home.run(command(shards), { env: { ...SECRETS, JOB_COMPLETION_INDEX: String(index) } }),
      ),
    );
    expect(done.map(({ status }) => status)).toEqual(done.map(() => 0));
    const { status, err } = await home.run(command(merge));
    expect([status, err]).toEqual([1, '']);
    expectWhole(resultsIn(runs, 'report'));
  });
});
