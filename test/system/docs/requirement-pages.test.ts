import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathOf } from '../../../scripts/docs/requirements.ts';
import { requirements } from '../../../specs/catalogue.ts';
import { targetOf, targetText } from '../../../src/cli/mock/action.ts';
import { readMockOptions } from '../../../src/cli/mock/scenario.ts';
import { dispatch, parse } from '../../../src/cli/program.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { openMock } from '../../support/judge-mock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { commandLines, snippetsOf } from './snippets.ts';

const folder = temporaryFolder('requirements');

// In this process, because there are many pages; the code is the same as for a shell.
describe('the page of', () => {
  test.each(requirements.map(({ id }) => id))('%s shows a failing run', async (id) => {
    const [snippet] = snippetsOf(readFileSync(packageFile(`docs/${pathOf(id)}`), 'utf8'));
    const [mockWords = [], runWords = []] = commandLines(snippet?.script ?? '');
    expect([mockWords[0], runWords[0]]).toEqual(['mock', 'run']);
    const read = await parse(mockWords, 100);
    if (read.kind !== 'command') throw new Error('no command');
    const options = await readMockOptions(read.args);
    const mock = await openMock(options);
    const file = path.join(folder, `${id.replace('/', '-')}.yaml`);
    writeFileSync(file, targetText(targetOf(mock, options, null), id));
    const words = runWords.map((word) => (word === 'broken.yaml' ? file : word));
    const host = fakeHost();
    const status = await dispatch([...words, '--json', '--out', file.replace('.yaml', '')], host);
    expect(status, host.err.text()).toBe(1);
    const results = JSON.parse(host.out.text()) as {
      targets: { requirements: { id: string; verdict: string }[] }[];
    };
    const failed = results.targets[0]?.requirements.filter(({ verdict }) => verdict === 'fail');
    expect(failed?.map((row) => row.id)).toEqual([id]);
  });
});
