import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { preAuthenticationEncoding, signManifest } from '../../src/evidence/seal/envelope.ts';
import { makeKeyPair, signingKey, verifyingKey } from '../../src/evidence/seal/keys.ts';
import { filesOf, type Manifest, manifestOf, type Sealed, sha256 } from '../../src/evidence/seal/manifest.ts';
import { verifyFolder } from '../../src/evidence/seal/verify.ts';

const SEALED: Sealed = {
  tool: { name: 'assay', version: '1.0.0', node: 'v20.20.2', package: sha256('package'), prove: null },
  run: { id: 'run', suite: 'full', seed: 1, complete: true, outcome: 'conformant' },
  targets: [{ name: 'acme', sha256: sha256('acme') }],
};

/** Bits flipped, each alone. */
const FLIPS = 150;

const pair = makeKeyPair();
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

  it('names the file in which a bit was flipped, whichever it is', async () => {
    const files = [...(await filesOf(folder)), 'manifest.json', 'manifest.sig'];
    const bits = files.flatMap((file) =>
      Array.from({ length: readFileSync(path.join(folder, file)).length * 8 }, (_, bit) => ({ file, bit })),
    );
    const drawn = fc.sample(fc.constantFrom(...bits), { seed: 42, numRuns: FLIPS });
    for (const { file, bit } of drawn) {
      const place = path.join(folder, file);
      const before = readFileSync(place);
      const after = Buffer.from(before);
      after[bit >> 3] = (after[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(place, after);
      expect((await problems()).join('\n'), `${file}, bit ${bit}`).toContain(file);
      writeFileSync(place, before);
    }
    expect(await problems()).toEqual([]);
  });

  it('names files that are missing and files that were added', async () => {
    rmSync(path.join(folder, 'results.json'));
    writeFileSync(path.join(folder, 'allure-results', 'two.json'), '{}');
    expect(await problems()).toEqual([
      'results.json is missing',
      'allure-results/two.json is not in the manifest: it was added later',
    ]);
    rmSync(path.join(folder, 'manifest.sig'));
    expect(await problems()).toContain('manifest.sig is missing: the run is not signed');
    rmSync(path.join(folder, 'manifest.json'));
    expect(await problems()).toContain('manifest.json is missing');
  });

  it('is refused where another key signed it, or where it was sealed anew without the key', async () => {
    const other = makeKeyPair();
    const { problems: found } = await verifyFolder(folder, verifyingKey(other.publicPem, 'the key'));
    expect(found).toEqual([expect.stringMatching(/^manifest\.sig was made by the key [0-9a-f]{16}, not by/)]);
    writeFileSync(path.join(folder, 'results.json'), '{"format":"assay-results/1","outcome":"conformant"}\n');
    writeFileSync(path.join(folder, 'manifest.json'), await manifestOf(folder, SEALED));
    expect(await problems()).toEqual(['manifest.sig was made for another manifest.json']);
  });

  it('is signed as DSSE has it, so that openssl accepts the signature', ({ skip }) => {
    if (spawnSync('openssl', ['version']).status !== 0) skip('there is no openssl here');
    const envelope = JSON.parse(readFileSync(path.join(folder, 'manifest.sig'), 'utf8')) as {
      payloadType: string;
      payload: string;
      signatures: { sig: string }[];
    };
    const payload = Buffer.from(envelope.payload, 'base64');
    expect(JSON.parse(payload.toString('utf8'))).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: expect.arrayContaining([
        {
          name: 'manifest.json',
          digest: { sha256: sha256(readFileSync(path.join(folder, 'manifest.json'))) },
        },
      ]),
    });
    const place = (name: string, content: string | Uint8Array): string => {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    };
    const signed = place('signed', preAuthenticationEncoding(envelope.payloadType, payload));
    const signature = place('signature', Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'));
    const accepts = (publicPem: string): boolean =>
      spawnSync('openssl', [
        ...['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', place('key.pub', publicPem)],
        ...['-in', signed, '-sigfile', signature],
      ]).status === 0;
    expect(accepts(pair.publicPem)).toBe(true);
    expect(accepts(makeKeyPair().publicPem)).toBe(false);
  });

  it('takes no key that is none', () => {
    expect(() => signingKey(pair.publicPem, 'acme.pub')).toThrow(
      'acme.pub holds no Ed25519 private key in PEM (PKCS#8)',
    );
    expect(() => verifyingKey('no key', 'acme.txt')).toThrow('acme.txt holds no Ed25519 key in PEM (SPKI)');
  });
});
