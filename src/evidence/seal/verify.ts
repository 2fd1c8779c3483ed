import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { archiveFits } from './archive.ts';
import { expectSigned } from './envelope.ts';
import { verifyingKey } from './keys.ts';
import {
  digestOf,
  filesOf,
  MANIFEST,
  type Manifest,
  readManifest,
  SealError,
  SIGNATURE,
  SUBMISSION,
} from './manifest.ts';

/** What checking a run's folder came to. */
export interface Verification {
  /** Null where there is none that can be read. */
  readonly manifest: Manifest | null;
  /** `signed` by the key given; `unvouched` by a key for which only the manifest speaks; `unsigned` by none. */
  readonly signature: 'signed' | 'unvouched' | 'unsigned';
  readonly files: number;
  /** What is wrong, one sentence each, each naming its file; empty where nothing is. */
  readonly problems: readonly string[];
}

/**
 * Checks every file of a run against its manifest, the manifest against its signature, and submission.zip against all
 * of them. `key` is who must have signed; null where anybody may, and then the key that the manifest names counts.
 */
export async function verifyFolder(
  folder: string,
  key: KeyObject | null,
  archive = path.join(folder, SUBMISSION),
): Promise<Verification> {
  const problems: string[] = [];
  const text = await textIn(folder, MANIFEST, problems);
  const manifest = text === null ? null : attempt(() => readManifest(text), problems);
  const signed = existsSync(path.join(folder, SIGNATURE));
  if (text !== null && manifest !== null) {
    const { signer } = manifest;
    if (!signed && signer !== null)
      problems.push(`${SIGNATURE} is missing: the run was signed by the key ${signer.id.slice(0, 16)}`);
    else if (!signed && key !== null) problems.push(`${SIGNATURE} is missing: the run is not signed`);
    const envelope = signed ? await textIn(folder, SIGNATURE, problems) : null;
    if (envelope !== null) attempt(() => expectSigned(envelope, text, key ?? namedIn(manifest)), problems);
    problems.push(...(await changesOf(folder, manifest)));
  }
  if (existsSync(archive)) problems.push(...(await archiveProblems(folder, archive, problems.length === 0)));
  const signature = !signed ? 'unsigned' : key === null ? 'unvouched' : 'signed';
  return { manifest, signature, files: Object.keys(manifest?.files ?? {}).length, problems };
}

function namedIn({ signer }: Manifest): KeyObject {
  if (signer === null) throw new SealError(`${SIGNATURE} was added later: ${MANIFEST} names no signer`);
  return verifyingKey(signer.publicKey, `signer of ${MANIFEST}`);
}

async function archiveProblems(
  folder: string,
  archive: string,
  comparable: boolean,
): Promise<readonly string[]> {
  const name = path.basename(archive);
  if (!comparable) return [`${name} was not compared, since other files are not as they were`];
  const fits = await archiveFits(folder, archive).catch(() => null);
  if (fits === null) return [`${name} cannot be read`];
  return fits ? [] : [`${name} was changed: it is not the archive of the run's files`];
}

async function changesOf(folder: string, { files }: Manifest): Promise<readonly string[]> {
  const problems: string[] = [];
  const there = new Set(await filesOf(folder));
  for (const [file, sealed] of Object.entries(files)) {
    if (!there.has(file)) {
      problems.push(`${file} is missing`);
      continue;
    }
    const now = await digestOf(path.join(folder, file)).catch(() => null);
    if (now === null) problems.push(`${file} cannot be read`);
    else if (now.sha256 !== sealed.sha256)
      problems.push(
        now.bytes === sealed.bytes
          ? `${file} was changed: its SHA-256 is ${now.sha256} instead of ${sealed.sha256}`
          : `${file} was changed: it has ${now.bytes} bytes instead of ${sealed.bytes}`,
      );
  }
  for (const file of there)
    if (!Object.hasOwn(files, file)) problems.push(`${file} is not in the manifest: it was added later`);
  return problems;
}

// Read as bytes and back: a text that is not UTF-8 was not written by Assay.
async function textIn(folder: string, file: string, problems: string[]): Promise<string | null> {
  try {
    const bytes = await readFile(path.join(folder, file));
    const text = bytes.toString('utf8');
    if (Buffer.from(text).equals(bytes)) return text;
    problems.push(`${file} was changed: it is not UTF-8`);
  } catch {
    problems.push(`${file} is missing`);
  }
  return null;
}

function attempt<Result>(run: () => Result, problems: string[]): Result | null {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    problems.push(error.message);
    return null;
  }
}
