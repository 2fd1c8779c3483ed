import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signManifest } from '../../src/evidence/seal/envelope.ts';
import { makeKeyPair, signerOf, signingKey, verifyingKey } from '../../src/evidence/seal/keys.ts';
import { type Manifest, manifestOf, type Sealed, sha256 } from '../../src/evidence/seal/manifest.ts';
import { verifyFolder } from '../../src/evidence/seal/verify.ts';

const pair = makeKeyPair();
const SEALED: Sealed = {
  tool: { name: 'assay', version: '1.0.0', node: 'v20.20.2', package: sha256('package'), prove: null },
  run: { id: 'run', suite: 'full', seed: 1, complete: true, outcome: 'conformant' },
  targets: [{ name: 'acme', sha256: sha256('acme') }],
  signer: signerOf(signingKey(pair.privatePem, 'the key')),
};

const key = verifyingKey(pair.publicPem, 'the key');
let folder = '';

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'assay-seal-'));
  mkdirSync(path.join(folder, 'allure-results'));
  writeFileSync(path.join(folder, 'results.json'), '{"format":"assay-results/1"}\n');
  writeFileSync(path.join(folder, 'evidence.ndjson.gz'), Buffer.from([0x1f, 0x8b, 0, 255, 7]));
  writeFileSync(path.join(folder, 'allure-results', 'one.json'), '{}');
  const manifest = await manifestOf(folder, SEALED);
  writeFileSync(path.join(folder, 'manifest.json'), manifest);
  writeFileSync(
    path.join(folder, 'manifest.sig'),
    signManifest(manifest, signingKey(pair.privatePem, 'the key')),
  );
});

afterEach(() => rmSync(folder, { recursive: true }));

async function problems(): Promise<readonly string[]> {
  return (await verifyFolder(folder, key)).problems;
}

describe('a sealed run', () => {
  it('is whole, with the digest and length of each file', async () => {
    const verification = await verifyFolder(folder, key);
    expect(verification).toMatchObject({ problems: [], signature: 'signed', files: 3 });
    const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Manifest;
    expect(manifest.files['allure-results/one.json']).toEqual({ sha256: sha256('{}'), bytes: 2 });
  });

  it('names files that are missing and files that were added', async () => {
    rmSync(path.join(folder, 'results.json'));
    writeFileSync(path.join(folder, 'allure-results', 'two.json'), '{}');
    expect(await problems()).toEqual([
      'results.json is missing',
      'allure-results/two.json is not in the manifest: it was added later',
    ]);
    rmSync(path.join(folder, 'manifest.sig'));
    expect(await problems()).toContain(
      `manifest.sig is missing: the run was signed by the key ${pair.id.slice(0, 16)}`,
    );
    rmSync(path.join(folder, 'manifest.json'));
    expect(await problems()).toContain('manifest.json is missing');
  });

  it('is held to the key that its manifest names where none is given', async () => {
    expect(await verifyFolder(folder, null)).toMatchObject({ problems: [], signature: 'unvouched' });
    const text = readFileSync(path.join(folder, 'manifest.json'), 'utf8');
    const other = signingKey(makeKeyPair().privatePem, 'the key');
    writeFileSync(path.join(folder, 'manifest.sig'), signManifest(text, other));
    expect((await verifyFolder(folder, null)).problems).toEqual([
      expect.stringMatching(/^manifest\.sig was made by the key [0-9a-f]{16}, not by/),
    ]);
    const unsigned = await manifestOf(folder, { ...SEALED, signer: null });
    writeFileSync(path.join(folder, 'manifest.json'), unsigned);
    writeFileSync(path.join(folder, 'manifest.sig'), signManifest(unsigned, other));
    expect((await verifyFolder(folder, null)).problems).toEqual([
      'manifest.sig was added later: manifest.json names no signer',
    ]);
    rmSync(path.join(folder, 'manifest.sig'));
    expect(await verifyFolder(folder, null)).toMatchObject({ problems: [], signature: 'unsigned' });
    expect((await verifyFolder(folder, key)).problems).toEqual([
      'manifest.sig is missing: the run is not signed',
    ]);
  });

  it('is refused where another key signed it, or where it was sealed anew without the key', async () => {
    const other = makeKeyPair();
    const { problems: found } = await verifyFolder(folder, verifyingKey(other.publicPem, 'the key'));
    expect(found).toEqual([expect.stringMatching(/^manifest\.sig was made by the key [0-9a-f]{16}, not by/)]);
    writeFileSync(path.join(folder, 'results.json'), '{"format":"assay-results/1","outcome":"conformant"}\n');
    writeFileSync(path.join(folder, 'manifest.json'), await manifestOf(folder, SEALED));
    expect(await problems()).toEqual(['manifest.sig was made for another manifest.json']);
  });

  it('takes no key that is none', () => {
    expect(() => signingKey(pair.publicPem, 'acme.pub')).toThrow(
      'acme.pub holds no Ed25519 private key in PEM (PKCS#8)',
    );
    expect(() => verifyingKey('no key', 'acme.txt')).toThrow('acme.txt holds no Ed25519 key in PEM (SPKI)');
  });
});
