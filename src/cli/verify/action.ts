import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { jsonText } from '../../core/json-text.ts';
import { packageDigest, packageVersion } from '../../core/package-file.ts';
import { AlteredArchiveError, unpackArchive } from '../../evidence/seal/archive.ts';
import { readKeyFile, verifyingKey } from '../../evidence/seal/signature.ts';
import { type Verification, verifyFolder } from '../../evidence/seal/verify.ts';
import { REPORTS, RUN_FILES, recoverFolder } from '../../report/folder/run-folder.ts';
import { plural, visible } from '../../report/wording/phrases.ts';
import { type Arguments, EXIT, type ExitStatus, type Host, type Say, UsageError } from '../command.ts';
import { flag, printFacts, text } from '../shared/options.ts';
import { readResults, resultsFile } from '../shared/run-files/results-file.ts';
import type { RenderedFiles } from './rendered-files.ts';

/** Returns 0 if nothing was changed, otherwise 1, also for a damaged archive. */
export async function performVerify(args: Arguments, host: Host): Promise<ExitStatus> {
  const keyFile = text(args, 'key');
  const key = keyFile === null ? null : verifyingKey(readKeyFile(keyFile, 'key'), keyFile);
  const run = String(args['run']);
  if (!run.endsWith('.zip') || statSync(run, { throwIfNoEntry: false })?.isFile() !== true) {
    const folder = await folderOf(run);
    return report(await verifyFolder(folder, key), folder, args, host);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-verify-'));
  try {
    await unpackArchive(run, folder);
    return await report(await verifyFolder(folder, key, run), folder, args, host);
  } catch (error) {
    if (!(error instanceof AlteredArchiveError)) throw error;
    printFacts({ problems: [error.message] }, `${visible(error.message)}\n`, args, host);
    return EXIT.failed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

// A run without results.json is also verified, so that the missing file is reported.
async function folderOf(run: string): Promise<string> {
  const isOtherFile =
    statSync(run, { throwIfNoEntry: false })?.isFile() === true && path.basename(run) !== RUN_FILES.main;
  if (isOtherFile) throw new UsageError(`${run} is neither the folder of a run nor an archive of one (.zip)`);
  for (const folder of [run, path.join(REPORTS, run)]) {
    if (!existsSync(path.join(folder, RUN_FILES.main))) recoverFolder(folder, RUN_FILES);
    if (existsSync(path.join(folder, FILE_NAMES.manifest))) return folder;
  }
  return path.dirname(await resultsFile(run));
}

async function report(
  verification: Verification,
  folder: string,
  args: Arguments,
  host: Host,
): Promise<ExitStatus> {
  const isUnchanged = verification.problems.length === 0;
  const json = flag(args, 'json');
  if (!json) host.out.write(verificationText(verification));
  const repeated =
    flag(args, 'replay') && isUnchanged ? await repeatRun(folder, verification, host.warn) : null;
  if (json) {
    const { replayed: replay = null, rendered = null } = repeated ?? {};
    host.out.write(`${jsonText({ ...verification, replay, rendered })}\n`);
  } else if (repeated !== null) host.out.write(repeated.text);
  return isUnchanged && repeated?.isSame !== false ? EXIT.ok : EXIT.failed;
}

/** Recomputes verdicts, and renders the reports again unless a valid signature by the given key covers them. */
async function repeatRun(folder: string, { manifest, signature }: Verification, warn: Say) {
  const { replay } = await import('../../run/replay/replay.ts');
  const { replayText } = await import('../shared/replay-text.ts');
  const { compareRendered } = await import('./rendered-files.ts');
  const results = await readResults(path.join(folder, FILE_NAMES.results));
  const replayed = await replay(results, path.join(folder, FILE_NAMES.evidence));
  const rendered =
    signature === 'signed'
      ? null
      : await compareRendered(results, folder, manifest?.signer?.id ?? null, warn);
  const { differences, missing } = replayed;
  return {
    replayed,
    rendered,
    text: replayText(results, replayed) + (rendered === null ? '' : renderedText(rendered, manifest)),
    isSame: differences.length + missing.length + (rendered?.different ?? []).length === 0,
  };
}

function verificationText(verification: Verification): string {
  const { problems, keyProblem, notes } = verification;
  const isOnlyKeyWrong = keyProblem !== null && problems.length === 1;
  return [
    ...problems.map((problem) => `${visible(problem)}\n`),
    ...(problems.length === 0 ? [summary(verification)] : []),
    ...(isOnlyKeyWrong ? [unchangedWords(verification)] : []),
    ...notes.map((note) => `${visible(note)}\n`),
  ].join('');
}

function renderedText(
  { same, different, uncompared }: RenderedFiles,
  manifest: Verification['manifest'],
): string {
  const hint =
    manifest?.tool.package === packageDigest() ? '' : '; another build made it, which may render differently';
  return [
    ...(same.length === 0 ? [] : [`Rendered again, identical: ${same.join(', ')}.`]),
    ...different.map((file) => `${file} differs from what the results and the evidence render to${hint}.`),
    ...(uncompared.length === 0 ? [] : [`Not compared: ${uncompared.join(', ')}.`]),
    '',
  ].join('\n');
}

function unchangedWords({ files, signature }: Verification): string {
  const unchanged = `The files are unchanged: all ${plural(files, 'file')} match the manifest`;
  return signature === 'unsigned'
    ? `${unchanged}. Only a signed run can be verified with --key.\n`
    : `${unchanged}, and that key signed it. If --key names the key you trust, somebody else signed this run.\n`;
}

function summary({ manifest, signature, files }: Verification): string {
  const words = {
    signed: 'signed by the given key',
    'unverified-key': `signed by the unverified key ${manifest?.signer?.id.slice(0, 16)}; pass the expected key with --key`,
    unsigned: 'not signed, so accidental changes are detected and deliberate ones are not',
  }[signature];
  const id = visible(manifest?.run.id ?? '');
  const lines = [`Run ${id}: ${plural(files, 'file')} unchanged, ${words}.`];
  const made = manifest?.tool;
  if (made !== undefined && made.package !== packageDigest())
    lines.push(
      `It was made by another build of Assay (${visible(made.version)}; this is ${packageVersion()}).`,
    );
  return `${lines.join('\n')}\n`;
}
