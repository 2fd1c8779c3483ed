import { withCommas } from '../../core/number-format.ts';
import type { TargetResult } from '../../core/results.ts';
import { milliseconds, plural } from '../wording/phrases.ts';
import type { ListedPage } from './list-pages.ts';
import { type Chart, linearAxis, Mark, Plot, percent, type Tone } from './plot.tsx';

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

const HEIGHT = 180;

interface RunOfTarget {
  readonly id: string;
  readonly target: TargetResult;
}

interface Series {
  readonly label: string;
  readonly tone: Tone;
  readonly values: readonly number[];
}

/** Latency of a target, run by run. */
export function latencyTrend(points: readonly RunOfTarget[]): Chart {
  const traffic = points.map(({ target }) => target.traffic);
  const latency: readonly Series[] = [
    { label: 'median', tone: 'neutral', values: traffic.map(({ latencyMs }) => latencyMs.p50) },
    { label: '95 %', tone: 'odd', values: traffic.map(({ latencyMs }) => latencyMs.p95) },
  ];
  return {
    title: 'Latency',
    description: 'Median and 95th percentile of the answers of each run.',
    drawing: lines('milliseconds', latency),
    legend: latency.map(({ label, tone }) => ({ label, tone, shape: 'circle' })),
    columns: ['run', 'median', '95 %'],
    rows: points.map(({ id, target }) => [
      id,
      milliseconds(target.traffic.latencyMs.p50),
      milliseconds(target.traffic.latencyMs.p95),
    ]),
  };
}

/** A line per series over the numbers of the runs. */
function lines(title: string, all: readonly Series[]) {
  const runs = Math.max(...all.map(({ values }) => values.length));
  const x = linearAxis('run', runs, { least: 1, isRounded: false });
  const y = linearAxis(title, Math.max(...all.flatMap(({ values }) => values)));
  const xOf = (run: number): string => percent(run + 1, x);
  const yOf = (value: number): number => Number((HEIGHT * (1 - value / y.max)).toFixed(1));
  return (
    <Plot x={x} y={y} height={HEIGHT}>
      {all.map(({ label, tone, values }) => (
        <g key={label}>
          {values.slice(1).map((value, index) => (
            <line
              key={index}
              class={`trend ${tone}`}
              x1={xOf(index)}
              y1={yOf(values[index] ?? 0)}
              x2={xOf(index + 1)}
              y2={yOf(value)}
            />
          ))}
          {values.map((value, index) => (
            <Mark key={index} x={xOf(index)} y={yOf(value)} shape="circle" tone={tone} />
          ))}
        </g>
      ))}
    </Plot>
  );
}

/** A line without axes, scaled from the smallest to the largest of at least two values; CSS sets its size. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  /** The same content as text. */
  readonly label: string;
}) {
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const [x, y] = [index * step, range === 0 ? 12 : 2 + 20 * (1 - (value - least) / range)];
    return `${Number(x.toFixed(2))},${Number(y.toFixed(2))}`;
  });
  return (
    <svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={points.join(' ')} vector-effect="non-scaling-stroke" />
    </svg>
  );
}
