import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadTargets } from '../../../src/target/load.ts';
import { ENV, file, folder, load, useFolder } from '../../support/target-files.ts';
import { MINIMAL } from './faults.ts';

useFolder();

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

  it('report misspelt keywords of a schema, and no other unknown ones', async () => {
    const schema = {
      propertys: {},
      properties: { id: { typ: 'string', example: 'a', format: 'phone' } },
      'x-owner': 'us',
    };
    const name = file(JSON.stringify(schema), 'item.schema.json');
    const { warnings } = await load(
      `${MINIMAL}resources: [{name: a, path: /v1/a, itemSchema: item.schema.json}]\n`,
    );
    expect(warnings).toEqual([
      `acme: ${name} has the unknown keyword propertys, which tests nothing; did you mean "properties"?`,
      `acme: ${name} has the unknown keyword typ, which tests nothing; did you mean "type"?`,
    ]);
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
