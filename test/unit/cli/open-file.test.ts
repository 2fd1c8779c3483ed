import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFile } from '../../../src/cli/shared/file-opener.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('open');

function browser(name: string, lines: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe.skipIf(process.platform === 'win32')('--open', () => {
  test('passes the URL of the page to the browser', async () => {
    const received = path.join(folder, 'received');
    await openFile(path.join(folder, 'a page.html'), {
      BROWSER: browser('good', `echo "$1" > '${received}'`),
    });
    expect(readFileSync(received, 'utf8').trim()).toMatch(/^file:\/\/\/.*\/a%20page\.html$/u);
  });

  test('passes no signing key to the browser', async () => {
    const received = path.join(folder, 'environment');
    const BROWSER = browser('curious', `env > '${received}'`);
    await openFile('report.html', { ...process.env, BROWSER, ASSAY_SIGNING_KEY: 'the key' });
    expect(readFileSync(received, 'utf8')).toContain('BROWSER=');
    expect(readFileSync(received, 'utf8')).not.toContain('the key');
  });

  test('reports in one sentence that there is no browser or that it failed', async () => {
    const none = path.join(folder, 'none');
    await expect(openFile('report.html', { BROWSER: none })).rejects.toThrow(
      `cannot open report.html: there is no ${none}; open it yourself, or set BROWSER`,
    );
    const bad = browser('bad', 'exit 3');
    await expect(openFile('report.html', { BROWSER: bad })).rejects.toThrow(`${bad} found no browser`);
  });
});
