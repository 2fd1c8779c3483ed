import { groupBy } from '../../core/maps.ts';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { requestDetails } from '../evidence/exchange-views.ts';
import type { ExchangeView, PageDetails } from '../report-data.ts';
import { plural } from '../wording/phrases.ts';
import { type Chart, type LegendEntry, linearAxis, Mark, Plot, percent } from './plot.tsx';

interface ListedPage {
  readonly view: ExchangeView;
  readonly page: PageDetails;
}

const MAX_TRAVERSALS = 12;
const MAX_PAGES = 110;
const STEP = 26;

const STATES = {
  inOrder: { label: 'in order', tone: 'good', shape: 'square' },
  repeats: { label: 'repeats records', tone: 'bad', shape: 'square' },
  overlaps: { label: 'begins inside the previous page', tone: 'bad', shape: 'low' },
  short: { label: 'shorter than requested', tone: 'bad', shape: 'thin' },
  empty: { label: 'no records', tone: 'bad', shape: 'hollow' },
  gap: { label: 'records left out', tone: 'bad', shape: 'hollow' },
} as const satisfies Readonly<Record<string, LegendEntry>>;

type State = (typeof STATES)[keyof typeof STATES];

const ENDS = {
  /** The link of the last page was requested, and the answer is no page. */
  broken: { label: 'the next link gives no page', tone: 'bad', shape: 'right' },
  /** Assay did not follow the link of the last page, or the chart has no room for more pages. */
  open: { label: 'more pages, not requested or not drawn', tone: 'neutral', shape: 'right' },
} as const satisfies Readonly<Record<string, LegendEntry>>;

type End = (typeof ENDS)[keyof typeof ENDS];

interface Traversal {
  /** The page size that the first page was requested with, or the default. */
  readonly pageSize: number;
  readonly steps: readonly ListedPage[];
  readonly tiles: readonly Tile[];
  readonly isInOrder: boolean;
  /** How it ends, if not with a page without a link. */
  readonly end: End | null;
  /** The position at which its last page ends. */
  readonly endsAt: number;
}

interface Tile {
  readonly from: number;
  readonly to: number;
  readonly state: State;
  /** Number of the page in its traversal, from 1. */
  readonly page: number;
  /** Records of the page that were seen before. */
  readonly repeated: number;
}

/** The list answers of a target, list by list, in the order of their first request. */
export function listsOf(views: readonly ExchangeView[]): ReadonlyMap<string, readonly ListedPage[]> {
  const pages = views.flatMap((view) => (view.page === null ? [] : [{ view, page: view.page }]));
  return groupBy(pages, ({ page }) => page.path);
}

/**
 * Traversals as rows of pages, one row per page size; the length of a page is its number of records. Null if no
 * traversal has a second page.
 *
 * @param pages the list answers of one list
 * @param views all exchanges of the target
 */
export function traversalChart(pages: readonly ListedPage[], views: readonly ExchangeView[]): Chart | null {
  const size = sizeOf(pages);
  // Without a count the list may be longer.
  const endName = isCounted(pages) ? 'end of the list' : 'last record seen';
  const all = traversalsOf(pages, views, size);
  if (all.length === 0) return null;
  const traversals = drawnOf(all);
  const tiles = traversals.flatMap(({ tiles: own, pageSize }) => own.map((tile) => ({ ...tile, pageSize })));
  const broken = traversals.filter(({ end }) => end === ENDS.broken).length;
  const long = traversals.filter(({ steps }) => steps.length > MAX_PAGES).length;
  const omitted = all.length - traversals.length;
  const wrong = tiles.filter(({ state }) => state !== STATES.inOrder);
  const states: readonly LegendEntry[] = Object.values(STATES).filter((state) =>
    tiles.some((tile) => tile.state === state),
  );
  const ends = Object.values(ENDS).filter((end) => traversals.some((traversal) => traversal.end === end));
  return {
    title: 'Traversals',
    description: [
      `${plural(traversals.length, 'traversal')}, one tile per page, as long as the page holds records.`,
      wrong.length === 0
        ? 'Every page begins where the previous one ends.'
        : `${wrong.length} of ${plural(tiles.length, 'tile')} ${wrong.length === 1 ? 'is' : 'are'} not in order.`,
      `The dotted line is the ${endName} (${plural(size, 'record')}).`,
      broken > 0 &&
        `${plural(broken, 'traversal')} ${broken === 1 ? 'ends' : 'end'} with a link that gives no page.`,
      long > 0 && `Of ${plural(long, 'long traversal')} the first ${MAX_PAGES} pages are drawn.`,
      omitted > 0 && `${plural(omitted, 'further traversal')} ${omitted === 1 ? 'is' : 'are'} not drawn.`,
    ]
      .filter((part) => part !== false)
      .join(' '),
    drawing: drawingOf(traversals, size, endName),
    legend: [...states, ...ends],
    columns: ['page size', 'page', 'from', 'to', 'state', 'records seen before'],
    rows: [...wrong, ...tiles.filter(({ state }) => state === STATES.inOrder)].map(
      ({ pageSize, page, from, to, state, repeated }) => [pageSize, page, from, to, state.label, repeated],
    ),
  };
}

function drawingOf(traversals: readonly Traversal[], size: number, endName: string) {
  const tiles = traversals.flatMap((traversal, row) => traversal.tiles.map((tile) => ({ ...tile, row })));
  const furthest = Math.max(size, ...tiles.map(({ to }) => to));
  const x = linearAxis('position in the list', furthest, 'count');
  const y = {
    title: 'page size',
    bands: traversals.map(({ pageSize }) => String(pageSize)),
    step: STEP,
  };
  // A tile that is not in order may be narrower than a pixel, so it gets a minimum width and is drawn above others.
  const least = furthest / 250;
  const isWrong = ({ state }: Tile): boolean => state !== STATES.inOrder;
  const height = traversals.length * STEP;
  return (
    <Plot x={x} y={y} height={height}>
      {tiles
        .toSorted((one, other) => Number(isWrong(one)) - Number(isWrong(other)))
        .map((tile) => {
          const { row, page, from, to, state } = tile;
          const width = isWrong(tile) ? Math.max(least, to - from) : to - from;
          const start = Math.min(Math.max(0, (from + to - width) / 2), furthest - width);
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
        {endName}
      </text>
      {traversals.map(({ pageSize, end, endsAt }, row) =>
        end === null ? null : (
          <Mark
            key={pageSize}
            x={percent(endsAt, x)}
            y={(row + 0.5) * STEP}
            shape={end.shape}
            tone={end.tone}
          />
        ),
      )}
    </Plot>
  );
}

/** Space above and below a tile in pixels: other states also differ in height, for readers who cannot see colours. */
const INSETS = { square: [5, 5], low: [14, 3], thin: [10, 10], hollow: [3, 3] } as const;

/** One traversal per page size, ascending: one that is not in order, or else the longest. */
function traversalsOf(
  pages: readonly ListedPage[],
  views: readonly ExchangeView[],
  size: number,
): readonly Traversal[] {
  const bySize = new Map<number, Traversal>();
  for (const steps of followedLinks(pages)) {
    const pageSize = steps[0]?.page.requestedSize ?? MAX_PAGE_SIZE;
    const traversal = traversalOf(pageSize, steps, views, size);
    const known = bySize.get(pageSize);
    if (known === undefined || showsMore(traversal, known)) bySize.set(pageSize, traversal);
  }
  return [...bySize.values()].toSorted((one, other) => one.pageSize - other.pageSize);
}

function showsMore(one: Traversal, other: Traversal): boolean {
  return one.isInOrder === other.isInOrder
    ? one.steps.length > other.steps.length
    : other.isInOrder && !one.isInOrder;
}

/** The traversals that are drawn: if there are too many, those in order are left out first, of these the ones that show least. */
function drawnOf(traversals: readonly Traversal[]): readonly Traversal[] {
  const drawn = new Set(
    traversals
      .toSorted((one, other) => Number(one.isInOrder) - Number(other.isInOrder) || other.endsAt - one.endsAt)
      .slice(0, MAX_TRAVERSALS),
  );
  return traversals.filter((traversal) => drawn.has(traversal));
}

function traversalOf(
  pageSize: number,
  steps: readonly ListedPage[],
  views: readonly ExchangeView[],
  size: number,
): Traversal {
  const tiles: Tile[] = [];
  const seen = new Set<number>();
  let reached = 0;
  let received = 0;
  const addGap = (page: number, to: number): void => {
    tiles.push({ page, from: reached, to, state: STATES.gap, repeated: 0 });
  };
  steps.slice(0, MAX_PAGES).forEach(({ page }, index) => {
    // A link without a readable $skip leads to the records after those received.
    const from = index > 0 && steps[index - 1]?.page.linkedSkip === null ? reached : page.skip;
    if (Math.min(from, size) > reached) addGap(index + 1, Math.min(from, size));
    const repeated = page.doubled + [...new Set(page.ids)].filter((id) => seen.has(id)).length;
    for (const id of page.ids) seen.add(id);
    const to = from + page.items;
    let state: State = STATES.inOrder;
    if (repeated > 0) state = STATES.repeats;
    else if (index > 0 && page.items === 0) state = STATES.empty;
    else if (from < reached) state = STATES.overlaps;
    else if (page.hasLink && page.items < Math.min(pageSize, MAX_PAGE_SIZE) && to < size)
      state = STATES.short;
    tiles.push({ page: index + 1, from, to, state, repeated });
    reached = Math.max(reached, to);
    received += page.items;
    const isLast = index === steps.length - 1;
    if (isLast && !page.hasLink && Math.max(reached, received) < size) addGap(index + 1, size);
  });
  const end = endOf(steps, views);
  return {
    pageSize,
    steps,
    tiles,
    isInOrder: end !== ENDS.broken && tiles.every(({ state }) => state === STATES.inOrder),
    end,
    endsAt: tiles.at(-1)?.to ?? 0,
  };
}

function endOf(steps: readonly ListedPage[], views: readonly ExchangeView[]): End | null {
  if (steps.length > MAX_PAGES) return ENDS.open;
  const last = steps.at(-1);
  if (last?.page.hasLink !== true) return null;
  const { linkedQuery, path } = last.page;
  if (steps.some(({ page }) => page.query === linkedQuery)) return null;
  const isFollowed = views.some(({ number, request, answer, body }) => {
    // A 200 whose body was not read may be a page.
    if (number < last.view.number || (answer?.status === 200 && body === null)) return false;
    const details = requestDetails(request.target);
    return details.path === path && details.query === linkedQuery;
  });
  return isFollowed ? ENDS.broken : ENDS.open;
}

/** Whether any page gives a count; without one the number of records is unknown. */
function isCounted(pages: readonly ListedPage[]): boolean {
  return pages.some(({ page }) => page.count !== null);
}

/** The number of records in a list: the most frequent count, or the last position seen if there is no count. */
function sizeOf(pages: readonly ListedPage[]): number {
  const counts = groupBy(
    pages.flatMap(({ page }) => page.count ?? []),
    (count) => count,
  );
  const [agreed] = [...counts.values()].toSorted((one, other) => other.length - one.length);
  return agreed?.[0] ?? Math.max(0, ...pages.map(({ page }) => page.skip + page.items));
}

/**
 * The traversals among the list answers: each begins with a first page with `$count=true`, and goes on with the
 * answer to each page's link. Pages requested by parameters belong to none. A traversal ends with the
 * first page that repeats a request.
 *
 * @param pages in the order of their requests
 */
function followedLinks(pages: readonly ListedPage[]): readonly (readonly ListedPage[])[] {
  const byQuery = groupBy(pages, ({ page }) => page.query);
  return firstPageTargets(pages)
    .map((first) => stepsFrom(first, byQuery))
    .filter((steps) => steps.length > 1);
}

/** The pages requested without an offset, unless an earlier page links to them. */
function firstPageTargets(pages: readonly ListedPage[]): readonly ListedPage[] {
  const linked = new Set<string>();
  return pages.filter(({ page }) => {
    const isFirst = page.isCounted && page.skip === 0 && (page.requestedSize ?? MAX_PAGE_SIZE) > 0;
    const isLinked = linked.has(page.query);
    if (page.linkedQuery !== null) linked.add(page.linkedQuery);
    return isFirst && !isLinked;
  });
}

function stepsFrom(
  first: ListedPage,
  byQuery: ReadonlyMap<string, readonly ListedPage[]>,
): readonly ListedPage[] {
  const steps = [first];
  const requested = new Set([first.page.query]);
  let last = first;
  while (steps.length <= MAX_PAGES && last.page.linkedQuery !== null) {
    const { number } = last.view;
    const next = byQuery.get(last.page.linkedQuery)?.find(({ view }) => view.number > number);
    if (next === undefined) break;
    steps.push(next);
    if (requested.has(next.page.query)) break;
    requested.add(next.page.query);
    last = next;
  }
  return steps;
}
