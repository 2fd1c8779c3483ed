import type { MockOptions } from '../../../src/mock/index.ts';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';

/** What is expected of a run. */
export interface Expected {
  readonly status: number;
  readonly outcome: 'conformant' | 'non-conformant' | 'inconclusive' | 'error';
  /** A part of the headline. */
  readonly headline?: string;
  /** All failed requirements; none by default. */
  readonly failed?: readonly string[];
  /** Kinds of causes except `unselected` and `unconfigured`; not checked by default. */
  readonly causes?: readonly string[];
  /** The key of a `configuration` cause. */
  readonly key?: string;
}

/** A provider, a target file and options. */
export interface Situation {
  readonly mock?: MockOptions;
  readonly gateway?: Behaviour;
  /** Changes of the target file. */
  readonly target?: { readonly [key: string]: unknown };
  readonly options?: string;
  /** Options of an earlier run whose folder is the baseline. */
  readonly baseline?: string;
}

export const conformant: Expected = { status: 0, outcome: 'conformant', causes: [] };
export const failing = (...failed: string[]): Expected => ({ status: 1, outcome: 'non-conformant', failed });
export const misconfigured = (key: string): Expected => ({
  status: 3,
  outcome: 'error',
  causes: ['configuration'],
  key,
});
export const unavailable: Expected = { status: 3, outcome: 'error', causes: ['unavailable'] };

/** Situations by name. */
export type Situations = { readonly [name: string]: readonly [Expected, Situation?] };
