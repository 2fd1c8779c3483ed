import type { Row } from './comparison.ts';
import type { Part } from './part.ts';

/** The measurements of one part. */
export interface MeasuredPart {
  readonly name: string;
  readonly about: string;
  readonly rows: readonly Row[];
}

/** The machine of the measurement. */
export interface Machine {
  readonly at: string;
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
    'Written by `npm run bench`. Ratios are medians of pairs that were measured in turns, with the range in brackets;',
    'they are more reliable than milliseconds, which depend on the machine and its load.',
    '',
    `Measured ${machine.at} on ${machine.cpus} x ${machine.cpu}, Node.js ${machine.node}, load ${machine.load} at the start.`,
  ];
  return `${[...head, ...parts.flatMap(section)].join('\n')}\n`;
}

function section({ name, about, rows }: MeasuredPart): readonly string[] {
  return [
    '',
    `## ${name}`,
    '',
    about,
    '',
    '| what | measured | at most | |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row.what} | ${formatValue(row)} | ${row.bar ?? ''} | ${barStatus(row)} |`),
  ];
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
  return { name, about, rows };
}
