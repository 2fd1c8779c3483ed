import type { Channel, Layer, Row } from './drawing.ts';
import type { Scale } from './scale.ts';
import { element } from './svg.ts';

/** The two axes that marks are placed on. */
export interface Axes {
  readonly x: Scale;
  readonly y: Scale;
}

type Filled = Layer & { readonly rows: readonly Row[] };

/** The marks of a layer as SVG. */
export function marksOf(layer: Filled, axes: Axes, plain: string): string {
  const { mark, encoding, rows } = layer;
  const colour = (row: Row): string => chosen(encoding.color, row) ?? mark.color ?? plain;
  const common = { opacity: mark.opacity };
  switch (mark.type) {
    case 'bar':
      return bars(layer, axes, colour);
    case 'line':
      return lines(layer, axes, colour);
    case 'point':
      return rows
        .map((row) => {
          const shape = chosen(encoding.shape, row) ?? 'circle';
          return symbol(shape, xOf(layer, row, axes), yOf(layer, row, axes), mark.size ?? 30, {
            ...common,
            fill: colour(row),
          });
        })
        .join('');
    case 'rule':
      return rows
        .map((row) => {
          const across = encoding.x === undefined;
          const y = yOf(layer, row, axes);
          return element('line', {
            ...common,
            x1: across ? 0 : xOf(layer, row, axes),
            x2: across ? axes.x.length : axes.x.at(row[encoding.x2?.field ?? ''] ?? 0),
            y1: y,
            y2: y,
            stroke: colour(row),
            'stroke-dasharray': mark.strokeDash?.join(' '),
          });
        })
        .join('');
    case 'text':
      return rows
        .map((row) =>
          element(
            'text',
            {
              x: xOf(layer, row, axes) + (mark.dx ?? 0),
              y: yOf(layer, row, axes) + (mark.dy ?? 0),
              fill: colour(row),
            },
            String(row[encoding.text?.field ?? ''] ?? ''),
          ),
        )
        .join('');
    case 'tick':
      return rows
        .map((row) => {
          const [width, height] = [mark.thickness ?? 1, mark.height ?? 14];
          const place = { x: xOf(layer, row, axes) - width / 2, y: yOf(layer, row, axes) - height / 2 };
          return element('rect', { ...common, ...place, width, height, fill: colour(row) });
        })
        .join('');
  }
}

/** A symbol around a point; `area` in square pixels. */
export function symbol(
  shape: string,
  x: number,
  y: number,
  area: number,
  paint: { readonly [name: string]: string | number | undefined },
): string {
  if (shape === 'circle') return element('circle', { cx: x, cy: y, r: Math.sqrt(area / Math.PI), ...paint });
  const half = Math.sqrt(area / Math.sqrt(3));
  const tall = (half * Math.sqrt(3)) / 2;
  const up = shape === 'triangle-up' ? 1 : -1;
  const corners = [
    [x - half, y + up * tall],
    [x + half, y + up * tall],
    [x, y - up * tall],
  ];
  return element('polygon', {
    points: corners.map((corner) => corner.map(rounded).join()).join(' '),
    ...paint,
  });
}

function bars(layer: Filled, axes: Axes, colour: (row: Row) => string): string {
  const { mark, encoding, rows } = layer;
  const tops = new Map<number, number>();
  return rows
    .map((row) => {
      const left = xOf(layer, row, axes);
      const right = axes.x.at(row[encoding.x2?.field ?? ''] ?? 0);
      const paint = {
        opacity: mark.opacity,
        fill: colour(row),
        stroke: mark.stroke,
        'stroke-width': mark.strokeWidth,
      };
      const place = { x: left, width: Math.max(0, right - left) };
      if (encoding.y?.stack === undefined) {
        const height = mark.height ?? 14;
        return element('rect', { ...place, y: yOf(layer, row, axes) - height / 2, height, ...paint });
      }
      const below = tops.get(left) ?? 0;
      const above = below + Number(row[encoding.y.field] ?? 0);
      tops.set(left, above);
      const top = axes.y.at(above);
      return element('rect', { ...place, y: top, height: axes.y.at(below) - top, ...paint });
    })
    .join('');
}

function lines(layer: Filled, axes: Axes, colour: (row: Row) => string): string {
  const { mark, encoding, rows } = layer;
  const groups = new Map<string | number | undefined, Row[]>();
  for (const row of rows) {
    const name = encoding.color === undefined ? undefined : row[encoding.color.field];
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return [...groups.values()]
    .map((group) => {
      const [first] = group;
      if (first === undefined) return '';
      const points = group.map(
        (row) => `${rounded(xOf(layer, row, axes))},${rounded(yOf(layer, row, axes))}`,
      );
      const paint = { fill: 'none', stroke: colour(first), 'stroke-width': mark.strokeWidth };
      const dots = group.map((row) =>
        mark.point === undefined
          ? ''
          : symbol('circle', xOf(layer, row, axes), yOf(layer, row, axes), mark.point.size, {
              fill: colour(row),
            }),
      );
      return element('polyline', { points: points.join(' '), ...paint }) + dots.join('');
    })
    .join('');
}

function xOf({ encoding: { x } }: Filled, row: Row, axes: Axes): number {
  if (x === undefined) return 0;
  return 'value' in x ? x.value : axes.x.at(row[x.field] ?? 0);
}

function yOf({ encoding: { y } }: Filled, row: Row, axes: Axes): number {
  return y === undefined ? 0 : axes.y.at(row[y.field] ?? 0);
}

/** What a nominal channel chooses for a value: the entry of its range that stands where the value stands in its domain. */
function chosen(channel: Channel | undefined, row: Row): string | undefined {
  if (channel === undefined) return undefined;
  const index = channel.scale?.domain?.indexOf(row[channel.field] ?? '') ?? -1;
  return channel.scale?.range?.[index];
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
