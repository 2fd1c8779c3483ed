import { causeLabel } from '../../core/cause-sentences.ts';
import type { ReportData } from '../report-data.ts';
import { visible } from '../wording/safe-text.ts';

const COLUMNS = [
  'target',
  'resource',
  'requirement',
  'clause',
  'verdict',
  'cause',
  'reason',
  'waived until',
  'violations',
  'cases',
  'requests',
  'milliseconds',
  'rule',
];

/** The requirement matrix for a spreadsheet: one row per target, requirement and resource. */
export function renderCsv({ results }: Pick<ReportData, 'results'>): string {
  const rows = results.targets.flatMap((target) =>
    target.requirements.map((one) => [
      target.name,
      one.resource ?? '',
      one.id,
      one.clause.join(' '),
      one.verdict,
      one.cause == null ? '' : causeLabel(one.cause),
      one.reason ?? '',
      one.waiver?.active === true ? one.waiver.until : '',
      String(one.violations.length),
      String(one.cases),
      String(one.requests),
      String(one.durationMs),
      one.rule,
    ]),
  );
  return csvText([COLUMNS, ...rows]);
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
