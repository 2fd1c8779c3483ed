import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  expectKnownVariables,
  hasEnvironmentTarget,
  TARGET_VARIABLES,
} from '../../../src/target/environment.ts';
import { loadTargets } from '../../../src/target/load.ts';
import type { Target } from '../../../src/target/target.ts';
import { secretsOf } from '../../../src/target/target.ts';
import { file, folder, one, useFolder, wrong } from '../../support/target-files.ts';
import { MINIMAL } from './faults.ts';

useFolder();

const ENVIRONMENT = {
  ASSAY_AUTH_URL: 'https://login.example',
  ASSAY_BASE_URL: 'https://api.example/base/',
  ASSAY_CLIENT_ID: '42',
  ASSAY_CLIENT_SECRET: 'from$${ENV}',
  ASSAY_SCOPE: 's',
};

describe('the environment', () => {
  it('is a target by itself', async () => {
    const { targets } = await loadTargets({ files: [], env: { ...ENVIRONMENT, ASSAY_TENANT: 't' } });
    expect(targets[0]).toMatchObject({
      name: 'api.example',
      baseUrl: 'https://api.example/base',
      credentials: { clientId: '42', clientSecret: 'from$${ENV}', scope: 's' },
      tenant: 't',
    });
    expect(hasEnvironmentTarget(ENVIRONMENT)).toBe(true);
    expect(hasEnvironmentTarget({ ASSAY_SUITE: 'full' })).toBe(false);
  });

  it('is reported with its missing variables', async () => {
    const { ASSAY_CLIENT_SECRET: _secret, ...rest } = { ...ENVIRONMENT, ASSAY_SCOPE: '' };
    await expect(loadTargets({ files: [], env: rest })).rejects.toThrow(
      'no target file is named, and the environment variables ASSAY_CLIENT_SECRET, ASSAY_SCOPE are not set',
    );
  });

  it.each(Object.keys(TARGET_VARIABLES))('is used if %s exists, even if empty', async (variable) => {
    const env = { [variable]: '' };
    expect(hasEnvironmentTarget(env)).toBe(true);
    await expect(loadTargets({ files: [], env })).rejects.toThrow('ASSAY_AUTH_URL, ASSAY_BASE_URL, ');
  });

  it.each([
    ['ASSAY_AUTHURL', 'ASSAY_AUTH_URL'],
    ['ASSAY_CLIENTSECRET', 'ASSAY_CLIENT_SECRET'],
    ['ASSAY_TARGET', 'ASSAY_TARGETS'],
  ])('must not contain %s without a complete target', (name, near) => {
    expect(() => expectKnownVariables({ [name]: 'x' })).toThrow(new RegExp(`${name} .*${near}\\?`, 'u'));
    expect(() => expectKnownVariables({ ...ENVIRONMENT, [name]: 'x' })).not.toThrow();
  });

  it('may contain every variable that Assay reads', () => {
    expect(() => expectKnownVariables({ ASSAY_SUITE: 'full', ASSAY_SIGNING_KEY: '' })).not.toThrow();
  });

  it('is reported with the invalid variable', async () => {
    const env = { ...ENVIRONMENT, ASSAY_AUTH_URL: 'login.example' };
    await expect(loadTargets({ files: [], env })).rejects.toThrow(
      'ASSAY_AUTH_URL: authUrl must be a URL that begins with https:// or http:// and names a host',
    );
  });

  it('takes precedence over a single file, and flags over both', async () => {
    const target = await one(`${MINIMAL}limits: {requestsPerSecond: 1, maxRequests: 9}`, {
      env: { ...ENVIRONMENT },
      flags: { maxRequests: 5 },
    });
    expect(target).toMatchObject({
      name: 'acme',
      authUrl: 'https://login.example',
      credentials: { clientId: '42', clientSecret: 'from$${ENV}' },
      limits: { requestsPerSecond: 1, maxRequests: 5 },
    });
  });
});

describe('a value of a target file that the environment replaces', () => {
  it.each([
    ['another URL', { ASSAY_AUTH_URL: 'https://else.example' }, ['authUrl', 'ASSAY_AUTH_URL']],
    [
      'another secret than a variable has',
      { ASSAY_CLIENT_SECRET: 'x' },
      ['clientSecret', 'ASSAY_CLIENT_SECRET'],
    ],
  ])('is a warning with its place: %s', async (_what, env, parts) => {
    const { warnings } = await loadTargets({ files: [file(MINIMAL)], env: { SECRET: 's', ...env } });
    expect(warnings).toHaveLength(1);
    for (const part of parts) expect(warnings[0]).toContain(part);
    expect(warnings[0]).toMatch(/acme\.yaml:\d+: /u);
  });

  it.each([
    ['a key that the file does not have', { ASSAY_TENANT: 't' }],
    ['the same value', { ASSAY_CLIENT_SECRET: 's' }],
  ])('is none: %s', async (_what, env) => {
    const { warnings } = await loadTargets({ files: [file(MINIMAL)], env: { SECRET: 's', ...env } });
    expect(warnings).toEqual([]);
  });
});

describe('an environment file', () => {
  const VALUES = 'export SECRET=\'from the file\' # comment\nOTHER="two"\n';

  it('next to the target file is read automatically, also with a relative path', async () => {
    file(VALUES, '.env');
    const target = file(MINIMAL);
    for (const named of [target, path.relative(process.cwd(), target)]) {
      const { targets } = await loadTargets({ files: [named], env: {} });
      expect(targets[0]?.credentials.clientSecret).toBe('from the file');
      expect(secretsOf(targets[0] as Target).map(({ secret }) => secret)).toEqual(['from the file']);
    }
  });

  it('named by the user replaces the one next to the target file', async () => {
    file('SECRET=beside\n', '.env');
    const envFile = file(VALUES, 'staging.env');
    expect((await one(MINIMAL, { env: {}, envFile })).credentials.clientSecret).toBe('from the file');
  });

  it('does not override or change the environment of the process', async () => {
    file(VALUES, '.env');
    const before = JSON.stringify(process.env);
    expect((await one(MINIMAL)).credentials.clientSecret).toBe('from-the-environment');
    expect(JSON.stringify(process.env)).toBe(before);
  });

  it.each([
    ['SECRET=ab#cd', {}, 1],
    ['export SECRET = ab#cd # comment', {}, 1],
    ['SECRET=abcd # comment', {}, 0],
    ['SECRET="ab#cd"', {}, 0],
    ['SECRET= "ab#cd"', {}, 0],
    ["SECRET = 'ab#cd'", {}, 0],
    ['SECRET=abcd\nCOLOR="two lines:\nSECRET=ab#cd"', {}, 0],
    ['SECRET=ab#cd', { SECRET: 'of the process' }, 0],
    ['SECRET=abcd\nCOLOR=a#ffffff', {}, 0],
  ])('is named in a warning if a value that is read ends before a #: %j %j', async (line, env, warned) => {
    file(`${line}\n`, '.env');
    const { warnings } = await loadTargets({ files: [file(MINIMAL)], env });
    expect(warnings).toHaveLength(warned);
  });

  it('provides variables for the target file, and replaces nothing in it', async () => {
    file(`${VALUES}ASSAY_BASE_URL=https://elsewhere.example\n`, '.env');
    expect((await one(MINIMAL, { env: {} })).baseUrl).toBe('https://api.acme.example');
  });

  it('applies to one folder only', async () => {
    file(VALUES, '.env');
    mkdirSync(path.join(folder, 'other'));
    const far = file(MINIMAL.replace('name: acme', 'name: far'), 'other/far.yaml');
    await expect(loadTargets({ files: [file(MINIMAL), far], env: {} })).rejects.toThrow('variable SECRET');
  });

  it('is not read if it is a folder next to the target file', async () => {
    mkdirSync(path.join(folder, '.env'));
    expect((await one(MINIMAL)).name).toBe('acme');
  });

  it.each([
    ['none.env', null],
    ['', null],
    ['latin.env', Buffer.from([0x41, 0x3d, 0xe9])],
  ])('that cannot be read is an error: %j', async (name, bytes) => {
    const envFile = path.join(folder, name);
    if (bytes !== null) writeFileSync(envFile, bytes);
    expect(await wrong(MINIMAL, { envFile })).toMatch(/^the environment file .* cannot be read: /u);
  });

  it.each([
    ['a line without "="', 'OTHER=two\nfoo\nSECRET=s\n', 'line 2'],
    ['a quote that is not closed', 'OTHER=two\nSECRET="s\n', 'SECRET'],
  ])('is refused for %s', async (_what, text, place) => {
    file(text, '.env');
    expect(await wrong(MINIMAL, { env: {} })).toMatch(
      new RegExp(`^the environment file .*: .*${place}`, 'u'),
    );
  });

  it('may have quotes and lines in its values', async () => {
    file(`OTHER='"two'\nSECRET="a\nb"\n`, '.env');
    expect((await one(MINIMAL, { env: {} })).credentials.clientSecret).toBe('a\nb');
  });

  it('with an empty value is named if the value is missing', async () => {
    file("SECRET=''\n", '.env');
    expect(await wrong(MINIMAL, { env: {} })).toContain('SECRET is empty');
  });
});
