import { withCommas } from '../../core/number-format.ts';
import { plural } from '../words.ts';
import { COLOUR } from './draw.ts';
import type { Sketch } from './pictures.ts';
import { type ListedPage, thinned } from './series.ts';

/** What count said while the run went on; null where fewer than two answers gave one. */
export function counts(pages: readonly ListedPage[], startedAt: number): Sketch | null {
  const given = pages.flatMap(({ view, page }) =>
    page.count === null
      ? []
      : [{ at: (view.startedAt - startedAt) / 1000, count: page.count, number: view.number }],
  );
  if (given.length < 2) return null;
  const times = new Map<number, number>();
  for (const { count } of given) times.set(count, (times.get(count) ?? 0) + 1);
  const usual = [...times].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 0;
  const values = [
    ...given.filter(({ count }) => count !== usual).slice(0, 150),
    ...thinned(
      given.filter(({ count }) => count === usual),
      120,
    ),
  ].map((one) => ({ ...one, how: one.count === usual ? 'the usual count' : 'another count' }));
  const room = Math.max(2, (Math.max(...times.keys()) - Math.min(...times.keys())) * 0.1);
  return {
    title: 'count while the run went on',
    words:
      times.size === 1
        ? `All ${given.length} answers that give a count give ${withCommas(usual)}.`
        : `${given.length} answers give ${plural(times.size, 'different count')}; most often ${withCommas(usual)}.`,
    drawing: {
      width: 460,
      height: 220,
      data: { values },
      mark: { type: 'point', filled: true, size: 30, opacity: 0.8 },
      encoding: {
        x: { field: 'at', type: 'quantitative', title: 'seconds into the run' },
        y: {
          field: 'count',
          type: 'quantitative',
          title: 'count',
          scale: {
            zero: false,
            nice: false,
            domain: [Math.min(...times.keys()) - room, Math.max(...times.keys()) + room],
          },
          axis: { format: ',d', tickMinStep: 1, tickCount: 5 },
        },
        color: {
          field: 'how',
          type: 'nominal',
          scale: { domain: ['the usual count', 'another count'], range: [COLOUR.good, COLOUR.bad] },
        },
        shape: {
          field: 'how',
          type: 'nominal',
          scale: { domain: ['the usual count', 'another count'], range: ['circle', 'triangle-up'] },
        },
      },
    },
    columns: ['count', 'answers that give it'],
    rows: [...times].toSorted(([, one], [, other]) => other - one),
    wide: false,
  };
}
