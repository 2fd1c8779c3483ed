import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { TestResult } from 'allure-js-commons';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requirements } from '../../../specs/catalogue.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import type { Results } from '../../../src/core/results.ts';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { built, type Ended } from '../../support/built.ts';
import { playwright, writeTargetFile } from '../../support/playwright-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DEFECT = 'skip-one-too-few';
const BROKEN = 'link/offset';
/** A requirement that only lists of more than 500 records show. */
const LONG_LISTS = 'page-size/default';
const CUSTOM = 'x/answers';

const folder = temporaryFolder('playwright-commands');
const config = path.join(path.dirname(built.main), '../playwright/config.js');
let mock: Mock;
let whole: Ended;
let env: Readonly<Record<string, string>>;

/** A folder of its own, with what a run leaves in it. */
function cwd(name: string): string {
  return mkdtempSync(path.join(folder, name));
}

function resultsIn(place: string): Results {
  return JSON.parse(readFileSync(path.join(place, 'run', 'results.json'), 'utf8')) as Results;
}

let main: string;

beforeAll(async () => {
  mock = await startMock({ records: 600, defects: [DEFECT] });
  const checks = path.join(folder, 'checks.mjs');
  writeFileSync(
    checks,
    `import { list } from 'assay';
export const answers = list('${CUSTOM}', { rule: 'It answers.' }, async ({ records, expect }) => {
  for await (const { id } of records()) expect(id !== '', { message: 'a record has no id' });
});
`,
  );
  const file = writeTargetFile(folder, mock, { name: 'acme', checks: [checks] });
  env = {
    ASSAY_TARGETS: file,
    ASSAY_OUT: 'run',
    ASSAY_SEED: '42',
    ASSAY_CLAUSE_URL: 'https://spec.example/#{clause}',
  };
  main = cwd('main');
  whole = await playwright('test', [], { cwd: main, env });
});

afterAll(async () => {
  await mock.close();
});

describe('npx playwright test', () => {
  it('shows a breach as Playwright shows a failed expectation, in the step of its requirement', () => {
    expect(whole.status).toBe(1);
    const [first, step] =
      whole.out
        .split('\n')
        .find((line) => /^ +1\) /u.test(line))
        ?.split(' › ')
        .slice(1, 3) ?? [];
    expect(first).toContain('5-link.spec.js:10');
    expect(step).toContain(BROKEN);
    expect(whole.out).toMatch(/^ +Expected: 500\n +Received: 499$/mu);
    expect(whole.out).toMatch(/^ +curl -sS /mu);
  });

  it('writes the run, the HTML report and results for Allure', () => {
    const [target] = resultsIn(main).targets;
    const verdicts = new Map(target?.requirements.map(({ id, verdict }) => [id, verdict]));
    expect([verdicts.get(BROKEN), verdicts.get(CUSTOM)]).toEqual(['fail', 'pass']);
    expect(existsSync(path.join(main, 'playwright-report', 'index.html'))).toBe(true);
  });

  it('has allure-playwright write the groups, severities and links that --format allure writes', () => {
    const own = allureResults(path.join(main, 'run', 'allure-results'));
    const theirs = allureResults(path.join(main, 'allure-results')).filter(
      ({ name }) => name !== 'observations',
    );
    const facts = ({ labels, links, status }: TestResult) => ({
      labels: Object.fromEntries(
        ['epic', 'feature', 'story', 'severity', 'parentSuite', 'suite'].map((name) => [
          name,
          labels.filter((label) => label.name === name).map(({ value }) => value),
        ]),
      ),
      links: links.map(({ url, name, type }) => ({ url, name, type })),
      status,
    });
    const ordered = (all: readonly TestResult[]) =>
      all.map(facts).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    expect(own).toHaveLength(requirements.length + 1);
    expect(ordered(theirs)).toEqual(ordered(own));
  });

  it('leaves results of which Allure 3 makes a report', async () => {
    const words = [
      packageFile('node_modules/allure/cli.js'),
      'generate',
      'allure-results',
      '-o',
      'allure-report',
    ];
    await promisify(execFile)(process.execPath, words, { cwd: main });
    const summary = readFileSync(path.join(main, 'allure-report', 'summary.json'), 'utf8');
    const { stats } = JSON.parse(summary) as { stats: { total: number; failed: number } };
    expect(stats).toMatchObject({ total: requirements.length + 2, failed: 1 });
  });
});

describe('npx playwright test --list', () => {
  it('lists each requirement at a line of its own, sends nothing and writes nothing', async () => {
    const place = cwd('list');
    const before = mock.requests();
    const { status, out } = await playwright('test', ['--list'], { cwd: place, env });
    expect(status).toBe(0);
    const listed = [...out.matchAll(/^ +\[acme\] › (\S+\.spec\.js:\d+):\d+ › (\S+)/gmu)];
    const ids = [...requirements.map(({ id }) => id), CUSTOM, 'observations'];
    expect(listed.map(([, , id]) => id)).toEqual(expect.arrayContaining<unknown>(ids));
    expect(listed).toHaveLength(ids.length);
    expect(new Set(listed.map(([, line]) => line)).size).toBe(listed.length);
    expect(mock.requests()).toBe(before);
    expect(readdirSync(place)).toEqual([]);
  });
});

describe('npx playwright test -g --reporter=html', () => {
  it('writes a run that says it is partial, and fails for a blocking requirement that was not selected', async () => {
    const place = cwd('html');
    const html = { PLAYWRIGHT_HTML_OUTPUT_DIR: path.join(place, 'html'), PLAYWRIGHT_HTML_OPEN: 'never' };
    const words = ['-g', 'link/query', '--reporter=html'];
    const { status, out, err } = await playwright('test', words, { cwd: place, env: { ...env, ...html } });
    expect(status).toBe(1);
    expect(out).toContain(`2 of ${requirements.length} requirements selected`);
    expect(out + err).toContain(`${BROKEN} of printers failed, which no selected test shows`);
    expect(out + err).not.toMatch(/^ +at /mu);
    expect(existsSync(path.join(place, 'html', 'index.html'))).toBe(true);
    const { run, targets } = resultsIn(place);
    expect(run.complete).toBe(true);
    const open = targets[0]?.requirements.filter(({ cause }) => cause?.kind !== 'unselected');
    expect(open?.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['link/query', 'inconclusive'],
      [BROKEN, 'fail'],
    ]);
    const replayed = await built.in(place)('replay run');
    expect([replayed.status, replayed.err]).toEqual([0, '']);
  });
});

describe('npx playwright test of a list of three records', () => {
  it.each([
    ['full', 0],
    ['certify', 1],
  ])(
    'in suite %s ends with status %i, as a requirement that needs more records is open',
    async (suite, expected) => {
      const short = await startMock({ records: 3 });
      const place = cwd('short');
      const more = { ASSAY_TARGETS: writeTargetFile(place, short, { name: 'short' }), ASSAY_SUITE: suite };
      const run = playwright('test', ['-g', 'page-size/'], { cwd: place, env: { ...env, ...more } });
      const { status } = await run.finally(() => short.close());
      expect(status).toBe(expected);
      const { run: facts, targets } = resultsIn(place);
      expect(facts.suite).toBe(suite);
      const [row] = targets[0]?.requirements.filter(({ id }) => id === LONG_LISTS) ?? [];
      expect(row).toMatchObject({ verdict: 'inconclusive', cause: { kind: 'data' } });
    },
  );
});

describe('npx playwright test --retries', () => {
  it('judges again in a new session, and everything has evidence in the end', async () => {
    const place = cwd('retries');
    const { status } = await playwright('test', ['-g', 'link/', '--retries=1'], { cwd: place, env });
    expect(status).toBe(1);
    const judged = resultsIn(place).targets[0]?.requirements.filter(
      ({ cause }) => cause?.kind !== 'unselected',
    );
    expect(judged).toHaveLength(requirements.filter(({ id }) => id.startsWith('link/')).length);
    expect((await built.in(place)('replay run')).status).toBe(0);
  });
});

describe('npx playwright test --retries, if several requirements fail', () => {
  it('does not say that no test shows those of an earlier session', async () => {
    const broken = await startMock({ records: 600, defects: ['token-type-other', DEFECT] });
    const place = cwd('several');
    const own = { ASSAY_TARGETS: writeTargetFile(place, broken, { name: 'several' }) };
    const words = ['-g', `token/type|${BROKEN}`, '--retries=1'];
    const { status, out, err } = await playwright('test', words, { cwd: place, env: { ...env, ...own } });
    await broken.close();
    expect(status).toBe(1);
    expect(out).toContain('2 failed');
    expect(out + err).not.toContain('which no selected test shows');
  });
});

describe('npx playwright test --retries, if a requirement passes the second time', () => {
  it('fails all the same if the run is inconclusive', async () => {
    const rules = [{ when: { call: 'token' as const, requests: { to: 2 } }, defects: ['token-type-other'] }];
    const flaky = await startMock({ records: 3, scenario: { rules } });
    const place = cwd('flaky');
    const own = { ASSAY_TARGETS: writeTargetFile(place, flaky, { name: 'flaky' }), ASSAY_STRICT: '1' };
    const words = ['-g', `token/type|${LONG_LISTS}`, '--retries=1'];
    const { status, out } = await playwright('test', words, { cwd: place, env: { ...env, ...own } });
    await flaky.close();
    expect(out).toContain('1 flaky');
    expect(status).toBe(1);
  });
});

describe('npx playwright test --max-failures', () => {
  it('leaves an incomplete run, whose untested requirements are interrupted', async () => {
    const place = cwd('failures');
    const { status } = await playwright('test', ['-x'], { cwd: place, env });
    expect(status).toBe(1);
    const { run, targets } = resultsIn(place);
    expect(run.complete).toBe(false);
    const kinds = targets[0]?.requirements.map(({ cause }) => cause?.kind);
    expect(kinds).toContain('interrupted');
    expect(kinds).not.toContain('unselected');
    expect((await built.in(place)('replay run')).status).toBe(0);
  });
});

describe('npx playwright test --ui', () => {
  it('serves on loopback, and writes no run', async () => {
    const place = cwd('ui');
    const cli = packageFile('node_modules/@playwright/test/cli.js');
    const words = [cli, 'test', '--config', config, '--ui-host', '127.0.0.1', '--ui-port', '0'];
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, words, { cwd: place, env: { PATH, HOME, ...env } });
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      let address = '';
      for await (const line of createInterface(child.stdout)) {
        address = /http:\/\/127\.0\.0\.1:\d+\S*/u.exec(line)?.[0] ?? '';
        if (address !== '') break;
      }
      expect((await fetch(address)).status).toBe(200);
    } finally {
      child.kill('SIGINT');
      await ended;
    }
    expect(existsSync(path.join(place, 'run'))).toBe(false);
  });
});

function allureResults(place: string): readonly TestResult[] {
  return readdirSync(place)
    .filter((name) => name.endsWith('-result.json'))
    .map((name) => JSON.parse(readFileSync(path.join(place, name), 'utf8')) as TestResult);
}
