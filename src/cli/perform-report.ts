import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { didYouMean } from '../catalogue/nearest.ts';
import type { Results } from '../core/results.ts';
import { FormatError } from '../report/format-error.ts';
import { renderTerminal } from '../report/formats/terminal.ts';
import { visible } from '../report/safe-text.ts';
import { FORMATS, fileOf, writeFormat } from '../report/write.ts';
import { flag, manyOf, text } from './arguments.ts';
import type { Arguments } from './command.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import { readResults, resultsFile } from './finished-run.ts';
import type { Host } from './host.ts';
import { gatherReportData } from './report-data.ts';
import { UsageError } from './usage-error.ts';

/**
 * Carries out `assay report`. Its exit status says whether the run could be rendered, not how it went.
 *
 * @throws UsageError where there is no such run, or its results cannot be read, or nothing can be written
 */
export async function performReport(args: Arguments, host: Host): Promise<ExitStatus> {
  const file = await resultsFile(String(args['run']));
  const open = flag(args, 'open');
  const asked = manyOf(args, 'format', FORMATS);
  const formats = open && !asked.includes('html') ? (['html', ...asked] as const) : asked;
  const run = await readResults(file);
  const target = text(args, 'target');
  const results = target === null ? run : only(run, target);
  const folder = text(args, 'out') ?? folderFor(path.dirname(file), target);
  const complain = (sentence: string): void => host.err.write(`assay: ${visible(sentence)}\n`);
  const data = await gatherReportData(results, path.dirname(file), formats, complain);
  const written: string[] = [];
  try {
    if (formats.length > 0) await mkdir(folder, { recursive: true });
    for (const format of formats) {
      written.push(path.join(folder, await writeFormat(data, format, folder)));
    }
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new UsageError(
      `the report could not be written: ${error instanceof Error ? error.message : error}`,
    );
  }
  const json = flag(args, 'json');
  const words = json ? host.err : host.out;
  if (json) host.out.write(`${JSON.stringify(results, null, 2)}\n`);
  words.write(renderTerminal(results, { colour: words.colour, width: words.width(), folder: null }));
  for (const place of written) words.write(`Written: ${place}\n`);
  if (open) {
    const { openFile } = await import('./open-file.ts');
    await openFile(path.join(folder, fileOf('html')), host.env);
  }
  return EXIT.ok;
}

/** The run as if it had judged that target alone. */
function only(run: Results, name: string): Results {
  const target = run.targets.find((one) => one.name === name);
  if (target !== undefined) return { ...run, outcome: target.outcome, targets: [target] };
  const names = run.targets.map((one) => one.name);
  throw new UsageError(`the run has no target "${name}"${didYouMean(name, names)}`);
}

// What shows one target must not take the place of what shows the run, nor lie among what its manifest seals.
function folderFor(run: string, target: string | null): string {
  return target === null ? run : `${path.resolve(run)}-${target.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')}`;
}
