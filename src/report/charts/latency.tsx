import { withCommas } from '../../core/number-format.ts';
import { milliseconds, plural } from '../wording/phrases.ts';
import type { ListedPage } from './list-pages.ts';
import type { Chart } from './plot.tsx';
import { linearAxis, Plot, percent } from './plot.tsx';

interface SizeGroup {
  readonly name: string;
  /** Durations in milliseconds, ascending; at least one. */
  readonly sorted: readonly number[];
}

/** Smallest page of each group, in records. */
const SIZES = [0, 1, 10, 50, 100, 250, 500, 501];
const STEP = 28;

/** How long answers take, by the number of records on the page; null if all pages are alike. */
export function latencyChart(pages: readonly ListedPage[]): Chart | null {
  const groups = groupsOf(pages);
  if (groups.length < 2) return null;
  const x = linearAxis('milliseconds', Math.max(...groups.map(({ sorted }) => quantile(sorted, 0.95))));
  const y = {
    title: 'records on the page',
    bands: groups.map(({ name }) => name),
    step: STEP,
    isLabelled: true,
  };
  return {
    title: 'Latency by page size',
    description: `${plural(pages.length, 'answer')}. Stroke: median. Box: middle half. Line: 5th to 95th percentile.`,
    drawing: (
      <Plot x={x} y={y} height={groups.length * STEP}>
        {groups.map(({ name, sorted }, index) => {
          const at = (share: number): string => percent(quantile(sorted, share), x);
          const middle = (index + 0.5) * STEP;
          const box = ((quantile(sorted, 0.75) - quantile(sorted, 0.25)) / x.max) * 100;
          return (
            <g key={name}>
              <line class="whisker" x1={at(0.05)} x2={at(0.95)} y1={middle} y2={middle} />
              <rect class="box" x={at(0.25)} y={middle - 7} width={`${box.toFixed(2)}%`} height="14" />
              <line class="median" x1={at(0.5)} x2={at(0.5)} y1={middle - 9} y2={middle + 9} />
            </g>
          );
        })}
      </Plot>
    ),
    legend: [],
    columns: ['records on the page', 'answers', 'median', '95 %', 'slowest'],
    rows: groups.map(({ name, sorted }) => [
      name,
      sorted.length,
      milliseconds(quantile(sorted, 0.5)),
      milliseconds(quantile(sorted, 0.95)),
      milliseconds(sorted.at(-1) ?? 0),
    ]),
  };
}

function groupsOf(pages: readonly ListedPage[]): readonly SizeGroup[] {
  return SIZES.flatMap((from, index) => {
    const next = SIZES[index + 1] ?? Number.POSITIVE_INFINITY;
    const sorted = pages
      .filter(({ page }) => page.items >= from && page.items < next)
      .map(({ view }) => view.durationMs)
      .toSorted((one, other) => one - other);
    if (sorted.length === 0) return [];
    if (next === Number.POSITIVE_INFINITY) return [{ name: `${withCommas(from)} and more`, sorted }];
    return [{ name: next - from === 1 ? withCommas(from) : `${from} to ${next - 1}`, sorted }];
  });
}

/** The quantile of ascending numbers, at least one. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
