import { observations, requirements } from '../../../specs/catalogue.ts';
import { jsonText } from '../../core/json-text.ts';
import { defects } from '../../mock/defects/index.ts';
import { csvText } from '../../report/formats/csv.ts';
import { alignedLines, plural } from '../../report/wording/phrases.ts';
import { type Arguments, EXIT, type ExitStatus, type Host } from '../command.ts';
import { flag, LISTING_LAYOUTS, layoutOf } from '../shared/options.ts';

/** A requirement or observation in a listing; the names of its members are the columns. */
type Row = Readonly<ReturnType<typeof catalogueRows>[number]>;

/** A clause of the specification with its check and the defects that prove the check. */
export type Trace = Readonly<ReturnType<typeof traces>[number]>;

type Line = readonly string[];

export function performRequirements(args: Arguments, host: Host): ExitStatus {
  const format = layoutOf(args, LISTING_LAYOUTS);
  const width = host.out.live ? host.out.width() : Number.POSITIVE_INFINITY;
  const isCoverage = flag(args, 'coverage');
  const rows = isCoverage ? traces() : catalogueRows();
  const layouts = {
    json: () => `${jsonText(rows)}\n`,
    csv: () => csvText(linesOf(rows, ' ')),
    markdown: () => markdownTable(linesOf(rows, ', ')),
    table: () => `${(isCoverage ? coverage : catalogue)(width).join('\n')}\n`,
  };
  host.out.write(layouts[format]());
  return EXIT.ok;
}

/** All requirements, then all observations. Observations are no smoke tests and have no defects. */
function catalogueRows() {
  return [
    ...requirements.map(({ id, clause, smoke, rule, needs }) => {
      const check = `specs/${id}.ts`;
      return { id: `${id}`, level: 'must', clause, smoke, rule, needs, check, defects: defectsOf(id) };
    }),
    ...observations.map(({ id, clause, of }) => {
      const check = `specs/observations/${id.replace(/^observe\//u, '')}.ts`;
      return { id, level: 'observation', clause, smoke: false, rule: of, needs: null, check, defects: [] };
    }),
  ];
}

export function defectsOf(id: string): readonly string[] {
  return defects.filter(({ must }) => must.includes(id)).map((defect) => defect.id);
}

/** Every clause with every row that refers to it, in the order of the specification. */
function traces() {
  return catalogueRows()
    .flatMap(({ id, clause, level, check, defects: proving }) =>
      clause.map((one) => ({ clause: one, requirement: id, level, check, defects: proving })),
    )
    .toSorted((one, other) => one.clause.localeCompare(other.clause, 'en', { numeric: true }));
}

/** A head with the names of the columns, and a line of texts for each row. */
function linesOf(rows: readonly (Row | Trace)[], between: string): readonly Line[] {
  const cellOf = (value: Row[keyof Row]): string => {
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    return typeof value === 'object' ? (value ?? []).join(between) : value;
  };
  return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row).map(cellOf))];
}

function catalogue(width: number): Line {
  const table = tableLines(
    catalogueRows().map((row) => [row.id, row.clause.join(', '), row.smoke ? 'smoke' : '', row.rule]),
    width,
  );
  return [
    `${requirements.length} requirements: a provider that breaks one is non-conformant`,
    '',
    ...table.slice(0, requirements.length),
    '',
    `${observations.length} observations: recorded and shown, never failed`,
    '',
    ...table.slice(requirements.length),
    '',
    'assay explain ID shows how one is tested, what a breach looks like, its usual causes and how to fix it;',
    'assay requirements --coverage shows which defects prove the checks.',
  ];
}

function coverage(width: number): Line {
  const all = traces();
  const provenBy = ({ level, defects: proving }: Trace): string =>
    level === 'must'
      ? `${plural(proving.length, 'defect')}: ${proving.join(', ')}`
      : 'recorded, never failed';
  return [
    `${new Set(all.map(({ clause }) => clause)).size} clauses of the specification: requirement, check, and the defects that prove the check`,
    '',
    ...tableLines(
      all.map((one) => [one.clause, one.requirement, one.check, provenBy(one)]),
      width,
    ),
  ];
}

/** Lines in columns, truncated to the width of the terminal. */
function tableLines(lines: readonly Line[], width: number): Line {
  return alignedLines(lines).map((line) =>
    line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line,
  );
}

/** Lines as a Markdown table; identifiers in the first column are code. */
function markdownTable([head = [], ...lines]: readonly Line[]): string {
  const cell = (text: string, column: number): string => {
    if (column === 0 && text.includes('/')) return `\`${text}\``;
    return text.replace(/[\\|<>*_`[\]]/gu, (character) => (character === '<' ? '&lt;' : `\\${character}`));
  };
  const row = (cells: Line): string => `| ${cells.join(' | ')} |`;
  const table = [
    row(head),
    `|${head.map(() => '---').join('|')}|`,
    ...lines.map((line) => row(line.map(cell))),
  ];
  return `${table.join('\n')}\n`;
}
