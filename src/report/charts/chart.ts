import type { VNode } from 'preact';

/** The meaning of a colour; `style-charts.ts` defines the colour in light and dark themes. */
export type Tone = 'good' | 'bad' | 'odd' | 'broken' | 'neutral';

/** The mark of a point or of a legend entry. */
export type Shape = 'square' | 'low' | 'thin' | 'hollow' | 'circle' | 'up' | 'down' | 'right';

/** An entry of a chart's legend. */
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
  /** Whether the chart uses the full width of the page. */
  readonly wide: boolean;
}

/** A chart of a run, with the target that it belongs to. */
export interface TargetChart extends Chart {
  readonly target: string;
}
