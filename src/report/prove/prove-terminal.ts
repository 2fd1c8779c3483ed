import { styleText } from 'node:util';
import type { ProvenGroup, ProveResults, ReportedVerdict } from '../../core/prove-results.ts';
import { plural } from '../wording/phrases.ts';
import { visible } from '../wording/safe-text.ts';

interface ProveTerminalOptions {
  readonly colour: boolean;
  /** Path of prove.html; null if it was not written. */
  readonly page: string | null;
}

/**
 * The report that ends `assay prove`: the result, one line per wrong result, then totals. Ends with a line break.
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
    '',
    ...(page === null ? [] : [`Report: ${page}`]),
    `Seed: ${run.seed}, jobs: ${run.jobs}, took ${((Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000).toFixed(1)} s`,
  ];
  return `${lines.join('\n')}\n`;
}

/** The result in one sentence. */
export function proofSentence({ totals }: ProveResults): string {
  const { defects, variants } = totals;
  const parts: string[] = [];
  if (defects.total > 0)
    parts.push(
      `${defects.killed} of ${plural(defects.total, 'defect')} found by the requirement that they break`,
    );
  if (variants.total > 0)
    parts.push(`${variants.cleared} of ${plural(variants.total, 'conforming variant')} cleared`);
  return parts.length === 0 ? 'Nothing was tested.' : `${parts.join(', ')}.`;
}

/** One line per wrong result. */
export function wrongLines(results: ProveResults): readonly string[] {
  const lines: string[] = [];
  for (const { id, escaped, falselyFailed, errors } of results.defects) {
    for (const one of escaped) lines.push(`escaped  ${id}: ${verdictText(one)}`);
    for (const one of falselyFailed) lines.push(`false    ${id}: ${verdictText(one)}`);
    for (const one of errors) lines.push(`error    ${id}: ${verdictText(one)}`);
  }
  for (const { id, failed, errors } of results.variants) {
    for (const one of failed) lines.push(`accused  ${id}: ${verdictText(one)}`);
    for (const one of errors) lines.push(`error    ${id}: ${verdictText(one)}`);
  }
  return lines.map(visible);
}

function verdictText({ requirement, verdict, sentence }: ReportedVerdict): string {
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

/**
 * The matrix that `assay prove` prints: one line per defect (its result, the requirements that found it,
 * further failures), then one per variant. Ends with a line break; empty if nothing was tested.
 */
export function renderProveMatrix({ defects, variants }: ProveResults): string {
  const lines = [
    ...aligned(
      defects.map(({ id, fate, killedBy, alsoFailed }) => [
        fate,
        visible(id),
        [ids(killedBy), ...(alsoFailed.length === 0 ? [] : [`also ${ids(alsoFailed)}`])].join('; '),
      ]),
    ),
    ...aligned(variants.map(({ id, fate, failed }) => [fate, visible(id), ids(failed)])),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function ids(verdicts: readonly ReportedVerdict[]): string {
  return visible([...new Set(verdicts.map(({ requirement }) => requirement))].join(', '));
}

/**
 * Formats rows of cells as lines; every column is as wide as its widest cell, and numbers are aligned to the
 * right.
 */
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
