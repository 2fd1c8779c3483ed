import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProveResults } from '../../../src/core/prove-results.ts';
import type { Manifest } from '../../../src/evidence/seal/manifest.ts';
import { built } from '../../support/built.ts';
import { matrixOf } from '../../support/prove.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cwd = temporaryFolder('prove');
const assay = built.in(cwd);

describe('the command assay prove', () => {
  it('gives the same matrix with one and four threads, and writes it to its folder', async () => {
    const only = 'prove --only limit-one-more,count-null,living-halved,living-burst';
    const one = await assay(`${only} --jobs 1 --out one --quiet --json`);
    const four = await assay(`${only} --jobs 4 --out four --json`);
    expect([one.status, four.status]).toEqual([0, 0]);
    expect(readdirSync(path.join(cwd, 'one')).toSorted()).toEqual(['prove.html', 'prove.json']);
    const results = JSON.parse(one.out) as ProveResults;
    expect(JSON.parse(readFileSync(path.join(cwd, 'one', 'prove.json'), 'utf8'))).toEqual(results);
    expect(matrixOf(JSON.parse(four.out) as ProveResults)).toEqual(matrixOf(results));
    expect(results.run.command).toContain('assay prove');
    expect(one.err).toBe('');
    expect(four.err).toContain('PROVEN');
  });

  it('is accepted by a run only if it is valid and consistent', async () => {
    const proof = JSON.parse(readFileSync(path.join(cwd, 'four', 'prove.json'), 'utf8')) as ProveResults;
    const whole: ProveResults = { ...proof, run: { ...proof.run, only: [] } };
    const [row, ...rows] = whole.defects;
    if (row === undefined) throw new Error('the proof has rows');
    const place = path.join(cwd, 'reports', 'zz', 'prove.json');
    mkdirSync(path.dirname(place), { recursive: true });
    const warningAbout = async (claimed: object): Promise<string> => {
      writeFileSync(place, JSON.stringify(claimed));
      const { status, err } = await assay('run --suite smoke --quiet --out run');
      expect(status).toBe(0);
      const { tool } = JSON.parse(readFileSync(path.join(cwd, 'run', 'manifest.json'), 'utf8')) as Manifest;
      expect(tool.prove === null).toBe(err !== '');
      return err;
    };
    expect(await warningAbout(whole)).toBe('');
    const ignored = `assay: ${path.join('reports', 'zz', 'prove.json')} is ignored, because it is not a valid proof: `;
    expect(await warningAbout({ ...whole, combinations: null })).toBe(
      `${ignored}/combinations must be array\n`,
    );
    const totals = { ...whole.totals, defects: { ...whole.totals.defects, total: 9999, killed: 9999 } };
    expect(await warningAbout({ ...whole, totals })).toBe(
      `${ignored}its totals do not follow from its rows\n`,
    );
    const fateless = `${ignored}the fate of ${row.id} does not follow from its row\n`;
    expect(await warningAbout({ ...whole, defects: [{ ...row, fate: 'escaped' }, ...rows] })).toBe(fateless);
    expect(await warningAbout({ ...whole, defects: [{ ...row, killedBy: [] }, ...rows] })).toBe(fateless);
    expect(await warningAbout({ ...whole, proven: false })).toBe(
      `${ignored}its conclusion does not follow from its totals\n`,
    );
  });

  it.each([
    ['--only nothing-like-this', 'matches no defect, variant or requirement'],
    ['--jobs 0', '--jobs takes a whole number'],
    ['--sweep --combine 3', '--combine and --sweep'],
    ['--runs 20', '--runs needs --sweep'],
  ])('rejects %s with status 3', async (options, sentence) => {
    const ended = await assay(`prove ${options}`);
    expect(ended.status).toBe(3);
    expect(ended.err).toContain(sentence);
  });
});
