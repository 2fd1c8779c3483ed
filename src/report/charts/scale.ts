import type { Channel, Drawing, Layer, Row } from './drawing.ts';

/** Where the values of one axis stand, in pixels. */
export interface Scale {
  readonly channel: Channel;
  readonly length: number;
  /** Position of a value. */
  readonly at: (value: number | string) => number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
}

/** The layers of a drawing, each with its values. */
export function layersOf(drawing: Drawing): readonly (Layer & { readonly rows: readonly Row[] })[] {
  const { mark, encoding, data } = drawing;
  const layers = drawing.layer ?? (mark === undefined || encoding === undefined ? [] : [{ mark, encoding }]);
  return layers.map((layer: Layer) => ({ ...layer, rows: layer.data?.values ?? data?.values ?? [] }));
}

/** The scale of an axis, from everything that is drawn along it. */
export function scaleOf(drawing: Drawing, axis: 'x' | 'y'): Scale {
  const layers = layersOf(drawing);
  const channels = layers.flatMap(({ encoding, rows }) => {
    const channel = encoding[axis];
    return channel === undefined || 'value' in channel ? [] : [{ channel, rows, encoding }];
  });
  const named = channels.find(({ channel }) => channel.title !== undefined) ?? channels[0];
  if (named === undefined) throw new Error(`a picture needs a channel ${axis}`);
  const scale = channels.find(({ channel }) => channel.scale !== undefined)?.channel.scale;
  const channel: Channel = scale === undefined ? named.channel : { ...named.channel, scale };
  if (channel.type === 'nominal') {
    const names = [
      ...new Set(channels.flatMap(({ rows, channel: { field } }) => rows.map((row) => row[field]))),
    ];
    return bands(channel, names.map(String), axis === 'y' ? drawing.height : drawing.width);
  }
  const values = channels.flatMap(({ rows, encoding, channel: { field, stack } }) => {
    const stacked = stack === undefined ? [] : stackedTops(rows, encoding);
    const second = axis === 'x' ? encoding.x2?.field : undefined;
    return [
      ...stacked,
      ...rows.flatMap((row) => [row[field], second === undefined ? undefined : row[second]]),
    ];
  });
  const length = axis === 'x' ? drawing.width : typeof drawing.height === 'number' ? drawing.height : 0;
  return linear(
    channel,
    values.filter((value) => typeof value === 'number'),
    length,
    axis,
  );
}

/** Tops of the bars that stand upon each other, by where they begin. */
function stackedTops(rows: readonly Row[], { x, y }: Layer['encoding']): readonly number[] {
  const tops = new Map<number | string | undefined, number>();
  for (const row of rows) {
    const at = x === undefined || 'value' in x ? undefined : row[x.field];
    tops.set(at, (tops.get(at) ?? 0) + Number(row[y?.field ?? ''] ?? 0));
  }
  return [...tops.values()];
}

function bands(channel: Channel, names: readonly string[], height: Drawing['height']): Scale {
  const step = typeof height === 'number' ? height / Math.max(1, names.length) : height.step;
  const at = (value: number | string): number => (names.indexOf(String(value)) + 0.5) * step;
  const ticks = names.map((label) => ({ at: at(label), label }));
  return { channel, length: step * names.length, at, ticks };
}

/** Pixels between two ticks, roughly. */
const APART = { x: 90, y: 45 };

function linear(channel: Channel, values: readonly number[], length: number, axis: 'x' | 'y'): Scale {
  const { domain, nice, zero } = channel.scale ?? {};
  let low = Number(domain?.[0] ?? Math.min(...values, ...(zero === false ? [] : [0])));
  let high = Number(domain?.[1] ?? Math.max(...values, ...(zero === false ? [] : [0])));
  if (!(high > low)) high = low + 1;
  const count = channel.axis?.tickCount ?? Math.max(2, length / APART[axis]);
  const step = Math.max(roundStep((high - low) / count), channel.axis?.tickMinStep ?? 0);
  if (domain === undefined && nice !== false) {
    low = Math.floor(low / step) * step;
    high = Math.ceil(high / step) * step;
  }
  const share = (value: number): number => (value - low) / (high - low);
  const at = (value: number | string): number =>
    length * (axis === 'x' ? share(Number(value)) : 1 - share(Number(value)));
  const ticks: { at: number; label: string }[] = [];
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let tick = Math.ceil(low / step - 1e-9); tick * step <= high + step * 1e-9; tick++) {
    const value = tick * step + 0;
    const label =
      channel.axis?.format === 'd'
        ? value.toFixed(digits)
        : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    ticks.push({ at: at(value), label });
  }
  return { channel, length, at, ticks };
}

/** The smallest of 1, 2 and 5 times a power of ten that is not below. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const times = [1, 2, 5, 10].find((candidate) => candidate * power >= least * 0.999) ?? 10;
  return times * power;
}
