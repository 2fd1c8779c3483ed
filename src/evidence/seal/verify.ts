import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expectSigned } from './envelope.ts';
import {
  digestOf,
  filesOf,
  MANIFEST,
  type Manifest,
  readManifest,
  SealError,
  SIGNATURE,
} from './manifest.ts';

/** What checking a run's folder came to. */
export interface Verification {
  /** Null where there is none that can be read. */
  readonly manifest: Manifest | null;
  /** `signed` by the key given; `unchecked` where no key was given; `unsigned` where there is no signature. */
  readonly signature: 'signed' | 'unchecked' | 'unsigned';
  readonly files: number;
  /** What is wrong, one sentence each, each naming its file; empty where nothing is. */
  readonly problems: readonly string[];
}

/** Checks every file of a run against its manifest, and the manifest against its signature where a key is given. */
export async function verifyFolder(folder: string, key: KeyObject | null): Promise<Verification> {
  const problems: string[] = [];
  const signed = existsSync(path.join(folder, SIGNATURE));
  const text = await textIn(folder, MANIFEST, problems);
  const manifest = text === null ? null : attempt(() => readManifest(text), problems);
  if (key !== null && !signed) problems.push(`${SIGNATURE} is missing: the run is not signed`);
  if (key !== null && signed && text !== null && manifest !== null) {
    const envelope = await textIn(folder, SIGNATURE, problems);
    if (envelope !== null) attempt(() => expectSigned(envelope, text, key), problems);
  }
  if (manifest !== null) problems.push(...(await changesOf(folder, manifest)));
  const signature = !signed ? 'unsigned' : key === null ? 'unchecked' : 'signed';
  return { manifest, signature, files: Object.keys(manifest?.files ?? {}).length, problems };
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
