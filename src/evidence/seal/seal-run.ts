import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { packageDigest, thisTool } from '../../core/package-file.ts';
import type { Results } from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import type { EvidenceSetting } from '../line.ts';
import { readEvidenceLines } from '../reader.ts';
import { manifestOf } from './manifest.ts';
import { signerOf, signManifest } from './signature.ts';

/** Writes manifest.json, and manifest.sig with a key. `prove` is the SHA-256 of the self-test; null if there is none. */
export async function sealRun(
  { run, outcome, targets }: Results,
  prove: string | null,
  folder: string,
  key: KeyObject | null,
): Promise<void> {
  const settings = await settingsIn(folder, targets.length);
  const digestOfTarget = (name: string): string | null => {
    const setting = settings.get(name);
    return setting === undefined ? null : sha256(JSON.stringify(setting.target));
  };
  const manifest = await manifestOf(folder, {
    tool: { ...thisTool(), package: packageDigest(), prove },
    run: { id: run.id, suite: run.suite, seed: run.seed, complete: run.complete, outcome },
    targets: targets.map(({ name }) => ({ name, sha256: digestOfTarget(name) })),
    signer: key === null ? null : signerOf(key),
  });
  await writeFile(path.join(folder, FILE_NAMES.manifest), manifest);
  if (key !== null) await writeFile(path.join(folder, FILE_NAMES.signature), signManifest(manifest, key));
}

/**
 * The input of testing each target, from the evidence; targets without one are left out. Reading stops at the
 * last of them: it precedes the first exchange of its target, or in Playwright follows the last one.
 */
export async function settingsIn(
  folder: string,
  targets: number,
): Promise<ReadonlyMap<string, EvidenceSetting>> {
  const evidence = path.join(folder, FILE_NAMES.evidence);
  const settings = new Map<string, EvidenceSetting>();
  if (!existsSync(evidence)) return settings;
  for await (const { line } of readEvidenceLines(evidence)) {
    if ('setting' in line) settings.set(line.target, line.setting);
    if (settings.size === targets) break;
  }
  return settings;
}
