import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { filesBelow } from '../../core/files.ts';
import { isJsonObject, parsedJson } from '../../core/json-text.ts';
import type { Tool } from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import { UserError } from '../../core/user-error.ts';
import { isNumber, isText, listOf, mapOf, nullable, objectWith } from '../shape.ts';

const DERIVED_FILES: ReadonlySet<string> = new Set([
  FILE_NAMES.manifest,
  FILE_NAMES.signature,
  FILE_NAMES.submission,
]);
const MANIFEST_FORMAT = 'assay-manifest/1';

interface FileDigest {
  readonly sha256: string;
  readonly bytes: number;
}

/** The members of a manifest that describe the run. */
export interface Sealed {
  readonly tool: Tool & {
    /** SHA-256 over the names and digests of Assay's own files. */
    readonly package: string;
    /** SHA-256 of the recorded self-test of the harness; null if there is none. */
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
    /** SHA-256 of the target in the evidence, secrets removed; null if the evidence has none. */
    readonly sha256: string | null;
  }[];
  /** The key that signs the manifest; null if it is not signed. Who owns the key must be established elsewhere. */
  readonly signer: {
    /** SHA-256 of the key's SPKI in DER, in hexadecimal. */
    readonly id: string;
    readonly publicKey: string;
  } | null;
}

/** manifest.json: the SHA-256 of every file of a run, and what made them. */
export interface Manifest extends Sealed {
  readonly format: typeof MANIFEST_FORMAT;
  /** By path relative to the folder, with `/` as separator, sorted. */
  readonly files: { readonly [file: string]: FileDigest };
  /** SHA-256 of this text with an empty string as the value of `self`, to detect a change of the manifest itself. */
  readonly self: string;
}

/** A manifest, key or signature cannot be read or created. The message is one sentence. */
export class SealError extends UserError {
  override readonly name = 'SealError';
}

/** The files of a run, as {@link filesBelow} lists them, without the manifest, its signature and the archive. */
export function filesOf(folder: string): readonly string[] {
  return filesBelow(folder).filter((file) => !DERIVED_FILES.has(file));
}

/** Digest and length of a file. Throws Node's error if it cannot be read. */
export async function digestOf(file: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

export async function manifestOf(folder: string, sealed: Sealed): Promise<string> {
  const files: { [file: string]: FileDigest } = {};
  for (const file of filesOf(folder)) files[file] = await digestOf(path.join(folder, file));
  return manifestText({ format: MANIFEST_FORMAT, ...sealed, files, self: '' });
}

/** The text of a manifest with a new `self`. */
function manifestText(manifest: Manifest): string {
  const text = textOf({ ...manifest, self: '' });
  return text.replace(/"self": ""\n\}\n$/, `"self": "${sha256(text)}"\n}\n`);
}

/** Reads a manifest. Throws SealError if it is invalid or was changed after it was written. */
export function readManifest(text: string): Manifest {
  const read = parsedJson(text);
  if (read === undefined) throw new SealError(`${FILE_NAMES.manifest} is not JSON`);
  if (!isJsonObject(read) || read['format'] !== MANIFEST_FORMAT)
    throw new SealError(`${FILE_NAMES.manifest} is not in the format ${MANIFEST_FORMAT}`);
  const manifest = read as unknown as Manifest;
  const written = textOf({ ...manifest, self: '' });
  if (text !== textOf(manifest) || manifest.self !== sha256(written))
    throw new SealError(`${FILE_NAMES.manifest} was changed after it was written`);
  if (!hasManifestMembers(manifest))
    throw new SealError(`${FILE_NAMES.manifest} lacks members that the format ${MANIFEST_FORMAT} requires`);
  return manifest;
}

function textOf(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const hasManifestMembers = objectWith({
  tool: objectWith({ version: isText, package: isText }),
  run: objectWith({ id: isText, suite: isText, outcome: isText }),
  targets: listOf(objectWith({ name: isText })),
  signer: nullable(objectWith({ id: isText, publicKey: isText })),
  files: mapOf(objectWith({ sha256: isText, bytes: isNumber })),
  self: isText,
});

/** Whether the run is signed or archived, so that no file may be added to its folder. */
export async function isSealed(folder: string): Promise<boolean> {
  if ([FILE_NAMES.signature, FILE_NAMES.submission].some((file) => existsSync(path.join(folder, file))))
    return true;
  return (await manifestIn(folder))?.signer != null;
}

/**
 * Adds files that were written later to the manifest of a run. The entries of other files stay, so that
 * changes to those files are still detected. Does nothing if the manifest is missing or was changed.
 *
 * @param written names of files, and of folders with all files in them
 */
export async function renewManifest(folder: string, written: readonly string[]): Promise<void> {
  const manifest = await manifestIn(folder);
  if (manifest === null) return;
  const isWritten = (file: string): boolean =>
    written.some((name) => file === name || file.startsWith(`${name}/`));
  const files = new Map<string, FileDigest>(
    Object.entries(manifest.files).filter(([file]) => !isWritten(file)),
  );
  for (const file of filesOf(folder).filter(isWritten))
    files.set(file, await digestOf(path.join(folder, file)));
  const sorted = Object.fromEntries([...files].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  await writeFile(path.join(folder, FILE_NAMES.manifest), manifestText({ ...manifest, files: sorted }));
}

async function manifestIn(folder: string): Promise<Manifest | null> {
  try {
    return readManifest(await readFile(path.join(folder, FILE_NAMES.manifest), 'utf8'));
  } catch (error) {
    if (error instanceof SealError || !existsSync(path.join(folder, FILE_NAMES.manifest))) return null;
    throw error;
  }
}
