import { type Candidate, type Cost, measureProcess } from './process.ts';
import { ratioOf, rounded, type Spread, spreadOf } from './statistics.ts';

/** Costs by candidate, in the order of measurement. */
export type Costs<Names extends string = string> = Readonly<Record<Names, readonly Cost[]>>;

/**
 * Measures candidates alternately, so that other load on the machine affects all of them. Warm-up rounds are
 * not counted.
 */
export async function measureInterleaved<Names extends string>(
  candidates: Readonly<Record<Names, Candidate>>,
  { times, warm = 1 }: { readonly times: number; readonly warm?: number },
): Promise<Costs<Names>> {
  const names = Object.keys(candidates) as Names[];
  const costs = Object.fromEntries(names.map((name) => [name, [] as Cost[]])) as Record<Names, Cost[]>;
  for (let round = -warm; round < times; round++) {
    for (const name of names) {
      const cost = await measureProcess(candidates[name]);
      if (round >= 0) costs[name].push(cost);
    }
  }
  return costs;
}

/** One line of a table. */
export interface Row {
  readonly what: string;
  readonly value: Spread | number | string;
  /** Unit of the value: `x` for a ratio. */
  readonly unit: string;
  /** Maximum value; missing if there is no limit. */
  readonly bar?: number;
}

/** Wall time and processor time of a candidate, as multiples of a baseline measured alternately with it. */
export function ratioRows(
  what: string,
  costs: readonly Cost[],
  floor: readonly Cost[],
  bar?: number,
): readonly Row[] {
  const by = (field: 'wallMs' | 'cpuMs'): Spread =>
    ratioOf(
      costs.map((cost) => cost[field]),
      floor.map((cost) => cost[field]),
    );
  return [
    { what, value: by('wallMs'), unit: 'x', ...(bar === undefined ? {} : { bar }) },
    { what: `${what}, processor time`, value: by('cpuMs'), unit: 'x' },
  ];
}

/** Wall time of a candidate in milliseconds. */
export function wallTimeRow(what: string, costs: readonly Cost[]): Row {
  return { what, value: spreadOf(costs.map(({ wallMs }) => wallMs)), unit: 'ms' };
}

/** Peak memory of a candidate. */
export function peakMemoryRow(what: string, costs: readonly Cost[], bar?: number): Row {
  const value = rounded(Math.max(...costs.map(({ peakMiB }) => peakMiB)));
  return { what, value, unit: 'MiB', ...(bar === undefined ? {} : { bar }) };
}
