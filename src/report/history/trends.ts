import { COLOUR, type Drawing } from '../charts/draw.ts';
import type { Point } from './digest.ts';

/** Median and 95th percentile of answers, run by run. */
export function latencyTrend(points: readonly Point[]): Drawing {
  const values = points.flatMap(({ target }, index) => [
    { run: index + 1, ms: target.traffic.latencyMs.p50, what: 'median' },
    { run: index + 1, ms: target.traffic.latencyMs.p95, what: '95 %' },
  ]);
  return {
    width: 460,
    height: 180,
    data: { values },
    mark: { type: 'line', point: { filled: true, size: 28 }, strokeWidth: 1.5 },
    encoding: {
      x: { field: 'run', type: 'quantitative', title: 'run', axis: { format: 'd', tickMinStep: 1 } },
      y: { field: 'ms', type: 'quantitative', title: 'milliseconds' },
      color: {
        field: 'what',
        type: 'nominal',
        scale: { domain: ['median', '95 %'], range: [COLOUR.link, COLOUR.odd] },
      },
    },
  };
}

/** Requests that runs cost, run by run. */
export function requestTrend(points: readonly Point[]): Drawing {
  return {
    width: 460,
    height: 180,
    data: {
      values: points.map(({ target }, index) => ({ run: index + 1, requests: target.traffic.requests })),
    },
    mark: {
      type: 'line',
      point: { filled: true, size: 28, color: COLOUR.link },
      color: COLOUR.link,
      strokeWidth: 1.5,
    },
    encoding: {
      x: { field: 'run', type: 'quantitative', title: 'run', axis: { format: 'd', tickMinStep: 1 } },
      y: { field: 'requests', type: 'quantitative', title: 'requests' },
    },
  };
}
