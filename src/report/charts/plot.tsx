import type { ComponentChildren, VNode } from 'preact';
import { withCommas } from '../../core/number-format.ts';

/** The meaning of a colour; `style-sections.ts` defines the colour in light and dark themes. */
type Tone = 'good' | 'bad' | 'odd' | 'neutral';

type Shape = 'square' | 'low' | 'thin' | 'hollow' | 'circle' | 'right';

export interface LegendEntry {
  readonly label: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

/** A chart: its drawing, and the same content as text and as a table. */
export interface Chart {
  readonly title: string;
  /** One or two sentences: what is drawn, and what it shows. */
  readonly description: string;
  readonly drawing: VNode;
  /** Empty if nothing needs an explanation. */
  readonly legend: readonly LegendEntry[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** The charts of a target, at least one. */
export interface TargetCharts {
  readonly target: string;
  readonly charts: readonly Chart[];
}

interface LinearAxis {
  readonly title: string;
  readonly max: number;
  readonly ticks: readonly number[];
}

/** An axis with one band per name, from top to bottom. */
interface BandAxis {
  readonly title: string;
  readonly bands: readonly string[];
  readonly step: number;
}

interface PlotProps {
  readonly x: LinearAxis;
  readonly y: LinearAxis | BandAxis;
  readonly height: number;
  readonly children: ComponentChildren;
}

/**
 * The frame of a chart: grid, ticks and titles. Horizontal positions are percentages and vertical ones pixels, so
 * that a chart fills the page width while its text keeps its size. Axis labels are in the padding of the SVG element.
 */
export function Plot({ x, y, height, children }: PlotProps) {
  const labels = labelsOf(y, height);
  const isWide = labels.some(({ label }) => label.length > 7);
  return (
    <svg class={isWide ? 'chart long-labels' : 'chart'} height={height} aria-hidden="true">
      {x.ticks.map((tick) => (
        <line key={tick} class="grid" x1={percent(tick, x)} x2={percent(tick, x)} y1="0" y2={height} />
      ))}
      {labels.map(({ label, at }) => (
        <g key={at}>
          {'bands' in y ? null : <line class="grid" x1="0" x2="100%" y1={at} y2={at} />}
          <text class="y" x="-8" y={at} dy=".35em">
            {label}
          </text>
        </g>
      ))}
      {children}
      {x.ticks.map((tick) => (
        <text key={tick} class="x" x={percent(tick, x)} y={height + 16}>
          {numberLabel(tick)}
        </text>
      ))}
      <text class="x" x="50%" y={height + 34}>
        {x.title}
      </text>
      <text class="y-title" x="-8" y="-12">
        {y.title}
      </text>
    </svg>
  );
}

interface MarkProps {
  readonly x: string;
  readonly y: number;
  readonly shape: Shape;
  readonly tone: Tone;
}

/** The mark of a point, `x` in percent and `y` in pixels. */
export function Mark({ x, y, shape, tone }: MarkProps) {
  if (shape === 'circle') return <circle class={tone} cx={x} cy={y} r="3.2" />;
  return (
    <svg class="mark" x={x} y={y} aria-hidden="true">
      <path class={shape === 'hollow' ? `${tone} hollow` : tone} d={PATHS[shape]} />
    </svg>
  );
}

const PATHS = {
  right: 'M5 0-4 4.8V-4.8Z',
  square: 'M-4.5-4.5h9v9h-9Z',
  low: 'M-4.5 0h9v4.5h-9Z',
  thin: 'M-4.5-1.5h9v3h-9Z',
  hollow: 'M-4-4h8v8h-8Z',
} as const;

function labelsOf(axis: LinearAxis | BandAxis, height: number) {
  if ('bands' in axis) return axis.bands.map((label, index) => ({ label, at: (index + 0.5) * axis.step }));
  return axis.ticks.map((tick) => ({ label: numberLabel(tick), at: height * (1 - tick / axis.max) }));
}

function numberLabel(value: number): string {
  return Number.isInteger(value) ? withCommas(value) : String(value);
}

/** An axis with round ticks up to `most`. A `count` has whole ticks and ends at `most`, a `scale` at its last tick. */
export function linearAxis(title: string, most: number, kind: 'count' | 'scale'): LinearAxis {
  const top = most > 0 ? most : 1;
  // Long labels need more space.
  const step = Math.max(kind === 'count' ? 1 : 0, roundStep(top / (most >= 100_000 ? 4 : 6)));
  const last = kind === 'count' ? Math.floor(top / step + 1e-9) : Math.ceil(top / step - 1e-9);
  const ticks = Array.from({ length: last + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  return { title, max: kind === 'count' ? top : (ticks.at(-1) ?? top), ticks };
}

/** The next 1, 2 or 5 times a power of ten at or above a positive number. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}

/** The position of a value on an axis as a percentage, because the width of the SVG is unknown. */
export function percent(value: number, { max }: LinearAxis): string {
  return `${Number(((value / max) * 100).toFixed(2))}%`;
}
