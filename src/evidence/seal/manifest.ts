import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isManifestShaped } from './manifest-shape.ts';

/** Name of the manifest in a run's folder. */
export const MANIFEST = 'manifest.json';
/** Name of its signature. */
export const SIGNATURE = 'manifest.sig';
/** Name of the archive of a certification: all files of the run, the manifest and its signature among them. */
export const SUBMISSION = 'submission.zip';
const MADE_OF_OTHERS = new Set([MANIFEST, SIGNATURE, SUBMISSION]);
/** Name and version of the manifest's format. */
export const MANIFEST_FORMAT = 'assay-manifest/1';

/** What a manifest says of one file. */
export interface FileDigest {
  /** In hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** What a manifest says of the run beside its files. */
export interface Sealed {
  readonly tool: {
    readonly name: 'assay';
    readonly version: string;
    readonly node: string;
    /** SHA-256 over the names and digests of Assay's own files. */
    readonly package: string;
    /** SHA-256 of the proof of the harness that was at hand; null where none was. */
    readonly prove: string | null;
  };
  readonly run: {
    readonly id: string;
    readonly suite: string;
    readonly seed: number;
    readonly complete: boolean;
    readonly outcome: string;
  };
  readonly targets: readonly {
    readonly name: string;
    /** SHA-256 of the target as evidence has it, secrets removed; null where evidence has none. */
    readonly sha256: string | null;
  }[];
  /** Whose signature goes with the manifest; null where it is not signed. Who that is, only others can say. */
  readonly signer: {
    /** SHA-256 of the key's SPKI in DER, in hexadecimal. */
    readonly id: string;
    /** SPKI in PEM. */
    readonly publicKey: string;
  } | null;
}

/** manifest.json: the SHA-256 of every file of a run, and what made them. */
export interface Manifest extends Sealed {
  readonly format: typeof MANIFEST_FORMAT;
  /** By path within the folder, with `/` between its parts, sorted. */
  readonly files: { readonly [file: string]: FileDigest };
  /** SHA-256 of this very text with nothing between these quotes: a change of the manifest itself shows. */
  readonly self: string;
}

/** A manifest, a key or a signature that cannot be read or made; the message is one sentence. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** Every file below a folder but those made of the others, `/` between the parts of a path, sorted. */
export async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => !MADE_OF_OTHERS.has(file))
    .sort();
}

/** Digest and length of a file. Throws Node's error where it cannot be read. */
export async function digestOf(file: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** The text of the manifest of a folder, as it is now. */
export async function manifestOf(folder: string, sealed: Sealed): Promise<string> {
  const files: { [file: string]: FileDigest } = {};
  for (const file of await filesOf(folder)) files[file] = await digestOf(path.join(folder, file));
  return manifestText({ format: MANIFEST_FORMAT, ...sealed, files, self: '' });
}

/** The text of a manifest, which tells of itself anew. */
export function manifestText(manifest: Manifest): string {
  const text = textOf({ ...manifest, self: '' });
  return text.replace(/"self": ""\n\}\n$/, `"self": "${sha256(text)}"\n}\n`);
}

/** Reads a manifest. Throws SealError where it is none, or where anything in it was changed since it was written. */
export function readManifest(text: string): Manifest {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new SealError(`${MANIFEST} is not JSON`);
  }
  if (typeof read !== 'object' || read === null || !('format' in read) || read.format !== MANIFEST_FORMAT)
    throw new SealError(`${MANIFEST} is not in the format ${MANIFEST_FORMAT}`);
  const manifest = read as Manifest;
  const written = textOf({ ...manifest, self: '' });
  if (text !== textOf(manifest) || manifest.self !== sha256(written))
    throw new SealError(`${MANIFEST} was changed after it was written`);
  if (!isManifestShaped(manifest))
    throw new SealError(`${MANIFEST} lacks what the format ${MANIFEST_FORMAT} asks for`);
  return manifest;
}

/** SHA-256 of a text or of bytes, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function textOf(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
