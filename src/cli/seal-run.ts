import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageVersion } from '../core/package-file.ts';
import type { Results } from '../core/results.ts';
import type { EvidenceSetting } from '../evidence/line.ts';
import { readEvidenceHeads } from '../evidence/reader.ts';
import { signManifest } from '../evidence/seal/envelope.ts';
import { signerOf, signingKey } from '../evidence/seal/keys.ts';
import {
  MANIFEST,
  manifestOf,
  SealError,
  type Sealed,
  SIGNATURE,
  sha256,
} from '../evidence/seal/manifest.ts';
import type { Host } from './host.ts';
import { type Proof, packageDigest } from './proof.ts';

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

/** Writes manifest.json over the files of a run, and manifest.sig where there is a key. */
export async function sealRun(
  results: Results,
  proof: Proof | null,
  folder: string,
  key: SigningKey | null,
): Promise<void> {
  const manifest = await manifestOf(folder, await sealedOf(results, proof, folder, key));
  await writeFile(path.join(folder, MANIFEST), manifest);
  if (key !== null) await writeFile(path.join(folder, SIGNATURE), signManifest(manifest, key));
}

async function sealedOf(
  { run, outcome, targets }: Results,
  proof: Proof | null,
  folder: string,
  key: SigningKey | null,
): Promise<Sealed> {
  const settings = await settingsIn(folder, targets.length);
  const digestOfTarget = (name: string): string | null => {
    const setting = settings.get(name);
    return setting === undefined ? null : sha256(JSON.stringify(setting.target));
  };
  return {
    tool: {
      name: 'assay',
      version: packageVersion(),
      node: process.version,
      package: await packageDigest(),
      prove: proof === null ? null : sha256(proof.text),
    },
    run: { id: run.id, suite: run.suite, seed: run.seed, complete: run.complete, outcome },
    targets: targets.map(({ name }) => ({ name, sha256: digestOfTarget(name) })),
    signer: key === null ? null : signerOf(key),
  };
}

/**
 * What each target of a run was judged with, as its evidence tells it; what evidence lacks is left out. A setting stands
 * before the first exchange of its target, so the file is read no further than the last of them.
 */
export async function settingsIn(
  folder: string,
  targets: number,
): Promise<ReadonlyMap<string, EvidenceSetting>> {
  const evidence = path.join(folder, 'evidence.ndjson.gz');
  const settings = new Map<string, EvidenceSetting>();
  if (!existsSync(evidence)) return settings;
  for await (const head of readEvidenceHeads(evidence)) {
    if (head.kind === 'setting') settings.set(head.target, head.setting);
    if (settings.size === targets) break;
  }
  return settings;
}
