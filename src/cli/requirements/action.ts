import { jsonText } from '../../core/json-text.ts';
import { csvText } from '../../report/formats/csv.ts';
import { plural } from '../../report/wording/phrases.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { catalogueRows, type Row, traces } from '../shared/catalogue-rows.ts';
import { flag, oneOf } from '../shared/options/arguments.ts';
import { LISTING_LAYOUTS } from '../shared/options/option-declarations.ts';
import { EXIT, type ExitStatus, UsageError } from '../shared/process/exit-status.ts';

type Line = readonly string[];

/** Runs `assay requirements`. */
export function performRequirements(args: Arguments, host: Host): Promise<ExitStatus> {
  const given = oneOf(args, 'format', LISTING_LAYOUTS);
  if (flag(args, 'json') && given !== null && given !== 'json')
    throw new UsageError(`--json and --format ${given} are two formats; choose one`);
  const format = flag(args, 'json') ? 'json' : (given ?? 'table');
  const width = host.out.live ? host.out.width() : Number.POSITIVE_INFINITY;
  const rows = catalogueRows();
  host.out.write((flag(args, 'coverage') ? coverage : catalogue)(rows, format, width));
  return Promise.resolve(EXIT.ok);
}

type Format = (typeof LISTING_LAYOUTS)[number];

function catalogue(rows: readonly Row[], format: Format, width: number): string {
  if (format === 'json') return `${jsonText(rows)}\n`;
  const head = ['id', 'level', 'clause', 'smoke', 'rule', 'needs', 'check', 'defects'];
  const lines = (between: string): readonly Line[] =>
    rows.map((row) => [
      row.id,
      row.level,
      row.clause.join(between),
      row.smoke ? 'yes' : 'no',
      row.rule,
      row.needs ?? '',
      row.check,
      row.defects.join(between),
    ]);
  if (format === 'csv') return csvText([head, ...lines(' ')]);
  if (format === 'markdown') return markdownText(head, lines(', '));
  const must = rows.filter((row) => row.level === 'must');
  const open = rows.filter((row) => row.level === 'observation');
  const table = tableLines(
    [...must, ...open].map((row) => [row.id, row.clause.join(', '), row.smoke ? 'smoke' : '', row.rule]),
    width,
  );
  return `${[
    `${must.length} requirements: a provider that breaks one is non-conformant`,
    '',
    ...table.slice(0, must.length),
    '',
    `${open.length} observations: recorded and shown, never failed`,
    '',
    ...table.slice(must.length),
    '',
    'assay explain ID shows how one is tested, what a breach looks like, its usual causes and how to fix it;',
    'assay requirements --coverage shows which defects prove the checks.',
  ].join('\n')}\n`;
}

function coverage(rows: readonly Row[], format: Format, width: number): string {
  const all = traces(rows);
  if (format === 'json') return `${jsonText(all)}\n`;
  const head = ['clause', 'requirement', 'level', 'check', 'defects'];
  const lines = (between: string): readonly Line[] =>
    all.map((one) => [one.clause, one.requirement, one.level, one.check, one.defects.join(between)]);
  if (format === 'csv') return csvText([head, ...lines(' ')]);
  if (format === 'markdown') return markdownText(head, lines(', '));
  const table = tableLines(
    all.map(({ clause, requirement, level, check, defects }) => [
      clause,
      requirement,
      check,
      level === 'must'
        ? `${plural(defects.length, 'defect')}: ${defects.join(', ')}`
        : 'recorded, never failed',
    ]),
    width,
  );
  const clauses = new Set(all.map(({ clause }) => clause)).size;
  return `${[
    `${clauses} clauses of the specification: requirement, check, and the defects that prove the check`,
    '',
    ...table,
  ].join('\n')}\n`;
}

/** Lines in columns, truncated to the width of the terminal. */
function tableLines(lines: readonly Line[], width: number): readonly string[] {
  const widths = (lines[0] ?? []).map((_cell, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines.map((line) => {
    const whole = line
      .map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ');
    return whole.length > width ? `${whole.slice(0, Math.max(1, width - 1))}…` : whole;
  });
}

/** Lines as a Markdown table; identifiers in the first column are code. */
function markdownText(head: Line, lines: readonly Line[]): string {
  const cell = (text: string, column: number): string => {
    if (column === 0 && text.includes('/')) return `\`${text}\``;
    return text.replace(/[\\|<>*_`[\]]/gu, (character) => (character === '<' ? '&lt;' : `\\${character}`));
  };
  const row = (cells: Line): string => `| ${cells.join(' | ')} |`;
  return `${[
    row(head),
    `|${head.map(() => '---').join('|')}|`,
    ...lines.map((line) => row(line.map(cell))),
  ].join('\n')}\n`;
}
