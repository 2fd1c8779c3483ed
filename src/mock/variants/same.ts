import type { Change } from '../pipeline.ts';

/** Changes nothing: for variants that are a matter of options. */
export const same: Change = (steps) => steps;
