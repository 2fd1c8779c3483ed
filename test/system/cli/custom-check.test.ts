import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import type { Ended } from '../../support/built.ts';
import { assay, cwd, mock, useProcesses } from '../../support/processes.ts';

useProcesses();

describe('a check of the user', () => {
  async function run(...lines: readonly string[]): Promise<Ended & { readonly reasons: readonly string[] }> {
    const { file, going: served } = await mock();
    mkdirSync(path.join(cwd, 'checks'));
    writeFileSync(
      path.join(cwd, 'checks', 'mine.mjs'),
      ["import * as assay from 'assay';", ...lines].join('\n'),
    );
    writeFileSync(path.join(cwd, 'own.json'), JSON.stringify({ ...file, checks: ['./checks/mine.mjs'] }));
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
});
