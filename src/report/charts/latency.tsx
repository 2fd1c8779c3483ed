import type { TargetResult } from '../../core/results.ts';
import { milliseconds } from '../wording/phrases.ts';
import { type Chart, linearAxis, Mark, Plot, percent, type Tone } from './plot.tsx';

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
