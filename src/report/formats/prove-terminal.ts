import { styleText } from 'node:util';
import type { ProvenGroup, ProveResults, SweepRow, Told } from '../../core/prove.ts';
import { visible } from '../safe-text.ts';
import { plural } from '../words.ts';

/** How the words of a proof are laid out. */
export interface ProveTerminalOptions {
  readonly colour: boolean;
  /** Where the page of the proof lies; null where none was written. */
  readonly page: string | null;
}

/**
 * The words that end `assay prove`: the verdict, one line for each provider that was dealt with wrongly, then
 * totals. Ends with a line break.
 */
export function renderProveTerminal(results: ProveResults, { colour, page }: ProveTerminalOptions): string {
  const { run, totals } = results;
  const wrong = wrongLines(results);
  const heading = results.proven ? 'PROVEN' : run.complete ? 'NOT PROVEN' : 'INTERRUPTED';
  const style = results.proven ? (['bold', 'green'] as const) : (['bold', 'red'] as const);
  const lines = [
    `${colour ? styleText([...style], heading, { validateStream: false }) : heading}  ${proofSentence(results)}`,
    ...(wrong.length === 0 ? [] : ['', ...wrong]),
    ...(totals.defects.total === 0
      ? []
      : [
          '',
          ...table(['chapter', ...COLUMNS], totals.chapters),
          '',
          ...table(['difficulty', ...COLUMNS], totals.difficulties),
        ]),
    ...(results.sweep.length === 0 ? [] : ['', ...sweepTable(results.sweep)]),
    '',
    ...(page === null ? [] : [`Report: ${page}`]),
    `Seed: ${run.seed}, jobs: ${run.jobs}, took ${((Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000).toFixed(1)} s`,
  ];
  return `${lines.join('\n')}\n`;
}

/** What was proven, or how much of it was not, in one sentence. */
export function proofSentence({ totals, sweep }: ProveResults): string {
  const { defects, variants, combinations } = totals;
  const parts: string[] = [];
  if (defects.total > 0)
    parts.push(
      `${defects.killed} of ${plural(defects.total, 'defect')} named by the requirement that they break`,
    );
  if (variants.total > 0)
    parts.push(`${variants.cleared} of ${plural(variants.total, 'conforming variant')} cleared`);
  if (combinations.total > 0)
    parts.push(`every cause named in ${combinations.killed} of ${plural(combinations.total, 'combination')}`);
  if (sweep.length > 0) {
    const certify = sweep.filter((row) => row.runs === null);
    const sum = (pick: (row: SweepRow) => number): number =>
      certify.reduce((total, row) => total + pick(row), 0);
    parts.push(
      `certify finds ${sum((row) => row.found)} of ${plural(
        sum((row) => row.planted),
        'defect',
      )} of one page size`,
    );
  }
  return parts.length === 0 ? 'Nothing was judged.' : `${parts.join(', ')}.`;
}

/** One line for each provider that was dealt with wrongly. */
export function wrongLines(results: ProveResults): readonly string[] {
  const lines: string[] = [];
  for (const { id, escaped, falselyFailed, errors } of [...results.defects, ...results.combinations]) {
    for (const one of escaped) lines.push(`escaped  ${id}: ${toldWords(one)}`);
    for (const one of falselyFailed) lines.push(`false    ${id}: ${toldWords(one)}`);
    for (const one of errors) lines.push(`error    ${id}: ${toldWords(one)}`);
  }
  for (const { id, failed, errors } of results.variants) {
    for (const one of failed) lines.push(`accused  ${id}: ${toldWords(one)}`);
    for (const one of errors) lines.push(`error    ${id}: ${toldWords(one)}`);
  }
  return lines.map(visible);
}

function toldWords({ requirement, verdict, sentence }: Told): string {
  return requirement === '*' ? sentence : `${requirement} ${verdict}, ${sentence}`;
}

const COLUMNS = ['defects', 'killed', 'escaped', 'false', 'errors'];

function table(head: readonly string[], groups: readonly ProvenGroup[]): readonly string[] {
  const rows = groups.map((group) => [
    group.name,
    ...[group.total, group.killed, group.escaped, group.false, group.errors].map(String),
  ]);
  return aligned([head, ...rows]);
}

/** Rows of what a sweep found, with a head. */
export function sweepTable(sweep: readonly SweepRow[]): readonly string[] {
  return aligned([
    ['planted', 'named by', 'suite', 'found', 'of', 'false', 'requests'],
    ...sweep.map((row) => [
      row.kind,
      row.requirement,
      suiteWords(row),
      String(row.found),
      String(row.planted),
      String(row.falselyFailed.length),
      String(row.mostRequests),
    ]),
  ]);
}

/** The suite that a row of a sweep was found with. */
export function suiteWords({ runs }: SweepRow): string {
  return runs === null ? 'certify' : `full --runs ${runs}`;
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_head, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        /^\d+$/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
