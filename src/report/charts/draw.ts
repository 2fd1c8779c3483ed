import type { Channel, Drawing } from './drawing.ts';
import { type Axes, marksOf, symbol } from './marks.ts';
import { layersOf, type Scale, scaleOf } from './scale.ts';
import { element, wrapped } from './svg.ts';

export type { Drawing } from './drawing.ts';

/** Colours of the page. */
export const COLOUR = {
  good: 'var(--pass)',
  bad: 'var(--fail)',
  odd: 'var(--inconclusive)',
  broken: 'var(--error)',
  quiet: 'var(--muted)',
  ink: 'var(--ink)',
  link: 'var(--link)',
} as const;

const LINE = 'var(--line)';
const FONT = { 'font-family': 'system-ui, DejaVu Sans, sans-serif', 'font-size': 11 };
/** Width of a letter and height of a line, roughly: nobody here knows the fonts of the reader. */
const LETTER = 6.4;
const LEADING = 15;

/**
 * Draws a picture as static SVG. Its colours are those of the page's style sheet, so that it is dark where the page
 * is dark; it holds neither script nor style of its own.
 */
export function draw(drawing: Drawing): string {
  const axes: Axes = { x: scaleOf(drawing, 'x'), y: scaleOf(drawing, 'y') };
  const layers = layersOf(drawing);
  const legend = layers.map(({ encoding }) => encoding).find(({ color }) => color !== undefined);
  const labels = axes.y.channel.axis?.labels === false ? [] : axes.y.ticks.map(({ label }) => label.length);
  const left = LEADING + 14 + LETTER * Math.max(0, ...labels);
  const top = legend === undefined ? 8 : 30;
  const [width, height] = [left + axes.x.length + 24, top + axes.y.length + 40];
  const plot = [
    grid(axes),
    ...layers.map((layer) => marksOf(layer, axes, COLOUR.link)),
    axisX(axes),
    axisY(axes, left),
  ].join('');
  const parts = [
    legend?.color === undefined ? '' : legendOf(legend.color, legend.shape, left),
    wrapped('g', { transform: `translate(${left.toFixed(1)},${top})` }, plot),
  ];
  // Whoever shows it says in words what it shows; its parts would say it again, less well.
  const frame = { 'aria-hidden': 'true', xmlns: 'http://www.w3.org/2000/svg', width, height };
  return wrapped(
    'svg',
    { ...frame, viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, ...FONT },
    parts.join(''),
  );
}

function grid({ x, y }: Axes): string {
  const across = (scale: Scale, from: (at: number) => { readonly [name: string]: number }): string[] =>
    scale.channel.type === 'nominal'
      ? []
      : scale.ticks.map(({ at }) => element('line', { ...from(at), stroke: LINE, 'stroke-width': 0.7 }));
  return [
    ...across(x, (at) => ({ x1: at, x2: at, y1: 0, y2: y.length })),
    ...across(y, (at) => ({ x1: 0, x2: x.length, y1: at, y2: at })),
  ].join('');
}

function axisX({ x, y }: Axes): string {
  const labels = x.ticks.map(({ at, label }) =>
    element('text', { x: at, y: y.length + LEADING, fill: COLOUR.quiet, 'text-anchor': 'middle' }, label),
  );
  const base = element('line', { x1: 0, x2: x.length, y1: y.length, y2: y.length, stroke: LINE });
  const place = {
    x: x.length / 2,
    y: y.length + 2 * LEADING + 2,
    'text-anchor': 'middle',
    fill: COLOUR.quiet,
  };
  return base + labels.join('') + element('text', place, x.channel.title ?? '');
}

function axisY({ y }: Axes, left: number): string {
  const hidden = y.channel.axis?.labels === false;
  const labels = hidden
    ? []
    : y.ticks.map(({ at, label }) =>
        element('text', { x: -8, y: at + 4, fill: COLOUR.quiet, 'text-anchor': 'end' }, label),
      );
  const turned = `translate(${(LEADING - left).toFixed(1)},${(y.length / 2).toFixed(1)}) rotate(-90)`;
  const title = { transform: turned, 'text-anchor': 'middle', fill: COLOUR.quiet };
  return labels.join('') + element('text', title, y.channel.title ?? '');
}

function legendOf(color: Channel, shape: Channel | undefined, left: number): string {
  const names = (color.scale?.domain ?? []).map(String);
  let at = left;
  return names
    .map((name, index) => {
      const paint = { fill: color.scale?.range?.[index] };
      const mark = symbol(shape?.scale?.range?.[index] ?? 'circle', at + 6, 12, 60, paint);
      const words = element('text', { x: at + 16, y: 16, fill: COLOUR.ink }, name);
      at += 34 + LETTER * name.length;
      return mark + words;
    })
    .join('');
}
