import type { Row } from './comparison.ts';
import type { Part } from './part.ts';

/** The measurements of one part. */
export interface MeasuredPart {
  readonly name: string;
  readonly about: string;
  /** The day, as YYYY-MM-DD. */
  readonly at: string;
  readonly rows: readonly Row[];
}

/** The machine of the last measurement. */
export interface Machine {
  readonly node: string;
  readonly cpus: number;
  readonly cpu: string;
  /** Load average of the previous minute; times are unreliable if it exceeds the number of processors. */
  readonly load: number;
}

/** The results as a page of Markdown. */
export function resultsPage(parts: readonly MeasuredPart[], machine: Machine): string {
  const head = [
    '# Benchmarks',
    '',
    'Written by `npm run bench`. "A by B" is the time of A divided by that of B, measured in turns: the median, and the range.',
    'Ratios are more reliable than milliseconds, which depend on the load of the machine.',
    '',
    'Parts are measured at different times: each states its day.',
    '',
    `The last measurement was on ${machine.cpus} x ${machine.cpu}, Node.js ${machine.node}, load ${machine.load} at the start.`,
  ];
  return `${[...head, ...parts.flatMap(section)].join('\n')}\n`;
}

const PROCESSOR = ', processor time';

function section({ name, about, at, rows }: MeasuredPart): readonly string[] {
  const processor = new Map(
    rows
      .filter(({ what }) => what.endsWith(PROCESSOR))
      .map((row) => [row.what.slice(0, -PROCESSOR.length), row]),
  );
  const lines = rows
    .filter(({ what }) => !what.endsWith(PROCESSOR))
    .map((row) => {
      const beside = processor.get(row.what);
      processor.delete(row.what);
      return tableLine(row, beside);
    });
  return [
    '',
    `## ${name}`,
    '',
    `${about} Measured ${at}.`,
    '',
    '| what | measured | processor time | times | at most | |',
    '|---|---|---|---:|---|---|',
    ...lines,
    ...[...processor.values()].map((row) => tableLine(row)),
  ];
}

function tableLine(row: Row, processor?: Row): string {
  const times = typeof row.value === 'object' ? String(row.value.times) : '';
  const cells = [
    row.what,
    cell(row),
    processor === undefined ? '' : cell(processor),
    times,
    row.bar ?? '',
    barStatus(row),
  ];
  return `| ${cells.join(' | ')} |`;
}

// The range without spaces, because columns are narrow.
function cell(row: Row): string {
  const { value, unit } = row;
  return typeof value === 'object'
    ? `${value.median} ${unit} (${value.low}-${value.high})`
    : formatValue(row);
}

/** The value of a row as text. */
export function formatValue({ value, unit }: Row): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return `${value} ${unit}`;
  return `${value.median} ${unit} (${value.low} to ${value.high}, ${value.times} times)`;
}

/** Whether the value is within its limit; empty without a limit. */
export function barStatus({ value, bar }: Row): '' | 'kept' | 'not kept' {
  if (bar === undefined || typeof value === 'string') return '';
  return (typeof value === 'number' ? value : value.median) <= bar ? 'kept' : 'not kept';
}

/** A part with its measurements. */
export function measuredPart({ name, about }: Part, rows: readonly Row[]): MeasuredPart {
  return { name, about, at: new Date().toISOString().slice(0, 10), rows };
}
