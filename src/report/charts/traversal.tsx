import { plural } from '../phrases.ts';
import { linearAxis, percent } from './axis.ts';
import type { Chart, LegendEntry } from './chart.ts';
import { type ListedPage, MAXIMUM, sizeOf } from './list-pages.ts';
import { Plot } from './plot.tsx';

const TRAVERSALS = 12;
/** Pages drawn of one traversal. */
const PAGES = 110;
const STEP = 26;

const STATES = {
  inOrder: { label: 'in order', tone: 'good', shape: 'square' },
  repeats: { label: 'repeats records', tone: 'bad', shape: 'square' },
  short: { label: 'shorter than requested', tone: 'odd', shape: 'square' },
  gap: { label: 'records left out', tone: 'broken', shape: 'square' },
  overlaps: { label: 'begins inside the previous page', tone: 'neutral', shape: 'square' },
} as const satisfies Readonly<Record<string, LegendEntry>>;

interface Traversal {
  readonly pageSize: number;
  readonly steps: readonly ListedPage[];
}

interface Tile {
  /** Index of the traversal. */
  readonly row: number;
  readonly pageSize: number;
  readonly from: number;
  readonly to: number;
  readonly state: (typeof STATES)[keyof typeof STATES];
  /** Number of the page in its traversal, from 1. */
  readonly page: number;
  /** Records of the page that were seen before. */
  readonly repeated: number;
}

/** Each traversal as a row of pages, as long as they hold records; null if no traversal has a second page. */
export function traversalChart(pages: readonly ListedPage[]): Chart | null {
  const traversals = traversalsOf(pages).slice(0, TRAVERSALS);
  if (traversals.length === 0) return null;
  const size = sizeOf(pages);
  const tiles = traversals.flatMap((traversal, row) => tilesOf(traversal, row, size));
  const cut = traversals.filter(({ steps }) => steps.length > PAGES).length;
  const wrong = tiles.filter(({ state }) => state !== STATES.inOrder);
  const shown = cut === 0 ? '' : ` Of ${plural(cut, 'long traversal')} the first ${PAGES} pages are drawn.`;
  return {
    title: 'Traversals',
    description: `${plural(traversals.length, 'traversal')}, one tile per page, as long as the page holds records. ${
      wrong.length === 0
        ? 'Every page begins where the previous one ends.'
        : `${wrong.length} of ${plural(tiles.length, 'tile')} ${wrong.length === 1 ? 'is' : 'are'} not in order.`
    }${shown}`,
    drawing: drawingOf(traversals, tiles),
    legend: Object.values(STATES).filter((state) => tiles.some((tile) => tile.state === state)),
    columns: ['page size', 'page', 'from', 'to', 'state', 'records seen before'],
    rows: [...wrong, ...tiles.filter(({ state }) => state === STATES.inOrder)].map(
      ({ pageSize, page, from, to, state, repeated }) => [pageSize, page, from, to, state.label, repeated],
    ),
    wide: true,
  };
}

function drawingOf(traversals: readonly Traversal[], tiles: readonly Tile[]) {
  const furthest = Math.max(...tiles.map(({ to }) => to));
  const x = linearAxis('position in the list', furthest, { least: 1, isRounded: false });
  const y = {
    title: 'page size',
    bands: traversals.map(({ pageSize }) => String(pageSize)),
    step: STEP,
    isLabelled: true,
  };
  // A gap may be narrower than a pixel: it is drawn wide enough to be seen, and over its neighbours.
  const least = furthest / 250;
  return (
    <Plot x={x} y={y} height={traversals.length * STEP}>
      {tiles
        .toSorted((one, other) => Number(one.state === STATES.gap) - Number(other.state === STATES.gap))
        .map(({ row, page, from, to, state }) => {
          const width = state === STATES.gap ? Math.max(least, to - from) : to - from;
          const start = Math.max(0, (from + to - width) / 2);
          // Tiles that are not in order are higher, so that they are found without colour.
          const inset = state === STATES.inOrder ? 7 : 4;
          return (
            <rect
              key={`${row} ${page} ${state.label}`}
              class={`page ${state.tone}`}
              x={percent(start, x)}
              y={row * STEP + inset}
              width={percent(width, x)}
              height={STEP - 2 * inset}
            />
          );
        })}
    </Plot>
  );
}

function traversalsOf(pages: readonly ListedPage[]): readonly Traversal[] {
  const traversals = new Map<number, Map<number, ListedPage>>();
  for (const listed of pages) {
    const { page } = listed;
    if (!page.counted || Number.isNaN(page.requestedSize)) continue;
    const pageSize = page.requestedSize ?? MAXIMUM;
    const steps = traversals.get(pageSize) ?? new Map<number, ListedPage>();
    if (!steps.has(page.skip)) steps.set(page.skip, listed);
    traversals.set(pageSize, steps);
  }
  return [...traversals]
    .filter(([, steps]) => steps.size > 1 && steps.has(0))
    .map(([pageSize, steps]) => ({
      pageSize,
      steps: [...steps.values()].toSorted((one, other) => one.page.skip - other.page.skip),
    }))
    .toSorted((one, other) => one.pageSize - other.pageSize);
}

function tilesOf({ pageSize, steps }: Traversal, row: number, size: number): readonly Tile[] {
  const tiles: Tile[] = [];
  const seen = new Set<number>();
  let reached = 0;
  steps.slice(0, PAGES).forEach(({ page }, index) => {
    const tile = { row, pageSize, page: index + 1 };
    // Only a link makes a gap or an overlap: a page that was requested by its parameters may begin anywhere.
    const isLinked = steps[index - 1]?.page.linkedSkip === page.skip;
    if (isLinked && page.skip > reached)
      tiles.push({ ...tile, from: reached, to: page.skip, state: STATES.gap, repeated: 0 });
    const repeated = page.doubled + [...new Set(page.ids)].filter((id) => seen.has(id)).length;
    for (const id of page.ids) seen.add(id);
    const end = page.skip + page.items;
    const isShort = page.linked && page.items < Math.min(pageSize, MAXIMUM) && end < size;
    const overlaps = isLinked && page.skip < reached;
    const state =
      repeated > 0 ? STATES.repeats : overlaps ? STATES.overlaps : isShort ? STATES.short : STATES.inOrder;
    tiles.push({ ...tile, from: page.skip, to: end, state, repeated });
    reached = Math.max(reached, end);
  });
  return tiles;
}
