import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/sha256.ts';
import { type Manifest, manifestOf, type Sealed } from '../../../src/evidence/seal/manifest.ts';
import {
  makeKeyPair,
  signerOf,
  signingKey,
  signManifest,
  verifyingKey,
} from '../../../src/evidence/seal/signature.ts';
import { verifyFolder } from '../../../src/evidence/seal/verify.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const pair = makeKeyPair();
const SEALED: Sealed = {
  tool: { name: 'assay', version: '1.0.0', node: 'v20.20.2', package: sha256('package'), prove: null },
  run: { id: 'run', suite: 'full', seed: 1, complete: true, outcome: 'conformant' },
  targets: [{ name: 'acme', sha256: sha256('acme') }],
  signer: signerOf(signingKey(pair.privatePem, 'the key')),
};

/** The members of results.json about the run. */
const RESULTS = {
  format: 'assay-results/1',
  tool: { version: '1.0.0' },
  run: { id: 'run', suite: 'full', seed: 1, complete: true },
  outcome: 'conformant',
  targets: [{ name: 'acme' }],
};

const key = verifyingKey(pair.publicPem, 'the key');
let folder = '';

beforeEach(async () => {
  folder = temporaryFolder('seal');
  mkdirSync(path.join(folder, 'allure-results'));
  writeFileSync(path.join(folder, 'results.json'), JSON.stringify(RESULTS));
  writeFileSync(path.join(folder, 'evidence.ndjson.gz'), Buffer.from([0x1f, 0x8b, 0, 255, 7]));
  writeFileSync(path.join(folder, 'allure-results', 'one.json'), '{}');
  const manifest = await manifestOf(folder, SEALED);
  writeFileSync(path.join(folder, 'manifest.json'), manifest);
  writeFileSync(
    path.join(folder, 'manifest.sig'),
    signManifest(manifest, signingKey(pair.privatePem, 'the key')),
  );
});

async function problems(): Promise<readonly string[]> {
  return (await verifyFolder(folder, key)).problems;
}

describe('a sealed run', () => {
  it('is intact, with the digest and length of each file', async () => {
    const verification = await verifyFolder(folder, key);
    expect(verification).toMatchObject({ problems: [], signature: 'signed', files: 3 });
    const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Manifest;
    expect(manifest.files['allure-results/one.json']).toEqual({ sha256: sha256('{}'), bytes: 2 });
  });

  it('reports missing and added files', async () => {
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

  it('is checked with the key in its manifest if none is given', async () => {
    expect(await verifyFolder(folder, null)).toMatchObject({ problems: [], signature: 'unverified-key' });
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

  it('is rejected if another key signed it, or if it was sealed again without the key', async () => {
    const other = makeKeyPair();
    const { problems: found, signature } = await verifyFolder(
      folder,
      verifyingKey(other.publicPem, 'the key'),
    );
    expect(signature).toBe('unverified-key');
    expect(found).toEqual([
      `the given key (${other.id.slice(0, 16)}) did not sign this run: the key ${pair.id.slice(0, 16)} did`,
    ]);
    writeFileSync(path.join(folder, 'results.json'), '{"format":"assay-results/1"}\n');
    writeFileSync(path.join(folder, 'manifest.json'), await manifestOf(folder, SEALED));
    expect(await problems()).toEqual(['manifest.sig was made for another manifest.json']);
  });

  it.each([
    [{ outcome: 'non-conformant' }, 'the outcome is conformant, but results.json says non-conformant'],
    [{ run: { ...RESULTS.run, suite: 'smoke' } }, 'the suite is full, but results.json says smoke'],
    [{ run: { ...RESULTS.run, seed: 2 } }, 'the seed is 1, but results.json says 2'],
    [{ run: null }, 'the run id is run, but results.json says nothing'],
    [{ targets: [] }, 'the list of targets is ["acme"], but results.json says []'],
  ])('is rejected if the manifest and results differ in %j', async (part, sentence) => {
    writeFileSync(path.join(folder, 'results.json'), JSON.stringify({ ...RESULTS, ...part }));
    writeFileSync(path.join(folder, 'manifest.json'), await manifestOf(folder, { ...SEALED, signer: null }));
    rmSync(path.join(folder, 'manifest.sig'));
    expect((await verifyFolder(folder, null)).problems).toContain(`manifest.json says that ${sentence}`);
  });

  it('contains only regular files: pipes do not block, and links are not followed', async () => {
    const irregular = (file: string): string =>
      `${file} is not a regular file; a run writes only regular files`;
    rmSync(path.join(folder, 'evidence.ndjson.gz'));
    expect(spawnSync('mkfifo', [path.join(folder, 'evidence.ndjson.gz')]).status).toBe(0);
    symlinkSync('/nowhere', path.join(folder, 'submission.zip'));
    expect(await problems()).toEqual([irregular('evidence.ndjson.gz'), irregular('submission.zip')]);
    rmSync(path.join(folder, 'manifest.sig'));
    symlinkSync(path.join(folder, 'manifest.json'), path.join(folder, 'manifest.sig'));
    expect(await problems()).toContain(irregular('manifest.sig'));
  });

  it('without the archive of its certification is intact, with a note', async () => {
    writeFileSync(path.join(folder, 'certificate.html'), '');
    writeFileSync(path.join(folder, 'manifest.json'), await manifestOf(folder, { ...SEALED, signer: null }));
    rmSync(path.join(folder, 'manifest.sig'));
    const { problems: found, notes } = await verifyFolder(folder, null);
    expect(found).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('submission.zip is missing')]);
  });

  it.each([
    ['files', null],
    ['files', { 'report.html': null }],
    ['signer', { id: 5 }],
    ['run', undefined],
  ])('has an invalid manifest if %s is %j', async (name, value) => {
    const { files: _files, ...sealed } = JSON.parse(await manifestOf(folder, SEALED)) as Manifest;
    const manifest = { ...sealed, files: {}, [name]: value, self: '' };
    const self = sha256(`${JSON.stringify(manifest, null, 2)}\n`);
    writeFileSync(path.join(folder, 'manifest.json'), `${JSON.stringify({ ...manifest, self }, null, 2)}\n`);
    expect(await problems()).toEqual([
      'manifest.json lacks members that the format assay-manifest/1 requires',
    ]);
  });

  it('rejects an encrypted key with an explanation', () => {
    const { privateKey } = generateKeyPairSync('ed25519', {
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
    });
    expect(() => signingKey(privateKey, 'acme.key')).toThrow(
      'acme.key holds a private key that is encrypted',
    );
  });

  it('verifies with a public key only', () => {
    expect(() => verifyingKey(pair.privatePem, 'acme.key')).toThrow('acme.key holds a private key:');
  });

  it('rejects an invalid key', () => {
    expect(() => signingKey(pair.publicPem, 'acme.pub')).toThrow(
      'acme.pub holds no Ed25519 private key in PEM (PKCS#8)',
    );
    expect(() => verifyingKey('no key', 'acme.txt')).toThrow('acme.txt holds no Ed25519 key in PEM (SPKI)');
  });
});
