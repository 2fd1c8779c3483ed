import type { Row } from './comparison.ts';

/** One part of the benchmark. */
export interface Part {
  readonly name: string;
  /** What is compared, in one or two sentences. */
  readonly about: string;
  /** Runs the measurement. `folder` is empty and is removed afterwards. */
  readonly measure: (folder: string) => Promise<readonly Row[]>;
}

/** Measurements of each candidate; long parts use fewer. */
export const MEASUREMENTS = 7;
