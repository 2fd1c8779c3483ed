import { jsonText } from '../../core/json-text.ts';
import { plural } from '../../report/phrases.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, oneOf } from '../shared/arguments.ts';
import { catalogueRows, type Row, traces } from '../shared/catalogue-rows.ts';
import { EXIT, type ExitStatus } from '../shared/exit-status.ts';
import { UsageError } from '../shared/usage-error.ts';
import { LAYOUTS } from './layouts.ts';
import { csvText, type Line, markdownText, tableLines } from './listing.ts';

/** Runs `assay requirements`. */
export function performRequirements(args: Arguments, host: Host): Promise<ExitStatus> {
  const given = oneOf(args, 'format', LAYOUTS);
  if (flag(args, 'json') && given !== null && given !== 'json')
    throw new UsageError(`--json and --format ${given} are two formats; choose one`);
  const format = flag(args, 'json') ? 'json' : (given ?? 'table');
  const width = host.out.live ? host.out.width() : Number.POSITIVE_INFINITY;
  const rows = catalogueRows();
  host.out.write((flag(args, 'coverage') ? coverage : catalogue)(rows, format, width));
  return Promise.resolve(EXIT.ok);
}

type Format = (typeof LAYOUTS)[number];

function catalogue(rows: readonly Row[], format: Format, width: number): string {
  if (format === 'json') return `${jsonText(rows)}\n`;
  const head = ['id', 'level', 'clause', 'smoke', 'rule', 'needs', 'check', 'defects'];
  const line = (row: Row, between: string): Line => [
    row.id,
    row.level,
    row.clause.join(between),
    row.smoke ? 'yes' : 'no',
    row.rule,
    row.needs ?? '',
    row.check,
    row.defects.join(between),
  ];
  if (format === 'csv')
    return csvText(
      head,
      rows.map((row) => line(row, ' ')),
    );
  if (format === 'markdown')
    return markdownText(
      head,
      rows.map((row) => line(row, ', ')),
    );
  const must = rows.filter((row) => row.level === 'must');
  const open = rows.filter((row) => row.level === 'observation');
  const lines = tableLines(
    [...must, ...open].map((row) => [row.id, row.clause.join(', '), row.smoke ? 'smoke' : '', row.rule]),
    width,
  );
  return `${[
    `${must.length} requirements: a provider that breaks one is non-conformant`,
    '',
    ...lines.slice(0, must.length),
    '',
    `${open.length} observations: recorded and shown, never failed`,
    '',
    ...lines.slice(must.length),
    '',
    'assay explain ID shows how one is tested, what a breach looks like, its usual causes and how to fix it;',
    'assay requirements --coverage shows which defects prove the checks.',
  ].join('\n')}\n`;
}

function coverage(rows: readonly Row[], format: Format, width: number): string {
  const all = traces(rows);
  if (format === 'json') return `${jsonText(all)}\n`;
  const head = ['clause', 'requirement', 'level', 'check', 'defects'];
  const line = (between: string): readonly Line[] =>
    all.map((one) => [one.clause, one.requirement, one.level, one.check, one.defects.join(between)]);
  if (format === 'csv') return csvText(head, line(' '));
  if (format === 'markdown') return markdownText(head, line(', '));
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
