import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import type { Ended, Going } from '../../support/built.ts';
import { assay, cwd, mock, preloaded, resultsIn, start, useProcesses } from '../../support/processes.ts';

useProcesses();

describe('a check of the user', () => {
  /** Writes own.json, a target with a module of checks. Returns the mock that it names. */
  async function prepare(lines: readonly string[], limits: object = {}): Promise<Going> {
    const { file, going } = await mock();
    mkdirSync(path.join(cwd, 'checks'));
    writeFileSync(
      path.join(cwd, 'checks', 'mine.mjs'),
      ["import * as assay from 'assay';", ...lines].join('\n'),
    );
    const target = { ...file, limits, checks: ['./checks/mine.mjs'] };
    writeFileSync(path.join(cwd, 'own.json'), JSON.stringify(target));
    return going;
  }

  async function run(...lines: readonly string[]): Promise<Ended & { readonly reasons: readonly string[] }> {
    const served = await prepare(lines);
    const ended = await assay('run own.json --only x/* --quiet --json');
    served.process.kill('SIGTERM');
    await served.ended;
    const results = ended.out === '' ? null : (JSON.parse(ended.out) as Results);
    const own = results?.targets[0]?.requirements.filter(({ id }) => id.startsWith('x/')) ?? [];
    return { ...ended, reasons: own.map(({ verdict, reason }) => `${verdict}: ${reason}`) };
  }

  const place = (line: number): string => path.join('checks', `mine.mjs:${line}`);

  test.each([
    ["export const one = assay.list('x/one', {}, async () => {});", 'x/one'],
    ["export const one = assay.token('x/one', { rule: ' ' }, async () => {});", 'x/one'],
    ["export const one = assay.check('x/one');", 'x/one'],
    ["export const one = assay.list('x/One', { rule: 'A.' }, async () => {});", 'x/One'],
    ['undefined.member;', 'member'],
  ])('that cannot be declared is reported with file and line: %s', async (line, named) => {
    const { status, out, err } = await run('', line);
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(named)]);
    expect(err).toContain(place(3));
  });

  test('that throws is an error with file and line, and a violation stays a violation', async () => {
    const { status, reasons } = await run(
      'const helper = (value) => value.missing.member;',
      "const about = { rule: 'It holds.' };",
      "export const a = assay.list('x/a', about, async () => {",
      '  helper({});',
      '});',
      "export const b = assay.token('x/b', about, async () => {",
      "  throw new Error('my own');",
      '});',
      "export const c = assay.list('x/c', about, async (list) => {",
      '  await list.get();',
      "  list.expect(false, 'a breach');",
      '});',
      "export const d = assay.check('x/d', about, async () => JSON.parse('{'));",
      "export const e = assay.property('x/e', { ...about, arbitrary: (fc) => fc.nat() }, async () => {",
      '  await null;',
      '  helper({});',
      '});',
      "export const f = assay.list('x/f', about, async (list) => list.inconclusive('too few'));",
      "export const g = assay.token('x/g', about, async (token) => token.skip('no ground'));",
    );
    expect(status).toBe(1);
    const sorted = reasons.toSorted();
    expect(
      sorted.map((reason) => /mine\.mjs:(\d+)/u.exec(reason)?.[1] ?? reason.split(':')[0]).toSorted(),
    ).toEqual(['14', '2', '2', '8', 'fail', 'inconclusive', 'skipped']);
  });

  const causeOf = (id: string): unknown =>
    resultsIn('mine').targets[0]?.requirements.find((one) => one.id === id)?.cause;

  test('that waits for nothing is inconclusive at the time limit', async () => {
    const wait = '() => new Promise(() => undefined)';
    await prepare([`export const a = assay.list('x/a', { rule: 'A.' }, ${wait});`], { maxRunSeconds: 1 });
    expect((await assay('run own.json --only x/* --out mine')).status).toBe(2);
    expect(causeOf('x/a')).toEqual({ kind: 'limit', limit: 'maxRunSeconds' });
  });

  test('that never ends is inconclusive after one SIGTERM', async () => {
    const wait = "() => new Promise(() => setInterval(() => process.stderr.write('waiting'), 100))";
    await prepare([`export const a = assay.list('x/a', { rule: 'A.' }, ${wait});`]);
    const going = start('run own.json --only x/* --out mine');
    await going.shows('waiting');
    going.process.kill('SIGTERM');
    expect((await going.ended).status).toBe(130);
    expect(causeOf('x/a')).toEqual({ kind: 'interrupted' });
  });

  test('whose code ends the process while the report is written causes status 3', async () => {
    const leave = 'async () => { setInterval(() => globalThis.isWriting && process.exit(0), 10); }';
    await prepare([`export const a = assay.list('x/a', { rule: 'A.' }, ${leave});`]);
    const script = `
      import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      fs.writeFile = () => {
        globalThis.isWriting = true;
        return new Promise((resolve) => setInterval(resolve, 2 ** 31 - 1));
      };
      syncBuiltinESMExports();`;
    const { status, err } = await start('run own.json --only x/* --out mine', preloaded(script)).ended;
    expect(status).toBe(3);
    expect(err).toContain('mine.mjs ended the process');
  });

  test('that leaves a rejected promise causes status 3 and one sentence', async () => {
    const forget = "async () => { Promise.reject(new Error('forgotten')); }";
    await prepare([`export const a = assay.list('x/a', { rule: 'A.' }, ${forget});`]);
    const { status, err } = await start('run own.json --only x/* --out mine').ended;
    expect(status).toBe(3);
    expect(err).toMatch(
      /mine\.mjs left a promise that failed: Error: forgotten \(\S*mine\.mjs:\d+\); await it/u,
    );
    expect(err).not.toMatch(/^\s+at /mu);
  });

  test('that prints leaves the results on standard output alone', async () => {
    await prepare([`export const a = assay.list('x/a', { rule: 'A.' }, async () => console.log('hello'));`]);
    const { out, err } = await start('run own.json --only x/* --out mine --json').ended;
    expect(JSON.parse(out)).toMatchObject({ outcome: 'inconclusive' });
    expect(err).toContain('hello');
  });
});
