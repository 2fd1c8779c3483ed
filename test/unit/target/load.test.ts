import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { validatorFor } from '../../../src/provider/schemas.ts';
import { loadTargets } from '../../../src/target/load.ts';
import { DEFAULT_LIMITS } from '../../../src/target/make.ts';
import { secretsOf } from '../../../src/target/target.ts';
import { authority } from '../../support/http/certificates.ts';
import { ENV, file, folder, one, useFolder, wrong } from '../../support/target-files.ts';
import { FAULTS, MINIMAL } from './faults.ts';

useFolder();

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

  it('keeps values of headers secret that it reads from the environment, unless they are short', async () => {
    const headers = 'headers: {X-Session: "${SESSION}", X-Version: "${VERSION}", X-Mode: testing-mode}';
    const env = { ...ENV, SESSION: 'a-session-of-ours', VERSION: '2' };
    const target = await one(`${MINIMAL}${headers}`, { env });
    expect(secretsOf(target).map(({ label }) => label)).toEqual(['client-secret', 'header-x-session']);
  });

  it('may use all keys of the contract', async () => {
    const { cert, key } = await authority('acme');
    for (const name of ['ca.pem', 'client.pem']) file(cert, name);
    file(key, 'client.key');
    for (const name of ['my-checks.mjs', 'unit.schema.json']) file('{}', name);
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
    expect(target.places['otherCredentials.clientId']).toMatch(/acme\.yaml:9$/u);
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

  it('gives its name to the target, also if it has no extension', async () => {
    const files = [file(MINIMAL.replace('name: acme\n', ''), '.acme')];
    expect((await loadTargets({ files, env: ENV })).targets[0]?.name).toBe('.acme');
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
  it.each([
    ['ca', 'foo'],
    ['ca', '-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----\n'],
    ['cert', 'foo'],
    ['key', '-----BEGIN PRIVATE KEY-----\nxx\n-----END PRIVATE KEY-----\n'],
  ])('names a file of tls.%s that is no PEM (%j)', async (at, text) => {
    const { cert, key } = await authority('acme');
    for (const [name, good] of Object.entries({ ca: cert, cert, key })) file(name === at ? text : good, name);
    expect(await wrong(`${MINIMAL}tls:\n  ca: ./ca\n  cert: ./cert\n  key: ./key\n`)).toMatch(
      new RegExp(`^acme\\.yaml:\\d+: tls\\.${at} names \\./${at},`, 'u'),
    );
  });

  it('names a key of tls that is not that of the certificate', async () => {
    file((await authority('acme')).cert, 'cert');
    file((await authority('other')).key, 'key');
    expect(await wrong(`${MINIMAL}tls:\n  cert: ./cert\n  key: ./key\n`)).toMatch(
      /^acme\.yaml:\d+: tls\.key /u,
    );
  });

  it.each(FAULTS)('has its line and a remedy: $fault', async ({ text, options, message }) => {
    expect(await wrong(text, options)).toBe(`acme.yaml:${message}`);
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

  it('is reported for an unknown requirement in a waiver, if the known ones are given', async () => {
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

  it('is reported for a missing file, a folder, or binary data', async () => {
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

  it('is reported for a YAML file that aliases expand without bound', async () => {
    const level = (n: number): string =>
      `x${n}: &x${n} [${Array(10)
        .fill(`*x${n - 1}`)
        .join(',')}]\n`;
    const bomb = `x0: &x0 [a]\n${[1, 2, 3, 4, 5, 6, 7, 8].map(level).join('')}`;
    expect(await wrong(bomb)).toMatch(/^acme\.yaml:1: the YAML cannot be read/);
  });

  it.each(['*S3cr3t-words', '|S3cr3t-words', '>S3cr3t-words'])(
    'holds an unquoted secret such as %s, which is not shown',
    async (secret) => {
      const message = await wrong(`name: acme\ncredentials:\n  clientSecret: ${secret}\n`);
      expect(message).toMatch(/^acme\.yaml:3: the YAML cannot be read: .*put quotes around/);
      expect(message).not.toContain('S3cr3t');
    },
  );

  it('is reported for mappings that are nested too deep', async () => {
    const nested = `limits: ${'{a: '.repeat(3000)}1${'}'.repeat(3000)}`;
    expect(await wrong(nested)).toBe('acme.yaml: the file is nested more than 100 deep');
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
    ['an older draft', '{"$schema":"http://json-schema.org/draft-04/schema#"}'],
  ])('is rejected with the target if it contains %s', async (_what, text) => {
    file(text, 'item.json');
    expect(await wrong(WITH_SCHEMA)).toMatch(
      /^acme\.yaml:9: resources\[0\]\.itemSchema names item\.json, which cannot be used as a JSON Schema: [^\n]+$/u,
    );
  });

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/schema',
  ])('may be of draft %s', async ($schema) => {
    file(JSON.stringify({ $schema, type: 'object', required: ['id'] }), 'item.json');
    const validate = validatorFor(path.join(folder, 'item.json'));
    expect([validate({ id: '1' }), validate({})?.path]).toEqual([null, '/id']);
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

describe('a device', () => {
  it.skipIf(!existsSync('/dev/zero'))('is not read endlessly', async () => {
    await expect(loadTargets({ files: ['/dev/zero'], env: ENV })).rejects.toThrow(
      '/dev/zero: this is a device, not a file',
    );
  });
});
