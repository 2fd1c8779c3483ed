/** A picture as data: where it comes from vega-lite's way of saying it, the words mean what they mean there. */
export interface Drawing extends Partial<Layer> {
  /** Pixels of the plot, axes and legend not counted. */
  readonly width: number;
  /** Pixels of the plot, or of each row of a nominal axis. */
  readonly height: number | { readonly step: number };
  /** Drawn over each other in this order, on the same axes. Values of its own win over those of the drawing. */
  readonly layer?: readonly Layer[];
}

/** One kind of mark over a set of values. */
export interface Layer {
  readonly data?: { readonly values: readonly Row[] };
  readonly mark: Mark;
  readonly encoding: Encoding;
}

/** One value that is drawn: its members by name. */
export type Row = Readonly<Record<string, string | number>>;

/** How a value is drawn. Lengths in pixels, `size` in square pixels, `opacity` from 0 to 1. */
export interface Mark {
  readonly type: 'bar' | 'line' | 'point' | 'rule' | 'text' | 'tick';
  readonly color?: string;
  readonly opacity?: number;
  readonly stroke?: string;
  readonly strokeWidth?: number;
  readonly strokeDash?: readonly number[];
  readonly size?: number;
  readonly filled?: boolean;
  /** Of a bar or tick on a nominal axis. */
  readonly height?: number;
  readonly thickness?: number;
  /** Points on a line. */
  readonly point?: { readonly filled: boolean; readonly size: number; readonly color?: string };
  readonly align?: 'left';
  readonly baseline?: 'bottom';
  readonly dx?: number;
  readonly dy?: number;
}

/** Which member of a value decides what. */
export interface Encoding {
  readonly x?: Channel | { readonly value: number };
  readonly x2?: { readonly field: string };
  readonly y?: Channel;
  readonly color?: Channel;
  readonly shape?: Channel;
  readonly text?: { readonly field: string };
}

/** A member of the values, its scale and its axis. */
export interface Channel {
  readonly field: string;
  readonly type: 'quantitative' | 'nominal';
  readonly title?: string;
  /** Always as the values come. */
  readonly sort?: null;
  /** Bars that begin at the same place stand upon each other. */
  readonly stack?: 'zero';
  readonly scale?: {
    readonly domain?: readonly (number | string)[];
    readonly range?: readonly string[];
    readonly nice?: false;
    readonly zero?: false;
  };
  readonly axis?: {
    /** `d`: without separators. */
    readonly format?: 'd' | ',d';
    readonly tickMinStep?: number;
    readonly tickCount?: number;
    readonly labels?: false;
    readonly ticks?: false;
  };
}
