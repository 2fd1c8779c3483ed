import type { VNode } from 'preact';

/** A colour of the style sheet, by what it means; `style-charts.ts` maps it to a colour, light and dark. */
export type Tone = 'good' | 'bad' | 'odd' | 'broken' | 'neutral';

/** The mark of a point or of a legend entry. */
export type Shape = 'square' | 'low' | 'thin' | 'hollow' | 'circle' | 'up' | 'down' | 'right';

/** What one tone means in a chart. */
export interface LegendEntry {
  readonly label: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

/** One chart: its drawing, and the same as text and as a table. */
export interface Chart {
  readonly title: string;
  /** One or two sentences: what is drawn, and what it shows. */
  readonly description: string;
  readonly drawing: VNode;
  /** Empty where nothing needs an explanation. */
  readonly legend: readonly LegendEntry[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** True where the chart takes the full width of the page. */
  readonly wide: boolean;
}

/** A chart of a run, with the target that it belongs to. */
export interface TargetChart extends Chart {
  readonly target: string;
}
