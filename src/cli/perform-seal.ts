import type { KeyObject } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { jsonText } from '../core/json-text.ts';
import { packageVersion } from '../core/package-file.ts';
import type { Results } from '../core/results.ts';
import { describeSystemError } from '../core/system-error.ts';
import { makeKeyPair, verifyingKey } from '../evidence/seal/keys.ts';
import { packageDigest } from '../evidence/seal/package-digest.ts';
import { unpackArchive } from '../evidence/seal/unarchive.ts';
import type { Verification } from '../evidence/seal/verify.ts';
import { verifyFolder } from '../evidence/seal/verify.ts';
import { recoverFolder } from '../report/folder-swap.ts';
import { plural } from '../report/phrases.ts';
import { RUN_FILES } from '../report/run-folder.ts';
import { visible } from '../report/safe-text.ts';
import { flag, text } from './arguments.ts';
import type { Arguments } from './command.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import { readResults, resultsFile } from './finished-run.ts';
import type { Host } from './host.ts';
import type { RenderedFiles } from './rendered-files.ts';
import { readKeyFile } from './signing-key.ts';
import { UsageError } from './usage-error.ts';

/**
 * Carries out `assay keygen`.
 *
 * @throws UsageError where either file is there already, or cannot be written
 */
export async function performKeygen(args: Arguments, host: Host): Promise<ExitStatus> {
  const name = text(args, 'name') ?? 'assay-signing';
  if (['', '.', '..'].includes(name.split(/[\\/]/u).at(-1) ?? ''))
    throw new UsageError(`assay keygen takes the name of a file, not of a folder: ${name}`);
  const [secret, open] = [`${name}.key`, `${name}.pub`];
  for (const file of [secret, open])
    if (existsSync(file)) throw new UsageError(`${file} is there already; name another`);
  const pair = makeKeyPair();
  // 0600 from the first moment, and never over a file that appeared meanwhile.
  try {
    await writeFile(secret, pair.privatePem, { mode: 0o600, flag: 'wx' });
    await writeFile(open, pair.publicPem, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`the keys cannot be kept as ${name}: ${describeSystemError(error)}`);
  }
  if (flag(args, 'json')) {
    host.out.write(`${jsonText({ secret, public: open, id: pair.id })}\n`);
    return EXIT.ok;
  }
  host.out.write(
    `Written: ${visible(secret)} (keep it secret) and ${visible(open)}; key ${pair.id.slice(0, 16)}\n`,
  );
  return EXIT.ok;
}

/**
 * Carries out `assay verify`: 0 where everything is as it was sealed, 1 where anything is not.
 *
 * @throws UsageError, SealError where there is no run, or no key where one is named
 */
export async function performVerify(args: Arguments, host: Host): Promise<ExitStatus> {
  const keyFile = text(args, 'key');
  const key = keyFile === null ? null : verifyingKey(readKeyFile(keyFile, 'key'), keyFile);
  const run = String(args['run']);
  if (!run.endsWith('.zip') || statSync(run, { throwIfNoEntry: false })?.isFile() !== true)
    return verified(await folderOf(run), key, args, host);
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-verify-'));
  try {
    await unpackArchive(run, folder);
    return await verified(folder, key, args, host, run);
  } finally {
    await rm(folder, { recursive: true });
  }
}

// A run whose results are what was removed is still a run to be checked.
async function folderOf(run: string): Promise<string> {
  if (!existsSync(path.join(run, RUN_FILES.main))) recoverFolder(run, RUN_FILES);
  return existsSync(path.join(run, 'manifest.json')) ? run : path.dirname(await resultsFile(run));
}

async function verified(
  folder: string,
  key: KeyObject | null,
  args: Arguments,
  host: Host,
  archive?: string,
): Promise<ExitStatus> {
  const verification = await verifyFolder(folder, key, archive);
  const json = flag(args, 'json');
  const judgesAgain = flag(args, 'replay') && verification.problems.length === 0;
  const tell = (words: string): void => (json ? undefined : host.out.write(words));
  const tellAll = (replay: unknown, rendered: RenderedFiles | null): void => {
    if (json) host.out.write(`${jsonText({ ...verification, replay, rendered })}\n`);
  };
  for (const problem of verification.problems) tell(`${visible(problem)}\n`);
  if (verification.problems.length === 0) tell(await summary(verification));
  for (const note of verification.notes) tell(`${visible(note)}\n`);
  if (!judgesAgain) {
    tellAll(null, null);
    return verification.problems.length > 0 ? EXIT.failed : EXIT.ok;
  }
  const { replay } = await import('../run/replay.ts');
  const { replayWords } = await import('./perform-replay.ts');
  const results = await readResults(path.join(folder, 'results.json'));
  const again = await replay(results, path.join(folder, 'evidence.ndjson.gz'));
  tell(replayWords(results, again));
  // A signature by the key that was given vouches for every file.
  const rendered =
    verification.signature === 'signed' ? null : await renderedAgain(results, folder, verification, host);
  if (rendered !== null) tell(renderedWords(rendered, verification));
  tellAll(again, rendered);
  const isSame = again.differences.length === 0 && again.missing.length === 0;
  return isSame && (rendered?.different ?? []).length === 0 ? EXIT.ok : EXIT.failed;
}

async function renderedAgain(
  results: Results,
  folder: string,
  { manifest }: Verification,
  host: Host,
): Promise<RenderedFiles> {
  const { compareRendered } = await import('./rendered-files.ts');
  const complain = (sentence: string): void => host.err.write(`assay: ${visible(sentence)}\n`);
  return compareRendered(results, folder, manifest?.signer?.id ?? null, complain);
}

function renderedWords({ same, different, uncompared }: RenderedFiles, { manifest }: Verification): string {
  const hint =
    manifest?.tool.package === packageDigest() ? '' : '; another build made it, which may render otherwise';
  return [
    ...(same.length === 0 ? [] : [`Rendered again: ${same.join(', ')} come out the same.`]),
    ...different.map((file) => `${file} is not what the results and the evidence render to${hint}.`),
    ...(uncompared.length === 0 ? [] : [`Not compared: ${uncompared.join(', ')}.`]),
    '',
  ].join('\n');
}

async function summary({ manifest, signature, files }: Verification): Promise<string> {
  const words = {
    signed: 'signed by that key',
    unvouched: `signed by the key ${manifest?.signer?.id.slice(0, 16)}, for which nobody vouches; --key says whose it must be`,
    unsigned: 'not signed, so only an accident would show, not a forger',
  }[signature];
  const id = visible(manifest?.run.id ?? '');
  const lines = [`Run ${id}: ${plural(files, 'file')} as ${files === 1 ? 'it was' : 'they were'}, ${words}.`];
  const made = manifest?.tool;
  if (made !== undefined && made.package !== packageDigest())
    lines.push(
      `It was made by another build of Assay (${visible(made.version)}; this is ${packageVersion()}).`,
    );
  return `${lines.join('\n')}\n`;
}
