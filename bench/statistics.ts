/** Median and range of some measurements. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly times: number;
}

/** The spread of at least one number. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number): number => rounded(sorted[Math.min(sorted.length - 1, index)] ?? 0);
  return {
    median: at(Math.floor(sorted.length / 2)),
    low: at(0),
    high: at(sorted.length - 1),
    times: sorted.length,
  };
}

/** The spread of the ratios of two series, pair by pair. */
export function ratioOf(values: readonly number[], floors: readonly number[]): Spread {
  return spreadOf(values.map((value, index) => value / (floors[index] ?? Number.NaN)));
}

/** Three significant digits. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
