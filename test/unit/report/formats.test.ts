import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Log } from 'sarif';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../specs/catalogue.ts';
import type { Results, ViolationRecord } from '../../../src/core/results.ts';
import { renderAnnotations } from '../../../src/report/annotations.ts';
import { gatherEvidence } from '../../../src/report/evidence/exchange-views.ts';
import { writeAllure } from '../../../src/report/formats/allure.ts';
import { renderCsv } from '../../../src/report/formats/csv.ts';
import { renderHtml } from '../../../src/report/formats/html.tsx';
import { renderJunit } from '../../../src/report/formats/junit.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { browserIn, writePdf } from '../../../src/report/formats/pdf.ts';
import { renderSarif } from '../../../src/report/formats/sarif.ts';
import { renderTerminal } from '../../../src/report/terminal.ts';
import { evidence } from '../../support/report/evidence-sample.ts';
import {
  dataOf,
  FORBIDDEN,
  hostile,
  judged,
  mixed,
  results,
  target,
  violation,
} from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('formats');

describe('a violation without expected and actual value', () => {
  const of = (violations: readonly ViolationRecord[]): Results =>
    results([target([judged('link/offset', 'fail', { violations, clause: [] })])]);
  const none = { message: 'wrong', expected: null, actual: null, counterexample: null, curl: '' };

  test.each<[string, (run: Results) => string | Promise<string>]>([
    ['terminal', (run) => renderTerminal(run, { colour: false, width: 100, folder: null, catalogue })],
    ['markdown', (run) => renderMarkdown(dataOf(run))],
    ['JUnit', (run) => renderJunit(dataOf(run))],
    ['SARIF', (run) => JSON.stringify((JSON.parse(renderSarif(dataOf(run))) as Log).runs[0]?.results)],
    ['HTML', async (run) => (await renderHtml(dataOf(run))).replace(/<(style|script)[\s\S]*?<\/\1>/gu, '')],
  ])('shows none in %s', async (_name, render) => {
    expect(await render(of([violation(none)]))).not.toMatch(/\bnull\b/u);
    expect(await render(of([violation({ ...none, actual: 'got-this' })]))).toContain('got-this');
    expect(await render(of([violation({ ...none, expected: 'wanted' })]))).toMatch(/\bnull\b/u);
  });

  test('shows none in Allure', async () => {
    const place = path.join(folder, 'without-values');
    await writeAllure(dataOf(of([violation(none)])), place);
    const [details] = readdirSync(place)
      .filter((name) => name.endsWith('-result.json'))
      .map((name) => JSON.parse(readFileSync(path.join(place, name), 'utf8')) as { statusDetails: object })
      .map(({ statusDetails }) => statusDetails);
    expect(details).not.toHaveProperty('expected');
    expect(details).not.toHaveProperty('actual');
  });
});

describe('a partial run of a target file', () => {
  const ids = ['link/offset', 'link/relative', 'list/envelope'];
  const run = results([
    target(
      ids.map((id) =>
        id === 'link/offset' ? judged(id, 'fail') : judged(id, 'skipped', { cause: { kind: 'unselected' } }),
      ),
      { file: 'targets/acme staging.yaml' },
    ),
  ]);
  const WORDS = 'full suite, 1 of 3 requirements selected';

  test('is marked in SARIF, which refers to the file', () => {
    const log = (JSON.parse(renderSarif(dataOf(run))) as Log).runs[0];
    expect(log?.automationDetails?.description?.text).toContain(WORDS);
    expect(log?.invocations?.[0]?.toolExecutionNotifications).toMatchObject([{ level: 'note' }]);
    expect(log?.results?.[0]?.locations?.[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: 'targets/acme%20staging.yaml' },
      region: { startLine: 1 },
    });
  });

  test('is marked in JUnit', () => {
    expect(renderJunit(dataOf(run))).toContain(`<testsuites name="assay: ${WORDS}"`);
    expect(renderJunit(dataOf(run))).toContain(`<testsuite name="acme-staging: link (${WORDS})"`);
  });

  test('is marked in annotations, which refer to the file', () => {
    const [error = '', notice = ''] = renderAnnotations(run).split('\n');
    expect(error).toMatch(/^::error file=targets\/acme staging\.yaml,title=/u);
    expect(error).toContain(WORDS.replaceAll(',', '%2C'));
    expect(notice).toMatch(/^::notice /u);
  });
});

describe('SARIF', () => {
  const log = JSON.parse(renderSarif(dataOf(mixed()))) as Log;
  const run = log.runs[0];

  test('has a rule for every result, at its index', () => {
    for (const { ruleId, ruleIndex } of run?.results ?? []) {
      expect(run?.tool.driver.rules?.[ruleIndex ?? -1]?.id).toBe(ruleId);
    }
  });

  test('has one result per violation, with level, suppression and errors', () => {
    const results = run?.results ?? [];
    expect(results.map(({ ruleId, kind, level }) => [ruleId, kind, level])).toEqual([
      ['page-size/filled', 'fail', 'note'],
      ['link/query', 'fail', 'error'],
      ['link/offset', 'fail', 'error'],
    ]);
    expect(run?.properties?.['verdicts']).toEqual({
      pass: 1,
      fail: 2,
      waived: 1,
      inconclusive: 2,
      error: 1,
      skipped: 1,
    });
    expect(
      results.filter(({ suppressions }) => suppressions !== undefined).map(({ ruleId }) => ruleId),
    ).toEqual(['page-size/filled']);
    expect(run?.invocations?.[0]).toMatchObject({ executionSuccessful: false });
    expect(run?.invocations?.[0]?.toolExecutionNotifications).toHaveLength(1);
  });

  test('has no control character of a provider', () => {
    expect(renderSarif(dataOf(hostile())).replaceAll(/\\u[0-9a-f]{4}|\n/gu, '')).not.toMatch(
      /[\u0000-\u001f\u202e]/u,
    );
  });
});

describe('CSV', () => {
  test('has a line per verdict, all with the same columns', () => {
    const lines = renderCsv(dataOf(mixed())).trimEnd().split('\r\n');
    expect(lines).toHaveLength(9);
    expect(lines[0]).toMatch(/^target,resource,requirement,clause,verdict,/u);
  });

  test('does not let text of a provider become a formula or a line', () => {
    const run = mixed();
    const [first] = run.targets;
    const named = { ...run, targets: [{ ...first, name: '=HYPERLINK("x")' }] } as typeof run;
    expect(renderCsv(dataOf(named))).toContain(`"'=HYPERLINK(""x"")"`);
    expect(renderCsv(dataOf(hostile())).replaceAll('\r\n', '')).not.toMatch(FORBIDDEN);
  });

  test.each([
    [`-2+3+cmd|' /C calc'!A0`, `'-2+3+cmd|' /C calc'!A0`],
    ['-2', '-2'],
    ['-2.5', '-2.5'],
    ['-2-3', "'-2-3"],
    ['+2', "'+2"],
    ['@x', "'@x"],
  ])('treats %j as a formula unless it is a plain number', (reason, shown) => {
    const run = results([target([judged('link/offset', 'fail', { reason })])]);
    expect(renderCsv(dataOf(run)).split('\r\n')[1]).toContain(`,fail,,${shown},`);
  });
});

describe('annotations', () => {
  test('list failures that no waiver covers, one line each', () => {
    const lines = renderAnnotations(mixed()).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe(
      '::error title=Assay%2C full suite%3A link/offset::after 3 pages of 7, $skip is 20 instead of 21',
    );
  });

  test('say why a run could not be carried out', () => {
    const { targets, ...rest } = mixed();
    const [one] = targets;
    if (one === undefined) throw new Error('no target');
    const run = {
      ...rest,
      outcome: 'error',
      targets: [
        {
          ...one,
          outcome: 'error',
          requirements: one.requirements.filter(({ verdict }) => verdict === 'error'),
        },
      ],
    } as const;
    expect(renderAnnotations(run)).toMatch(/^::error title=Assay[^\n]*::The run could not be carried out/u);
  });

  test('do not let text of a provider become a command', () => {
    for (const line of renderAnnotations(hostile()).trimEnd().split('\n'))
      expect(line).toMatch(/^::error title=/u);
  });
});

describe('Allure results', () => {
  test('contain a test per verdict with epic, severity, steps and existing attachments', async () => {
    const place = path.join(folder, 'allure-results');
    const run = mixed();
    await writeAllure(
      { results: run, catalogue, evidence: await gatherEvidence(run, evidence(20)), prove: null },
      place,
    );
    await writeAllure(
      { results: run, catalogue, evidence: await gatherEvidence(run, evidence(20)), prove: null },
      place,
    );
    const files = readdirSync(place);
    const tests = files
      .filter((file) => file.endsWith('-result.json'))
      .map((file) => JSON.parse(readFileSync(path.join(place, file), 'utf8')) as AllureTest);
    expect(tests).toHaveLength(8);
    const failed = tests.find(({ name }) => name.startsWith('link/offset'));
    expect(failed?.status).toBe('failed');
    expect(failed?.labels).toContainEqual({ name: 'epic', value: 'link' });
    expect(failed?.steps[0]?.attachments.map(({ name }) => name)).toEqual([
      'curl',
      'violation',
      'exchange 17',
      'exchange 18',
    ]);
    for (const { source } of tests.flatMap(({ steps }) => steps.flatMap(({ attachments }) => attachments))) {
      expect(files).toContain(source);
    }
    expect(files).toContain('categories.json');
    expect(files).toContain('environment.properties');
    expect(new Set(tests.map(({ historyId }) => historyId)).size).toBe(8);
  });
});

describe('Allure results of two runs', () => {
  async function identities(place: string, run: Results): Promise<ReadonlyMap<string, AllureTest>> {
    await writeAllure(dataOf(run), place, {
      GITHUB_ACTIONS: 'true',
      GITHUB_RUN_NUMBER: '7',
      ASSAY_CLAUSE_URL: 'https://spec.example/#{clause}',
    });
    const tests = readdirSync(place)
      .filter((file) => file.endsWith('-result.json'))
      .map((file) => JSON.parse(readFileSync(path.join(place, file), 'utf8')) as AllureTest);
    return new Map(tests.map((one) => [one.name, one]));
  }

  test('give each requirement the same identity, and link its clauses', async () => {
    const place = path.join(folder, 'allure-again');
    const first = await identities(place, mixed());
    const later = await identities(place, { ...mixed(), run: { ...mixed().run, id: 'later', seed: 7 } });
    for (const [name, { historyId, uuid }] of first) {
      expect(later.get(name)?.historyId).toBe(historyId);
      expect(later.get(name)?.uuid).not.toBe(uuid);
    }
    expect(later.get('link/offset (printers)')?.links).toEqual([
      { type: 'clause', name: 'clause 2.3', url: 'https://spec.example/#2.3' },
    ]);
    expect(JSON.parse(readFileSync(path.join(place, 'executor.json'), 'utf8'))).toMatchObject({
      type: 'github',
      buildOrder: 7,
    });
  });
});

interface AllureTest {
  readonly uuid: string;
  readonly links: readonly unknown[];
  readonly name: string;
  readonly status: string;
  readonly historyId: string;
  readonly labels: readonly { readonly name: string; readonly value: string }[];
  readonly steps: readonly {
    readonly attachments: readonly { readonly name: string; readonly source: string }[];
  }[];
}

describe('PDF', () => {
  test('reports in one sentence that there is no browser', async () => {
    expect(browserIn({ PATH: folder })).toBeNull();
    expect(browserIn({ ASSAY_BROWSER: path.join(folder, 'none'), PATH: process.env['PATH'] })).toBeNull();
    const none = { PATH: folder, ASSAY_BROWSER: '' };
    await expect(writePdf('page.html', path.join(folder, 'x.pdf'), none)).rejects.toThrow(
      /Chromium|could not print/u,
    );
  });

  test.skipIf(process.platform === 'win32')('is printed by a browser that gets no secret', async () => {
    const environmentFile = path.join(folder, 'environment');
    const ASSAY_BROWSER = path.join(folder, 'chromium');
    writeFileSync(ASSAY_BROWSER, `#!/bin/sh\nenv > '${environmentFile}'\nexit 3\n`, { mode: 0o755 });
    const secrets = { ACME_CLIENT_SECRET: 'one secret', ASSAY_SIGNING_KEY: 'the key' };
    const env = { ...process.env, ASSAY_BROWSER, ...secrets, LC_TIME: 'C', FONTCONFIG_PATH: '/fonts' };
    await expect(writePdf('page.html', path.join(folder, 'x.pdf'), env)).rejects.toThrow(/could not print/u);
    const environment = readFileSync(environmentFile, 'utf8').split('\n');
    expect(environment).toEqual(
      expect.arrayContaining([`PATH=${process.env['PATH']}`, 'LC_TIME=C', 'FONTCONFIG_PATH=/fonts']),
    );
    expect(environment.join()).not.toMatch(/SECRET|SIGNING/u);
  });
});
