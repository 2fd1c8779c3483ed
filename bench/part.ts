import type { Row } from './comparison.ts';

/** One thing that is measured. */
export interface Part {
  readonly name: string;
  /** What is compared with what, in a sentence or two. */
  readonly about: string;
  /** Measures it. `folder` is empty and is removed afterwards. */
  readonly measure: (folder: string) => Promise<readonly Row[]>;
}

/** Measurements of each candidate, unless a part takes so long that it says otherwise. */
export const MEASUREMENTS = 7;
