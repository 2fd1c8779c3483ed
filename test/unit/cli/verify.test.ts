import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { dispatch } from '../../../src/cli/dispatch.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { writeArchive } from '../../../src/evidence/seal/archive.ts';
import { signManifest } from '../../../src/evidence/seal/envelope.ts';
import { makeKeyPair, signerOf, signingKey } from '../../../src/evidence/seal/keys.ts';
import { manifestOf } from '../../../src/evidence/seal/manifest.ts';
import type { Verification } from '../../../src/evidence/seal/verify.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const pair = makeKeyPair();
const other = makeKeyPair();
let scratch = '';
const at = (name: string): string => path.join(scratch, name);

beforeEach(() => {
  scratch = temporaryFolder('verify');
  writeFileSync(at('own.pub'), pair.publicPem);
  writeFileSync(at('other.pub'), other.publicPem);
});

/** A run with its archive. */
async function run(isSigned: boolean): Promise<string> {
  const folder = mkdtempSync(at('run-'));
  const signing = signingKey(pair.privatePem, 'the key');
  const results = {
    format: 'assay-results/1',
    tool: { version: '1.0.0' },
    run: { id: 'run', suite: 'full', seed: 1, complete: true },
    outcome: 'conformant',
    targets: [{ name: 'acme' }],
  };
  writeFileSync(path.join(folder, 'results.json'), JSON.stringify(results));
  const manifest = await manifestOf(folder, {
    tool: { name: 'assay', version: '1.0.0', node: 'v20.20.2', package: sha256('package'), prove: null },
    run: { ...results.run, suite: 'full', outcome: 'conformant' },
    targets: [{ name: 'acme', sha256: sha256('acme') }],
    signer: isSigned ? signerOf(signing) : null,
  });
  writeFileSync(path.join(folder, 'manifest.json'), manifest);
  if (isSigned) writeFileSync(path.join(folder, 'manifest.sig'), signManifest(manifest, signing));
  await writeArchive(folder);
  return folder;
}

async function verify(folder: string, key: string): Promise<{ status: number; out: string } & Verification> {
  const plain = fakeHost();
  const json = fakeHost();
  const words = ['verify', folder, '--key', at(key)];
  const status = await dispatch(words, plain);
  expect(await dispatch([...words, '--json'], json)).toBe(status);
  return { status, out: plain.out.text(), ...(JSON.parse(json.out.text()) as Verification) };
}

describe('assay verify --key', () => {
  test('accepts the key that signed', async () => {
    expect(await verify(await run(true), 'own.pub')).toMatchObject({
      status: 0,
      keyProblem: null,
      problems: [],
    });
  });

  test.each([true, false])('reports a different key, not the files; signed: %s', async (isSigned) => {
    const { status, out, problems, keyProblem } = await verify(await run(isSigned), 'other.pub');
    expect(status).toBe(1);
    expect(keyProblem).not.toBeNull();
    expect(problems).toEqual([keyProblem]);
    expect(out).toContain('The files are unchanged');
  });

  test('reports a changed file in addition to a different key', async () => {
    const folder = await run(true);
    writeFileSync(path.join(folder, 'results.json'), '{}');
    const { status, out, problems } = await verify(folder, 'other.pub');
    expect(status).toBe(1);
    expect(problems.some((one) => one.startsWith('results.json was changed'))).toBe(true);
    expect(out).not.toContain('The files are unchanged');
  });
});
