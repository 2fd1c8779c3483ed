import { plural } from '../words.ts';
import { COLOUR, type Drawing } from './draw.ts';
import type { Sketch } from './pictures.ts';
import { type ListedPage, MAXIMUM, sizeOf } from './series.ts';

const WALKS = 12;
const TILES = 110;

const STATES = [
  'in order',
  'repeats records',
  'shorter than asked',
  'records left out',
  'begins inside the page before',
] as const;

interface Tile {
  readonly walk: string;
  readonly from: number;
  readonly to: number;
  readonly state: (typeof STATES)[number];
  readonly page: number;
  readonly repeated: number;
}

/** Each walk as a row of pages, as long as they hold records; null where no walk has a second page. */
export function traversal(pages: readonly ListedPage[]): Sketch | null {
  const walks = walksOf(pages).slice(0, WALKS);
  if (walks.length === 0) return null;
  const size = sizeOf(pages);
  const tiles = walks.flatMap(({ pageSize, steps }) => tilesOf(`${pageSize}`, steps.slice(0, TILES), size));
  const cut = walks.filter(({ steps }) => steps.length > TILES).length;
  const wrong = tiles.filter(({ state }) => state !== STATES[0]).length;
  const drawing: Drawing = {
    width: 980,
    height: { step: 26 },
    data: { values: drawn(tiles) },
    mark: { type: 'bar', stroke: 'var(--raised)', strokeWidth: 0.6, opacity: 0.85, height: 17 },
    encoding: {
      x: { field: 'from', type: 'quantitative', title: 'position in the list', scale: { nice: false } },
      x2: { field: 'to' },
      y: { field: 'walk', type: 'nominal', title: 'page size', sort: null },
      color: {
        field: 'state',
        type: 'nominal',
        scale: {
          domain: [...STATES],
          range: [COLOUR.good, COLOUR.bad, COLOUR.odd, COLOUR.broken, COLOUR.link],
        },
      },
    },
  };
  const shown = cut === 0 ? '' : ` Of ${plural(cut, 'long walk')} the first ${TILES} pages are drawn.`;
  return {
    title: 'Walks over the list',
    words: `${plural(walks.length, 'walk')}, one tile per page, as long as the page holds records. ${
      wrong === 0
        ? 'Every page begins where the one before it ends.'
        : `${wrong} of ${plural(tiles.length, 'tile')} ${wrong === 1 ? 'is' : 'are'} not in order: records are repeated or left out, or a page is short or begins inside the one before it.`
    }${shown}`,
    drawing,
    columns: ['page size', 'page', 'from', 'to', 'how', 'records met before'],
    rows: tiles
      .toSorted((one, other) => Number(other.state !== STATES[0]) - Number(one.state !== STATES[0]))
      .map(({ walk, page, from, to, state, repeated }) => [walk, page, from, to, state, repeated]),
    wide: true,
  };
}

// A record left out is less than a point wide: it is drawn wide enough to be seen, and over its neighbours.
function drawn(tiles: readonly Tile[]) {
  const least = Math.max(0, ...tiles.map(({ to }) => to)) / 250;
  return tiles
    .toSorted((one, other) => Number(one.state === STATES[3]) - Number(other.state === STATES[3]))
    .map(({ walk, from, to, state }) =>
      state === STATES[3] && to - from < least
        ? { walk, from: Math.max(0, (from + to - least) / 2), to: (from + to + least) / 2, state }
        : { walk, from, to, state },
    );
}

function walksOf(
  pages: readonly ListedPage[],
): readonly { readonly pageSize: number; readonly steps: readonly ListedPage[] }[] {
  const walks = new Map<number, Map<number, ListedPage>>();
  for (const listed of pages) {
    const { page } = listed;
    if (!page.counted || Number.isNaN(page.asked)) continue;
    const pageSize = page.asked ?? MAXIMUM;
    const steps = walks.get(pageSize) ?? new Map<number, ListedPage>();
    if (!steps.has(page.skip)) steps.set(page.skip, listed);
    walks.set(pageSize, steps);
  }
  return [...walks]
    .filter(([, steps]) => steps.size > 1 && steps.has(0))
    .map(([pageSize, steps]) => ({
      pageSize,
      steps: [...steps.values()].toSorted((one, other) => one.page.skip - other.page.skip),
    }))
    .toSorted((one, other) => one.pageSize - other.pageSize);
}

function tilesOf(walk: string, steps: readonly ListedPage[], size: number): readonly Tile[] {
  const tiles: Tile[] = [];
  const met = new Set<number>();
  const pageSize = Number(walk);
  let reached = 0;
  steps.forEach(({ page }, index) => {
    // Pages that were asked for alone, by their parameters, make no gap and no overlap: only a link that leads there does.
    const linked = steps[index - 1]?.page.linkedSkip === page.skip;
    if (linked && page.skip > reached) {
      tiles.push({ walk, from: reached, to: page.skip, state: STATES[3], page: index + 1, repeated: 0 });
    }
    const repeated = page.doubled + [...new Set(page.ids)].filter((id) => met.has(id)).length;
    for (const id of page.ids) met.add(id);
    const end = page.skip + page.items;
    const short = page.linked && page.items < Math.min(pageSize, MAXIMUM) && end < size;
    const inside = linked && page.skip < reached;
    const state = repeated > 0 ? STATES[1] : inside ? STATES[4] : short ? STATES[2] : STATES[0];
    tiles.push({ walk, from: page.skip, to: end, state, page: index + 1, repeated });
    reached = Math.max(reached, end);
  });
  return tiles;
}
