import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { validatorFor } from '../../../src/provider/schemas.ts';
import { hasEnvironmentTarget, TARGET_VARIABLES } from '../../../src/target/environment.ts';
import { TargetError } from '../../../src/target/error.ts';
import type { LoadedTargets, LoadOptions } from '../../../src/target/load.ts';
import { loadTargets } from '../../../src/target/load.ts';
import { DEFAULT_LIMITS, makeTarget, originsOf } from '../../../src/target/make.ts';
import type { Target } from '../../../src/target/target.ts';
import { secretsOf } from '../../../src/target/target.ts';
import { FAULTS, MINIMAL } from './faults.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'assay-target-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function file(text: string, name = 'acme.yaml'): string {
  const full = path.join(folder, name);
  writeFileSync(full, text, { mode: 0o600 });
  return full;
}

const ENV = { SECRET: 'from-the-environment' };

function load(text: string, options: Partial<LoadOptions> = {}): Promise<LoadedTargets> {
  return loadTargets({ files: [file(text)], env: ENV, ...options });
}

async function one(text: string, options: Partial<LoadOptions> = {}): Promise<Target> {
  const { targets } = await load(text, options);
  return targets[0] as Target;
}

/** The message for an invalid file, without the folder. */
async function wrong(text: string, options: Partial<LoadOptions> = {}): Promise<string> {
  const error = await load(text, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TargetError);
  return (error as TargetError).message.replaceAll(`${folder}/`, '');
}

describe('a target file', () => {
  it('gets the defaults of the contract', async () => {
    const target = await one(MINIMAL);
    expect(target).toEqual({
      name: 'acme',
      authUrl: 'https://login.acme.example',
      baseUrl: 'https://api.acme.example',
      tenant: null,
      credentials: { clientId: 'id', clientSecret: 'from-the-environment', scope: 'a b' },
      otherCredentials: null,
      expiredToken: null,
      resources: [{ name: 'printers', path: '/v1/printers', itemSchema: 'printer', idField: 'id' }],
      headers: {},
      limits: {
        requestsPerSecond: 20,
        concurrency: 4,
        maxRequests: 5000,
        maxPages: 20000,
        maxBodyBytes: 67108864,
        maxTokenBytes: 1048576,
        maxTotalBytes: 4294967296,
        connectTimeoutMs: 10000,
        answerTimeoutMs: 30000,
        retries: 3,
        maxRetryAfterMs: 60000,
        maxHeaderBytes: 65536,
        maxHeaders: 1000,
        maxInterim: 32,
        maxJsonDepth: 100,
        maxRecordBytes: 1048576,
        maxLinkLength: 8192,
        maxRunSeconds: 7200,
      },
      probes: { wrongCredentials: null, methods: false },
      expiry: { toleranceSeconds: 300, clockRate: 1 },
      evidence: 'full',
      checks: [],
      tls: { ca: null, cert: null, key: null },
      waivers: [],
      product: null,
      file: 'acme.yaml',
      places: expect.objectContaining({ authUrl: expect.stringMatching(/:\d+$/u) }),
      isEmbedded: false,
    });
  });

  it('may use all keys of the contract', async () => {
    for (const name of ['ca.pem', 'client.pem', 'client.key', 'my-checks.mjs', 'unit.schema.json'])
      file('{}', name);
    const target = await one(
      `${MINIMAL.replace('login.acme.example', 'login.acme.example/sso/')}tenant: \${SECRET}
otherCredentials: {clientId: other, clientSecret: "\${SECRET}", scope: x}
expiredToken: old\${SECRET}\${SECRET}
resources:
  - {name: printers, path: /v1/printers, itemSchema: printer, idField: id}
  - {name: units, path: /v1/units, itemSchema: ./unit.schema.json, idField: key}
headers: {X-Correlation-Id: assay}
limits: {requestsPerSecond: 0.5, maxRequests: "\${MOST}"}
probes: {wrongCredentials: 0, methods: true}
expiry: {toleranceSeconds: 10, clockRate: 1800}
evidence: digest
checks: [./my-checks.mjs]
tls: {ca: ./ca.pem, cert: client.pem, key: client.key}
waivers:
  - requirement: page-size/filled
    reason: agreed deviation, ticket 4711
    until: 2027-03-31
`,
      { env: { ...ENV, MOST: '7' } },
    );
    expect(target).toMatchObject({
      authUrl: 'https://login.acme.example/sso',
      tenant: 'from-the-environment',
      otherCredentials: { clientId: 'other', clientSecret: 'from-the-environment', scope: 'x' },
      expiredToken: 'oldfrom-the-environmentfrom-the-environment',
      headers: { 'X-Correlation-Id': 'assay' },
      limits: { requestsPerSecond: 0.5, maxRequests: 7, concurrency: 4 },
      probes: { wrongCredentials: 0, methods: true },
      expiry: { toleranceSeconds: 10, clockRate: 1800 },
      evidence: 'digest',
      checks: [path.join(folder, 'my-checks.mjs')],
      tls: {
        ca: path.join(folder, 'ca.pem'),
        cert: path.join(folder, 'client.pem'),
        key: path.join(folder, 'client.key'),
      },
      waivers: [
        { requirement: 'page-size/filled', reason: 'agreed deviation, ticket 4711', until: '2027-03-31' },
      ],
    });
    expect(target.resources[1]).toEqual({
      name: 'units',
      path: '/v1/units',
      itemSchema: path.join(folder, 'unit.schema.json'),
      idField: 'key',
    });
  });

  it('may be JSON and may have empty values', async () => {
    const { targets } = await loadTargets({
      files: [
        file(
          JSON.stringify({
            $schema: './target.schema.json',
            authUrl: 'http://localhost:1',
            baseUrl: 'http://localhost:1/api',
            tenant: null,
            credentials: { clientId: 'id', clientSecret: '${SECRET}', scope: 's' },
          }),
          'from-json.json',
        ),
      ],
      env: ENV,
    });
    expect(targets[0]).toMatchObject({ name: 'from-json', tenant: null, baseUrl: 'http://localhost:1/api' });
    expect((await one(`${MINIMAL}limits:\ntenant:\n`)).limits).toEqual(DEFAULT_LIMITS);
  });

  it('is immutable after loading', async () => {
    const target = await one(MINIMAL);
    expect(Object.isFrozen(target)).toBe(true);
    expect(Object.isFrozen(target.limits)).toBe(true);
    expect(Object.isFrozen(target.resources[0])).toBe(true);
  });

  it('replaces $${ by ${ and does not expand values of variables', async () => {
    const target = await one(`${MINIMAL}tenant: $\${NOT} and \${SECRET}\n`, { env: { SECRET: '${OTHER}' } });
    expect(target.tenant).toBe('${NOT} and ${OTHER}');
  });
});

describe('a fault of a target file', () => {
  it.each(FAULTS)('%s', async (_what, text, options, message) => {
    expect(await wrong(text, options)).toBe(message);
  });

  it('is reported in order, with the number of omitted problems', async () => {
    const text = `${MINIMAL}evidence: some\nlimits: {retries: x}\nfoo: 1\n`;
    expect(await wrong(text)).toBe(
      'acme.yaml:8: evidence must be one of full, pseudonymous, digest (and 2 more)',
    );
  });

  it('never shows a secret', async () => {
    const text = MINIMAL.replace('${SECRET}', '[hunter2hunter2]').replace(
      'https://api',
      'https://hunter2@api',
    );
    expect(await wrong(text)).not.toContain('hunter2');
    expect(await wrong(MINIMAL.replace('${SECRET}', '"hunter2'))).not.toContain('hunter2');
  });

  it('is an unknown requirement in a waiver, if the known ones are given', async () => {
    const waive = (id: string): string =>
      `${MINIMAL}waivers: [{requirement: ${id}, reason: b, until: 2027-03-31}]`;
    const knownRequirements = ['link/offset', 'link/relative', 'page-size/filled'];
    expect(await wrong(waive('page-size/fillled'), { knownRequirements })).toBe(
      'acme.yaml:8: waivers[0] names the unknown requirement page-size/fillled; did you mean page-size/filled?',
    );
    expect(await wrong(waive('"lnk/*"'), { knownRequirements })).toMatch(/unknown requirement lnk\/\*/);
    await expect(one(waive('"link/*"'), { knownRequirements })).resolves.toBeDefined();
    await expect(one(waive('"*"'), { knownRequirements })).resolves.toBeDefined();
  });

  it('is a missing file, a folder, or binary data', async () => {
    const options = { env: ENV, files: [path.join(folder, 'no.yaml')] };
    await expect(loadTargets(options)).rejects.toThrow(/no\.yaml: the file does not exist$/);
    mkdirSync(path.join(folder, 'sub'));
    await expect(loadTargets({ env: {}, files: [path.join(folder, 'sub')] })).rejects.toThrow(
      /this is a folder/,
    );
    writeFileSync(path.join(folder, 'bin.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
    await expect(loadTargets({ env: {}, files: [path.join(folder, 'bin.yaml')] })).rejects.toThrow(
      /not UTF-8/,
    );
  });

  it('is an alias bomb', async () => {
    const level = (n: number): string =>
      `x${n}: &x${n} [${Array(10)
        .fill(`*x${n - 1}`)
        .join(',')}]\n`;
    const bomb = `x0: &x0 [a]\n${[1, 2, 3, 4, 5, 6, 7, 8].map(level).join('')}`;
    expect(await wrong(bomb)).toMatch(/^acme\.yaml:1: the YAML cannot be read/);
  });
});

describe('the schema file of a list', () => {
  const WITH_SCHEMA = `${MINIMAL}resources:\n- {name: a, path: /a, itemSchema: item.json}`;

  it.each([
    ['half of one', '{'],
    ['nothing', ''],
    ['no schema', '{"type":"nonsense"}'],
    ['a list', '[]'],
    ['a pattern that is none', '{"properties":{"id":{"pattern":"("}}}'],
    ['a reference that leads nowhere', '{"$ref":"#/$defs/none"}'],
    ['another draft', '{"$schema":"http://json-schema.org/draft-07/schema#"}'],
  ])('is rejected with the target if it contains %s', async (_what, text) => {
    file(text, 'item.json');
    expect(await wrong(WITH_SCHEMA)).toMatch(
      /^acme\.yaml:9: resources\[0\]\.itemSchema names item\.json, which cannot be used as a JSON Schema \(draft 2020-12\): [^\n]+$/u,
    );
  });

  it('is rejected if it is a folder', async () => {
    mkdirSync(path.join(folder, 'item.json'));
    expect(await wrong(WITH_SCHEMA)).toBe(
      'acme.yaml:9: resources[0].itemSchema names a folder, not a JSON Schema file: item.json',
    );
  });

  it('may begin with a byte order mark', async () => {
    const schema = file('\uFEFF{"type":"object","required":["id"]}', 'item.json');
    expect((await one(WITH_SCHEMA)).resources[0]?.itemSchema).toBe(schema);
    expect(validatorFor(schema)({})).toMatchObject({ path: '/id' });
  });
});

describe('several targets', () => {
  it('are loaded in order, with their environment variables', async () => {
    const files = [file(MINIMAL), file(MINIMAL.replace('acme', 'other'), 'other.yaml')];
    const env = { ...ENV, ASSAY_CLIENT_SECRET: ENV.SECRET };
    const { targets } = await loadTargets({ files, env, flags: { rate: 3 } });
    expect(targets.map(({ name }) => name)).toEqual(['acme', 'other']);
    expect(targets.map(({ limits }) => limits.requestsPerSecond)).toEqual([3, 3]);
  });

  it.each([
    ['ASSAY_BASE_URL', 3, 'baseUrl'],
    ['ASSAY_CLIENT_SECRET', 6, 'credentials.clientSecret'],
    ['ASSAY_TENANT', 1, 'tenant'],
  ])('are not changed by %s, which is rejected', async (variable, line, key) => {
    const files = [file(MINIMAL), file(MINIMAL.replace('acme', 'other'), 'other.yaml')];
    await expect(loadTargets({ files, env: { ...ENV, [variable]: 'https://else.example' } })).rejects.toThrow(
      `acme.yaml:${line}: ${variable} has another value for ${key}, but environment variables apply to a single target file only`,
    );
  });

  it('may not share a name', async () => {
    const files = [file(MINIMAL), file(MINIMAL, 'same.yaml')];
    await expect(loadTargets({ files, env: ENV })).rejects.toThrow(
      /same\.yaml: the target name acme is also used in .*acme\.yaml; rename one of them$/,
    );
  });
});

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

describe('a device', () => {
  it.skipIf(!existsSync('/dev/zero'))('is not read endlessly', async () => {
    await expect(loadTargets({ files: ['/dev/zero'], env: ENV })).rejects.toThrow(
      '/dev/zero: this is a device, not a file',
    );
  });
});

describe('warnings', () => {
  it('report a secret with a line break', async () => {
    const { warnings } = await load(MINIMAL, { env: { SECRET: 'from-a-file\n' } });
    expect(warnings).toEqual([
      'acme: credentials.clientSecret contains a line break, which is sent as part of the secret',
    ]);
  });

  it('report secrets in clear text, and files that others may read', async () => {
    const text = `${MINIMAL.replace('${SECRET}', 'in-clear')}expiredToken: $\${x}
otherCredentials: {clientId: a, clientSecret: b, scope: c}
headers: {X-Api-Key: abc, X-Other: abc}
`;
    const name = file(text);
    chmodSync(name, 0o644);
    const { warnings } = await loadTargets({ files: [name], env: {} });
    const clear = 'is in clear text; read it from the environment instead: ${NAME}';
    expect(warnings.map((warning) => warning.replaceAll(`${folder}/`, ''))).toEqual([
      `acme.yaml:6: credentials.clientSecret ${clear}`,
      `acme.yaml:9: otherCredentials.clientSecret ${clear}`,
      `acme.yaml:8: expiredToken ${clear}`,
      `acme.yaml:10: headers.X-Api-Key ${clear}`,
      'acme.yaml: the file contains secrets and other users can read it; run chmod 600 on it',
    ]);
    chmodSync(name, 0o600);
    expect((await loadTargets({ files: [name], env: {} })).warnings).toHaveLength(4);
  });

  it('do not apply to the target of a local mock', async () => {
    const clear = MINIMAL.replace('${SECRET}', 'in-clear');
    const local = clear.replaceAll(/https:\/\/[\w.]+/gu, 'http://127.0.0.1:8080');
    expect((await loadTargets({ files: [file(local)], env: ENV })).warnings).toEqual([]);
    const half = clear.replace(/https:\/\/[\w.]+/u, 'http://127.0.0.1:8080');
    expect((await loadTargets({ files: [file(half)], env: ENV })).warnings.length).toBeGreaterThan(0);
  });

  it('do not apply to a safe file', async () => {
    const name = file(MINIMAL);
    chmodSync(name, 0o644);
    expect((await loadTargets({ files: [name], env: ENV })).warnings).toEqual([]);
  });

  it('report plain http to another machine', async () => {
    const remote = MINIMAL.replace('https://api.', 'http://api.');
    expect((await load(remote)).warnings).toEqual([
      'acme: baseUrl is plain http, so secrets are sent in clear text to api.acme.example',
    ]);
    const local = MINIMAL.replace('https://api.acme.example', 'http://127.0.0.1:1');
    expect((await load(local)).warnings).toEqual([]);
  });
});

describe('makeTarget', () => {
  const credentials = { clientId: 'a', clientSecret: 'b', scope: 'c' };

  it('adds defaults, keeps given values, and freezes', () => {
    const target = makeTarget({
      authUrl: 'http://127.0.0.1:1/',
      baseUrl: 'http://127.0.0.1:2/x//',
      credentials,
      limits: { retries: 0 },
      expiry: { clockRate: 9 },
    });
    expect(target).toMatchObject({ name: '127.0.0.1:2', baseUrl: 'http://127.0.0.1:2/x' });
    expect(target.limits).toEqual({ ...DEFAULT_LIMITS, retries: 0 });
    expect(target.expiry).toEqual({ toleranceSeconds: 300, clockRate: 9 });
    expect(Object.isFrozen(target.credentials)).toBe(true);
    expect(Object.isFrozen(credentials)).toBe(false);
    expect(originsOf(target)).toEqual(['http://127.0.0.1:1', 'http://127.0.0.1:2']);
  });

  it('lists its secrets', () => {
    const target = makeTarget({
      authUrl: 'http://a',
      baseUrl: 'http://a',
      credentials,
      otherCredentials: { clientId: 'o', clientSecret: 'p', scope: 'q' },
      expiredToken: 'e',
      headers: { 'X-Api-Key': 'k', Accept: 'x' },
    });
    expect(secretsOf(target)).toEqual([
      { secret: 'b', label: 'client-secret', clientId: 'a' },
      { secret: 'p', label: 'other-client-secret', clientId: 'o' },
      { secret: 'e', label: 'expired-token', clientId: null },
      { secret: 'k', label: 'header-x-api-key', clientId: null },
    ]);
    expect(originsOf(target)).toEqual(['http://a']);
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

  it('with an empty value is named if the value is missing', async () => {
    file("SECRET=''\n", '.env');
    expect(await wrong(MINIMAL, { env: {} })).toContain('SECRET is empty');
  });
});
