import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedPages } from '../../../scripts/docs/pages.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import { built } from '../../support/built.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { play } from './page-runner.ts';
import { commandLines, skeleton, snippetsOf, understood } from './snippets.ts';

const generated = generatedPages();
const all = readdirSync(packageFile('docs'), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const pages = [...all, 'README.md'];
const written = pages.filter((name) => !generated.some((page) => `docs/${page.path}` === name));
const read = (name: string): string => readFileSync(packageFile(name), 'utf8');

describe('generated pages', () => {
  test('are up to date; npm run docs writes them', () => {
    for (const page of generated) expect(read(`docs/${page.path}`), page.path).toBe(page.text);
  });

  test('are the only pages of requirements', () => {
    const kept = all.filter((name) => name.startsWith('docs/requirements/'));
    expect(kept.filter((name) => !generated.some((page) => `docs/${page.path}` === name))).toEqual([]);
  });
});

describe('every page', () => {
  test.each(pages)('%s refers only to existing pages and commands', async (name) => {
    const text = read(name);
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/gu)) {
      if (/^https?:/u.test(link)) continue;
      const [file = '', fragment] = link.split('#');
      const place = file === '' ? name : path.join(path.dirname(name), file);
      expect(existsSync(packageFile(place)), `${name} links to ${link}`).toBe(true);
      if (fragment !== undefined) expect(headings(read(place)), link).toContain(fragment);
    }
    const shell = snippetsOf(text).map(({ script }) => script);
    const inline = [...text.matchAll(/`(assay [a-z][^`<[\n]*)`/gu)].map(([, code = '']) => code);
    for (const words of commandLines([...shell, ...inline].join('\n'))) {
      // A placeholder in capitals is a word like any other; a lone word is a command name.
      const known = words.filter((word) => word !== '…');
      if (known.length > 1 && !known.includes('COMMAND')) await understood(known);
    }
  });
});

function headings(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gmu)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the commands of', () => {
  const folder = temporaryFolder('pages');

  const played = written.filter((name) => snippetsOf(read(name)).some(({ why }) => why === null));

  test.each(played)('%s do what the page says', async (name) => {
    const place = path.join(folder, name.replaceAll('/', '-'));
    mkdirSync(place);
    const { problems } = await play(snippetsOf(read(name)), { folder: place, main: built.main });
    expect(problems).toEqual([]);
  });
});

describe('snippets', () => {
  test('are read with the annotations of the page', () => {
    const text =
      'a\n\n<!-- status: 1 -->\n```sh\nfalse\n```\n\n```text\nout 12\n…\nlast … line\n```\n\n<!-- not run: why -->\n```sh\nx\n```\n';
    expect(snippetsOf(text)).toEqual([
      { line: 3, script: 'false\n', status: 1, why: null, shows: ['out 12', 'last ', ' line'] },
      { line: 14, script: 'x\n', status: 0, why: 'why', shows: [] },
    ]);
    expect(skeleton('took 1,234.5 ms')).toBe(skeleton('took  9 ms'));
  });

  test('that fail or print something else are reported', async () => {
    const place = temporaryFolder('snippets');
    const snippet = { line: 1, status: 0, why: null, shows: [] };
    const { problems } = await play(
      [
        { ...snippet, script: 'echo fine\n', shows: ['fine'] },
        { ...snippet, line: 2, script: 'false\necho on\n' },
        { ...snippet, line: 3, script: 'echo this\n', shows: ['that'] },
        { ...snippet, line: 4, script: '(exit 3)\n', status: 1 },
        { ...snippet, line: 5, script: '(exit 3)\n', status: 3 },
      ],
      { folder: place, main: '' },
    );
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['line 2', 'line 3', 'line 4']);
  });
});
