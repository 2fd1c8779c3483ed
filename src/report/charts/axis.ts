/** A linear axis from 0 to `max`. */
export interface LinearAxis {
  readonly title: string;
  readonly max: number;
  /** Round values between 0 and `max`, in ascending order. */
  readonly ticks: readonly number[];
}

/** An axis with one band per name, from top to bottom. */
export interface BandAxis {
  readonly title: string;
  readonly bands: readonly string[];
  /** Height of one band in pixels. */
  readonly step: number;
  /** False if bands are too narrow for their names. */
  readonly isLabelled: boolean;
}

/**
 * Creates a linear axis with round ticks.
 *
 * @param most the largest value in the chart
 * @param options the approximate number of `ticks` (6, or 4 with long labels), the `least` distance between
 * two ticks (0, or 1 for counts), and whether the axis ends at the last tick (`isRounded`, the default) or at
 * `most`
 */
export function linearAxis(
  title: string,
  most: number,
  { ticks = most >= 100_000 ? 4 : 6, least = 0, isRounded = true } = {},
): LinearAxis {
  const top = most > 0 ? most : 1;
  const step = Math.max(least, roundStep(top / ticks));
  const last = isRounded ? Math.ceil(top / step - 1e-9) : Math.floor(top / step + 1e-9);
  const values = Array.from({ length: last + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  return { title, max: isRounded ? (values.at(-1) ?? top) : top, ticks: values };
}

/** The next 1, 2 or 5 times a power of ten at or above a positive number. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}

/** The position of a value on an axis as a percentage, because the width of the SVG is unknown. */
export function percent(value: number, { max }: LinearAxis): string {
  return `${Number(((value / max) * 100).toFixed(2))}%`;
}
