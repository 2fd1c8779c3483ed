import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { progressFile } from '../../../src/cli/run/progress.ts';
import { judged } from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('progress');

const verdict = (id: string) => ({ type: 'verdict', target: 'acme', result: judged(id, 'pass') }) as const;

describe('the progress file of a run', () => {
  it('contains every verdict in order, one turn after it was given', async () => {
    const file = path.join(folder, 'whole.ndjson');
    const note = progressFile(file);
    note({ type: 'target-started', target: 'acme', requirements: 3, selected: 3 });
    note(verdict('token/issued'));
    note(verdict('link/offset'));
    await turn();
    const lines = () => readFileSync(file, 'utf8').trim().split('\n');
    const noted = lines().map((line) => JSON.parse(line) as { id?: string; resource?: string | null });
    expect(noted.map(({ id, resource }) => [id, resource])).toEqual([
      [undefined, undefined],
      ['token/issued', null],
      ['link/offset', 'printers'],
    ]);
    note(verdict('count/present'));
    await turn();
    expect(lines()).toHaveLength(4);
  });

  it('contains the number of requests at most twice a second', async () => {
    const file = path.join(folder, 'requests.ndjson');
    let now = 1000;
    const note = progressFile(file, () => now);
    const progress = (requests: number) =>
      note({ type: 'progress', target: 'acme', requests, pages: 0, records: 0 });
    progress(1);
    progress(2);
    now += 500;
    progress(3);
    await turn();
    const written = readFileSync(file, 'utf8').trim().split('\n');
    expect(written.map((line) => (JSON.parse(line) as { requests: number }).requests)).toEqual([1, 3]);
  });

  it('does not stop the run if it cannot be written', async () => {
    const file = path.join(folder, 'gone', 'lost.ndjson');
    const note = progressFile(file);
    for (let time = 0; time < 2; time++) {
      note(verdict('token/issued'));
      await turn();
    }
    expect(existsSync(file)).toBe(false);
  });
});
