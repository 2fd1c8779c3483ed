import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { jsonText } from '../core/json-text.ts';
import { withCommas } from '../core/number-format.ts';
import type { ProveResults } from '../core/prove-results.ts';
import { packageDigest } from '../evidence/seal/package-digest.ts';
import type { Proof } from '../prove/prove.ts';
import { renderProveMatrix } from '../report/prove/prove-matrix.ts';
import { renderProveTerminal } from '../report/prove/prove-terminal.ts';
import { PROVE_FILES, RunFolder } from '../report/run-folder.ts';
import { visible } from '../report/safe-text.ts';
import { flag, text, texts, wholeNumber } from './arguments.ts';
import type { Arguments } from './command.ts';
import { commandLine } from './command-line.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import { expectOpenFiles } from './file-limit.ts';
import type { Host, Output } from './host.ts';
import { watchInterruption } from './interruption.ts';
import { UsageError } from './usage-error.ts';

/** The seed where none is given: the same on every machine, so that two proofs can be compared. */
const USUAL_SEED = 1;

/** Values of --runs that a sweep compares where none is given. */
const USUAL_RUNS = [20, 50, 100, 500];

interface Options {
  readonly proof: Proof;
  readonly only: readonly string[];
  readonly seed: number;
  readonly jobs: number;
  readonly out: string | null;
  readonly quiet: boolean;
  readonly json: boolean;
}

// Both ends of each connection are here. Trials that wait for a token to expire are all under way at a time.
const CONNECTIONS_OF_WAITING_TRIALS = 480;
const CONNECTIONS_PER_JOB = 48;

/**
 * Carries out `assay prove`. Its exit status is 1 where a defect escaped, anything failed falsely or a variant was
 * accused.
 *
 * @throws errors for users where the proof cannot begin
 */
export async function performProve(
  args: Arguments,
  host: Host,
  words: readonly string[],
): Promise<ExitStatus> {
  const options = readOptions(args);
  expectOpenFiles(CONNECTIONS_OF_WAITING_TRIALS + CONNECTIONS_PER_JOB * options.jobs);
  const id = RunFolder.newId();
  const folder = RunFolder.open({ out: options.out, runId: id, files: PROVE_FILES });
  const progress = progressOn(host.err, options.quiet);
  const interruption = watchInterruption(
    () => host.err.write('assay: stopping; press Ctrl+C again to quit now\n'),
    () => folder.discard(),
  );
  try {
    const { prove } = await import('../prove/prove.ts');
    const results = await prove({
      proof: options.proof,
      only: options.only,
      seed: options.seed,
      jobs: options.jobs,
      runId: id,
      command: commandLine(['assay', ...words]),
      package: packageDigest(),
      onProgress: ({ done, of }) => progress.tell(done, of),
      signal: interruption.signal,
    });
    progress.finish();
    const page = await keep(results, folder, host);
    const report = options.json ? host.err : host.out;
    if (options.json) host.out.write(`${jsonText(results)}\n`);
    if (!options.quiet) report.write(renderProveMatrix(results));
    if (!options.json || !options.quiet)
      report.write(renderProveTerminal(results, { colour: report.colour, page }));
    if (interruption.signal.aborted) return EXIT.interrupted;
    if (!results.proven) return EXIT.failed;
    return page === null ? EXIT.notCarriedOut : EXIT.ok;
  } finally {
    progress.finish();
    interruption.dispose();
    folder.discard();
  }
}

function readOptions(args: Arguments): Options {
  const combinations = wholeNumber(args, 'combine', { least: 1, most: 100_000 });
  const sweep = flag(args, 'sweep');
  const runs = texts(args, 'runs').map((given) => {
    const value = /^\d{1,5}$/u.test(given) ? Number(given) : 0;
    if (value < 1) throw new UsageError(`--runs takes whole numbers from 1 to 99,999, not "${given}"`);
    return value;
  });
  if (combinations !== null && sweep)
    throw new UsageError('--combine and --sweep are two proofs; choose one');
  if (runs.length > 0 && !sweep) throw new UsageError('--runs belongs to --sweep');
  const only = texts(args, 'only');
  if (only.length > 0 && sweep)
    throw new UsageError('--sweep plants defects of its own; --only chooses among others');
  return {
    proof: sweep
      ? { kind: 'sweep', runs: runs.length === 0 ? USUAL_RUNS : runs }
      : combinations === null
        ? { kind: 'matrix' }
        : { kind: 'combinations', number: combinations },
    only,
    seed: wholeNumber(args, 'seed', { least: 0, most: 0xffff_ffff }) ?? USUAL_SEED,
    jobs: wholeNumber(args, 'jobs', { least: 1, most: 256 }) ?? availableParallelism(),
    out: text(args, 'out'),
    quiet: flag(args, 'quiet'),
    json: flag(args, 'json'),
  };
}

/** Writes prove.json and prove.html; gives the page's name, or null, and a sentence, where that fails. */
async function keep(results: ProveResults, folder: RunFolder, host: Host): Promise<string | null> {
  try {
    const { renderProveHtml } = await import('../report/prove/prove-page.tsx');
    await writeFile(path.join(folder.staging, 'prove.json'), `${jsonText(results)}\n`);
    await writeFile(path.join(folder.staging, 'prove.html'), renderProveHtml(results));
    return path.join(await folder.commit(), 'prove.html');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    host.err.write(`assay: ${visible(`the report could not be written: ${why}`)}\n`);
    return null;
  }
}

/** A line that is rewritten on a terminal; elsewhere a line whenever a tenth of what is known of the way is done. */
function progressOn(
  output: Output,
  quiet: boolean,
): { readonly tell: (done: number, of: number) => void; readonly finish: () => void } {
  let told = 0;
  let drawn = false;
  return {
    tell: (done, of) => {
      if (quiet) return;
      const words = `${withCommas(done)} of ${withCommas(of)} trials`;
      if (output.live) {
        output.write(`\r\u001b[2K${words}`);
        drawn = true;
      } else if (done - told >= of / 10) {
        told = done;
        output.write(`${words}\n`);
      }
    },
    finish: () => {
      if (drawn) output.write('\r\u001b[2K');
      drawn = false;
    },
  };
}
