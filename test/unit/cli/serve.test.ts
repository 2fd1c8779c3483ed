import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReportServer, startReportServer, stateOf } from '../../../src/cli/serve/server.ts';
import { writeReports } from '../../../src/report/folder/report-writer.ts';
import { dataOf, mixed } from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('serve');

describe('assay serve', () => {
  let server: ReportServer;
  beforeAll(async () => {
    mkdirSync(path.join(folder, 'runs', 'one'), { recursive: true });
    await writeReports(dataOf(mixed()), path.join(folder, 'runs', 'one'), []);
    writeFileSync(path.join(folder, 'outside.txt'), 'outside');
    symlinkSync(path.join(folder, 'outside.txt'), path.join(folder, 'runs', 'one', 'link.txt'));
    server = await startReportServer(path.join(folder, 'runs'), 0);
  });
  afterAll(async () => {
    await server.close();
  });

  const status = (below: string, host?: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      request(new URL(server.address), { path: below, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
  const word = (): string => new URL(server.address).pathname;

  test('lists runs and shows their reports', async () => {
    expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/u);
    const page = await (await fetch(server.address)).text();
    expect(page).toContain('href="runs/one/report.html"');
    expect(await status(`${word()}runs/one/report.html`)).toBe(200);
  });

  test('serves nothing without its secret, to another host, or outside the folder', async () => {
    expect(await status('/')).toBe(404);
    expect(await status('/runs/one/report.html')).toBe(404);
    expect(await status(word(), 'rebound.example')).toBe(404);
    for (const below of [
      'runs/one/../../outside.txt',
      'runs/one/..%2f..%2foutside.txt',
      'runs/one/link.txt',
      'runs/..',
    ]) {
      expect(await status(word() + below)).toBe(404);
    }
  });

  test('shows a run in progress', async () => {
    const staging = path.join(folder, 'runs', '.two');
    mkdirSync(staging);
    writeFileSync(
      path.join(staging, 'progress.ndjson'),
      '{"type":"target-started","target":"acme","requirements":37}\n{"type":"verdict","target":"acme","id":"link/offset","verdict":"fail","reason":"<b>"}\n{"type":"ver',
    );
    const page = await (await fetch(server.address)).text();
    expect(page).toContain('Running: two');
    expect(page).toContain('link/offset');
    expect(page).toContain('&lt;b>');
  });

  test('shows the last verdict of a requirement that was judged twice, for each list', async () => {
    const staging = path.join(folder, 'runs', '.four');
    mkdirSync(staging);
    const verdict = (resource: string, given: string) => ({
      type: 'verdict',
      target: 'twice',
      id: 'link/offset',
      resource,
      verdict: given,
      reason: null,
    });
    const lines = [verdict('printers', 'fail'), verdict('jobs', 'fail'), verdict('printers', 'pass')];
    writeFileSync(
      path.join(staging, 'progress.ndjson'),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    const { running } = await stateOf(path.join(folder, 'runs'));
    const [twice] = running.find(({ name }) => name === 'four')?.targets ?? [];
    expect(twice?.verdicts.map(({ verdict: given }) => given)).toEqual(['pass', 'fail']);
  });

  test('ignores malformed lines of progress', async () => {
    const staging = path.join(folder, 'runs', '.three');
    mkdirSync(staging);
    const started = { type: 'target-started', target: 'odd', requirements: 37 };
    const lines = [
      'null',
      '5',
      '"text"',
      '[]',
      '{}',
      '{"type":"verdict"}',
      '{"type":"target-started","target":7,"requirements":1}',
      '{"type":"target-started","target":"bad-count","requirements":"many"}',
      '{"type":"progress","target":"bad-requests","requests":{}}',
      '{"type":"verdict","target":"bad-verdict","id":"a/b","verdict":"toString","reason":null}',
      '{"type":"verdict","target":"bad-reason","id":"a/b","verdict":"fail","reason":{"a":1}}',
      '{"type":"verdict","target":"bad-id","id":["a"],"verdict":"fail","reason":null}',
      JSON.stringify(started),
      '\u0000',
    ];
    writeFileSync(path.join(staging, 'progress.ndjson'), lines.join('\n'));
    const { running } = await stateOf(path.join(folder, 'runs'));
    expect(running.find(({ name }) => name === 'three')).toEqual({
      name: 'three',
      targets: [{ name: 'odd', requirements: 37, requests: 0, verdicts: [] }],
    });
    const page = await fetch(server.address);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('odd');
  });
});
