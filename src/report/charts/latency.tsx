import type { TargetResult, Traffic } from '../../core/results.ts';
import { milliseconds } from '../wording/phrases.ts';
import { type Chart, linearAxis, Mark, Plot, percent } from './plot.tsx';

const HEIGHT = 180;

interface RunOfTarget {
  readonly id: string;
  readonly target: TargetResult;
}

const SERIES = [
  { label: 'median', tone: 'neutral', percentile: 'p50' },
  { label: '95 %', tone: 'odd', percentile: 'p95' },
] as const;

/** Latency of a target, run by run. */
export function latencyTrend(points: readonly RunOfTarget[]): Chart {
  return {
    title: 'Latency',
    description: 'Median and 95th percentile of the answers of each run.',
    drawing: lines(points.map(({ target }) => target.traffic.latencyMs)),
    legend: SERIES.map(({ label, tone }) => ({ label, tone, shape: 'circle' })),
    columns: ['run', ...SERIES.map(({ label }) => label)],
    rows: points.map(({ id, target }) => [
      id,
      ...SERIES.map(({ percentile }) => milliseconds(target.traffic.latencyMs[percentile])),
    ]),
  };
}

/** A line per percentile over the numbers of the runs. */
function lines(latencies: readonly Traffic['latencyMs'][]) {
  const x = linearAxis('run', latencies.length, { least: 1, isRounded: false });
  const y = linearAxis('milliseconds', Math.max(...latencies.flatMap(({ p50, p95 }) => [p50, p95])));
  const xOf = (run: number): string => percent(run + 1, x);
  const yOf = (value: number): number => Number((HEIGHT * (1 - value / y.max)).toFixed(1));
  return (
    <Plot x={x} y={y} height={HEIGHT}>
      {SERIES.map(({ label, tone, percentile }) => {
        const heights = latencies.map((latency) => yOf(latency[percentile]));
        return (
          <g key={label}>
            {heights.slice(1).map((height, index) => (
              <line
                key={index}
                class={`trend ${tone}`}
                x1={xOf(index)}
                y1={heights[index]}
                x2={xOf(index + 1)}
                y2={height}
              />
            ))}
            {heights.map((height, index) => (
              <Mark key={index} x={xOf(index)} y={height} shape="circle" tone={tone} />
            ))}
          </g>
        );
      })}
    </Plot>
  );
}
