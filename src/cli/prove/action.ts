import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { jsonText } from '../../core/json-text.ts';
import { withCommas } from '../../core/number-format.ts';
import { packageDigest } from '../../core/package-file.ts';
import type { ProveResults } from '../../core/prove-results.ts';
import { describeFileError } from '../../core/system-error.ts';
import type { Proof } from '../../prove/prove.ts';
import { PROVE_FILES, RunFolder } from '../../report/folder/run-folder.ts';
import { renderProveMatrix, renderProveTerminal } from '../../report/prove/prove-terminal.ts';
import {
  type Arguments,
  CLEAR_LINE,
  EXIT,
  type ExitStatus,
  type Host,
  type Output,
  type Say,
  STOPPING,
  UsageError,
  watchInterruption,
} from '../command.ts';
import { commandLine, flag, text, texts, wholeNumber } from '../shared/options.ts';
import { openFolder } from '../shared/run-files/run-output.ts';
import { expectOpenFiles } from '../shared/run-targets.ts';

/** Default seed: the same on every machine, so that proofs are comparable. */
const DEFAULT_SEED = 1;

// Both ends of each connection are in this process. All trials that wait for a token to expire run in parallel.
const CONNECTIONS_OF_WAITING_TRIALS = 480;
const CONNECTIONS_PER_JOB = 48;

/** Returns 1 if a defect was not found, a requirement failed falsely or a variant was failed. */
export async function performProve(
  args: Arguments,
  host: Host,
  words: readonly string[],
): Promise<ExitStatus> {
  const options = readOptions(args);
  expectOpenFiles(CONNECTIONS_OF_WAITING_TRIALS + CONNECTIONS_PER_JOB * options.jobs);
  const id = RunFolder.newId();
  const folder = openFolder(id, options.out, PROVE_FILES);
  const progress = progressOn(host.err, options.quiet);
  const interruption = watchInterruption(
    () => host.warn(STOPPING),
    () => folder.discard(),
  );
  try {
    const { prove } = await import('../../prove/prove.ts');
    const results = await prove({
      ...options,
      runId: id,
      command: commandLine(['assay', ...words]),
      package: packageDigest(),
      onProgress: ({ done, of }) => progress.update(done, of),
      signal: interruption.signal,
    });
    progress.finish();
    const page = await writeProof(results, folder, host.warn);
    const report = options.json ? host.err : host.out;
    if (options.json) host.out.write(`${jsonText(results)}\n`);
    if (!options.quiet) report.write(renderProveMatrix(results));
    if (!options.json || !options.quiet)
      report.write(renderProveTerminal(results, { colour: report.colour, page, quiet: options.quiet }));
    if (interruption.signal.aborted) return EXIT.interrupted;
    if (!results.proven) return EXIT.failed;
    return page === null ? EXIT.notCarriedOut : EXIT.ok;
  } finally {
    progress.finish();
    interruption.dispose();
    folder.discard();
  }
}

function readOptions(args: Arguments) {
  const combinations = wholeNumber(args, 'combine', { least: 1, most: 100_000 });
  const sweep = flag(args, 'sweep');
  const runs = texts(args, 'runs').map((given) => {
    const value = /^\d{1,5}$/u.test(given) ? Number(given) : 0;
    if (value < 1) throw new UsageError(`--runs takes whole numbers from 1 to 99,999, not "${given}"`);
    return value;
  });
  if (combinations !== null && sweep) throw new UsageError('--combine and --sweep exclude each other');
  if (runs.length > 0 && !sweep) throw new UsageError('--runs needs --sweep');
  const only = texts(args, 'only');
  if (only.length > 0 && sweep) throw new UsageError('--only cannot be combined with --sweep');
  const proof: Proof = sweep
    ? { kind: 'sweep', runs }
    : combinations === null
      ? { kind: 'matrix' }
      : { kind: 'combinations', number: combinations };
  return {
    proof,
    only,
    seed: wholeNumber(args, 'seed', { least: 0, most: 0xffff_ffff }) ?? DEFAULT_SEED,
    jobs: wholeNumber(args, 'jobs', { least: 1, most: 256 }) ?? availableParallelism(),
    out: text(args, 'out'),
    quiet: flag(args, 'quiet'),
    json: flag(args, 'json'),
  };
}

/** Writes prove.json and prove.html. Returns the path of the page; null, after a message, if that fails. */
async function writeProof(results: ProveResults, folder: RunFolder, warn: Say): Promise<string | null> {
  try {
    const { renderProveHtml } = await import('../../report/prove/prove-page.tsx');
    await writeFile(path.join(folder.staging, FILE_NAMES.proof), `${jsonText(results)}\n`);
    await writeFile(path.join(folder.staging, FILE_NAMES.proofPage), renderProveHtml(results));
    return path.join(await folder.commit(), FILE_NAMES.proofPage);
  } catch (error) {
    warn(`the report could not be written: ${describeFileError(error)}`);
    return null;
  }
}

/** Rewrites one line on a terminal; otherwise writes a line after each tenth of the trials. */
function progressOn(output: Output, quiet: boolean) {
  let written = 0;
  let drawn = false;
  return {
    update: (done: number, of: number) => {
      if (quiet) return;
      const words = `${withCommas(done)} of ${withCommas(of)} trials`;
      if (output.live) {
        output.write(CLEAR_LINE + words);
        drawn = true;
      } else if (done - written >= of / 10) {
        written = done;
        output.write(`${words}\n`);
      }
    },
    finish: () => {
      if (drawn) output.write(CLEAR_LINE);
      drawn = false;
    },
  };
}
