import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFile } from '../../../src/core/package-file.ts';
import type { RequirementResult, Results } from '../../../src/core/results.ts';
import { makeHome } from '../../support/installed-assay.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const home = makeHome(temporaryFolder('home'));
cpSync(packageFile('examples'), path.join(home.folder, 'examples'), { recursive: true });

const README = readFileSync(packageFile('examples/README.md'), 'utf8');

/** The command lines of the examples, as the page names them. */
const commands = (/```sh\n([\s\S]*?)```/u.exec(README)?.[1] ?? '')
  .trim()
  .split('\n')
  .map((line) => line.replace(/ +#.*$/u, ''));

function carriedOut(command: string, more: readonly string[] = [], env: { [name: string]: string } = {}) {
  const words = command.split(' ').filter((word) => word !== 'npx');
  // Local providers need no rate limit.
  const rate = words.includes('run') ? ['--rate', '10000'] : [];
  return home.run([...words, ...rate, ...more], { folder: 'examples', env });
}

/** The results of an example that runs `assay run`. */
async function results(target: string, env: { [name: string]: string } = {}): Promise<Results> {
  const command = commands.find((one) => one.endsWith(`assay run ${target}`)) ?? `no command runs ${target}`;
  const { status, out, err } = await carriedOut(command, ['--json', '--quiet', '--seed', '1'], env);
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out) as Results;
}

function ownOf({ targets }: Results): readonly RequirementResult[] {
  return targets.flatMap(({ requirements }) => requirements.filter(({ id }) => id.startsWith('x/')));
}

describe('the examples', () => {
  test('are all documented', () => {
    expect(commands).toHaveLength(5);
    for (const name of readdirSync(packageFile('examples'), { withFileTypes: true }))
      if (name.isDirectory()) expect(README).toContain(`${name.name}/`);
  });

  // The other ones are tested below, with their results.
  test.each(commands.filter((command) => !command.includes('assay run')))('%s', async (command) => {
    const { status, out, err } = await carriedOut(command);
    expect(status, `${out}${err}`).toBe(0);
  });
});

test.each([
  ['without a command', 'node with-mock.mjs', ''],
  ['with an unknown defect', 'node with-mock.mjs assay --version', 'no-such-defect'],
])('with-mock.mjs %s ends with one sentence', async (_what, command, defect) => {
  const { status, out, err } = await carriedOut(command, [], { DEFECT: defect });
  expect({ status, out, lines: err.trimEnd().split('\n').length }).toEqual({ status: 3, out: '', lines: 1 });
  expect(err).toContain(defect);
});

describe('custom checks', () => {
  test('have a verdict each, and do not change the suite', async () => {
    const judged = await results('own-checks/target.yaml');
    const verdicts = ownOf(judged).map(({ id, resource, verdict }) => ({ id, resource, verdict }));
    expect(verdicts).toEqual([
      { id: 'x/agents-named', resource: 'printers', verdict: 'pass' },
      { id: 'x/language-changes-nothing', resource: 'printers', verdict: 'pass' },
      { id: 'x/token-names-its-client', resource: null, verdict: 'pass' },
      { id: 'x/page-size-is-kept-without-count', resource: 'printers', verdict: 'pass' },
    ]);
    expect(ownOf(judged).every(({ cases, requests }) => cases > 0 && requests >= 0)).toBe(true);
  });

  test('in TypeScript can be loaded on this Node.js', async () => {
    expect(ownOf(await results('own-checks/typed.yaml'))).toMatchObject([
      { id: 'x/names-fit-a-label', verdict: 'pass' },
    ]);
  });
});

describe('a module of checks that cannot be used', () => {
  const head = ['name: broken', 'authUrl: http://127.0.0.1:1', 'baseUrl: http://127.0.0.1:1'];
  const credentials = 'credentials: {clientId: a, clientSecret: broken-secret, scope: c}';
  const about = "{ rule: 'a rule' }, async () => {}";

  test.each([
    [
      'export const nothing = 1;',
      'exports no check; export the result of check(), list(), property() or token()',
    ],
    ['export const broken = ;', 'cannot be loaded: SyntaxError'],
    ["throw new Error('it knows broken-secret');", 'Error: it knows [client-secret]'],
    ["import { nothing } from 'not-there';", 'cannot be loaded: Error: Cannot find package'],
    [
      `import { list } from 'assay'; export const one = list('agents', ${about});`,
      'x/ and words in lower case',
    ],
    [
      `import { list } from 'assay'; const make = () => list('x/a', ${about}); export const both = [make(), make()];`,
      'two checks are called x/a',
    ],
  ])('%s', async (module, sentence) => {
    writeFileSync(path.join(home.folder, 'broken.mjs'), module);
    writeFileSync(
      path.join(home.folder, 'broken.yaml'),
      [...head, credentials, 'checks: [./broken.mjs]'].join('\n'),
    );
    const { status, err } = await home.run(['assay', 'run', 'broken.yaml']);
    const output = err
      .split('\n')
      .filter((line) => !line.includes('in clear') && !line.includes('chmod') && line !== '');
    expect({ status, lines: output.length }).toEqual({ status: 3, lines: 1 });
    expect(output[0]).toContain(sentence);
  });
});

test('a custom list is tested with its own schema', async () => {
  const judged = await results('own-list/target.yaml');
  expect(judged.outcome).not.toBe('non-conformant');
  expect(judged.targets[0]?.records).toEqual({ printers: 1234, devices: 70 });
  const items = judged.targets[0]?.requirements.filter(({ id }) => id === 'list/items');
  expect(items).toMatchObject([
    { resource: 'printers', verdict: 'pass' },
    { resource: 'devices', verdict: 'pass' },
  ]);
});

test('in Playwright, a breach fails the test of its requirement, with proof', async () => {
  const command = commands.at(-1) ?? '';
  const { status, out } = await carriedOut(command, ['--reporter', 'line'], { DEFECT: 'skip-in-pages' });
  expect(status).toBe(1);
  expect(out).toContain('link/offset');
  expect(out).toContain('curl -sS');
  expect(out).toMatch(/1 failed/u);
});
