import type { VNode } from 'preact';
import type { ExchangeView } from '../report-data.ts';
import { milliseconds, plural } from '../wording/phrases.ts';
import type { Chart, LegendEntry } from './plot.tsx';
import { type LinearAxis, linearAxis, Plot, percent } from './plot.tsx';

/** Slices of time in which requests are counted. */
const SLICES = 120;
const HEIGHT = 200;

const KINDS = {
  success: { label: '2xx', tone: 'good', shape: 'square' },
  other: { label: 'other status', tone: 'neutral', shape: 'square' },
  serverError: { label: '5xx', tone: 'broken', shape: 'square' },
  unavailable: { label: '429, 503 or no answer', tone: 'bad', shape: 'square' },
  retry: { label: 'retry', tone: 'odd', shape: 'square' },
} as const satisfies Readonly<Record<string, LegendEntry>>;
type Kind = (typeof KINDS)[keyof typeof KINDS];

/** Every request over time; null if the provider answered all of them without an error or a limit. */
export function timelineChart(views: readonly ExchangeView[], startedAt: number): Chart | null {
  const kinds = new Map<Kind, number>();
  for (const view of views) kinds.set(kindOf(view), (kinds.get(kindOf(view)) ?? 0) + 1);
  if (![KINDS.serverError, KINDS.unavailable, KINDS.retry].some((kind) => kinds.has(kind))) return null;
  const end = Math.max(...views.map((view) => view.startedAt - startedAt + view.durationMs));
  const retries = views.filter(({ retry }) => retry > 0).length;
  const x = linearAxis('seconds since the start of the run', end / 1000, { isRounded: false });
  return {
    title: 'Requests over time',
    description: `${plural(views.length, 'request')} in ${milliseconds(end)}, ${plural(retries, 'retry', 'retries')}. Requests per ${milliseconds(end / SLICES)}.`,
    drawing: histogram(views, startedAt, x),
    legend: Object.values(KINDS).filter((kind) => kinds.has(kind)),
    columns: ['kind of answer', 'requests'],
    rows: Object.values(KINDS).flatMap((kind) =>
      kinds.has(kind) ? [[kind.label, kinds.get(kind) ?? 0]] : [],
    ),
  };
}

/** Requests per slice of time, stacked by kind. */
function histogram(views: readonly ExchangeView[], startedAt: number, x: LinearAxis): VNode {
  const slices = Array.from({ length: SLICES }, () => new Map<Kind, number>());
  for (const view of views) {
    const at = Math.floor(((view.startedAt - startedAt) / 1000 / x.max) * SLICES);
    const slice = slices[Math.min(SLICES - 1, at)];
    slice?.set(kindOf(view), (slice.get(kindOf(view)) ?? 0) + 1);
  }
  const totals = slices.map((slice) => [...slice.values()].reduce((sum, requests) => sum + requests, 0));
  const y = linearAxis('requests', Math.max(...totals), { least: 1 });
  const width = x.max / SLICES;
  return (
    <Plot x={x} y={y} height={HEIGHT}>
      {slices.flatMap((slice, index) => {
        let below = 0;
        return Object.values(KINDS).flatMap((kind) => {
          const requests = slice.get(kind);
          if (requests === undefined) return [];
          below += requests;
          return [
            <rect
              key={`${index} ${kind.label}`}
              class={`bar ${kind.tone}`}
              x={percent(index * width, x)}
              y={(HEIGHT * (1 - below / y.max)).toFixed(1)}
              width={percent(width, x)}
              height={((HEIGHT * requests) / y.max).toFixed(1)}
            />,
          ];
        });
      })}
    </Plot>
  );
}

function kindOf({ status, retry }: ExchangeView): Kind {
  if (status === null || status === 429 || status === 503) return KINDS.unavailable;
  if (retry > 0) return KINDS.retry;
  if (status >= 500) return KINDS.serverError;
  return status >= 200 && status < 300 ? KINDS.success : KINDS.other;
}
