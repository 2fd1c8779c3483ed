import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier } from '@sigstore/verify';
import { expect, it } from 'vitest';
import { sha256 } from '../../../src/core/sha256.ts';
import { manifestOf } from '../../../src/evidence/seal/manifest.ts';
import {
  makeKeyPair,
  preAuthenticationEncoding,
  signerOf,
  signingKey,
  signManifest,
} from '../../../src/evidence/seal/signature.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

const pair = makeKeyPair();
const other = makeKeyPair();

/** A folder with one file, its manifest, and the signature by `pair`. */
async function signed(
  look: (envelope: Envelope, manifest: string, folder: string) => void | Promise<void>,
): Promise<void> {
  const folder = temporaryFolder('signature');
  writeFileSync(path.join(folder, 'results.json'), '{"format":"assay-results/1"}\n');
  const key = signingKey(pair.privatePem, 'the key');
  const manifest = await manifestOf(folder, {
    tool: { name: 'assay', version: '1.0.0', node: 'v20.20.2', package: sha256('package'), prove: null },
    run: { id: 'run', suite: 'full', seed: 1, complete: true, outcome: 'conformant' },
    targets: [],
    signer: signerOf(key),
  });
  await look(JSON.parse(signManifest(manifest, key)) as Envelope, manifest, folder);
}

/** The result of the sigstore verifier, which shares no code with Assay, for an envelope and a key. */
function sigstoreAccepts(envelope: Envelope, publicPem: string): boolean {
  const bundle = bundleFromJSON({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: 'the key' }, tlogEntries: [] },
    dsseEnvelope: envelope,
  });
  const verifier = new Verifier(
    {
      certificateAuthorities: [],
      timestampAuthorities: [],
      tlogs: [],
      ctlogs: [],
      publicKey: () => ({ publicKey: createPublicKey(publicPem), validFor: () => true }),
    },
    { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 },
  );
  try {
    verifier.verify(toSignedEntity(bundle));
    return true;
  } catch {
    return false;
  }
}

it('an independent DSSE library accepts the signature, and none of another key', async () => {
  await signed((envelope) => {
    expect(sigstoreAccepts(envelope, pair.publicPem)).toBe(true);
    expect(sigstoreAccepts(envelope, other.publicPem)).toBe(false);
    const payload = Buffer.from(envelope.payload, 'base64')
      .toString('utf8')
      .replace('conformant', 'conformanT');
    const forged = { ...envelope, payload: Buffer.from(payload).toString('base64') };
    expect(sigstoreAccepts(forged, pair.publicPem)).toBe(false);
    expect(sigstoreAccepts({ ...envelope, payloadType: 'text/plain' }, pair.publicPem)).toBe(false);
  });
});

it('the payload is an in-toto statement about the manifest and every file', async () => {
  await signed((envelope, manifest) => {
    expect(JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8'))).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        { name: 'manifest.json', digest: { sha256: sha256(manifest) } },
        { name: 'results.json', digest: { sha256: sha256('{"format":"assay-results/1"}\n') } },
      ],
    });
  });
});

it('openssl accepts the signature, and none of another key', async ({ skip }) => {
  if (spawnSync('openssl', ['version']).status !== 0) skip('there is no openssl here');
  await signed((envelope, _manifest, folder) => {
    const place = (name: string, content: string | Uint8Array): string => {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    };
    const payload = Buffer.from(envelope.payload, 'base64');
    const input = place('signed', preAuthenticationEncoding(envelope.payloadType, payload));
    const signature = place('signature', Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'));
    const accepts = (publicPem: string): boolean =>
      spawnSync('openssl', [
        ...['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', place('key.pub', publicPem)],
        ...['-in', input, '-sigfile', signature],
      ]).status === 0;
    expect(accepts(pair.publicPem)).toBe(true);
    expect(accepts(other.publicPem)).toBe(false);
  });
});
