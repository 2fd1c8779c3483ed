import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import type { Results } from '../core/results.ts';
import { describeSystemError } from '../core/system-error.ts';
import { type ReportData, withoutEvidence } from './data.ts';
import { FormatError } from './format-error.ts';
import { resultsInPieces } from './results-text.ts';

type TextRenderer = (data: ReportData) => string | Promise<string>;

/** Formats that are one text. Each is loaded when it is needed, so that a run without it does not pay for it. */
const TEXTS = {
  html: { file: 'report.html', load: async () => (await import('./formats/html.tsx')).renderHtml },
  junit: {
    file: 'junit.xml',
    load: async () => ofResults((await import('./formats/junit.ts')).renderJunit),
  },
  markdown: {
    file: 'summary.md',
    load: async () => ofResults((await import('./formats/markdown.ts')).renderMarkdown),
  },
  sarif: { file: 'results.sarif', load: async () => (await import('./formats/sarif.ts')).renderSarif },
  csv: {
    file: 'requirements.csv',
    load: async () => ofResults((await import('./formats/csv.ts')).renderCsv),
  },
} as const satisfies Readonly<Record<string, { file: string; load: () => Promise<TextRenderer> }>>;

/** Formats that are a folder or many megabytes, or need report.html on disk. */
const FILES = { allure: 'allure-results', har: 'evidence.har', pdf: 'report.pdf' } as const;

/** How long what follows a format that could not be rendered waits, in milliseconds. */
const LET_GO_MS = 500;

/** A format that is one text. */
export type TextFormat = keyof typeof TEXTS;

/** A format that a run can be rendered in on request; results.json and report.html are always written. */
export type Format = TextFormat | keyof typeof FILES;

/** Every format that is one text. */
export const TEXT_FORMATS = Object.keys(TEXTS) as readonly TextFormat[];

/** Every format, in the order in which they are written: what may fail for want of a browser comes last. */
export const FORMATS: readonly Format[] = [
  'html',
  'junit',
  'markdown',
  'sarif',
  'csv',
  'allure',
  'har',
  'pdf',
];

/** Name of the file or folder that a format makes in a run's folder. */
export function fileOf(format: Format): string {
  return isText(format) ? TEXTS[format].file : FILES[format];
}

/** Renders a run, with its evidence or without, in one format. Pure: no file is touched. */
export async function render(run: ReportData | Results, format: TextFormat): Promise<string> {
  return (await TEXTS[format].load())(dataOf(run));
}

/**
 * Writes one format into a folder that exists, and gives the name of what was written.
 *
 * @throws FormatError where the format cannot be made here; Node's error where a file cannot be written
 */
export async function writeFormat(
  run: ReportData | Results,
  format: Format,
  folder: string,
): Promise<string> {
  const data = dataOf(run);
  const file = fileOf(format);
  const place = path.join(folder, file);
  try {
    if (isText(format)) await writeFile(place, await rendered(data, format));
    else if (format === 'allure') await (await import('./formats/allure.ts')).writeAllure(data, place);
    else if (format === 'har') await writeHarOf(data, place);
    else await writePdfOf(data, folder, place);
  } catch (error) {
    // A part of it would look like all of it.
    if (!(error instanceof FormatError)) await rm(place, { recursive: true, force: true });
    throw error;
  }
  return file;
}

/**
 * Writes results.json, report.html and the formats asked for into a folder that exists, of a run with its evidence or
 * without. A format that cannot be made here does not keep the others from being written.
 *
 * @returns the names of the files written
 * @throws Node's error where a file cannot be written; FormatError, after everything else is written
 */
export async function writeReports(
  run: ReportData | Results,
  folder: string,
  formats: readonly Format[],
): Promise<readonly string[]> {
  const data = dataOf(run);
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

// What a format is made with may not be there; the other formats, and the run, are unharmed.
async function rendered(data: ReportData, format: TextFormat): Promise<string> {
  try {
    return await render(data, format);
  } catch (error) {
    const reason = describeSystemError(error);
    // Where files may no longer be opened, others that are being loaded are let go meanwhile.
    await setTimeout(LET_GO_MS);
    throw new FormatError(`${fileOf(format)} cannot be made: ${reason}`);
  }
}

// The PDF is a print of the page, so the page is written first where it is not there.
async function writePdfOf(data: ReportData, folder: string, place: string): Promise<void> {
  const page = path.join(folder, fileOf('html'));
  await writeFile(page, await rendered(data, 'html'));
  await (await import('./formats/pdf.ts')).writePdf(page, place);
}

async function writeHarOf({ exchanges }: ReportData, place: string): Promise<void> {
  if (exchanges === undefined) throw new FormatError('evidence.har cannot be made: there is no evidence');
  await (await import('./formats/har.ts')).writeHar(exchanges(), place);
}

function ofResults(renderer: (results: Results) => string): TextRenderer {
  return ({ results }) => renderer(results);
}

function isText(format: Format): format is TextFormat {
  return Object.hasOwn(TEXTS, format);
}

function dataOf(run: ReportData | Results): ReportData {
  return 'results' in run ? run : withoutEvidence(run);
}
