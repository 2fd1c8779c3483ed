import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { observations, requirements } from '../../../specs/catalogue.ts';
import { outputOf } from '../../../src/cli/command.ts';
import { commands } from '../../../src/cli/program.ts';
import type { Trace } from '../../../src/cli/requirements/action.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import type { Requirement } from '../../../src/core/requirement.ts';
import { defects } from '../../../src/mock/index.ts';
import { said } from '../../support/fake-host.ts';

const ROWS = requirements.length + observations.length;

describe('usage errors', () => {
  test.each<[string[], string]>([
    [[], `assay: name a command: ${commands.map(({ name }) => name).join(', ')}; assay --help`],
    [['runn'], 'assay: there is no command "runn"; did you mean "run"?\n'],
    [['rum', 'a.yaml', '--suite', 'smoke'], 'assay: there is no command "rum"; did you mean "run"?\n'],
    [['approve'], 'assay: there is no command "approve"'],
    [['run', '--sed', '1'], 'assay: assay run has no option --sed; did you mean "--seed"?\n'],
    [['run', '--parallel'], 'assay: assay run has no option --parallel'],
    [['run', '--seed'], 'assay: --seed needs a value\n'],
    [['run', '--seed', 'x'], 'assay: --seed takes a whole number'],
    [['run', '--max-requests', '0'], 'assay: --max-requests takes a whole number from 1'],
    [['run', '--rate', '0'], 'assay: --rate takes a number from 0.01'],
    [['run', '--seed', '1', '--seed', '2'], 'assay: --seed was given more than once\n'],
    [['run', '--only', 'link/ofset'], 'did you mean "link/offset"?\n'],
    [['run', '--format', 'docx'], 'assay: --format does not accept "docx"'],
    [['run', 'no-such-file.yaml'], 'assay: no-such-file.yaml: the file does not exist\n'],
    [['explain'], 'assay: an argument is missing: assay explain <id>\n'],
    [['explain', 'a', 'b'], 'assay: assay explain <id> takes no further argument: "b"\n'],
    [['explain', 'link'], 'assay: link is a chapter; name one of link/'],
    [['run', '--issuer', 'Body'], 'assay: --issuer is for certificates'],
    [['report', 'src'], 'assay: the folder src has no results.json'],
    [['explain', 'link/ofset'], 'did you mean "link/offset"?\n'],
    [['explain', 'observe/latenzy'], 'did you mean "observe/latency"?\n'],
    [['mock', '--defect', 'none-such'], 'assay: unknown defect "none-such"'],
    [['mock', '--port', '70000'], 'assay: --port takes a whole number from 0 to 65,535'],
    [['report', 'no-such-run'], 'assay: there is no run at no-such-run'],
    [['requirements', '--format', 'xml'], 'assay: --format does not accept "xml"'],
    [['diff', 'a', 'b', '--format', 'markdown', '--json'], 'assay: --json and --format markdown are two'],
    [
      ['run', '--out', 'package.json/sub'],
      '--out package.json/sub cannot be written: part of the path is a file, not a folder',
    ],
    [['run', '--out', 'x'.repeat(300)], 'x cannot be written: its name is too long'],
    [['run', '--sign', 'none'], 'assay: the signing key none cannot be read: no such file or folder\n'],
    [['keygen', '/tmp/'], 'assay: assay keygen needs the name of a file, not of a folder: /tmp/\n'],
    [['history', 'none'], 'assay: there is no folder none\n'],
    [['history', 'package.json'], 'assay: package.json is a file, not a folder of runs\n'],
    [['serve', 'none'], 'assay: there is no folder none\n'],
    [['serve', 'package.json'], 'assay: package.json is a file, not a folder of runs\n'],
    [['run', '--', 'none.yaml'], 'assay: none.yaml: the file does not exist\n'],
    [['run', '--json=false', '--', '-x.yaml'], 'assay: write ./-x.yaml for a file named -x.yaml\n'],
    [['run', '-'], 'assay: write ./- for a file named -\n'],
    [['doctor', '--', 'none.yaml'], 'assay: none.yaml: the file does not exist\n'],
    [['report', '--', 'none'], 'assay: there is no run at none'],
    [
      ['explain', '--', 'link/offset', 'more'],
      'assay: assay explain <id> takes no further argument: "more"\n',
    ],
    [['--'], 'assay: name a command: run'],
    [['--nosuch'], 'has no option --nosuch; name a command: run'],
    [['--versoin=x'], 'has no option --versoin; did you mean "--version"?'],
    [['run', ''], 'assay: assay run [target...]: the argument target is empty\n'],
    [['keygen', ''], 'assay: assay keygen [name]: the argument name is empty\n'],
    [['run', '--only'], 'assay: --only needs a value\n'],
    [['run', '--only='], 'assay: --only needs a value\n'],
    [['run', '--skip', '--json'], 'assay: --skip needs a value\n'],
    [['report', 'a', '--format'], 'assay: --format needs a value\n'],
    [['run', '--sign=-none'], 'assay: the signing key -none cannot be read'],
    [['run', '--json=maybe'], 'assay: --json takes true or false, not "maybe"\n'],
    [['run', '--expiry=5'], 'assay: --expiry takes true or false, not "5"\n'],
    [['run', '--help=no'], 'assay: --help takes no value\n'],
    [['help', 'runn'], 'assay: there is no command "runn"; did you mean "run"?\n'],
    [['mock', '--records', '1e3', '--list-defects'], 'assay: --records takes a whole number'],
    [['run', '--rate', '500000'], 'assay: --rate takes a number from 0.01 to 100,000'],
    [['run', '--quiet='], 'assay: --quiet takes true or false, not ""\n'],
    [['--suite', 'smoke', 'run', 'none.yaml'], 'assay: none.yaml: the file does not exist\n'],
    [['--json', 'run', 'none.yaml'], 'assay: the command comes first'],
    [['--bogus', 'run', 'none.yaml'], 'assay: the command comes first'],
    [['run', '--skip', '*'], 'assay: --skip leaves out everything, so there is nothing to test\n'],
  ])('%j results in one sentence and status 3', async (words, sentence) => {
    const { status, out, err } = await said(words);
    expect(status).toBe(3);
    expect(out).toBe('');
    expect(err).toContain(sentence);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/^\s+at /mu);
  });

  test('show what was typed without its control characters', async () => {
    expect((await said(['\u001b[31mrun'])).err).toContain('"\\u001b[31mrun"');
  });
});

describe('an argument', () => {
  test('may follow --, with options before it', async () => {
    const plain = await said(['explain', 'link/offset']);
    expect(plain.status).toBe(0);
    expect(await said(['explain', '--', 'link/offset'])).toEqual(plain);
    expect(await said(['explain', '--json=false', '--', 'link/offset'])).toEqual(plain);
  });
});

describe('help', () => {
  test('names every command that exists', async () => {
    const { status, out } = await said(['--help']);
    expect(status).toBe(0);
    for (const { name } of commands) expect(out).toContain(`assay ${name}`);
  });

  test('shows what the value of an option is, and neither a default nor a type that it does not have', async () => {
    const { out } = await said(['run', '--help']);
    expect(out).toMatch(/ --seed +N: same seed/u);
    expect(out).not.toMatch(/default: \[\]|\[string\]|\[array\]/u);
  });
});

describe('requirements', () => {
  test('are printed as a table', async () => {
    const { out } = await said(['requirements']);
    expect(out).toContain(`${requirements.length} requirements`);
    expect(out).toContain(`${observations.length} observations`);
    expect(out).toMatch(/^link\/offset +2\.3 /mu);
  });

  test('are printed as JSON', async () => {
    const all: unknown = JSON.parse((await said(['requirements', '--format', 'json'])).out);
    expect(all).toHaveLength(ROWS);
    expect(all).toContainEqual(
      expect.objectContaining({ id: 'link/offset', level: 'must', clause: ['2.3'] }),
    );
  });

  test('are printed as CSV with one line per row', async () => {
    const lines = (await said(['requirements', '--format', 'csv'])).out.trimEnd().split('\r\n');
    expect(lines).toHaveLength(ROWS + 1);
    expect(lines[0]).toBe('id,level,clause,smoke,rule,needs,check,defects');
  });

  test('are printed as Markdown', async () => {
    const { out } = await said(['requirements', '--format', 'markdown']);
    expect(out.trimEnd().split('\n')).toHaveLength(ROWS + 2);
    expect(out).toContain('| `link/offset` | must | 2.3 | no |');
  });
});

describe('requirements --coverage', () => {
  test('maps every clause to a requirement, an existing check, and the defects that prove it', async () => {
    const all = JSON.parse((await said(['requirements', '--coverage', '--json'])).out) as readonly Trace[];
    for (const { requirement, level, check, defects } of all) {
      expect(readFileSync(packageFile(check), 'utf8')).toContain(`id: '${requirement}'`);
      expect({ requirement, proven: defects.length > 0 }).toEqual({ requirement, proven: level === 'must' });
    }
    const clauses = all.map(({ clause }) => clause);
    expect(clauses).toEqual(
      [...clauses].sort((one, other) => one.localeCompare(other, 'en', { numeric: true })),
    );
    expect(new Set(all.map(({ requirement }) => requirement)).size).toBe(ROWS);
  });

  test.each(['table', 'csv', 'markdown'])(
    'as %s, one line for each pair of clause and row',
    async (format) => {
      const pairs = JSON.parse(
        (await said(['requirements', '--coverage', '--json'])).out,
      ) as readonly Trace[];
      const { out } = await said(['requirements', '--coverage', '--format', format]);
      const lines = out.split('\n').filter((line) => /^(\| )?\d/u.test(line) && line.includes('/'));
      expect(lines).toHaveLength(pairs.length);
      expect(out).toContain('skip-in-pages');
    },
  );

  test('accepts a single format', async () => {
    expect((await said(['requirements', '--json', '--format', 'csv'])).err).toContain('choose one');
  });
});

describe('explain', () => {
  test('shows the fix of each requirement and the defects that prove it', async () => {
    for (const { id } of requirements) {
      const facts = JSON.parse((await said(['explain', id, '--json'])).out) as Requirement & {
        defects: string[];
      };
      expect(facts).toMatchObject({ id, level: 'must' });
      expect(facts.fix).toMatch(/^[A-Z][^\n]{30,}\.$/u);
      expect(facts.causes).not.toBe('');
      expect(facts.defects.length).toBeGreaterThan(0);
    }
  });

  test('shows everything about a requirement', async () => {
    const { status, out } = await said(['explain', 'page-size/maximum']);
    expect(status).toBe(0);
    expect(out).toContain('page-size/maximum (clauses 4.2 and 8');
    for (const part of ['Rule', 'Tested', 'A breach', 'Usual causes', 'How to fix it', 'Needs', 'Proven by'])
      expect(out).toContain(`\n${part}\n`);
    expect(out).toContain('a list of more than 500 records');
  });

  test('shows the subject of an observation', async () => {
    expect((await said(['explain', 'observe/latency'])).out).toContain('never failed');
  });
});

describe('mock', () => {
  test('lists its defects with the requirements that they break', async () => {
    const { status, out } = await said(['mock', '--list-defects']);
    expect(status).toBe(0);
    expect(out.trimEnd().split('\n').length).toBeGreaterThanOrEqual(defects.length);
    expect(out).toMatch(/Breaks token\/issued/u);
  });

  test.each([
    [
      'sweep-filled-at-1',
      /defects? "sweep-filled-at-1"; the defects for a single page size are sweep-limit-at-SIZE/u,
    ],
    ['sweep-limit-at-501', /SIZE from 1 to 500/u],
    ['link-absolut', /did you mean "link-absolute"\?/u],
  ])('rejects the defect %s', async (id, sentence) => {
    const { status, err } = await said(['mock', '--defect', id]);
    expect(status).toBe(3);
    expect(err).toMatch(sentence);
  });
});

describe('colours', () => {
  const stream = { write: () => undefined, isTTY: true, columns: 72 };
  test.each<[string, Record<string, string>, boolean, boolean]>([
    ['a terminal', {}, true, true],
    ['a pipe', {}, false, false],
    ['NO_COLOR', { NO_COLOR: '1' }, true, false],
    ['an empty NO_COLOR', { NO_COLOR: '' }, true, true],
    ['FORCE_COLOR on a pipe', { FORCE_COLOR: '1' }, false, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false],
    ['both', { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    ['a dumb terminal', { TERM: 'dumb' }, true, false],
  ])('with %s', (_name, env, isTTY, colour) => {
    expect(outputOf({ ...stream, isTTY }, env).colour).toBe(colour);
  });

  test('width equals the width of the terminal, or 100', () => {
    expect(outputOf(stream, {}).width()).toBe(72);
    expect(outputOf({ write: () => undefined }, {}).width()).toBe(100);
  });
});
