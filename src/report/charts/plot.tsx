import type { ComponentChildren } from 'preact';
import { withCommas } from '../../core/number-format.ts';
import { type BandAxis, type LinearAxis, percent } from './axis.ts';
import type { Shape, Tone } from './chart.ts';

/**
 * The frame of a chart: grid, ticks and titles. Horizontal positions are percentages and vertical ones
 * pixels, so that a chart fills the page width while its text keeps its size. Axis labels are in the padding
 * of the SVG element.
 */
export function Plot({
  x,
  y,
  height,
  children,
}: {
  readonly x: LinearAxis;
  readonly y: LinearAxis | BandAxis;
  /** Height of the drawing area in pixels. */
  readonly height: number;
  readonly children: ComponentChildren;
}) {
  const labels = 'bands' in y ? bandLabels(y) : tickLabels(y, height);
  const isWide = labels.some(({ label }) => label.length > 7);
  return (
    <svg class={isWide ? 'chart long-labels' : 'chart'} height={height} aria-hidden="true">
      {x.ticks.map((tick) => (
        <line key={tick} class="grid" x1={percent(tick, x)} x2={percent(tick, x)} y1="0" y2={height} />
      ))}
      {labels.map(({ label, at, isGrid }) => (
        <g key={at}>
          {isGrid ? <line class="grid" x1="0" x2="100%" y1={at} y2={at} /> : null}
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

/** The mark of a point, `x` in percent and `y` in pixels. */
export function Mark({
  x,
  y,
  shape,
  tone,
}: {
  readonly x: string;
  readonly y: number;
  readonly shape: Shape;
  readonly tone: Tone;
}) {
  if (shape === 'circle') return <circle class={tone} cx={x} cy={y} r="3.2" />;
  return (
    <svg class="mark" x={x} y={y} aria-hidden="true">
      <path class={shape === 'hollow' ? `${tone} hollow` : tone} d={PATHS[shape]} />
    </svg>
  );
}

const PATHS = {
  up: 'M0-5 4.8 4H-4.8Z',
  down: 'M0 5 4.8-4H-4.8Z',
  right: 'M5 0-4 4.8V-4.8Z',
  square: 'M-4.5-4.5h9v9h-9Z',
  low: 'M-4.5 0h9v4.5h-9Z',
  thin: 'M-4.5-1.5h9v3h-9Z',
  hollow: 'M-4-4h8v8h-8Z',
} as const;

interface Label {
  readonly label: string;
  readonly at: number;
  readonly isGrid: boolean;
}

function bandLabels({ bands, step, isLabelled }: BandAxis): readonly Label[] {
  if (!isLabelled) return [];
  return bands.map((label, index) => ({ label, at: (index + 0.5) * step, isGrid: false }));
}

function tickLabels({ ticks, max }: LinearAxis, height: number): readonly Label[] {
  return ticks.map((tick) => ({ label: numberLabel(tick), at: height * (1 - tick / max), isGrid: true }));
}

function numberLabel(value: number): string {
  return Number.isInteger(value) ? withCommas(value) : String(value);
}
