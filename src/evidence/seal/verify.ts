import type { KeyObject } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { parsedJson } from '../../core/json-text.ts';
import { valueAt } from '../../core/schemas/shipped-schema.ts';
import { archiveFits } from './archive.ts';
import { digestOf, filesOf, type Manifest, readManifest, SealError } from './manifest.ts';
import { expectSigned, keyIdOf, verifyingKey } from './signature.ts';

export interface Verification {
  /** Null where there is none that can be read. */
  readonly manifest: Manifest | null;
  /** `signed` by the given key; `unverified-key`: signed by a key that only the manifest names; `unsigned`. */
  readonly signature: 'signed' | 'unverified-key' | 'unsigned';
  readonly files: number;
  /** Every problem in one sentence, including `keyProblem`; empty if there is none. */
  readonly problems: readonly string[];
  /** Why the given key did not sign the run; null if it did, or if no key was given. Independent of the files. */
  readonly keyProblem: string | null;
  readonly notes: readonly string[];
}

/** Without the problem of the key among the others. */
type Seal = Pick<Verification, 'manifest' | 'signature' | 'problems' | 'keyProblem'>;

/**
 * Checks every file of a run against its manifest, the manifest against its signature, and submission.zip
 * against all files.
 *
 * @param key the key that must have signed; null to accept the key that the manifest names
 */
export async function verifyFolder(
  folder: string,
  key: KeyObject | null,
  archive = path.join(folder, FILE_NAMES.submission),
): Promise<Verification> {
  const { manifest, signature, keyProblem, problems: found } = await readSeal(folder, key);
  const problems = [...found];
  if (manifest !== null) {
    problems.push(...(await changesOf(folder, manifest)));
    if (problems.length === 0)
      problems.push(
        ...(Object.hasOwn(manifest.files, FILE_NAMES.results)
          ? disagreements(manifest, await readFile(path.join(folder, FILE_NAMES.results), 'utf8'))
          : [`${FILE_NAMES.results} is not in the manifest`]),
      );
  }
  const filed = isThere(archive);
  if (filed) problems.push(...(await archiveProblems(folder, archive, problems.length === 0)));
  const notes =
    !filed && Object.hasOwn(manifest?.files ?? {}, FILE_NAMES.certificate)
      ? [
          `${FILE_NAMES.submission} is missing: a certification is submitted as this file; its contents are all in the folder`,
        ]
      : [];
  return {
    manifest,
    signature,
    files: Object.keys(manifest?.files ?? {}).length,
    problems: keyProblem === null ? problems : [keyProblem, ...problems],
    keyProblem,
    notes,
  };
}

/** Reads the manifest of a folder and checks its signature; `key` as in `verifyFolder`. */
export async function readSeal(folder: string, key: KeyObject | null): Promise<Seal> {
  const problems: string[] = [];
  const text = await textIn(folder, FILE_NAMES.manifest, problems);
  const manifest = text === null ? null : attempt(() => readManifest(text), problems);
  const signed = isThere(path.join(folder, FILE_NAMES.signature));
  const signature = !signed ? 'unsigned' : key === null ? 'unverified-key' : 'signed';
  if (text === null || manifest === null) return { manifest, signature, problems, keyProblem: null };
  const { signer } = manifest;
  if (!signed && signer !== null)
    problems.push(
      `${FILE_NAMES.signature} is missing: the run was signed by the key ${signer.id.slice(0, 16)}`,
    );
  const envelope = signed ? await textIn(folder, FILE_NAMES.signature, problems) : null;
  // With a different key, the signature is still checked with the named key: perhaps only the given key is wrong.
  const isOther = envelope !== null && key !== null && signer !== null && keyIdOf(key) !== signer.id;
  if (envelope !== null)
    attempt(
      () => expectSigned(envelope, text, isOther ? namedIn(manifest) : (key ?? namedIn(manifest))),
      problems,
    );
  const keyProblem = isOther
    ? `the given key (${keyIdOf(key).slice(0, 16)}) did not sign this run: the key ${signer.id.slice(0, 16)} did`
    : null;
  const isUnsigned = !signed && signer === null && key !== null;
  return {
    manifest,
    signature: isOther ? 'unverified-key' : signature,
    problems,
    keyProblem: isUnsigned ? `${FILE_NAMES.signature} is missing: the run is not signed` : keyProblem,
  };
}

function namedIn({ signer }: Manifest): KeyObject {
  if (signer === null)
    throw new SealError(`${FILE_NAMES.signature} was added later: ${FILE_NAMES.manifest} names no signer`);
  return verifyingKey(signer.publicKey, `signer of ${FILE_NAMES.manifest}`);
}

async function archiveProblems(
  folder: string,
  archive: string,
  comparable: boolean,
): Promise<readonly string[]> {
  const name = path.basename(archive);
  if (!isRegular(archive)) return [notRegular(name)];
  if (!comparable) return [`${name} was not compared, since other files were changed`];
  const fits = await archiveFits(folder, archive).catch(() => null);
  if (fits === null) return [`${name} cannot be read`];
  return fits ? [] : [`${name} was changed: it is not the archive of the run's files`];
}

async function changesOf(folder: string, { files }: Manifest): Promise<readonly string[]> {
  const problems: string[] = [];
  const there = new Set(filesOf(folder));
  for (const [file, sealed] of Object.entries(files)) {
    if (!there.has(file)) {
      problems.push(`${file} is missing`);
      continue;
    }
    if (!isRegular(path.join(folder, file))) {
      problems.push(notRegular(file));
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

// Checks that the bytes are UTF-8: Assay writes nothing else.
async function textIn(folder: string, file: string, problems: string[]): Promise<string | null> {
  const location = path.join(folder, file);
  if (isThere(location) && !isRegular(location)) {
    problems.push(notRegular(file));
    return null;
  }
  try {
    const bytes = await readFile(location);
    const text = bytes.toString('utf8');
    if (Buffer.from(text).equals(bytes)) return text;
    problems.push(`${file} was changed: it is not UTF-8`);
  } catch {
    problems.push(`${file} is missing`);
  }
  return null;
}

function notRegular(file: string): string {
  return `${file} is not a regular file; a run writes only regular files`;
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

/** A run writes only regular files: reading a pipe would block, and a link may lead outside the folder. */
export function isRegular(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether a path exists, including a broken link. */
export function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** The differences between a manifest and `text`, which is results.json, one sentence each. */
export function disagreements({ tool, run, targets }: Manifest, text: string): readonly string[] {
  const results = parsedJson(text);
  const difference = (field: string, one: unknown, other: unknown): readonly string[] =>
    one === other
      ? []
      : [
          `${FILE_NAMES.manifest} says that ${field} is ${display(one)}, but results.json says ${display(other)}`,
        ];
  const names = valueAt(results, ['targets']);
  const listed = Array.isArray(names) ? names.map((one) => valueAt(one, ['name'])) : [];
  return [
    ...difference('the version of Assay', tool.version, valueAt(results, ['tool', 'version'])),
    ...(['id', 'suite', 'seed', 'complete'] as const).flatMap((field) =>
      difference(`the ${LABELS[field]}`, run[field], valueAt(results, ['run', field])),
    ),
    ...difference('the outcome', run.outcome, valueAt(results, ['outcome'])),
    ...difference(
      'the list of targets',
      JSON.stringify(targets.map(({ name }) => name)),
      JSON.stringify(listed),
    ),
  ];
}

/** Members of `run` in both the manifest and results.json. */
const LABELS = { id: 'run id', suite: 'suite', seed: 'seed', complete: 'completeness' } as const;

function display(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
