import type { ProviderOptions } from '../provider-options.ts';

/** How long an answer is held back, in milliseconds: exactly one of the three profiles. */
export interface Latency {
  readonly fixedMs?: number;
  /** Least and most. */
  readonly uniformMs?: readonly [least: number, most: number];
  /** Named `min`, `p50` to `p99`, `max`; values never fall from left to right. */
  readonly percentilesMs?: Readonly<Partial<Record<Percentile, number>>>;
}

/** The percentiles that a profile may name, in their order. */
export const PERCENTILES = ['min', 'p50', 'p75', 'p90', 'p95', 'p99', 'max'] as const;

export type Percentile = (typeof PERCENTILES)[number];

/** Both ends inclusive; an end that is left out is open. */
export interface Range {
  readonly from?: number;
  readonly to?: number;
}

/** What a request asks for. */
export type Call = 'token' | 'list' | 'other';

/** Which requests a rule is for: those for which all of this holds. */
export interface RuleCondition {
  readonly call?: 'token' | 'list';
  /** Names in any case; the value `*` stands for any. */
  readonly header?: Readonly<Record<string, string>>;
  /** Since the start or the last reset, by the provider's clock. */
  readonly elapsedSeconds?: Range;
  /** Counted from 1 among the requests that the conditions above let through. */
  readonly requests?: Range;
  /** Only each n-th of those. */
  readonly every?: number;
}

/** An answer in place of the provider's own. */
export interface ReplacementAnswer {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  readonly body?: string;
}

/** What happens to some requests. */
export interface Rule {
  readonly name?: string;
  readonly when?: RuleCondition;
  readonly defects?: readonly string[];
  readonly latency?: Latency;
  readonly answer?: ReplacementAnswer;
  /** Resets the connection before any answer. */
  readonly reset?: boolean;
  /** Share of the body, from 0 and below 1, that is sent before the connection is cut. */
  readonly truncate?: number;
}

/** What changes while the provider runs; the rest of a scenario is settled when it starts. */
export interface Behaviour {
  readonly defects?: readonly string[];
  readonly latency?: Latency;
  readonly rules?: readonly Rule[];
}

/** A scenario file's content once its schema holds: what schemas/scenario.schema.json describes. */
export interface Scenario extends Behaviour, ProviderOptions {}
