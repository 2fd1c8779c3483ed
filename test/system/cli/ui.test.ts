import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { built } from '../../support/built.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cwd = temporaryFolder('ui');

describe('assay run --ui', () => {
  it.runIf(process.platform === 'linux')('serves UI mode on loopback without a display', async () => {
    const ui = built.start(['run', '--ui', '--suite', 'smoke'], { cwd });
    await ui.shows('http://127.0.0.1:');
    // The address is on one line.
    await ui.shows('Listening on');
    ui.process.kill('SIGTERM');
    expect((await ui.ended).status).toBe(130);
  });

  it.each([
    [['--rate', '5'], '--ui cannot be combined with --rate'],
    [['--json'], '--ui cannot be combined with --json'],
    [['nowhere.yaml'], 'nowhere.yaml: the file does not exist'],
    [['a,b.yaml'], '--ui accepts no target file with a comma in its name: a,b.yaml'],
  ])('with %j is rejected in one sentence', async (words, sentence) => {
    writeFileSync(path.join(cwd, 'a,b.yaml'), '');
    const { status, err } = await built.start(['run', '--ui', ...words], { cwd }).ended;
    expect([status, err]).toEqual([3, `assay: ${sentence}\n`]);
  });
});
