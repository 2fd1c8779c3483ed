import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FILE_NAMES } from '../../core/file-names.ts';
import { jsonText } from '../../core/json-text.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { FORMATS, type Format, fileOf, formatEntry } from '../formats/table.ts';
import { FormatError, type ReportData } from '../report-data.ts';

/** Pause after a format that could not be rendered, in milliseconds. */
const RELEASE_MS = 500;

/** Renders a run in a format that is one text, with or without evidence. Writes no file. */
export async function render(data: ReportData, format: Format): Promise<string> {
  const { file, renderer } = formatEntry(format);
  if (renderer === undefined) throw new TypeError(`${file} is not one text`);
  return (await renderer())(data);
}

/** Returns the name of the written file or folder. Throws FormatError or an error of Node. */
export async function writeFormat(data: ReportData, format: Format, folder: string): Promise<string> {
  const entry = formatEntry(format);
  const place = path.join(folder, entry.file);
  try {
    if (entry.writer === undefined) await writeFile(place, await textOf(data, format));
    else await (await entry.writer())(data, place);
  } catch (error) {
    // A partial file would look complete.
    if (!(error instanceof FormatError)) await rm(place, { recursive: true, force: true });
    throw error;
  }
  return entry.file;
}

/**
 * Writes results.json, report.html and the formats. A format that cannot be written does not stop the others; then it throws a
 * FormatError that names each of them.
 */
export async function writeReports(
  data: ReportData,
  folder: string,
  formats: readonly Format[],
): Promise<void> {
  await writeFile(path.join(folder, FILE_NAMES.results), `${jsonText(data.results)}\n`);
  const reasons: string[] = [];
  for (const format of FORMATS) {
    if (format !== 'html' && !formats.includes(format)) continue;
    try {
      await writeFormat(data, format, folder);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      reasons.push(error.message);
    }
  }
  if (reasons.length > 0) throw new FormatError(reasons.join('; '));
}

// A missing package or a file that cannot be opened must not affect other formats or the run.
async function textOf(data: ReportData, format: Format): Promise<string> {
  try {
    return await render(data, format);
  } catch (error) {
    const reason = describeSystemError(error);
    // Too many files may be open; modules that are being loaded close theirs in the meantime.
    await setTimeout(RELEASE_MS);
    throw new FormatError(`${fileOf(format)} cannot be made: ${reason}`);
  }
}
