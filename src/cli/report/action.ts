import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { catalogue } from '../../../specs/catalogue.ts';
import { FILE_NAMES } from '../../core/file-names.ts';
import { makeFolder } from '../../core/files.ts';
import { jsonText } from '../../core/json-text.ts';
import { describeFileError } from '../../core/system-error.ts';
import { isSealed, renewManifest } from '../../evidence/seal/manifest.ts';
import { writeFormat } from '../../report/folder/report-writer.ts';
import { FORMATS, type Format, fileOf } from '../../report/formats/table.ts';
import { FormatError, type ReportData } from '../../report/report-data.ts';
import { renderTerminal } from '../../report/terminal.ts';
import { type Arguments, EXIT, type ExitStatus, type Host, UsageError } from '../command.ts';
import { flag, manyOf, text } from '../shared/options.ts';
import { gatherReportData } from '../shared/run-files/report-data.ts';
import { readRun, targetNamed } from '../shared/run-files/results-file.ts';

/** The exit status says whether the run could be rendered, not its outcome. */
export async function performReport(args: Arguments, host: Host): Promise<ExitStatus> {
  const { folder: runFolder, results: run } = await readRun(args['run']);
  const open = flag(args, 'open');
  const requested = manyOf(args, 'format', FORMATS);
  const formats = open && !requested.includes('html') ? (['html', ...requested] as const) : requested;
  if (formats.length === 0 && text(args, 'out') !== null)
    throw new UsageError('--out needs --format, which names what to write there');
  const target = text(args, 'target');
  const only = target === null ? null : targetNamed(run, target);
  const results = only === null ? run : { ...run, outcome: only.outcome, targets: [only] };
  const folder = await outputFolder(runFolder, text(args, 'out'), target);
  const data = await gatherReportData(results, runFolder, { formats, warn: host.warn });
  const written = await writeFormats(data, formats, { folder, runFolder }).catch((error: unknown) => {
    if (error instanceof FormatError) throw error;
    throw new UsageError(`the report could not be written: ${describeFileError(error)}`);
  });
  const json = flag(args, 'json');
  const words = json ? host.err : host.out;
  if (json) host.out.write(`${jsonText(results)}\n`);
  words.write(
    renderTerminal(results, { colour: words.colour, width: words.width(), folder: null, catalogue }),
  );
  for (const name of written) words.write(`Written: ${path.join(folder, name)}\n`);
  if (open) {
    const { openFile } = await import('../shared/file-opener.ts');
    await openFile(path.join(folder, fileOf('html')), host.env);
  }
  return EXIT.ok;
}

/** Returns the names of what it wrote. The manifest of the run has all of it, also if a later format cannot be written. */
async function writeFormats(
  data: ReportData,
  formats: readonly Format[],
  { folder, runFolder }: { readonly folder: string; readonly runFolder: string },
): Promise<readonly string[]> {
  const written: string[] = [];
  if (formats.length === 0) return written;
  makeFolder(folder);
  try {
    for (const format of formats) written.push(await writeFormat(data, format, folder));
  } finally {
    if (isSame(folder, runFolder)) await renewManifest(runFolder, written);
  }
  return written;
}

/**
 * The folder for the rendered files: --out, or else the folder of the run. A report about one target must not
 * replace the report of the run, and a signed run must not change: both use a folder next to the run.
 *
 * @param target the only target to show; null for all
 * @throws UsageError if --out is a run that must not change
 */
async function outputFolder(run: string, named: string | null, target: string | null): Promise<string> {
  const sealed = await isSealed(run);
  if (named === null) {
    const suffix = target ?? (sealed ? 'report' : null);
    return suffix === null ? run : `${path.resolve(run)}-${suffix.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')}`;
  }
  if (isSame(named, run)) {
    if (!sealed) return named;
    throw new UsageError(
      `--out ${named} is the folder of the run, which is signed, so nothing can be added; choose another`,
    );
  }
  if (!existsSync(path.join(named, FILE_NAMES.results))) return named;
  throw new UsageError(`--out ${named} contains another run, whose files would be replaced; choose another`);
}

/** Whether two paths are the same folder; the second must exist. */
function isSame(named: string, folder: string): boolean {
  return existsSync(named) && realpathSync(named) === realpathSync(folder);
}
