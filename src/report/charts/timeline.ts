import type { ExchangeView } from '../data.ts';
import { milliseconds, plural } from '../words.ts';
import { COLOUR, type Drawing } from './draw.ts';
import type { Sketch } from './pictures.ts';

const BARS = 400;
const SLICES = 120;
const KINDS = ['2xx', 'other status', '5xx', 'asked to wait, or no answer', 'repeated'] as const;
const SCALE = {
  domain: [...KINDS],
  range: [COLOUR.good, COLOUR.link, COLOUR.broken, COLOUR.bad, COLOUR.odd],
};

/** Every request over time; null where there are fewer than two. */
export function timeline(views: readonly ExchangeView[], startedAt: number): Sketch | null {
  if (views.length < 2) return null;
  const kinds = new Map<string, number>();
  for (const view of views) kinds.set(kindOf(view), (kinds.get(kindOf(view)) ?? 0) + 1);
  const end = Math.max(...views.map((view) => view.startedAt - startedAt + view.durationMs));
  const retries = views.filter(({ retry }) => retry > 0).length;
  return {
    title: 'Requests over time',
    words: `${plural(views.length, 'request')} in ${milliseconds(end)}, ${plural(retries, 'repetition')}.${
      views.length > BARS ? '' : ' One bar per request, as long as it took; one row per connection.'
    }`,
    drawing: views.length > BARS ? histogram(views, startedAt, end) : bars(views, startedAt),
    columns: ['kind of answer', 'requests'],
    rows: KINDS.flatMap((kind) => (kinds.has(kind) ? [[kind, kinds.get(kind) ?? 0]] : [])),
    wide: true,
  };
}

function bars(views: readonly ExchangeView[], startedAt: number): Drawing {
  const values = views.map((view) => ({
    from: (view.startedAt - startedAt) / 1000,
    to: (view.startedAt - startedAt + Math.max(1, view.durationMs)) / 1000,
    lane: view.connection === null ? 'none' : String(view.connection),
    kind: kindOf(view),
  }));
  const lanes = new Set(values.map(({ lane }) => lane)).size;
  return {
    width: 980,
    height: { step: lanes > 14 ? 9 : 18 },
    data: { values },
    mark: { type: 'bar', opacity: 0.8, height: lanes > 14 ? 6 : 12 },
    encoding: {
      x: { field: 'from', type: 'quantitative', title: 'seconds into the run' },
      x2: { field: 'to' },
      y: {
        field: 'lane',
        type: 'nominal',
        sort: null,
        title: 'connection',
        axis: lanes > 14 ? { labels: false, ticks: false } : {},
      },
      color: { field: 'kind', type: 'nominal', scale: SCALE },
    },
  };
}

function histogram(views: readonly ExchangeView[], startedAt: number, end: number): Drawing {
  const width = Math.max(1, end) / SLICES;
  const slices = new Map<string, { from: number; to: number; kind: string; requests: number }>();
  for (const view of views) {
    const index = Math.min(SLICES - 1, Math.floor((view.startedAt - startedAt) / width));
    const kind = kindOf(view);
    const slice = slices.get(`${index} ${kind}`);
    const from = (index * width) / 1000;
    if (slice === undefined)
      slices.set(`${index} ${kind}`, { from, to: from + width / 1000, kind, requests: 1 });
    else slice.requests += 1;
  }
  return {
    width: 980,
    height: 200,
    data: { values: [...slices.values()] },
    mark: { type: 'bar', stroke: 'var(--raised)', strokeWidth: 0.5 },
    encoding: {
      x: { field: 'from', type: 'quantitative', title: 'seconds into the run' },
      x2: { field: 'to' },
      y: { field: 'requests', type: 'quantitative', title: 'requests', stack: 'zero' },
      color: { field: 'kind', type: 'nominal', scale: SCALE },
    },
  };
}

function kindOf({ status, retry }: ExchangeView): (typeof KINDS)[number] {
  if (status === null || status === 429 || status === 503) return KINDS[3];
  if (retry > 0) return KINDS[4];
  if (status >= 500) return KINDS[2];
  return status >= 200 && status < 300 ? KINDS[0] : KINDS[1];
}
