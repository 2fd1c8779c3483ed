import { observations, requirements } from '../../catalogue/index.ts';
import { oneOf } from '../arguments.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-status.ts';

const FORMATS = ['table', 'json', 'markdown', 'csv'] as const;

/** A row of the catalogue as it is listed. */
interface Row {
  readonly id: string;
  readonly level: 'must' | 'observation';
  readonly clause: readonly string[];
  readonly smoke: boolean;
  readonly rule: string;
  readonly needs: string | null;
}

/** `assay requirements`: the catalogue as a list. */
export const requirementsCommand: Command = {
  name: 'requirements',
  usage: 'requirements',
  summary: 'Lists requirements and observations',
  positionals: {},
  options: { format: { type: 'string', describe: `${FORMATS.join(', ')}; table unless given` } },
  examples: [['assay requirements --format csv', 'for a spreadsheet']],
  execute: (args, host) => {
    const format = oneOf(args, 'format', FORMATS) ?? 'table';
    host.out.write(RENDER[format](rows(), host.out.live ? host.out.width() : Number.POSITIVE_INFINITY));
    return Promise.resolve(EXIT.ok);
  },
};

const RENDER: Readonly<Record<(typeof FORMATS)[number], (all: readonly Row[], width: number) => string>> = {
  table,
  json: (all) => `${JSON.stringify(all, null, 2)}\n`,
  markdown,
  csv,
};

function rows(): readonly Row[] {
  return [
    ...requirements.map(({ id, clause, smoke, rule, needs }): Row => {
      return { id, level: 'must', clause, smoke, rule, needs };
    }),
    ...observations.map(({ id, clause, of }): Row => {
      return { id, level: 'observation', clause, smoke: false, rule: of, needs: null };
    }),
  ];
}

function table(all: readonly Row[], width: number): string {
  const idWidth = Math.max(...all.map((row) => row.id.length));
  const clauseWidth = Math.max(...all.map((row) => row.clause.join(', ').length));
  const line = (id: string, clause: string, suite: string, rule: string): string => {
    const whole = `${id.padEnd(idWidth)}  ${clause.padEnd(clauseWidth)}  ${suite.padEnd(5)}  ${rule}`;
    return whole.length > width ? `${whole.slice(0, Math.max(1, width - 1))}…` : whole;
  };
  const must = all.filter((row) => row.level === 'must');
  const open = all.filter((row) => row.level === 'observation');
  const lines = (part: readonly Row[]): readonly string[] =>
    part.map((row) => line(row.id, row.clause.join(', '), row.smoke ? 'smoke' : '', row.rule));
  return `${[
    `${must.length} requirements: a provider that breaks one is non-conformant`,
    '',
    ...lines(must),
    '',
    `${open.length} observations: recorded and shown, never failed`,
    '',
    ...lines(open),
    '',
    'assay explain ID says how one is tested, what a breach looks like and what causes it.',
  ].join('\n')}\n`;
}

function markdown(all: readonly Row[]): string {
  const cell = (text: string): string =>
    text.replace(/[\\|<>*_`[\]]/gu, (character) => (character === '<' ? '&lt;' : `\\${character}`));
  const lines = all.map((row) =>
    [
      '',
      `\`${row.id}\``,
      row.level,
      row.clause.join(', '),
      row.smoke ? 'yes' : 'no',
      cell(row.rule),
      cell(row.needs ?? ''),
      '',
    ]
      .join(' | ')
      .trim(),
  );
  return `${['| id | level | clause | smoke | rule | needs |', '|---|---|---|---|---|---|', ...lines].join('\n')}\n`;
}

function csv(all: readonly Row[]): string {
  const cell = (text: string): string => (/[",\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = all.map((row) =>
    [row.id, row.level, row.clause.join(' '), row.smoke ? 'yes' : 'no', row.rule, row.needs ?? '']
      .map(cell)
      .join(','),
  );
  // RFC 4180: lines end in CR LF.
  return `${['id,level,clause,smoke,rule,needs', ...lines].join('\r\n')}\r\n`;
}
