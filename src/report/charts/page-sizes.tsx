import { withCommas } from '../../core/number-format.ts';
import { plural } from '../wording/phrases.ts';
import { type ListedPage, MAXIMUM, sizeOf } from './list-pages.ts';
import type { Chart, LegendEntry } from './plot.tsx';
import { linearAxis, Mark, Plot, percent } from './plot.tsx';

/** Most points drawn with the expected size, and most with another size. */
const MAX_POINTS = 150;
/** Larger page sizes appear only in the table. */
const MAX_DRAWN_SIZE = 1100;
const HEIGHT = 260;

const RATINGS = {
  expected: { label: 'as requested', tone: 'good', shape: 'circle' },
  more: { label: 'more than requested', tone: 'bad', shape: 'up' },
  fewer: { label: 'fewer than requested', tone: 'odd', shape: 'down' },
} as const satisfies Readonly<Record<string, LegendEntry>>;

interface Point {
  readonly requested: number;
  readonly received: number;
  readonly rating: (typeof RATINGS)[keyof typeof RATINGS];
}

/**
 * Page sizes requested against records received, on first pages; null if fewer than three sizes were requested.
 *
 * @param sizes sizes from 1 to the largest page that the whole run requested
 */
export function pageSizeChart(pages: readonly ListedPage[], sizes: number): Chart | null {
  const size = sizeOf(pages);
  const all = pointsOf(pages, size);
  if (all.length < 3) return null;
  const near = all.filter(({ requested }) => requested <= MAX_DRAWN_SIZE);
  const far = all.length - near.length;
  const drawnSizes = new Set(all.map(({ requested }) => requested)).size;
  const isExpected = ({ rating }: Point): boolean => rating === RATINGS.expected;
  const unexpected = near.filter((point) => !isExpected(point));
  const expected = near.filter(isExpected);
  const drawn = [...thinned(expected, MAX_POINTS), ...unexpected.slice(0, MAX_POINTS)];
  const beyond =
    far === 0
      ? ''
      : ` ${plural(far, 'size')} above ${withCommas(MAX_DRAWN_SIZE)} ${far === 1 ? 'is' : 'are'} listed in the table only.`;
  return {
    title: 'Page sizes: requested and received',
    description: `First pages at ${plural(drawnSizes, 'size')}; the run requested ${sizes} of the ${MAXIMUM} allowed sizes. ${unexpectedText(unexpected.length)} The line shows the expected number of records.${beyond}`,
    drawing: drawingOf(drawn, Math.min(MAXIMUM, size)),
    legend: Object.values(RATINGS),
    columns: ['page size requested', 'records received', 'rating'],
    rows: [...unexpected, ...all.filter(isExpected)].map(({ requested, received, rating }) => [
      requested,
      received,
      rating.label,
    ]),
  };
}

function pointsOf(pages: readonly ListedPage[], size: number): readonly Point[] {
  const seen = new Map<string, Point>();
  for (const { page } of pages) {
    const { requestedSize: requested, items: received } = page;
    if (page.skip !== 0 || requested === null || !(requested > 0)) continue;
    const allowed = Math.min(requested, MAXIMUM);
    const rating =
      received > allowed
        ? RATINGS.more
        : received < Math.min(allowed, size)
          ? RATINGS.fewer
          : RATINGS.expected;
    seen.set(`${requested} ${received}`, { requested, received, rating });
  }
  return [...seen.values()].toSorted((one, other) => one.requested - other.requested);
}

/** The points, the expected line (up to `corner` records), and the largest page that is allowed. */
function drawingOf(points: readonly Point[], corner: number) {
  const x = linearAxis(
    'page size requested',
    Math.max(MAXIMUM + 100, ...points.map(({ requested }) => requested)),
    { isRounded: false },
  );
  const y = linearAxis('records received', Math.max(corner, ...points.map(({ received }) => received)));
  const yOf = (records: number): number => Number((HEIGHT * (1 - records / y.max)).toFixed(1));
  return (
    <Plot x={x} y={y} height={HEIGHT}>
      <line class="expected" x1="0" y1={HEIGHT} x2={percent(corner, x)} y2={yOf(corner)} />
      <line class="expected" x1={percent(corner, x)} y1={yOf(corner)} x2="100%" y2={yOf(corner)} />
      {y.max < MAXIMUM ? null : (
        <>
          <line class="limit" x1="0" x2="100%" y1={yOf(MAXIMUM)} y2={yOf(MAXIMUM)} />
          <text class="limit-label" x="4" y={yOf(MAXIMUM) + 14}>
            {MAXIMUM}, the largest page allowed
          </text>
        </>
      )}
      {points.map(({ requested, received, rating }) => (
        <Mark
          key={`${requested} ${received}`}
          x={percent(requested, x)}
          y={yOf(received)}
          shape={rating.shape}
          tone={rating.tone}
        />
      ))}
    </Plot>
  );
}

function unexpectedText(unexpected: number): string {
  if (unexpected === 0) return 'Every page holds the expected number of records.';
  return `${plural(unexpected, 'page')} ${unexpected === 1 ? 'holds' : 'hold'} another number of records than expected.`;
}

/** At most `most` evenly spaced members, including the first and the last. */
function thinned<Member>(all: readonly Member[], most: number): readonly Member[] {
  if (all.length <= most) return all;
  const step = (all.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => all[Math.round(index * step)] as Member);
}
