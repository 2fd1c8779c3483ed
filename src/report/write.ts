import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { describeSystemError } from '../core/system-error.ts';
import { FormatError } from './format-error.ts';
import { FORMATS, type Format, type FormatEntry, formatEntry, type TextFormat } from './formats/table.ts';
import type { ReportData } from './report-data.ts';
import { resultsInPieces } from './results-text.ts';

/** Pause after a format that could not be rendered, in milliseconds. */
const RELEASE_MS = 500;

/** Renders a run, with its evidence or without, in one format. No file is touched. */
export async function render(data: ReportData, format: TextFormat): Promise<string> {
  return renderEntry(data, formatEntry(format));
}

/**
 * Writes one format into a folder that exists, and returns the name of what was written.
 *
 * @throws FormatError where the format cannot be made here; Node's error where a file cannot be written
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
 * Writes results.json, report.html and the formats asked for into a folder that exists, of a run with its evidence or
 * without. A format that cannot be made here does not stop the others.
 *
 * @returns the names of the files written
 * @throws Node's error where a file cannot be written; FormatError, after everything else is written
 */
export async function writeReports(
  data: ReportData,
  folder: string,
  formats: readonly Format[],
): Promise<readonly string[]> {
  const written = ['results.json'];
  await pipeline(resultsInPieces(data.results), createWriteStream(path.join(folder, 'results.json')));
  let unmade: FormatError | null = null;
  for (const format of FORMATS) {
    if (format !== 'html' && !formats.includes(format)) continue;
    try {
      written.push(await writeFormat(data, format, folder));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      unmade = error;
    }
  }
  if (unmade !== null) throw unmade;
  return written;
}

// A package may be missing, or a file may not be opened: the other formats, and the run, are unharmed.
async function textOf(data: ReportData, entry: FormatEntry): Promise<string> {
  try {
    return await renderEntry(data, entry);
  } catch (error) {
    const reason = describeSystemError(error);
    // Where files may no longer be opened, others that are being loaded are closed meanwhile.
    await setTimeout(RELEASE_MS);
    throw new FormatError(`${entry.file} cannot be made: ${reason}`);
  }
}

async function renderEntry(data: ReportData, { file, renderer }: FormatEntry): Promise<string> {
  if (renderer === undefined) throw new TypeError(`${file} is not one text`);
  return (await renderer())(data);
}
