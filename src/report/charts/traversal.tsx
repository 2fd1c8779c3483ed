import { plural } from '../phrases.ts';
import { type ListedPage, MAXIMUM, sizeOf } from './list-pages.ts';
import type { Chart, LegendEntry } from './plot.tsx';
import { linearAxis, Mark, Plot, percent } from './plot.tsx';

const MAX_TRAVERSALS = 12;
/** Most pages drawn per traversal. */
const MAX_PAGES = 110;
const STEP = 26;

const STATES = {
  inOrder: { label: 'in order', tone: 'good', shape: 'square' },
  repeats: { label: 'repeats records', tone: 'bad', shape: 'square' },
  overlaps: { label: 'begins inside the previous page', tone: 'bad', shape: 'low' },
  short: { label: 'shorter than requested', tone: 'bad', shape: 'thin' },
  gap: { label: 'records left out', tone: 'bad', shape: 'hollow' },
} as const satisfies Readonly<Record<string, LegendEntry>>;

type State = (typeof STATES)[keyof typeof STATES];

/** A traversal whose last page links to a page that is not in the evidence. */
const CUT = { label: 'cut: the next page is not in the evidence', tone: 'odd', shape: 'right' } as const;

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
  readonly state: State;
  /** Number of the page in its traversal, from 1. */
  readonly page: number;
  /** Records of the page that were seen before. */
  readonly repeated: number;
}

/** The position at which a traversal is cut: its index, and the number of records before it. */
interface Cut {
  readonly row: number;
  readonly at: number;
}

/**
 * Each traversal as a row of pages; the length of a page is its number of records. Null if no traversal has a
 * second page.
 */
export function traversalChart(pages: readonly ListedPage[]): Chart | null {
  const traversals = traversalsOf(pages).slice(0, MAX_TRAVERSALS);
  if (traversals.length === 0) return null;
  const size = sizeOf(pages);
  const tiles = traversals.flatMap((traversal, row) => tilesOf(traversal, row, size));
  const cuts = traversals.flatMap((traversal, row) => cutOf(traversal, row));
  const long = traversals.filter(({ steps }) => steps.length > MAX_PAGES).length;
  const wrong = tiles.filter(({ state }) => state !== STATES.inOrder);
  const states: readonly LegendEntry[] = Object.values(STATES).filter((state) =>
    tiles.some((tile) => tile.state === state),
  );
  return {
    title: 'Traversals',
    description: [
      `${plural(traversals.length, 'traversal')}, one tile per page, as long as the page holds records.`,
      wrong.length === 0
        ? 'Every page begins where the previous one ends.'
        : `${wrong.length} of ${plural(tiles.length, 'tile')} ${wrong.length === 1 ? 'is' : 'are'} not in order.`,
      `The dotted line is the end of the list (${plural(size, 'record')}).`,
      ...(cuts.length === 0
        ? []
        : [
            `${plural(cuts.length, 'traversal')} ${cuts.length === 1 ? 'is' : 'are'} cut: the next page is not in the evidence.`,
          ]),
      ...(long === 0 ? [] : [`Of ${plural(long, 'long traversal')} the first ${MAX_PAGES} pages are drawn.`]),
    ].join(' '),
    drawing: drawingOf(traversals, tiles, cuts, size),
    legend: cuts.length === 0 ? states : [...states, CUT],
    columns: ['page size', 'page', 'from', 'to', 'state', 'records seen before'],
    rows: [...wrong, ...tiles.filter(({ state }) => state === STATES.inOrder)].map(
      ({ pageSize, page, from, to, state, repeated }) => [pageSize, page, from, to, state.label, repeated],
    ),
    wide: true,
  };
}

function drawingOf(
  traversals: readonly Traversal[],
  tiles: readonly Tile[],
  cuts: readonly Cut[],
  size: number,
) {
  const furthest = Math.max(size, ...tiles.map(({ to }) => to));
  const x = linearAxis('position in the list', furthest, { least: 1, isRounded: false });
  const y = {
    title: 'page size',
    bands: traversals.map(({ pageSize }) => String(pageSize)),
    step: STEP,
    isLabelled: true,
  };
  // A gap may be narrower than a pixel, so it gets a minimum width and is drawn above its neighbours.
  const least = furthest / 250;
  const height = traversals.length * STEP;
  return (
    <Plot x={x} y={y} height={height}>
      {tiles
        .toSorted((one, other) => Number(one.state === STATES.gap) - Number(other.state === STATES.gap))
        .map(({ row, page, from, to, state }) => {
          const width = state === STATES.gap ? Math.max(least, to - from) : to - from;
          const start = Math.max(0, (from + to - width) / 2);
          const [top, bottom] = INSETS[state.shape];
          return (
            <rect
              key={`${row} ${page} ${state.label}`}
              class={state.shape === 'hollow' ? `page ${state.tone} hollow` : `page ${state.tone}`}
              x={percent(start, x)}
              y={row * STEP + top}
              width={percent(width, x)}
              height={STEP - top - bottom}
            />
          );
        })}
      <line class="end" x1={percent(size, x)} x2={percent(size, x)} y1="-4" y2={height} />
      <text class={size * 2 > furthest ? 'end-label before' : 'end-label'} x={percent(size, x)} y="-10">
        end of the list
      </text>
      {cuts.map(({ row, at }) => (
        <Mark key={row} x={percent(at, x)} y={(row + 0.5) * STEP} shape={CUT.shape} tone={CUT.tone} />
      ))}
    </Plot>
  );
}

/**
 * Space above and below a tile in pixels: other states also differ in height, for readers who cannot see
 * colours.
 */
const INSETS = { square: [5, 5], low: [14, 3], thin: [10, 10], hollow: [3, 3] } as const;

function cutOf({ steps }: Traversal, row: number): readonly Cut[] {
  const last = steps.slice(0, MAX_PAGES).at(-1)?.page;
  if (last === undefined || last.linkedSkip === null) return [];
  const isFollowed = steps.some(({ page }) => page.skip === last.linkedSkip);
  return isFollowed && steps.length <= MAX_PAGES ? [] : [{ row, at: last.skip + last.items }];
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
  let received = 0;
  steps.slice(0, MAX_PAGES).forEach(({ page }, index) => {
    const tile = { row, pageSize, page: index + 1 };
    // Only a link can cause a gap or an overlap: a page requested by parameters may start anywhere.
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
    received += page.items;
    const isLast = index === steps.length - 1;
    if (isLast && isLinked && !page.linked && Math.max(reached, received) < size)
      tiles.push({ ...tile, from: reached, to: size, state: STATES.gap, repeated: 0 });
  });
  return tiles;
}
