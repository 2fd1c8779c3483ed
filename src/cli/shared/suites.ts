import type { Suite } from '../../core/results.ts';

/** The suites, smallest first. */
export const SUITES: readonly Suite[] = ['smoke', 'full', 'certify'];
