import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { schemaLocation } from '../../../src/cli/init/action.ts';
import { dispatch } from '../../../src/cli/program.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import { loadTargets } from '../../../src/target/load.ts';
import { fakeHost, keptOutput, said } from '../../support/fake-host.ts';
import { authority } from '../../support/http/certificates.ts';
import { openMock } from '../../support/judge-mock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder('init');
});

const ENV = { ASSAY_CLIENT_ID: 'me', ASSAY_CLIENT_SECRET: 'the-secret-itself', ASSAY_SCOPE: 'a b' };
const URLS = ['--auth-url', 'https://login.acme.example', '--base-url', 'https://api.acme.example/int'];

const at = (name: string): string => path.join(folder, name);
const content = (name: string): string => readFileSync(at(name), 'utf8');

const init = (...flags: string[]) => said(['init', at('acme.yaml'), ...flags], ENV);

/** A terminal with these input lines. */
function terminal(typed: string): ReturnType<typeof fakeHost> {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  input.end(typed);
  return { ...fakeHost(ENV), in: () => input, err: keptOutput({ live: true }) };
}

describe('assay init with flags', () => {
  test('writes a valid target file that names its schema and contains no secret', async () => {
    expect(await init(...URLS, '--tenant', 'north', '--name', 'acme: "staging"')).toMatchObject({
      status: 0,
      err: '',
    });
    const { targets, warnings } = await loadTargets({ files: [at('acme.yaml')], env: ENV });
    expect(warnings).toEqual([]);
    expect(targets).toMatchObject([
      {
        name: 'acme: "staging"',
        authUrl: 'https://login.acme.example',
        baseUrl: 'https://api.acme.example/int',
        tenant: 'north',
        credentials: { clientId: 'me', clientSecret: 'the-secret-itself', scope: 'a b' },
        resources: [{ name: 'printers', path: '/v1/printers' }],
      },
    ]);
    expect(content('acme.yaml').split('\n')[0]).toBe(
      '# yaml-language-server: $schema=./node_modules/assay/schemas/target.schema.json',
    );
    expect(content('acme.yaml') + content('.env.example')).not.toContain('the-secret-itself');
    for (const name of Object.keys(ENV)) expect(content('.env.example')).toContain(`${name}=''\n`);
  });

  test('refers to the schema in the project by a relative path', async () => {
    const installed = path.join(folder, 'node_modules/assay/schemas');
    mkdirSync(installed, { recursive: true });
    writeFileSync(path.join(installed, 'target.schema.json'), '{}');
    mkdirSync(at('deep/er'), { recursive: true });
    expect(schemaLocation(folder)).toBe('./node_modules/assay/schemas/target.schema.json');
    expect(schemaLocation(at('deep/er'))).toBe('../../node_modules/assay/schemas/target.schema.json');
    expect(schemaLocation(packageFile('examples'))).toBe('../schemas/target.schema.json');
  });

  test('its commented-out lines are also valid', async () => {
    await init(...URLS);
    const [, ...lines] = content('acme.yaml').split('\n');
    const uncommented = lines.map((line) => line.replace(/^# (?=( *- )? *[A-Za-z-]+:( |$))/u, '')).join('\n');
    for (const key of [
      'tenant',
      'otherCredentials',
      'expiredToken',
      'headers',
      'limits',
      'probes',
      'evidence',
      'waivers',
    ])
      expect(uncommented).toMatch(new RegExp(`^${key}:`, 'mu'));
    writeFileSync(at('ca.pem'), (await authority('acme')).cert);
    writeFileSync(at('whole.yaml'), uncommented);
    const env = {
      ...ENV,
      ASSAY_TENANT: 'a',
      OTHER_CLIENT_ID: 'b',
      OTHER_CLIENT_SECRET: 'c',
      OTHER_SCOPE: 'd',
      EXPIRED_TOKEN: 'e',
    };
    await expect(loadTargets({ files: [at('whole.yaml')], env })).resolves.toMatchObject({ warnings: [] });
  });

  test('accepts complete URLs from a manual', async () => {
    await init(
      '--auth-url',
      'https://a.example/idp/connect/token',
      '--base-url',
      'https://b.example/v1/printers/',
    );
    const { targets } = await loadTargets({ files: [at('acme.yaml')], env: ENV });
    expect(targets).toMatchObject([
      { authUrl: 'https://a.example/idp', baseUrl: 'https://b.example', tenant: null },
    ]);
  });

  test('lists of other records get an initial schema', async () => {
    await init(...URLS, '--list', 'printers=/v1/printers', '--list', 'users=/v2/users');
    const { targets } = await loadTargets({ files: [at('acme.yaml')], env: ENV });
    expect(targets[0]?.resources).toEqual([
      { name: 'printers', path: '/v1/printers', itemSchema: 'printer', idField: 'id' },
      { name: 'users', path: '/v2/users', itemSchema: at('users.schema.json'), idField: 'id' },
    ]);
    expect(JSON.parse(content('users.schema.json'))).toMatchObject({ type: 'object', required: ['id'] });
  });

  test('overwrites a file only with --force', async () => {
    writeFileSync(at('acme.yaml'), 'mine');
    writeFileSync(at('.env.example'), 'ASSAY_SCOPE=\n');
    expect(await init(...URLS)).toMatchObject({
      status: 3,
      err: expect.stringContaining('--force overwrites it'),
    });
    expect(content('acme.yaml')).toBe('mine');
    rmSync(at('acme.yaml'));
    const { out } = await init(...URLS);
    expect(out).toContain('Add the missing variables to it: ASSAY_CLIENT_ID and ASSAY_CLIENT_SECRET');
    expect(content('.env.example')).toBe('ASSAY_SCOPE=\n');
    await init(...URLS, '--force', '--name', 'again');
    expect(content('acme.yaml')).toContain('name: again');
    expect(content('.env.example')).toContain('ASSAY_CLIENT_ID');
  });

  test('prints its result as JSON', async () => {
    const shown = JSON.parse((await init(...URLS, '--json')).out) as object;
    expect(shown).toMatchObject({
      files: [
        { file: at('acme.yaml'), state: 'written' },
        { file: at('.env.example'), state: 'written' },
      ],
      variables: Object.keys(ENV),
    });
  });

  test.each([
    [[], '--base-url and --auth-url are missing'],
    [['--auth-url', 'https://a.example'], '--base-url is missing, and there is no terminal to ask for it'],
    [['--auth-url', 'a.example', '--base-url', 'https://a.example'], '"a.example" is not a URL'],
    [['--auth-url', 'https://me:pw@a.example', '--base-url', 'https://a.example'], 'user name or password'],
    [[...URLS, '--list', 'users'], 'a list is written NAME=PATH'],
    [[...URLS, '--tenant', 'a\nb'], 'a tenant must be text that fits on one header line'],
  ])('%j is rejected in one sentence, and nothing is written', async (flags, sentence) => {
    const { status, err } = await init(...flags);
    expect(status).toBe(3);
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(existsSync(at('acme.yaml')) || existsSync(at('.env.example'))).toBe(false);
  });
});

describe('assay init on a terminal', () => {
  test('asks, repeats a question after an invalid answer, and uses the default for an empty one', async () => {
    const host = terminal('api.example\nhttps://api.example/v1/printers\n\n\n\nacme\n');
    expect(await dispatch(['init', at('acme.yaml')], host)).toBe(0);
    expect(host.err.text()).toContain('  "api.example" is not a URL');
    expect(host.err.text()).not.toMatch(/secret\S*\?/iu);
    const { targets } = await loadTargets({ files: [at('acme.yaml')], env: ENV });
    expect(targets).toMatchObject([
      { name: 'acme', authUrl: 'https://api.example', baseUrl: 'https://api.example' },
    ]);
  });

  test('does not ask for values given by flags', async () => {
    const host = terminal('\n\n');
    expect(await dispatch(['init', at('acme.yaml'), ...URLS, '--list', 'printers=/v1/printers'], host)).toBe(
      0,
    );
    expect(host.err.text()).not.toContain('Where are tokens issued');
  });

  test('exits cleanly when standard input is closed', async () => {
    const host = terminal('https://login.example\n');
    expect(await dispatch(['init', at('acme.yaml')], host)).toBe(3);
    expect(host.err.text()).toContain('the input ended before the last answer; nothing was written');
    expect(existsSync(at('acme.yaml'))).toBe(false);
  });
});

test('assay doctor works with the file that assay init wrote', async () => {
  const mock = await openMock({ records: 3 });
  await init('--auth-url', mock.authUrl, '--base-url', mock.baseUrl);
  const { clientId, clientSecret, scope } = mock.credentials;
  const env = { ASSAY_CLIENT_ID: clientId, ASSAY_CLIENT_SECRET: clientSecret, ASSAY_SCOPE: scope };
  const { status, out } = await said(['doctor', at('acme.yaml'), '--suite', 'smoke', '--seed', '1'], env);
  expect(status).toBe(0);
  expect(out).toContain('the list has 3.');
  expect(out).toContain(`assay run ${at('acme.yaml')} --suite smoke --seed 1`);
  const unset = await said(['doctor', at('acme.yaml')]);
  expect(unset.status).toBe(3);
  expect(unset.err).toContain('ASSAY_CLIENT_SECRET, which is not set');
});
