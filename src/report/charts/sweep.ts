import { plural } from '../words.ts';
import { COLOUR, type Drawing } from './draw.ts';
import type { Sketch } from './pictures.ts';
import { type ListedPage, MAXIMUM, sizeOf, thinned } from './series.ts';

const POINTS = 300;
const WIDEST = 1100;

const JUDGEMENTS = ['as asked', 'more than asked', 'fewer than asked'] as const;

/** Page sizes asked for against records received, on first pages; null where fewer than three sizes were asked for. */
export function sweep(pages: readonly ListedPage[]): Sketch | null {
  const size = sizeOf(pages);
  const seen = new Map<string, { asked: number; got: number; how: (typeof JUDGEMENTS)[number] }>();
  for (const { page } of pages) {
    if (page.skip !== 0 || page.asked === null || !(page.asked > 0)) continue;
    const due = Math.min(page.asked, MAXIMUM, size);
    const how =
      page.items > Math.min(page.asked, MAXIMUM)
        ? JUDGEMENTS[1]
        : page.items < due
          ? JUDGEMENTS[2]
          : JUDGEMENTS[0];
    seen.set(`${page.asked} ${page.items}`, { asked: page.asked, got: page.items, how });
  }
  const all = [...seen.values()].toSorted((one, other) => one.asked - other.asked);
  if (all.length < 3) return null;
  const drawn = all.filter(({ asked }) => asked <= WIDEST);
  const far = all.length - drawn.length;
  const odd = drawn.filter(({ how }) => how !== JUDGEMENTS[0]);
  const points = [
    ...odd.slice(0, POINTS / 2),
    ...thinned(
      drawn.filter(({ how }) => how === JUDGEMENTS[0]),
      POINTS / 2,
    ),
  ];
  const right = Math.max(MAXIMUM + 100, ...points.map(({ asked }) => asked));
  const corner = Math.min(MAXIMUM, size);
  const drawing: Drawing = {
    width: 460,
    height: 260,
    layer: [
      {
        data: { values: [0, corner, right].map((asked) => ({ asked, got: Math.min(asked, corner) })) },
        mark: { type: 'line', color: COLOUR.quiet, strokeWidth: 1 },
        encoding: { x: { field: 'asked', type: 'quantitative' }, y: { field: 'got', type: 'quantitative' } },
      },
      {
        data: { values: [{ limit: MAXIMUM }] },
        mark: { type: 'rule', color: COLOUR.bad, strokeDash: [5, 4] },
        encoding: { y: { field: 'limit', type: 'quantitative' } },
      },
      {
        data: { values: [{ limit: MAXIMUM, words: '500, the most a page may hold' }] },
        mark: { type: 'text', align: 'left', baseline: 'bottom', dx: 4, dy: -3, color: COLOUR.bad },
        encoding: { x: { value: 0 }, y: { field: 'limit', type: 'quantitative' }, text: { field: 'words' } },
      },
      {
        data: { values: points },
        mark: { type: 'point', filled: true, size: 34, opacity: 0.9 },
        encoding: {
          x: {
            field: 'asked',
            type: 'quantitative',
            title: 'page size asked for',
            scale: { domain: [0, right], nice: false },
          },
          y: { field: 'got', type: 'quantitative', title: 'records received' },
          color: {
            field: 'how',
            type: 'nominal',
            scale: { domain: [...JUDGEMENTS], range: [COLOUR.good, COLOUR.bad, COLOUR.odd] },
          },
          shape: {
            field: 'how',
            type: 'nominal',
            scale: { domain: [...JUDGEMENTS], range: ['circle', 'triangle-up', 'triangle-down'] },
          },
        },
      },
    ],
  };
  const beyond =
    far === 0
      ? ''
      : ` ${plural(far, 'size')} above ${WIDEST} ${far === 1 ? 'stands' : 'stand'} in the table only.`;
  return {
    title: 'Page sizes: asked for and received',
    words: `First pages at ${all.length} sizes. ${oddWords(odd.length)} The line is what a page should hold.${beyond}`,
    drawing,
    columns: ['page size asked for', 'records received', 'how'],
    rows: [...odd, ...all.filter(({ how }) => how === JUDGEMENTS[0])].map(({ asked, got, how }) => [
      asked,
      got,
      how,
    ]),
    wide: false,
  };
}

function oddWords(odd: number): string {
  if (odd === 0) return 'All hold what was asked for.';
  return odd === 1
    ? 'One holds something else than asked for.'
    : `${odd} hold something else than asked for.`;
}
