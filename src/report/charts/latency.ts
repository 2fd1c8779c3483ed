import { withCommas } from '../../core/number-format.ts';
import { milliseconds, plural } from '../words.ts';
import { COLOUR } from './draw.ts';
import type { Sketch } from './pictures.ts';
import { type ListedPage, quantile } from './series.ts';

interface Bin {
  readonly name: string;
  readonly sorted: readonly number[];
}

const SIZES = [0, 1, 10, 50, 100, 250, 500, 501];

/** How long answers take, by the records on the page; null where all pages are alike. */
export function latencyBySize(pages: readonly ListedPage[]): Sketch | null {
  const bins = binned(pages, SIZES, ({ page }) => page.items);
  return sketch('Latency by page size', 'records on the page', bins, pages.length);
}

/** How long answers take, by where the page lies in the list; null where only beginnings were read. */
export function latencyByPosition(pages: readonly ListedPage[]): Sketch | null {
  const furthest = Math.max(0, ...pages.map(({ page }) => page.skip));
  const step = Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, furthest)))) / (furthest < 1 ? 1 : 2);
  const width = furthest / step > 10 ? step * 2 : step;
  const bounds = [
    0,
    1,
    ...Array.from({ length: Math.ceil(furthest / width) }, (_, index) => (index + 1) * width),
  ];
  const bins = binned(pages, bounds, ({ page }) => page.skip);
  return sketch('Latency by position in the list', 'records before the page', bins, pages.length);
}

function binned(
  pages: readonly ListedPage[],
  bounds: readonly number[],
  positionOf: (listed: ListedPage) => number,
): readonly Bin[] {
  return bounds.flatMap((from, index) => {
    const below = bounds[index + 1] ?? Number.POSITIVE_INFINITY;
    const sorted = pages
      .filter((listed) => positionOf(listed) >= from && positionOf(listed) < below)
      .map(({ view }) => view.durationMs)
      .sort((one, other) => one - other);
    if (sorted.length === 0) return [];
    const number = (value: number): string => withCommas(value);
    const name =
      below === Number.POSITIVE_INFINITY
        ? `${number(from)} and more`
        : below - from === 1
          ? number(from)
          : `${number(from)} to ${number(below - 1)}`;
    return [{ name, sorted }];
  });
}

function sketch(title: string, axis: string, bins: readonly Bin[], answers: number): Sketch | null {
  if (bins.length < 2) return null;
  const values = bins.map(({ name, sorted }) => ({
    name,
    low: quantile(sorted, 0.05),
    quarter: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    threeQuarters: quantile(sorted, 0.75),
    high: quantile(sorted, 0.95),
  }));
  const y = { field: 'name', type: 'nominal' as const, sort: null, title: axis };
  return {
    title,
    words: `${plural(answers, 'answer')}: median as a stroke, the middle half as a box, 5 % to 95 % as a line.`,
    drawing: {
      width: 400,
      height: { step: 28 },
      data: { values },
      layer: [
        {
          mark: { type: 'rule', color: COLOUR.quiet },
          encoding: {
            y,
            x: { field: 'low', type: 'quantitative', title: 'milliseconds' },
            x2: { field: 'high' },
          },
        },
        {
          mark: { type: 'bar', color: COLOUR.link, opacity: 0.45, height: 14 },
          encoding: { y, x: { field: 'quarter', type: 'quantitative' }, x2: { field: 'threeQuarters' } },
        },
        {
          mark: { type: 'tick', color: COLOUR.ink, thickness: 2, height: 18 },
          encoding: { y, x: { field: 'median', type: 'quantitative' } },
        },
      ],
    },
    columns: [axis, 'answers', 'median', '95 %', 'slowest'],
    rows: bins.map(({ name, sorted }) => [
      name,
      sorted.length,
      milliseconds(quantile(sorted, 0.5)),
      milliseconds(quantile(sorted, 0.95)),
      milliseconds(sorted.at(-1) ?? 0),
    ]),
    wide: false,
  };
}
