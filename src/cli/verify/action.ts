import type { KeyObject } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { jsonText } from '../../core/json-text.ts';
import { packageVersion } from '../../core/package-file.ts';
import type { Results } from '../../core/results.ts';
import { AlteredArchiveError, unpackArchive } from '../../evidence/seal/archive.ts';
import { verifyingKey } from '../../evidence/seal/keys.ts';
import { packageDigest } from '../../evidence/seal/package-digest.ts';
import type { Verification } from '../../evidence/seal/verify.ts';
import { verifyFolder } from '../../evidence/seal/verify.ts';
import { recoverFolder } from '../../report/folder/folder-swap.ts';
import { RUN_FILES } from '../../report/folder/run-folder.ts';
import { plural } from '../../report/wording/phrases.ts';
import { visible } from '../../report/wording/safe-text.ts';
import type { Arguments } from '../command.ts';
import { type Host, warnerOf } from '../host.ts';
import { flag, text } from '../shared/options/arguments.ts';
import { EXIT, type ExitStatus } from '../shared/process/exit-status.ts';
import { readResults, resultsFile } from '../shared/run-files/results-file.ts';
import { readKeyFile } from '../shared/run-files/signing-key.ts';
import type { RenderedFiles } from './rendered-files.ts';

/**
 * Runs `assay verify`: returns 0 if nothing was changed, otherwise 1, also for a damaged archive.
 *
 * @throws UsageError, SealError if there is no such run or key
 */
export async function performVerify(args: Arguments, host: Host): Promise<ExitStatus> {
  const keyFile = text(args, 'key');
  const key = keyFile === null ? null : verifyingKey(readKeyFile(keyFile, 'key'), keyFile);
  const run = String(args['run']);
  if (!run.endsWith('.zip') || statSync(run, { throwIfNoEntry: false })?.isFile() !== true)
    return verifyAndReport(await folderOf(run), key, args, host);
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-verify-'));
  try {
    await unpackArchive(run, folder);
    return await verifyAndReport(folder, key, args, host, run);
  } catch (error) {
    if (!(error instanceof AlteredArchiveError)) throw error;
    host.out.write(
      flag(args, 'json') ? `${jsonText({ problems: [error.message] })}\n` : `${visible(error.message)}\n`,
    );
    return EXIT.failed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

// A run without results.json is also verified, so that the missing file is reported.
async function folderOf(run: string): Promise<string> {
  if (!existsSync(path.join(run, RUN_FILES.main))) recoverFolder(run, RUN_FILES);
  return existsSync(path.join(run, FILE_NAMES.manifest)) ? run : path.dirname(await resultsFile(run));
}

async function verifyAndReport(
  folder: string,
  key: KeyObject | null,
  args: Arguments,
  host: Host,
  archive?: string,
): Promise<ExitStatus> {
  const verification = await verifyFolder(folder, key, archive);
  const json = flag(args, 'json');
  const replays = flag(args, 'replay') && verification.problems.length === 0;
  const print = (words: string): void => (json ? undefined : host.out.write(words));
  const printJson = (replay: unknown, rendered: RenderedFiles | null): void => {
    if (json) host.out.write(`${jsonText({ ...verification, replay, rendered })}\n`);
  };
  for (const problem of verification.problems) print(`${visible(problem)}\n`);
  if (verification.problems.length === 0) print(await summary(verification));
  const onlyKey = verification.keyProblem !== null && verification.problems.length === 1;
  if (onlyKey) print(unchangedWords(verification));
  for (const note of verification.notes) print(`${visible(note)}\n`);
  if (!replays) {
    printJson(null, null);
    return verification.problems.length > 0 ? EXIT.failed : EXIT.ok;
  }
  const { replay } = await import('../../run/replay/replay.ts');
  const { replayText } = await import('../shared/replay-text.ts');
  const results = await readResults(path.join(folder, FILE_NAMES.results));
  const replayed = await replay(results, path.join(folder, FILE_NAMES.evidence));
  print(replayText(results, replayed));
  // A valid signature by the given key covers all files.
  const rendered =
    verification.signature === 'signed' ? null : await renderedAgain(results, folder, verification, host);
  if (rendered !== null) print(renderedWords(rendered, verification));
  printJson(replayed, rendered);
  const isSame = replayed.differences.length === 0 && replayed.missing.length === 0;
  return isSame && (rendered?.different ?? []).length === 0 ? EXIT.ok : EXIT.failed;
}

async function renderedAgain(
  results: Results,
  folder: string,
  { manifest }: Verification,
  host: Host,
): Promise<RenderedFiles> {
  const { compareRendered } = await import('./rendered-files.ts');
  return compareRendered(results, folder, manifest?.signer?.id ?? null, warnerOf(host));
}

function renderedWords({ same, different, uncompared }: RenderedFiles, { manifest }: Verification): string {
  const hint =
    manifest?.tool.package === packageDigest() ? '' : '; another build made it, which may render differently';
  return [
    ...(same.length === 0 ? [] : [`Rendered again, identical: ${same.join(', ')}.`]),
    ...different.map((file) => `${file} differs from what the results and the evidence render to${hint}.`),
    ...(uncompared.length === 0 ? [] : [`Not compared: ${uncompared.join(', ')}.`]),
    '',
  ].join('\n');
}

/** Text for a run whose only problem is the given key. */
function unchangedWords({ files, signature }: Verification): string {
  const unchanged = `The files are unchanged: all ${plural(files, 'file')} match the manifest`;
  return signature === 'unsigned'
    ? `${unchanged}. Only a signed run can be verified with --key.\n`
    : `${unchanged}, and that key signed it. If --key names the key you trust, somebody else signed this run.\n`;
}

async function summary({ manifest, signature, files }: Verification): Promise<string> {
  const words = {
    signed: 'signed by the given key',
    unvouched: `signed by the unverified key ${manifest?.signer?.id.slice(0, 16)}; pass the expected key with --key`,
    unsigned: 'not signed, which detects accidents but no forgery',
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
