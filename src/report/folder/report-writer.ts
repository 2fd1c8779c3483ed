import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { FILE_NAMES } from '../../core/file-names.ts';
import { jsonText } from '../../core/json-text.ts';
import type { Results } from '../../core/results.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { FORMATS, type Format, type FormatEntry, formatEntry, type TextFormat } from '../formats/table.ts';
import type { ReportData } from '../report-data.ts';
import { FormatError } from '../report-data.ts';

/** Pause after a format that could not be rendered, in milliseconds. */
const RELEASE_MS = 500;

/** Renders a run in one format, with or without evidence. Writes no file. */
export async function render(data: ReportData, format: TextFormat): Promise<string> {
  return renderEntry(data, formatEntry(format));
}

/**
 * Writes one format into an existing folder. Returns the name of the written file or folder.
 *
 * @throws FormatError if the format cannot be written on this machine; Node's error if a file cannot be
 * written
 */
export async function writeFormat(data: ReportData, format: Format, folder: string): Promise<string> {
  const entry = formatEntry(format);
  const place = path.join(folder, entry.file);
  try {
    if (entry.writer === undefined) await writeFile(place, await textOf(data, entry));
    else await (await entry.writer())(data, place);
  } catch (error) {
    // A partial file would look complete.
    if (!(error instanceof FormatError)) await rm(place, { recursive: true, force: true });
    throw error;
  }
  return entry.file;
}

/**
 * Writes results.json, report.html and the requested formats into an existing folder, with or without
 * evidence. A format that cannot be written does not stop the others.
 *
 * @returns the names of the written files
 * @throws Node's error if a file cannot be written; FormatError, after everything else is written
 */
export async function writeReports(
  data: ReportData,
  folder: string,
  formats: readonly Format[],
): Promise<readonly string[]> {
  const written: string[] = [FILE_NAMES.results];
  await pipeline(resultsInPieces(data.results), createWriteStream(path.join(folder, FILE_NAMES.results)));
  let formatError: FormatError | null = null;
  for (const format of FORMATS) {
    if (format !== 'html' && !formats.includes(format)) continue;
    try {
      written.push(await writeFormat(data, format, folder));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      formatError = error;
    }
  }
  if (formatError !== null) throw formatError;
  return written;
}

// A missing package or a file that cannot be opened must not affect other formats or the run.
async function textOf(data: ReportData, entry: FormatEntry): Promise<string> {
  try {
    return await renderEntry(data, entry);
  } catch (error) {
    const reason = describeSystemError(error);
    // Too many files may be open; modules that are being loaded close theirs in the meantime.
    await setTimeout(RELEASE_MS);
    throw new FormatError(`${entry.file} cannot be made: ${reason}`);
  }
}

async function renderEntry(data: ReportData, { file, renderer }: FormatEntry): Promise<string> {
  if (renderer === undefined) throw new TypeError(`${file} is not one text`);
  return (await renderer())(data);
}

/**
 * The text of results.json in one piece per target, to keep only one piece in memory. The pieces together are
 * valid JSON with a line break at the end.
 */
export function* resultsInPieces({ targets, ...run }: Results): Generator<string> {
  const head = jsonText(run);
  yield `${head.slice(0, -2)},\n  "targets": [`;
  for (const [index, target] of targets.entries()) {
    const text = jsonText(target).replaceAll('\n', '\n    ');
    yield `${index === 0 ? '' : ','}\n    ${text}`;
  }
  yield targets.length === 0 ? ']\n}\n' : '\n  ]\n}\n';
}
