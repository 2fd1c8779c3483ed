import { causeLabel } from '../../core/cause-sentences.ts';
import type { RequirementResult, TargetResult } from '../../core/results.ts';
import { isWaived } from '../../core/verdict.ts';
import type { ReportData } from '../report-data.ts';
import { visible } from '../wording/phrases.ts';

const COLUMNS: Readonly<Record<string, (one: RequirementResult, target: TargetResult) => string | number>> = {
  target: (_one, { name }) => name,
  resource: ({ resource }) => resource ?? '',
  requirement: ({ id }) => id,
  clause: ({ clause }) => clause.join(' '),
  verdict: ({ verdict }) => verdict,
  cause: ({ cause }) => (cause === null ? '' : causeLabel(cause)),
  reason: ({ reason }) => reason ?? '',
  'waived until': (one) => (isWaived(one) ? one.waiver.until : ''),
  violations: ({ violations }) => violations.length,
  cases: ({ cases }) => cases,
  requests: ({ requests }) => requests,
  milliseconds: ({ durationMs }) => durationMs,
  rule: ({ rule }) => rule,
};

/** The requirement matrix for a spreadsheet: one row per target, requirement and resource. */
export function renderCsv({ results }: Pick<ReportData, 'results'>): string {
  const cells = Object.values(COLUMNS);
  const rows = results.targets.flatMap((target) =>
    target.requirements.map((one) => cells.map((cellOf) => String(cellOf(one, target)))),
  );
  return csvText([Object.keys(COLUMNS), ...rows]);
}

/** Rows as CSV (RFC 4180, UTF-8). */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const shown = visible(text);
  // A spreadsheet would evaluate such a text, which may come from a provider, as a formula. Numbers are safe.
  const plain = /^[=+\-@]/u.test(shown) && !/^-?\d+(?:\.\d+)?$/u.test(shown) ? `'${shown}` : shown;
  return /[",]/u.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
