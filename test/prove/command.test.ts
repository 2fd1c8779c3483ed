import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProveResults } from '../../src/core/prove.ts';
import { type Built, build, type Ended } from '../cli/built.ts';
import { matrixOf } from './support.ts';

let built: Built;
const cwd = mkdtempSync(path.join(tmpdir(), 'assay-prove-'));

beforeAll(async () => {
  built = await build();
}, 60_000);
afterAll(() => {
  built.remove();
  rmSync(cwd, { recursive: true, force: true });
});

function prove(words: readonly string[]): Promise<Ended> {
  return built.start(['prove', ...words], { cwd }).ended;
}

describe('the command assay prove', () => {
  it('gives the same matrix with one thread and with four, and leaves it in its folder', async () => {
    const only = ['--only', 'page-size/*,total-5*,link-order-reversed,living-burst'];
    const one = await prove([...only, '--jobs', '1', '--out', 'one', '--quiet', '--json']);
    const four = await prove([...only, '--jobs', '4', '--out', 'four', '--json']);
    expect([one.status, four.status]).toEqual([0, 0]);
    expect(readdirSync(path.join(cwd, 'one')).toSorted()).toEqual(['prove.html', 'prove.json']);
    const results = JSON.parse(one.out) as ProveResults;
    expect(JSON.parse(readFileSync(path.join(cwd, 'one', 'prove.json'), 'utf8'))).toEqual(results);
    expect(matrixOf(JSON.parse(four.out) as ProveResults)).toEqual(matrixOf(results));
    expect(results.run.command).toContain('assay prove');
    expect(one.err).toBe('');
    expect(four.err).toContain('PROVEN');
  });

  it.each([
    [['--only', 'nothing-like-this'], 'names no defect, variant or requirement'],
    [['--jobs', '0'], '--jobs takes a whole number'],
    [['--sweep', '--combine', '3'], 'choose one'],
    [['--runs', '20'], '--runs belongs to --sweep'],
  ])('refuses %j with status 3', async (words, sentence) => {
    const ended = await prove(words);
    expect(ended.status).toBe(3);
    expect(ended.err).toContain(sentence);
  });
});
