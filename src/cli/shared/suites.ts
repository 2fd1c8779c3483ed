import type { Suite } from '../../core/results.ts';

/** The suites, from the smallest to the largest. */
export const SUITES: readonly Suite[] = ['smoke', 'full', 'certify'];
