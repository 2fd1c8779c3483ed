import { createPublicKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageFile, packageVersion } from '../core/package-file.ts';
import type { Results } from '../core/results.ts';
import { readEvidenceHeads } from '../evidence/reader.ts';
import { signManifest } from '../evidence/seal/envelope.ts';
import { keyIdOf, signingKey } from '../evidence/seal/keys.ts';
import {
  digestOf,
  filesOf,
  MANIFEST,
  manifestOf,
  SealError,
  type Sealed,
  SIGNATURE,
  sha256,
} from '../evidence/seal/manifest.ts';
import type { ReportData } from '../report/data.ts';
import { uncertified } from './certify.ts';
import type { Host } from './host.ts';

/** A private key, read. */
export type SigningKey = ReturnType<typeof signingKey>;

/** The key that a run is signed with: that of the file named, or ASSAY_SIGNING_KEY; null where there is neither. */
export async function readSigningKey(file: string | null, env: Host['env']): Promise<SigningKey | null> {
  if (file === null) {
    const pem = env['ASSAY_SIGNING_KEY'] ?? '';
    return pem === '' ? null : signingKey(pem, 'ASSAY_SIGNING_KEY');
  }
  const pem = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new SealError(`the signing key cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  return signingKey(pem, file);
}

/** Writes manifest.json, and manifest.sig where there is a key, as the last files of a run. */
export async function sealRun(results: Results, folder: string, key: SigningKey | null): Promise<void> {
  const manifest = await manifestOf(folder, await sealedOf(results, folder));
  await writeFile(path.join(folder, MANIFEST), manifest);
  if (key !== null) await writeFile(path.join(folder, SIGNATURE), signManifest(manifest, key));
}

/** Writes certificate.html beside the results that it speaks of. */
export async function writeCertificate(
  results: Results,
  { prove }: ReportData,
  folder: string,
  key: SigningKey | null,
): Promise<void> {
  const { renderCertificate } = await import('../report/formats/certificate.tsx');
  const { sha256: digest } = await digestOf(path.join(folder, 'results.json'));
  const keyId = key === null ? null : keyIdOf(createPublicKey(key));
  const page = renderCertificate(results, { digest, keyId, prove }, uncertified(results).length > 0);
  await writeFile(path.join(folder, 'certificate.html'), page);
}

async function sealedOf({ run, outcome, targets }: Results, folder: string): Promise<Sealed> {
  const proof = packageFile('prove.json');
  const digests = await targetDigests(path.join(folder, 'evidence.ndjson.gz'), targets.length);
  return {
    tool: {
      name: 'assay',
      version: packageVersion(),
      node: process.version,
      package: await packageDigest(),
      prove: existsSync(proof) ? (await digestOf(proof)).sha256 : null,
    },
    run: { id: run.id, suite: run.suite, seed: run.seed, complete: run.complete, outcome },
    targets: targets.map(({ name }) => ({ name, sha256: digests.get(name) ?? null })),
  };
}

/** SHA-256 over the names and digests of the files that make up this Assay, as its package ships them. */
export async function packageDigest(): Promise<string> {
  const lines: string[] = [];
  for (const part of ['dist/src', 'dist/specs', 'schemas']) {
    const folder = packageFile(part);
    if (!existsSync(folder)) continue;
    for (const file of await filesOf(folder))
      lines.push(`${(await digestOf(path.join(folder, file))).sha256}  ${part}/${file}`);
  }
  lines.push(`${(await digestOf(packageFile('package.json'))).sha256}  package.json`);
  return sha256(`${lines.join('\n')}\n`);
}

// The settings stand before the first exchange of each target, so the file is read no further than the last of them.
async function targetDigests(evidence: string, targets: number): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  if (!existsSync(evidence)) return digests;
  for await (const head of readEvidenceHeads(evidence)) {
    if (head.kind === 'setting') digests.set(head.target, sha256(JSON.stringify(head.setting.target)));
    if (digests.size === targets) break;
  }
  return digests;
}
